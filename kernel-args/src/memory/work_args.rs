//! The arguments of external work in a sequence: what its closure receives, and what they are compared by.

use super::{Access, DeviceMemory, HeldMemory, RunMemory};
use core::{marker::PhantomData, mem::ManuallyDrop, ops::Deref};
use cudarc::driver::{CudaSlice, CudaStream, CudaView, CudaViewMut, sys::CUdeviceptr};
use std::sync::Arc;

/// An argument of external work: [`Run::external`](crate::sequence::Run::external) takes a tuple of them.
///
/// | argument | the closure receives | equal if |
/// |---|---|---|
/// | `&CudaSlice<T>`, `CudaView<T>`, `&CudaView<T>`: memory that the work reads | `CudaView<T>` | the address and the length are |
/// | `&mut CudaSlice<T>`, `CudaViewMut<T>`, `&mut CudaViewMut<T>`: memory that it writes | `CudaViewMut<T>` | the address and the length are |
/// | integers, `bool`, `f32`, `f64` | the value | the bits are |
/// | `GemmConfig` and `StridedBatchedConfig` of cudarc, with the feature `cublas` | the value | all fields are |
/// | [`Value(value)`](Value) | the value | the value is |
/// | [`&Handle<H>`](Handle): a handle of a library that has memory of its own | `&H` | it is the same handle, which the sequence then keeps |
/// | `&Arc<H>`: any other shared value | `&Arc<H>` | it is the same value, which the sequence then keeps |
///
/// The run must hold or own the memory. The views have no events: nothing waits for a slice while the work is captured.
/// The run waits for it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument of external work",
    label = "not memory, a value or a handle",
    note = "pass slices and views, numbers, `&Arc<handle>`, or `Value(value)` with a value that is `Clone + Eq + Send + Sync`"
)]
pub trait ExternalArg: sealed::Sealed {
    /// What the closure receives.
    type In<'a>;

    #[doc(hidden)]
    fn input(alias: &mut Self::Alias) -> Self::In<'_>;
}

/// The arguments of external work: a tuple of up to 12 values that are [`ExternalArg`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not hold the arguments of external work",
    label = "not a tuple of arguments",
    note = "write a tuple: `(&self.blas, n, &*x, &mut *y)`"
)]
pub trait ExternalArgs: sealed::Sealed {
    /// What the closure receives.
    type In<'a>;

    #[doc(hidden)]
    fn input(alias: &mut Self::Alias) -> Self::In<'_>;
}

mod sealed {
    use super::{Access, Arc, CudaStream, RunMemory};

    /// What a sequence does with an argument, or with all arguments.
    pub trait Sealed {
        type Key: Send + Sync + 'static;
        type Found: Copy;
        type Alias;

        /// Whether the work can use memory that it owns.
        const OWNS_MEMORY: bool = false;

        /// The error is the index of an argument whose memory the run has not; a single argument returns 0.
        fn find(&self, memory: &RunMemory) -> Result<Self::Found, usize>;

        /// With `anywhere`, memory matches at each address.
        fn matches(&self, found: Self::Found, key: &Self::Key, anywhere: bool) -> bool;

        fn key(&self, found: Self::Found) -> Self::Key;

        /// Adds the memory that the work reads and writes.
        fn accesses(&self, found: Self::Found, list: &mut Vec<Access>);

        /// `stream` tracks nothing.
        fn alias(&self, found: Self::Found, stream: &Arc<CudaStream>) -> Self::Alias;
    }
}

/// A value that external work depends on, as an argument of it.
#[derive(Clone, Copy, Debug)]
pub struct Value<T>(pub T);

/// Memory by its address and size, and the type of its elements.
#[doc(hidden)]
pub struct MemoryKey<T>(CUdeviceptr, usize, PhantomData<fn() -> T>);

/// A slice without events that does not free its memory.
#[doc(hidden)]
pub struct SliceAlias<T>(ManuallyDrop<CudaSlice<T>>);

impl<T> SliceAlias<T> {
    fn new(found: HeldMemory, stream: &Arc<CudaStream>) -> Self {
        let len = found.bytes().checked_div(size_of::<T>()).unwrap_or(0);
        // SAFETY: `RunMemory::memory` has found this memory of a slice or a view of `T`, which is allocated until the
        // run is enqueued. The alias is never dropped or returned: the closure receives a view of it, which borrows it.
        // The argument borrows the memory in the same way for the whole call.
        Self(ManuallyDrop::new(unsafe { stream.upgrade_device_ptr(found.address(), len) }))
    }
}

