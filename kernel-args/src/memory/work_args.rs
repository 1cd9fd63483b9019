//! The arguments of external work in a sequence: what its closure receives, and what they are compared by.

use super::{Access, HeldMemory, RunMemory};
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
    type Key: Send + Sync + 'static;
    #[doc(hidden)]
    type Found: Copy;
    #[doc(hidden)]
    type Alias;

    /// Whether the work can use memory that it owns.
    #[doc(hidden)]
    const OWNS_MEMORY: bool = false;

    /// `None` if the run has not the memory.
    #[doc(hidden)]
    fn find(&self, memory: &RunMemory) -> Option<Self::Found>;
    /// With `anywhere`, memory matches at each address.
    #[doc(hidden)]
    fn matches(&self, found: Self::Found, key: &Self::Key, anywhere: bool) -> bool;
    #[doc(hidden)]
    fn key(&self, found: Self::Found) -> Self::Key;
    #[doc(hidden)]
    fn access(&self, found: Self::Found) -> Option<Access>;
    /// `stream` tracks nothing.
    #[doc(hidden)]
    fn alias(&self, found: Self::Found, stream: &Arc<CudaStream>) -> Self::Alias;
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
    type Key: Send + Sync + 'static;
    #[doc(hidden)]
    type Found: Copy;
    #[doc(hidden)]
    type Alias;

    #[doc(hidden)]
    const OWNS_MEMORY: bool;

    /// The error is the index of an argument whose memory the run has not.
    #[doc(hidden)]
    fn find(&self, memory: &RunMemory) -> Result<Self::Found, usize>;
    #[doc(hidden)]
    fn matches(&self, found: Self::Found, key: &Self::Key, anywhere: bool) -> bool;
    #[doc(hidden)]
    fn key(&self, found: Self::Found) -> Self::Key;
    #[doc(hidden)]
    fn accesses(&self, found: Self::Found, list: &mut Vec<Access>);
    #[doc(hidden)]
    fn alias(&self, found: Self::Found, stream: &Arc<CudaStream>) -> Self::Alias;
    #[doc(hidden)]
    fn input(alias: &mut Self::Alias) -> Self::In<'_>;
}

mod sealed {
    pub trait Sealed {}
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
        impl<$($life,)* T> sealed::Sealed for $ty {}

        impl<$($life,)* T: 'static> ExternalArg for $ty {
            type In<'a> = $view<'a, T>;
            type Key = MemoryKey<T>;
            type Found = HeldMemory;
            type Alias = SliceAlias<T>;

            #[inline(always)]
            fn find(&self, memory: &RunMemory) -> Option<HeldMemory> {
                find(self, memory)
            }

            fn matches(&self, found: HeldMemory, key: &MemoryKey<T>, anywhere: bool) -> bool {
                (anywhere || found.address() == key.0) && found.bytes() == key.1
            }

            fn key(&self, found: HeldMemory) -> MemoryKey<T> {
                MemoryKey(found.address(), found.bytes(), PhantomData)
            }

            fn access(&self, found: HeldMemory) -> Option<Access> {
                Some(Access { address: found.address(), bytes: found.bytes(), writes: $writes })
            }

            fn alias(&self, found: HeldMemory, stream: &Arc<CudaStream>) -> SliceAlias<T> {
                SliceAlias::new(found, stream)
            }

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

/// Returns the memory of a reference or a view.
#[inline(always)]
fn find<T, M: super::DeviceMemory<T>>(argument: &M, memory: &RunMemory) -> Option<HeldMemory> {
    memory.memory(argument.slice(), 0).ok()
}

/// An argument without memory, whose value is its key.
macro_rules! without_memory {
    ($value:ty, |$self:ident| $copy:expr, |$key:ident| $are_equal:expr) => {
        type In<'a> = $value;
        type Key = $value;
        type Found = ();
        type Alias = $value;

        fn find(&self, _: &RunMemory) -> Option<()> {
            Some(())
        }

        fn matches(&$self, (): (), $key: &$value, _: bool) -> bool {
            $are_equal
        }

        fn key(&$self, (): ()) -> $value {
            $copy
        }

        fn access(&self, (): ()) -> Option<Access> {
            None
        }

        fn alias(&$self, (): (), _: &Arc<CudaStream>) -> $value {
            $copy
        }

        fn input(alias: &mut $value) -> $value {
            alias.clone()
        }
    };
}

macro_rules! values {
    ($($value:ident $bits:ident;)*) => {$(
        impl sealed::Sealed for $value {}

        impl ExternalArg for $value {
            without_memory!(Self, |self| *self, |key| values!(@ $bits self) == values!(@ $bits key));
        }
    )*};
    (@ itself $value:ident) => { *$value };
    (@ to_bits $value:ident) => { $value.to_bits() };
}

values! {
    u8 itself; u16 itself; u32 itself; u64 itself; u128 itself; usize itself;
    i8 itself; i16 itself; i32 itself; i64 itself; i128 itself; isize itself;
    bool itself; f32 to_bits; f64 to_bits;
}

/// The configurations of cuBLAS products as arguments: all fields are compared, the factors by their bytes.
#[cfg(feature = "cublas")]
mod cublas {
    use super::{Access, ExternalArg, RunMemory, sealed};
    use bytemuck::{NoUninit, bytes_of};
    use cudarc::{
        cublas::{GemmConfig, StridedBatchedConfig},
        driver::CudaStream,
    };
    use std::sync::Arc;

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

