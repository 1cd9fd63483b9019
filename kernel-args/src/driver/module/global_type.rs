//! The Rust types of global variables.

use crate::device::DeviceType;
use kernel_args_abi::{Parameter, texts::variable_message};
use std::{any::type_name, string::String};

/// A type that [`Module::global`](crate::Module::global) accepts: a [`DeviceType`], or a slice `[T]` for an array of any length.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a global variable",
    label = "not a device type",
    note = "use a number, an array of numbers, a CUDA vector type, or a struct with `#[derive(Clone, Copy, DeviceType)]` and \
            `#[repr(C)]`; for an array of any length, a slice: `module.global::<[f32]>(…)`"
)]
pub trait GlobalType: sealed::Sealed + 'static {
    /// The type itself, or the element of a slice.
    #[doc(hidden)]
    type Element: DeviceType;

    /// The type as it fits a variable of this size; `None` if it has another size.
    #[doc(hidden)]
    fn described(spelling: &'static str, size: usize) -> Parameter<'static>;
}

pub(super) mod sealed {
    pub trait Sealed {}
}

impl<T: DeviceType> sealed::Sealed for T {}
impl<T: DeviceType> sealed::Sealed for [T] {}

/// A value in device memory.
const fn value<T: DeviceType>() -> Parameter<'static> {
    Parameter::field("", "", 0, T::LAYOUT, T::CLASS, T::CPP)
        .with_members(T::MEMBERS)
        .with_pointee(T::POINTEE)
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> GlobalType for T {
    type Element = T;

    fn described(spelling: &'static str, _: usize) -> Parameter<'static> {
        Parameter {
            spelling,
            ..value::<T>()
        }
    }
}

impl<T: DeviceType> GlobalType for [T] {
    type Element = T;

    fn described(spelling: &'static str, size: usize) -> Parameter<'static> {
        let element = value::<T>();
        let len = size.checked_div(element.size).unwrap_or(0);
        let cpp = match u32::try_from(len) {
            Ok(len) if len > 0 => element.cpp.array(len),
            _ => kernel_args_abi::CppType::UNKNOWN,
        };
        Parameter {
            spelling,
            size: len * element.size,
            class: kernel_args_abi::Class::Bytes,
            cpp,
            ..element
        }
    }
}

/// Why `T` does not fit the variable, as text.
pub(super) fn mismatch<T: GlobalType + ?Sized>(variable: &Parameter<'_>) -> Option<String> {
    let host = T::described(type_name::<T>(), variable.size);
    variable_message(&host, variable).map(|message| message.as_str().into())
}