macro_rules! memory {
    ($($writes:literal $view:ident: $([$($life:lifetime)*] $ty:ty),*;)*) => {$($(
        impl<$($life,)* T: 'static> sealed::Sealed for $ty {
            type Key = MemoryKey<T>;
            type Found = HeldMemory;
            type Alias = SliceAlias<T>;

            #[inline(always)]
            fn find(&self, memory: &RunMemory) -> Result<HeldMemory, usize> {
                memory.memory(DeviceMemory::<T>::slice(self), 0).map_err(|_| 0)
            }

            fn matches(&self, found: HeldMemory, key: &MemoryKey<T>, anywhere: bool) -> bool {
                (anywhere || found.address() == key.0) && found.bytes() == key.1
            }

            fn key(&self, found: HeldMemory) -> MemoryKey<T> {
                MemoryKey(found.address(), found.bytes(), PhantomData)
            }

            fn accesses(&self, found: HeldMemory, list: &mut Vec<Access>) {
                list.push(Access { address: found.address(), bytes: found.bytes(), writes: $writes });
            }

            fn alias(&self, found: HeldMemory, stream: &Arc<CudaStream>) -> SliceAlias<T> {
                SliceAlias::new(found, stream)
            }
        }

        impl<$($life,)* T: 'static> ExternalArg for $ty {
            type In<'a> = $view<'a, T>;

            fn input(alias: &mut SliceAlias<T>) -> $view<'_, T> {
                memory!(@ $view alias)
            }
        }
    )*)*};
    (@ CudaView $alias:ident) => { $alias.0.as_view() };
    (@ CudaViewMut $alias:ident) => { $alias.0.as_view_mut() };
}

