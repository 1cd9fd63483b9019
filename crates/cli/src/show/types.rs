//! Writes the type of a parameter.

use crate::escape::terminal;
use kernel_args_abi::{Class, Opaque, Parameter};

/// Returns the C++ type. If it is not known: the PTX declaration, or the kind of value.
pub(crate) fn spelling(parameter: &Parameter<'_>) -> String {
    if !parameter.cpp.is_unknown() {
        return terminal(&parameter.cpp.to_string()).into_owned();
    }
    if !parameter.spelling.is_empty() {
        return terminal(parameter.spelling).into_owned();
    }
    let kind = match parameter.class {
        Class::Pointer => "pointer",
        Class::Integer => "integer",
        Class::Float => "floating-point",
        Class::Bytes => "bytes",
        _ => "?",
    };
    kind.to_owned()
}

pub(crate) const fn opaque(why: Opaque) -> &'static str {
    match why {
        Opaque::Union => "union",
        Opaque::BitFields => "bit fields",
        Opaque::Bases => "base classes",
        _ => "unclear",
    }
}
