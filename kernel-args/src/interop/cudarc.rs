//! cudarc's device memory as arguments.
//!
//! A shared borrow is passed as `T const*` and tracked as a read; an exclusive borrow is passed as `T*` and tracked as a write.
//! The launch waits for the work on other streams that it depends on, and records its own use of the memory.

use crate::{
    contract::Elements,
    device::{DevicePointer, DevicePointerMut, Pointee},
    marshal::{Guard, KernelArg, LaunchStream, PointerArg, SequenceSlices, SliceArg},
};
use cudarc::driver::{
    CudaContext, CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, DeviceSlice, UnifiedSlice,
    UnifiedView, UnifiedViewMut,
};
use std::sync::Arc;

/// The stream on which memory is used, or the slices that a sequence holds.
type Used<'s> = Result<&'s CudaStream, SequenceSlices<'s>>;

#[inline(always)]
fn read<'s, T: Pointee>(
    memory: &'s impl DevicePtr<T>,
    used: Used<'s>,
    launch: &'s LaunchStream<'_>,
) -> (DevicePointer<T>, Guard<'s>) {
    let (address, guard) = match used {
        Ok(stream) => {
            let (address, sync) = memory.device_ptr(stream);
            (address, launch.guard(sync))
        }
        #[cfg(feature = "graphs")]
        Err(held) => (launch.held_address(held, memory), Guard::NONE),
    };
    (DevicePointer::from_raw(address), guard)
}

#[inline(always)]
fn write<'s, T: Pointee>(
    memory: &'s mut (impl DevicePtrMut<T> + DevicePtr<T>),
    used: Used<'s>,
    launch: &'s LaunchStream<'_>,
) -> (DevicePointerMut<T>, Guard<'s>) {
    let (address, guard) = match used {
        Ok(stream) => {
            let (address, sync) = memory.device_ptr_mut(stream);
            (address, launch.guard(sync))
        }
        #[cfg(feature = "graphs")]
        Err(held) => (launch.held_address(held, &*memory), Guard::NONE),
    };
    (DevicePointerMut::from_raw(address), guard)
}

/// Implements the argument traits: `[lifetimes] type, function -> pointer, the memory`.
macro_rules! memory {
    ($([$($life:lifetime)*] $ty:ty, $how:ident -> $pointer:ident, |$this:ident| $place:expr;)*) => {$(
        impl<$($life,)* T: Pointee> KernelArg for $ty {
            type Device = $pointer<T>;

            #[inline(always)]
            fn check_context(&self, stream: &LaunchStream<'_>) {
                SliceArg::check_for(self, self.stream().context(), stream);
            }

            #[inline(always)]
            fn lower<'s>(&'s mut self, stream: &'s LaunchStream<'_>) -> ($pointer<T>, Guard<'s>) {
                let used = stream.stream_or_held(self.stream().context());
                let $this = self;
                $how($place, used, stream)
            }
        }

        impl<$($life,)* T: Pointee> SliceArg for $ty {
            fn context(&self) -> &Arc<CudaContext> {
                self.stream().context()
            }

            #[inline(always)]
            fn check_for(&self, context: &Arc<CudaContext>, stream: &LaunchStream<'_>) {
                stream.check_slice(context, || Elements::elements(self));
            }

            #[inline]
            fn lower_for<'s>(
                &'s mut self,
                context: &Arc<CudaContext>,
                stream: &'s LaunchStream<'_>,
            ) -> ($pointer<T>, Guard<'s>) {
                let used = stream.stream_or_held(context);
                let $this = self;
                $how($place, used, stream)
            }
        }

        impl<$($life,)* T: Pointee> PointerArg for $ty {}
    )*};
}

