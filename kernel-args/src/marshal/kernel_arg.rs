//! From a field of a struct to the value that the kernel receives.

use super::{Guard, LaunchStream};
use crate::device::{DevicePointer, DevicePointerMut, DeviceType, Nullable, Pointee};

/// The type of a field of a `#[derive(KernelArgs)]` struct: it defines which [device type](DeviceType) the kernel receives.
///
/// Every device type is passed by value; a cudarc slice becomes a device pointer; an `Option` of a pointer becomes the
/// pointer or null. Implement it for a type of your own that becomes one of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a CUDA kernel",
    label = "not a kernel argument",
    note = "a kernel takes integers, floats, `bool`, arrays of them, CUDA's vector types (`Float4`), device \
            pointers (`&CudaSlice<T>`, `&mut CudaSlice<T>`, `DevicePointer<T>`, `Option` of one), and structs \
            and enums with `#[derive(DeviceType)]`"
)]
pub trait KernelArg {
    /// What the kernel receives.
    type Device: DeviceType;

    /// The value for the kernel, and a guard that lives until the launch has been enqueued.
    fn lower<'s>(&'s mut self, stream: &'s LaunchStream<'_>) -> (Self::Device, Guard<'s>);

    /// The value for the kernel, if it is already in memory as the kernel reads it.
    #[doc(hidden)]
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

/// An argument that becomes a device pointer: an `Option` of it can be passed, `None` as the null pointer.
#[diagnostic::on_unimplemented(
    message = "`Option<{Self}>` cannot be passed to a CUDA kernel",
    label = "only an `Option` of a device pointer has a null value",
    note = "to pass an optional value, pass the value and a flag, or a pointer to it"
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
