//! From a field of a struct to the value that the kernel receives.

use crate::{DeviceType, Scope, pointer::Nullable};

/// A field of a `#[derive(KernelArgs)]` struct: it says which [device type](DeviceType) it becomes, and how.
///
/// Every device type is an argument by itself; a cudarc slice becomes a device pointer; `Option` of a
/// pointer becomes null or the pointer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a CUDA kernel",
    label = "no form on the device",
    note = "a kernel takes integers, floats, `bool`, arrays of them, CUDA's vector types (`Float4`), device \
            pointers (`&CudaSlice<T>`, `&mut CudaSlice<T>`, `DevicePointer<T>`, `Option` of one), and structs \
            and enums with `#[derive(DeviceType)]`",
    note = "a field that is no parameter of the kernel is marked `#[kernel_args(skip)]`"
)]
pub trait KernelArg {
    /// What the kernel receives.
    type Device: DeviceType;
    /// What must live until the launch has been enqueued.
    type Guard<'s>
    where
        Self: 's;

    /// The value for the kernel, and the guard that must outlive the launch.
    fn lower<'s>(&'s mut self, scope: &'s Scope<'_>) -> (Self::Device, Self::Guard<'s>);

    /// The value for the kernel where it already stands in memory as the kernel reads it.
    #[inline]
    fn in_place(&self) -> Option<&Self::Device> {
        None
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> KernelArg for T {
    type Device = T;
    type Guard<'s> = ();

    #[inline]
    fn lower<'s>(&'s mut self, _: &'s Scope<'_>) -> (T, ()) {
        (*self, ())
    }

    #[inline]
    fn in_place(&self) -> Option<&T> {
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

impl<T: Nullable> PointerArg for T {}

impl<P: PointerArg> KernelArg for Option<P> {
    type Device = P::Device;
    type Guard<'s>
        = Option<P::Guard<'s>>
    where
        P: 's;

    #[inline]
    fn lower<'s>(&'s mut self, scope: &'s Scope<'_>) -> (P::Device, Self::Guard<'s>) {
        match self {
            Some(pointer) => {
                let (device, guard) = pointer.lower(scope);
                (device, Some(guard))
            }
            None => (P::Device::NULL, None),
        }
    }
}