    macro_rules! configs {
        ($($config:ident $are_equal:ident;)*) => {$(
            impl<T> sealed::Sealed for $config<T> {}

            impl<T: NoUninit + Send + Sync> ExternalArg for $config<T> {
                without_memory!(Self, |self| *self, |key| $are_equal(self, key));
            }
        )*};
    }

    configs! {
        GemmConfig are_equal;
        StridedBatchedConfig are_equal_batches;
    }
}

impl<T> sealed::Sealed for Value<T> {}

impl<T: Clone + Eq + Send + Sync + 'static> ExternalArg for Value<T> {
    without_memory!(T, |self| self.0.clone(), |key| self.0 == *key);
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
    ($($owns:literal $ty:ty => $in:ty, |$this:ident| $arc:expr, |$alias:ident| $input:expr;)*) => {$(
        impl<H> sealed::Sealed for &$ty {}

        impl<H: Send + Sync + 'static> ExternalArg for &$ty {
            type In<'a> = &'a $in;
            /// The key keeps the value, so no other value has its address.
            type Key = Arc<H>;
            type Found = ();
            type Alias = Arc<H>;

            const OWNS_MEMORY: bool = $owns;

            fn find(&self, _: &RunMemory) -> Option<()> {
                Some(())
            }

            fn matches(&self, (): (), key: &Arc<H>, _: bool) -> bool {
                let $this = self;
                Arc::ptr_eq($arc, key)
            }

            fn key(&self, (): ()) -> Arc<H> {
                let $this = self;
                $arc.clone()
            }

            /// The work of one handle is in order: its address is written.
            fn access(&self, (): ()) -> Option<Access> {
                let $this = self;
                Some(Access { address: Arc::as_ptr($arc).addr() as CUdeviceptr, bytes: 1, writes: true })
            }

            fn alias(&self, (): (), _: &Arc<CudaStream>) -> Arc<H> {
                let $this = self;
                $arc.clone()
            }

            fn input($alias: &mut Arc<H>) -> &$in {
                $input
            }
        }
    )*};
}

shared! {
    false Arc<H> => Arc<H>, |this| *this, |alias| alias;
    true Handle<H> => H, |this| &this.0, |alias| alias;
}

macro_rules! tuples {
    ($($name:ident $index:tt)*) => {
        tuples!(@ [] $($name $index)*);
    };
    (@ [$($name:ident $index:tt)*] $next:ident $at:tt $($rest:tt)*) => {
        tuples!(= $($name $index)* $next $at);
        tuples!(@ [$($name $index)* $next $at] $($rest)*);
    };
    (@ [$($done:tt)*]) => {};
    (= $($name:ident $index:tt)*) => {
        impl<$($name: ExternalArg),*> sealed::Sealed for ($($name,)*) {}

        impl<$($name: ExternalArg),*> ExternalArgs for ($($name,)*) {
            type In<'a> = ($($name::In<'a>,)*);
            type Key = ($($name::Key,)*);
            type Found = ($($name::Found,)*);
            type Alias = ($($name::Alias,)*);

            const OWNS_MEMORY: bool = $($name::OWNS_MEMORY)||*;

            #[inline(always)]
            fn find(&self, memory: &RunMemory) -> Result<Self::Found, usize> {
                Ok(($(self.$index.find(memory).ok_or::<usize>($index)?,)*))
            }

            fn matches(&self, found: Self::Found, key: &Self::Key, anywhere: bool) -> bool {
                $(self.$index.matches(found.$index, &key.$index, anywhere))&&*
            }

            fn key(&self, found: Self::Found) -> Self::Key {
                ($(self.$index.key(found.$index),)*)
            }

            fn accesses(&self, found: Self::Found, list: &mut Vec<Access>) {
                $(list.extend(self.$index.access(found.$index));)*
            }

            fn alias(&self, found: Self::Found, stream: &Arc<CudaStream>) -> Self::Alias {
                ($(self.$index.alias(found.$index, stream),)*)
            }

            fn input(alias: &mut Self::Alias) -> Self::In<'_> {
                ($($name::input(&mut alias.$index),)*)
            }
        }
    };
}

tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11);
