//! Types in device memory, as what pointers point to.
//!
//! A struct can contain a pointer to itself. So a pointee is a reference that rustc does not follow: to a `static` that the derive
//! writes for a struct without generic parameters. A generic struct cannot have a `static`. Behind a pointer in another
//! struct, it has only its name and its size.

use super::DeviceType;
use kernel_args_abi::Parameter;

/// The type `T`, with its members.
#[must_use]
pub const fn in_memory<T: DeviceType>() -> Parameter<'static> {
    Parameter {
        offset: None,
        align: Some(T::LAYOUT.align()),
        class: T::CLASS,
        cpp: T::CPP,
        members: T::MEMBERS,
        pointee: T::POINTEE,
        ..Parameter::record(0, T::LAYOUT.size())
    }
}

/// The type `T` by its name and size. Its layout would depend on what its own pointers point to.
#[must_use]
pub const fn named_in_memory<T: DeviceType>() -> Parameter<'static> {
    Parameter {
        offset: None,
        class: T::CLASS,
        cpp: T::CPP,
        ..Parameter::record(0, size_of::<T>())
    }
}

/// For a type that consists of `$inner`: what its values and pointers to it consist of.
macro_rules! content_of {
    ($inner:ty) => {
        const MEMBERS: kernel_args_abi::Members<'static> =
            <$inner as $crate::device::DeviceType>::MEMBERS;
        const POINTEE: kernel_args_abi::Pointee<'static> =
            <$inner as $crate::device::DeviceType>::POINTEE;
        const POINTEE_IN_STRUCT: kernel_args_abi::Pointee<'static> =
            <$inner as $crate::device::DeviceType>::POINTEE_IN_STRUCT;
        const BEHIND: kernel_args_abi::Pointee<'static> =
            <$inner as $crate::device::DeviceType>::BEHIND;
        const BEHIND_IN_STRUCT: kernel_args_abi::Pointee<'static> =
            <$inner as $crate::device::DeviceType>::BEHIND_IN_STRUCT;
    };
}
pub(crate) use content_of;
