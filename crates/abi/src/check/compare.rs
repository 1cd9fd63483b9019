//! Whether one field fits one parameter, and the distance if it does not.

use super::{
    body, cpp,
    difference::{Difference, Differences},
    value::{compare_values, is_bytes_only, same_class},
    walk::first_difference,
};
use crate::{class::Class, cpp::CppBase, signature::Parameter};

/// Returns how the field and the kernel's parameter differ. Empty if the field fits.
///
/// Unknown properties match anything. Offsets are not compared: they follow from the preceding parameters.
///
/// - PTX does not mark pointers: a pointer fits a 64-bit integer. If PTX marks one (`.ptr`), an unsigned 64-bit integer
///   fits, because `CUdeviceptr` is one.
/// - nvcc passes `__int128`, `__half` and `__nv_bfloat16` as bytes: `.align 16 .b8 p[16]`, `.align 2 .b8 p[2]`.
/// - Untyped bits (`.b32`), and bytes of which nothing else is known, fit everything with the same size and alignment:
///   LLVM declares a struct of one number or pointer as bytes.
/// - What the code of the kernel does with a pointer is compared if nothing else shows its type.
/// - Members of structs are compared by [`first_difference`](super::first_difference), variants of enums by
///   [`first_variant`](super::first_variant).
pub const fn compare(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Differences {
    let differences = compare_values(host, kernel);
    if differences.is_empty()
        && (first_difference(host, kernel).is_some() || body::first_in_struct(host, kernel).is_some())
    {
        return differences.with(Difference::Members);
    }
    differences.and(body::compare(host, kernel))
}

/// Returns the distance between a field and a parameter: 0 if they match, 1 if C++ converts between their types,
/// otherwise 6 to
/// 8. With [`GAP`] and [`EXCHANGE`], the shortest path through two lists is the likeliest mistake: one wrong type, two
/// exchanged neighbours, one moved field (two gaps), two wrong types, in this order.
pub(super) const fn distance(host: &Parameter<'_>, kernel: &Parameter<'_>) -> u16 {
    // Comparing C++ types is expensive, and this runs for many pairs.
    if !same_class(host, kernel) {
        return 8;
    }
    if host.size != kernel.size {
        // Common mistakes: `f64` for `float`, `usize` for `int`.
        return if matches!(host.class, Class::Integer | Class::Float) { 6 } else { 7 };
    }
    match compare(host, kernel).first() {
        None => conversion(host, kernel),
        Some(Difference::Size | Difference::Class | Difference::Pointer | Difference::Type) => 8,
        Some(_) => 6,
    }
}

/// 1 if C++ converts between the types, or if a scalar fits only because bytes fit anything, otherwise 0.
const fn conversion(host: &Parameter<'_>, kernel: &Parameter<'_>) -> u16 {
    let is_scalar = matches!(host.class, Class::Integer | Class::Float | Class::Pointer);
    let is_byte_for_bool = matches!(host.cpp.base, CppBase::Bool) && !matches!(kernel.cpp.base, CppBase::Bool);
    let is_conversion = cpp::is_conversion(host.cpp, kernel.cpp)
        || body::is_conversion(host, kernel)
        || is_byte_for_bool && !kernel.cpp.is_unknown();
    (is_conversion || is_scalar && is_bytes_only(kernel)) as u16
}

pub(super) const GAP: u16 = 6;

pub(super) const EXCHANGE: u16 = 11;
