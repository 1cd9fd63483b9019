//! The conversion of a field into the value that the kernel receives.

use super::{Guard, LaunchStream};
use crate::device::{DevicePointer, DevicePointerMut, DeviceType, Nullable, Pointee};

/// The type of a field of a `#[derive(KernelArgs)]` struct: it defines which [device type](DeviceType) the kernel
/// receives.
///
/// Every device type is passed by value; a cudarc slice becomes a device pointer; an `Option` of a pointer becomes the
/// pointer or null. Implement it for your own types that convert to one of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a CUDA kernel",
    label = "not a kernel argument",
    note = "to pass a struct of your own, write `#[derive(Clone, Copy, DeviceType)] #[repr(C)]` on it; on an enum, `#[repr(i32)]`",
    note = "a kernel takes integers, floats, `bool`, arrays of them, CUDA's vector types (`Float4`), device \
            pointers (`&CudaSlice<T>`, `&mut CudaSlice<T>`, `DevicePointer<T>`, `Option` of one), and structs \
            and enums with `#[derive(DeviceType)]`"
)]
pub trait KernelArg {
    /// The type that the kernel receives.
    type Device: DeviceType;

    /// Returns the value for the kernel, and a guard that is dropped after the launch has been enqueued.
    fn lower<'s>(&'s mut self, stream: &'s LaunchStream<'_>) -> (Self::Device, Guard<'s>);

    /// Passes the context of the memory that [`lower`](Self::lower) uses to `LaunchStream::check_context`.
    ///
    /// It is called for every argument before the first argument is lowered. A launch with memory of a different
    /// context is therefore rejected before anything is enqueued. A value has no context. An argument that wraps
    /// another argument forwards the call:
    ///
    /// ```
    /// use kernel_args::{DevicePointer, KernelArg, args::{Guard, LaunchStream}};
    ///
    /// struct Weights<P>(P);
    ///
    /// impl<P: KernelArg<Device = DevicePointer<f32>>> KernelArg for Weights<P> {
    ///     type Device = DevicePointer<f32>;
    ///
    ///     fn check_context(&self, stream: &LaunchStream<'_>) {
    ///         self.0.check_context(stream);
    ///     }
    ///
    ///     fn lower<'s>(&'s mut self, stream: &'s LaunchStream<'_>) -> (Self::Device, Guard<'s>) {
    ///         self.0.lower(stream)
    ///     }
    /// }
    /// ```
    #[inline(always)]
    fn check_context(&self, stream: &LaunchStream<'_>) {
        let _ = stream;
    }

    /// Returns the value for the kernel, if the memory of `self` already contains it.
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

/// An argument that becomes a device pointer: its `Option` can be passed, with `None` as the null pointer.
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
    fn check_context(&self, stream: &LaunchStream<'_>) {
        if let Some(pointer) = self {
            pointer.check_context(stream);
        }
    }

    #[inline]
    fn lower<'s>(&'s mut self, stream: &'s LaunchStream<'_>) -> (P::Device, Guard<'s>) {
        match self {
            Some(pointer) => pointer.lower(stream),
            None => (P::Device::NULL, Guard::NONE),
        }
    }
}
