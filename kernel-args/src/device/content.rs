//! Types in device memory, as what pointers point to: `pointee.rs` of `kernel-args-abi` explains why a pointee is a
//! `static`.

use kernel_args_abi::{Class, CppType, Members, Parameter, Pointee};

/// Returns a type `T` of this class, C++ type and content. Its device layout is not needed, and would depend on what
/// its own pointers point to.
#[must_use]
pub const fn in_memory<T>(
    class: Class,
    cpp: CppType<'static>,
    members: Members<'static>,
    pointee: Pointee<'static>,
) -> Parameter<'static> {
    Parameter { offset: None, class, cpp, members, pointee, ..Parameter::record(0, size_of::<T>()) }
}

/// For a type that consists of `$inner`: what its values and pointers to it consist of.
macro_rules! content_of {
    ($inner:ty) => {
        const MEMBERS: kernel_args_abi::Members<'static> = <$inner as $crate::device::DeviceType>::MEMBERS;
        const RUST_NAME: &'static str = <$inner as $crate::device::DeviceType>::RUST_NAME;
        const POINTEE: kernel_args_abi::Pointee<'static> = <$inner as $crate::device::DeviceType>::POINTEE;
        const POINTEE_IN_STRUCT: kernel_args_abi::Pointee<'static> =
            <$inner as $crate::device::DeviceType>::POINTEE_IN_STRUCT;
        const BEHIND: kernel_args_abi::Pointee<'static> = <$inner as $crate::device::DeviceType>::BEHIND;
        const BEHIND_IN_STRUCT: kernel_args_abi::Pointee<'static> =
            <$inner as $crate::device::DeviceType>::BEHIND_IN_STRUCT;
    };
}
pub(crate) use content_of;
