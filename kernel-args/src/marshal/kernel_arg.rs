//! From a field of a struct to the value that the kernel receives.

use super::{Guard, LaunchStream};
use crate::device::{DevicePointer, DevicePointerMut, DeviceType, Nullable, Pointee};

/// A field of a `#[derive(KernelArgs)]` struct: it says which [device type](DeviceType) it becomes, and how.
///
/// Every device type is an argument by itself; a cudarc slice becomes a device pointer; `Option` of a
/// pointer becomes null or the pointer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a CUDA kernel",
    label = "no form on the device",
    note = "a kernel takes integers, floats, `bool`, arrays of them, CUDA's vector types (`Float4`), device \
            pointers (`&CudaSlice<T>`, `&mut CudaSlice<T>`, `DevicePointer<T>`, `Option` of one), and structs \
            and enums with `#[derive(DeviceType)]`"
)]
pub trait KernelArg {
    /// What the kernel receives.
    type Device: DeviceType;

    /// The value for the kernel, and the guard that must outlive the launch.
    fn lower<'s>(&'s mut self, stream: &'s LaunchStream<'_>) -> (Self::Device, Guard<'s>);

    /// The value for the kernel where it already stands in memory as the kernel reads it.
    #[inline]
    fn in_place(&self) -> Option<&Self::Device> {
        None
    }
}

// A device type is passed by value.
#[diagnostic::do_not_recommend]
impl<D: DeviceType> KernelArg for D {
    type Device = D;

    #[inline(always)]
    fn lower<'s>(&'s mut self, _: &'s LaunchStream<'_>) -> (D, Guard<'s>) {
        (*self, Guard::NONE)
    }

    #[inline(always)]
    fn in_place(&self) -> Option<&D> {
        Some(self)
    }
}

/// An argument that becomes a device pointer: `Option` of it may be passed, `None` as the null pointer.
#[diagnostic::on_unimplemented(
    message = "`Option<{Self}>` cannot be passed to a CUDA kernel",
    label = "only an `Option` of a device pointer has a null value",
    note = "for an optional value pass the value and a flag, or a pointer to it"
)]
pub trait PointerArg: KernelArg<Device: Nullable> {}

impl<T: Pointee> PointerArg for DevicePointer<T> {}
impl<T: Pointee> PointerArg for DevicePointerMut<T> {}

impl<P: PointerArg> KernelArg for Option<P> {
    type Device = P::Device;

    #[inline]
    fn lower<'s>(&'s mut self, stream: &'s LaunchStream<'_>) -> (P::Device, Guard<'s>) {
        match self {
            Some(pointer) => pointer.lower(stream),
            None => (P::Device::NULL, Guard::NONE),
        }
    }
}