memory! {
    false CudaView: ['s] &'s CudaSlice<T>, ['v] CudaView<'v, T>, ['s 'v] &'s CudaView<'v, T>, ['s 'v] &'s CudaViewMut<'v, T>;
    true CudaViewMut: ['s] &'s mut CudaSlice<T>, ['v] CudaViewMut<'v, T>, ['s 'v] &'s mut CudaViewMut<'v, T>;
}

/// An argument without memory of the run, which is compared with its key.
macro_rules! by_key {
    ($key:ty, |$self:ident| $copy:expr, |$known:ident| $are_equal:expr) => {
        type Key = $key;
        type Found = ();
        type Alias = $key;

        fn find(&self, _: &RunMemory) -> Result<(), usize> {
            Ok(())
        }

        fn matches(&$self, (): (), $known: &$key, _: bool) -> bool {
            $are_equal
        }

        fn key(&$self, (): ()) -> $key {
            $copy
        }

        fn alias(&$self, (): (), _: &Arc<CudaStream>) -> $key {
            $copy
        }
    };
}

/// An argument without memory, whose value is its key.
macro_rules! values {
    ($([$($generics:tt)*] $ty:ty => $value:ty, |$self:ident| $copy:expr, |$key:ident| $are_equal:expr;)*) => {$(
        impl<$($generics)*> sealed::Sealed for $ty {
            by_key!($value, |$self| $copy, |$key| $are_equal);

            fn accesses(&self, (): (), _: &mut Vec<Access>) {}
        }

        impl<$($generics)*> ExternalArg for $ty {
            type In<'a> = $value;

            fn input(alias: &mut $value) -> $value {
                alias.clone()
            }
        }
    )*};
}

macro_rules! numbers {
    ($($number:ident)*) => {
        values! { $([] $number => Self, |self| *self, |key| self.to_ne_bytes() == key.to_ne_bytes();)* }
    };
}

numbers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

values! {
    [] bool => Self, |self| *self, |key| self == key;
    [T: Clone + Eq + Send + Sync + 'static] Value<T> => T, |self| self.0.clone(), |key| self.0 == *key;
}

/// The configurations of cuBLAS products as arguments: all fields are compared, the factors by their bytes.
#[cfg(feature = "cublas")]
mod cublas {
    use super::{Access, Arc, CudaStream, ExternalArg, RunMemory, sealed};
    use bytemuck::{NoUninit, bytes_of};
    use cudarc::cublas::{GemmConfig, StridedBatchedConfig};

    fn are_equal<T: NoUninit>(one: &GemmConfig<T>, other: &GemmConfig<T>) -> bool {
        let GemmConfig { transa, transb, m, n, k, alpha, lda, ldb, beta, ldc } = one;
        (*transa, *transb, *m, *n, *k) == (other.transa, other.transb, other.m, other.n, other.k)
            && (*lda, *ldb, *ldc) == (other.lda, other.ldb, other.ldc)
            && bytes_of(alpha) == bytes_of(&other.alpha)
            && bytes_of(beta) == bytes_of(&other.beta)
    }

    fn are_equal_batches<T: NoUninit>(one: &StridedBatchedConfig<T>, other: &StridedBatchedConfig<T>) -> bool {
        let StridedBatchedConfig { gemm, batch_size, stride_a, stride_b, stride_c } = one;
        are_equal(gemm, &other.gemm)
            && (*batch_size, *stride_a) == (other.batch_size, other.stride_a)
            && (*stride_b, *stride_c) == (other.stride_b, other.stride_c)
    }

    values! {
        [T: NoUninit + Send + Sync] GemmConfig<T> => Self, |self| *self, |key| are_equal(self, key);
        [T: NoUninit + Send + Sync] StridedBatchedConfig<T> => Self, |self| *self, |key| are_equal_batches(self, key);
    }
}

/// A shared handle of a library, such as `CudaBlas`, as an argument of external work.
///
/// The work of a library also uses memory of the handle, such as a workspace. The sequence keeps the handle as long as
/// its graphs have the work, and orders the work of one handle. What else the work uses, the caller of
/// [`external`](crate::sequence::Run::external) promises.
///
/// ```
/// # struct Blas;
/// use kernel_args::sequence::Handle;
///
/// // SAFETY: the handle owns its workspace.
/// let blas = unsafe { Handle::new(Blas) };
/// ```
#[derive(Debug)]
pub struct Handle<H>(Arc<H>);

impl<H> Handle<H> {
    /// # Safety
    /// Until the handle is dropped, all memory is allocated that the library uses on its own for the work of the
    /// handle. For example: the handle owns the slice that `cublasSetWorkspace` has received.
    pub unsafe fn new(handle: impl Into<Arc<H>>) -> Self {
        Self(handle.into())
    }
}

impl<H> Clone for Handle<H> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<H> Deref for Handle<H> {
    type Target = H;

    fn deref(&self) -> &H {
        &self.0
    }
}

macro_rules! shared {
    ($($owns:literal $ty:ty => $in:ty, |$self:ident| $arc:expr;)*) => {$(
        impl<H: Send + Sync + 'static> sealed::Sealed for &$ty {
            // The key keeps the value, so no other value has its address.
            by_key!(Arc<H>, |$self| $arc.clone(), |key| Arc::ptr_eq($arc, key));

            const OWNS_MEMORY: bool = $owns;

            /// The work of one handle is in order: its address is written.
            fn accesses(&$self, (): (), list: &mut Vec<Access>) {
                list.push(Access { address: Arc::as_ptr($arc).addr() as CUdeviceptr, bytes: 1, writes: true });
            }
        }

        impl<H: Send + Sync + 'static> ExternalArg for &$ty {
            type In<'a> = &'a $in;

            fn input(alias: &mut Arc<H>) -> &$in {
                alias
            }
        }
    )*};
}

shared! {
    false Arc<H> => Arc<H>, |self| *self;
    true Handle<H> => H, |self| &self.0;
}

macro_rules! tuples {
    ([$($name:ident $index:tt)*] $next:ident $at:tt $($rest:tt)*) => {
        tuples!(= $($name $index)* $next $at);
        tuples!([$($name $index)* $next $at] $($rest)*);
    };
    ([$($done:tt)*]) => {};
    (= $($name:ident $index:tt)*) => {
        impl<$($name: ExternalArg),*> sealed::Sealed for ($($name,)*) {
            type Key = ($($name::Key,)*);
            type Found = ($($name::Found,)*);
            type Alias = ($($name::Alias,)*);

            const OWNS_MEMORY: bool = $($name::OWNS_MEMORY)||*;

            #[inline(always)]
            fn find(&self, memory: &RunMemory) -> Result<Self::Found, usize> {
                Ok(($(self.$index.find(memory).or::<usize>(Err($index))?,)*))
            }

            fn matches(&self, found: Self::Found, key: &Self::Key, anywhere: bool) -> bool {
                $(self.$index.matches(found.$index, &key.$index, anywhere))&&*
            }

            fn key(&self, found: Self::Found) -> Self::Key {
                ($(self.$index.key(found.$index),)*)
            }

            fn accesses(&self, found: Self::Found, list: &mut Vec<Access>) {
                $(self.$index.accesses(found.$index, list);)*
            }

            fn alias(&self, found: Self::Found, stream: &Arc<CudaStream>) -> Self::Alias {
                ($(self.$index.alias(found.$index, stream),)*)
            }
        }

        impl<$($name: ExternalArg),*> ExternalArgs for ($($name,)*) {
            type In<'a> = ($($name::In<'a>,)*);

            fn input(alias: &mut Self::Alias) -> Self::In<'_> {
                ($($name::input(&mut alias.$index),)*)
            }
        }
    };
}

tuples!([] A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11);
