//! The device memory of nodes that copy or set memory.

use super::release::Owner;
use crate::{
    contract::Elements,
    device::{DevicePointer, DevicePointerMut, DeviceType},
    driver::api::CopyPlace,
    marshal::Retained,
};

mod sealed {
    pub trait Sealed {}
}

/// Device memory that a node of a [`Graph`](super::Graph) copies from: a device pointer, or a [`Retained`] pointer,
/// whose memory the graph keeps allocated as it does for the arguments of a kernel.
#[diagnostic::on_unimplemented(
    message = "a node of a graph cannot copy or set `{Self}`",
    label = "no device memory of `{T}`",
    note = "for memory of an `Arc<CudaSlice<{T}>>` write `Retained::read(&slice)`, or `Retained::write(&slice)` for what a node writes; for memory \
            of the graph, `memory.pointer()`; for memory that the caller keeps allocated, a `DevicePointer<{T}>` or a `DevicePointerMut<{T}>`"
)]
pub trait NodeMemory<T>: sealed::Sealed {
    #[doc(hidden)]
    fn operand(self) -> Operand;
    #[doc(hidden)]
    fn address(&self) -> u64;
}

/// Device memory that a node of a [`Graph`](super::Graph) writes: a [`DevicePointerMut`], or a [`Retained`] one.
#[diagnostic::on_unimplemented(
    message = "a node of a graph cannot write `{Self}`",
    label = "not a `DevicePointerMut<{T}>`",
    note = "for memory of an `Arc<CudaSlice<{T}>>` write `Retained::write(&slice)`; for memory of the graph, `memory.pointer()`; for memory that \
            the caller keeps allocated, a `DevicePointerMut<{T}>`"
)]
pub trait NodeMemoryMut<T>: NodeMemory<T> {}

#[doc(hidden)]
pub struct Operand {
    pub(super) place: CopyPlace,
    /// The size of the memory, if it is known.
    pub(super) bytes: Option<usize>,
    /// What the graph holds.
    pub(super) owner: Option<Owner>,
}

macro_rules! memory {
    ($($pointer:ident)*) => {$(
        impl<T> sealed::Sealed for $pointer<T> {}
        impl<T> sealed::Sealed for Retained<$pointer<T>> {}

        impl<T: DeviceType> NodeMemory<T> for $pointer<T> {
            fn operand(self) -> Operand {
                Operand { place: CopyPlace::Device(self.address()), bytes: None, owner: None }
            }

            fn address(&self) -> u64 {
                (*self).address()
            }
        }

        impl<T: DeviceType> NodeMemory<T> for Retained<$pointer<T>> {
            fn operand(self) -> Operand {
                let (place, bytes) = (CopyPlace::Device(self.pointer().address()), self.elements().checked_mul(size_of::<T>()));
                Operand { place, bytes, owner: Some(Box::new(self.into_memory())) }
            }

            fn address(&self) -> u64 {
                self.pointer().address()
            }
        }
    )*};
}

memory!(DevicePointer DevicePointerMut);

impl<T: DeviceType> NodeMemoryMut<T> for DevicePointerMut<T> {}
impl<T: DeviceType> NodeMemoryMut<T> for Retained<DevicePointerMut<T>> {}