memory! {
    ['a] &'a CudaSlice<T>, read -> DevicePointer, |this| &**this;
    ['a] &'a mut CudaSlice<T>, write -> DevicePointerMut, |this| &mut **this;
    ['a] CudaView<'a, T>, read -> DevicePointer, |this| &*this;
    ['a] CudaViewMut<'a, T>, write -> DevicePointerMut, |this| this;
    ['a] &'a UnifiedSlice<T>, read -> DevicePointer, |this| &**this;
    ['a] &'a mut UnifiedSlice<T>, write -> DevicePointerMut, |this| &mut **this;
    ['a] UnifiedView<'a, T>, read -> DevicePointer, |this| &*this;
    ['a] UnifiedViewMut<'a, T>, write -> DevicePointerMut, |this| this;
    ['a 'v] &'a CudaView<'v, T>, read -> DevicePointer, |this| &**this;
    ['a 'v] &'a CudaViewMut<'v, T>, read -> DevicePointer, |this| &**this;
    ['a 'v] &'a mut CudaViewMut<'v, T>, write -> DevicePointerMut, |this| &mut **this;
    ['a 'v] &'a UnifiedView<'v, T>, read -> DevicePointer, |this| &**this;
    ['a 'v] &'a UnifiedViewMut<'v, T>, read -> DevicePointer, |this| &**this;
    ['a 'v] &'a mut UnifiedViewMut<'v, T>, write -> DevicePointerMut, |this| &mut **this;
}

/// Device memory of a step in a sequence: cudarc's slices and views, the slices that a run holds, and the slices of a pool.
///
/// Only this crate implements it, because a run relies on the address and the length.
#[cfg(feature = "graphs")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory of `{T}`",
    label = "neither a slice nor a view",
    note = "pass a slice or a view of cudarc, or a slice of the run"
)]
pub trait DeviceMemory<T>: memory::Sealed<T> {
    #[doc(hidden)]
    type Slice: DevicePtr<T>;

    #[doc(hidden)]
    fn slice(&self) -> &Self::Slice;
}

/// [`DeviceMemory`] that a step can write.
#[cfg(feature = "graphs")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory of `{T}` that a step can write",
    label = "neither a slice nor a `CudaViewMut`",
    note = "pass `&mut` of a slice, or of a view from `slice_mut`"
)]
pub trait DeviceMemoryMut<T>: DeviceMemory<T> {}

#[cfg(feature = "graphs")]
pub(super) mod memory {
    pub trait Sealed<T> {}
}

#[cfg(feature = "graphs")]
macro_rules! device_memory {
    ($([$($life:lifetime)?] $ty:ty;)*) => {$(
        impl<$($life,)? T> memory::Sealed<T> for $ty {}

        impl<$($life,)? T> DeviceMemory<T> for $ty {
            type Slice = Self;

            #[inline(always)]
            fn slice(&self) -> &Self {
                self
            }
        }
    )*};
}

#[cfg(feature = "graphs")]
device_memory! {
    [] CudaSlice<T>;
    [] UnifiedSlice<T>;
    ['v] CudaView<'v, T>;
    ['v] CudaViewMut<'v, T>;
    ['v] UnifiedView<'v, T>;
    ['v] UnifiedViewMut<'v, T>;
}

#[cfg(feature = "graphs")]
impl<T> DeviceMemoryMut<T> for CudaSlice<T> {}
#[cfg(feature = "graphs")]
impl<T> DeviceMemoryMut<T> for UnifiedSlice<T> {}
#[cfg(feature = "graphs")]
impl<T> DeviceMemoryMut<T> for CudaViewMut<'_, T> {}
#[cfg(feature = "graphs")]
impl<T> DeviceMemoryMut<T> for UnifiedViewMut<'_, T> {}

#[cfg(feature = "graphs")]
macro_rules! references {
    ($($reference:ty),*) => {$(
        impl<T, M: DeviceMemory<T> + ?Sized> memory::Sealed<T> for $reference {}

        impl<T, M: DeviceMemory<T> + ?Sized> DeviceMemory<T> for $reference {
            type Slice = M::Slice;

            #[inline(always)]
            fn slice(&self) -> &M::Slice {
                (**self).slice()
            }
        }
    )*};
}

#[cfg(feature = "graphs")]
references!(&M, &mut M);
#[cfg(feature = "graphs")]
impl<T, M: DeviceMemoryMut<T> + ?Sized> DeviceMemoryMut<T> for &mut M {}
