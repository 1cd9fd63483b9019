//! The Rust types of global variables.

use crate::{
    device::DeviceType,
    marshal::{GlobalName, without_paths},
};
use kernel_args_abi::{Class, CppType, Parameter, texts::variable_message};
use std::any::type_name;

/// A type that [`Module::global`](crate::Module::global) accepts: a [`DeviceType`], or a slice `[T]` for an array of
/// any length.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a global variable",
    label = "not a device type",
    note = "use a number, an array of numbers, a CUDA vector type, or a struct with `#[derive(Clone, Copy, DeviceType)]` and \
            `#[repr(C)]`; for an array of any length, a slice: `module.global::<[f32]>(…)`"
)]
pub trait GlobalType: sealed::Sealed + 'static {
    /// The type itself, or the element of a slice.
    #[doc(hidden)]
    const ELEMENT: Parameter<'static>;
    /// Whether it is a slice.
    #[doc(hidden)]
    const IS_SLICE: bool;
}

pub(super) mod sealed {
    pub trait Sealed {}
}

impl<T: DeviceType> sealed::Sealed for T {}
impl<T: DeviceType> sealed::Sealed for [T] {}

const fn value<T: DeviceType>() -> Parameter<'static> {
    Parameter::field("", "", 0, T::LAYOUT, T::CLASS, T::CPP).with_members(T::MEMBERS).with_pointee(T::POINTEE)
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> GlobalType for T {
    const ELEMENT: Parameter<'static> = value::<T>();
    const IS_SLICE: bool = false;
}

impl<T: DeviceType> GlobalType for [T] {
    const ELEMENT: Parameter<'static> = value::<T>();
    const IS_SLICE: bool = true;
}

/// A slice has as many elements as fit a variable of this size.
const fn described<T: GlobalType + ?Sized>(spelling: &'static str, size: usize) -> Parameter<'static> {
    let element = T::ELEMENT;
    if !T::IS_SLICE {
        return Parameter { spelling, ..element };
    }
    let len = match size.checked_div(element.size) {
        Some(len) => len,
        None => 0,
    };
    Parameter {
        spelling,
        size: len * element.size,
        class: Class::Bytes,
        cpp: if len > 0 && len <= u32::MAX as usize { element.cpp.array(len as u32) } else { CppType::UNKNOWN },
        ..element
    }
}

pub(super) fn mismatch<T: GlobalType + ?Sized>(variable: &Parameter<'_>) -> Option<String> {
    let spelling = without_paths(type_name::<T>());
    let host = Parameter { spelling: &spelling, ..described::<T>("", variable.size) };
    variable_message(&host, variable).map(|message| message.as_str().into())
}

/// Compares `T` with a variable that was read when the program was compiled.
///
/// # Panics
/// If `T` does not fit: in a constant, this is an error of the compiler.
#[track_caller]
pub(super) const fn require_fit<T: GlobalType + ?Sized, N: GlobalName>() {
    let Some(variable) = N::VARIABLE else {
        return;
    };
    let value = variable.variable();
    // The name of a type is not available in a constant.
    let host = described::<T>("", value.size);
    if let Some(message) = variable_message(&host, &value) {
        message.fail();
    }
}

#[cfg(test)]
mod tests {
    use super::without_paths;

    #[test]
    fn a_type_is_named_without_its_modules() {
        for (name, short) in [
            ("f32", "f32"),
            ("[a::b::Light; 5]", "[Light; 5]"),
            ("a::Pointer<b::c::Light>", "Pointer<Light>"),
            ("a::Pair<b::A, [c::B; 2]>", "Pair<A, [B; 2]>"),
            ("", ""),
        ] {
            assert_eq!(without_paths(name), short);
        }
    }
}
