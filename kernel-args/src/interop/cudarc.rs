//! cudarc's device memory as arguments: the guide's chapter `pointers` documents what is tracked.

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
