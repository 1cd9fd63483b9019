//! The device memory of nodes that copy or set memory.

use super::{explain, release::Owner};
use crate::{
    contract::Elements,
    device::{DevicePointer, DevicePointerMut, DeviceType},
    driver::{api, error::Error},
    marshal::Retained,
};
use core::ffi::c_void;
use cudarc::driver::sys::CUdeviceptr;

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
    fn address(&self) -> CUdeviceptr;

    #[doc(hidden)]
    fn elements(&self) -> Option<usize>;

    /// Returns what the graph holds.
    #[doc(hidden)]
    fn owner(self) -> Option<Owner>;
}

/// Device memory that a node of a [`Graph`](super::Graph) writes: a [`DevicePointerMut`], or a [`Retained`] one.
#[diagnostic::on_unimplemented(
    message = "a node of a graph cannot write `{Self}`",
    label = "not a `DevicePointerMut<{T}>`",
    note = "for memory of an `Arc<CudaSlice<{T}>>` write `Retained::write(&slice)`; for memory of the graph, `memory.pointer()`; for memory that \
            the caller keeps allocated, a `DevicePointerMut<{T}>`"
)]
pub trait NodeMemoryMut<T>: NodeMemory<T> {}

pub(super) struct Operand {
    pub(super) place: api::CopyPlace,
    bytes: Option<usize>,
    pub(super) owner: Option<Owner>,
}

impl Operand {
    pub(super) fn device<T>(memory: impl NodeMemory<T>) -> Self {
        let bytes = memory.elements().and_then(|elements| elements.checked_mul(size_of::<T>()));
        Self { place: api::CopyPlace::Device(memory.address()), bytes, owner: memory.owner() }
    }

    /// Host memory that `owner` keeps allocated.
    pub(super) fn host(pointer: *mut c_void, owner: Owner) -> Self {
        Self { place: api::CopyPlace::Host(pointer), bytes: None, owner: Some(owner) }
    }

    pub(super) fn check(&self, width: usize) -> Result<(), Error> {
        match self.bytes {
            Some(bytes) if width > bytes => Err(explain::ADDED.beyond_memory(0, width, bytes)),
            _ => Ok(()),
        }
    }
}

macro_rules! memory {
    ($($pointer:ident)*) => {$(
        impl<T> sealed::Sealed for $pointer<T> {}
        impl<T> sealed::Sealed for Retained<$pointer<T>> {}

        impl<T: DeviceType> NodeMemory<T> for $pointer<T> {
            fn address(&self) -> CUdeviceptr {
                (*self).address()
            }

            fn elements(&self) -> Option<usize> {
                None
            }

            fn owner(self) -> Option<Owner> {
                None
            }
        }

        impl<T: DeviceType> NodeMemory<T> for Retained<$pointer<T>> {
            fn address(&self) -> CUdeviceptr {
                self.pointer().address()
            }

            fn elements(&self) -> Option<usize> {
                Some(Elements::elements(self))
            }

            fn owner(self) -> Option<Owner> {
                Some(Box::new(self.into_memory()))
            }
        }
    )*};
}

memory!(DevicePointer DevicePointerMut);

impl<T: DeviceType> NodeMemoryMut<T> for DevicePointerMut<T> {}
impl<T: DeviceType> NodeMemoryMut<T> for Retained<DevicePointerMut<T>> {}
