//! Whether one field fits one parameter, and how far it is from one that it does not fit.

use super::{
    cpp,
    difference::{Difference, Differences},
    members::first_difference,
    value::{compare_values, same_class},
};
use crate::{class::Class, signature::Parameter};

/// How a field and the kernel's parameter differ; empty where the field fits.
///
/// What a side does not know agrees. Offsets are not compared: they follow from the parameters before.
///
/// - PTX does not mark pointers: a pointer fits a 64-bit integer. Where it does (`.ptr`), an unsigned
///   64-bit integer fits, as `CUdeviceptr` is one.
/// - nvcc passes `__int128`, `__half` and `__nv_bfloat16` as bytes: `.align 16 .b8 p[16]`,
///   `.align 2 .b8 p[2]`.
/// - Untyped bits (`.b32`) fit everything of their size and alignment.
/// - Members of structs are compared as [`first_difference`](super::first_difference) tells, variants of enums as
///   [`first_variant`](super::first_variant) does.
#[must_use]
pub const fn compare(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Differences {
    let differences = compare_values(host, kernel);
    if differences.is_empty() && first_difference(host, kernel).is_some() {
        return differences.with(Difference::Members);
    }
    differences
}

/// How far a field is from a parameter: 0 for a perfect fit, 1 where C++ would convert, more the less
/// they have in common, and always less than leaving both without a partner (twice [`GAP`]).
pub(super) const fn distance(host: &Parameter<'_>, kernel: &Parameter<'_>) -> u16 {
    // Sizes and classes first: comparing C++ types is expensive, and this runs for many pairs.
    let same_class = same_class(host, kernel);
    if host.size != kernel.size {
        return match host.class {
            _ if !same_class => 9,
            // `f64` for `float`, `usize` for `int`: the usual mistakes.
            Class::Integer | Class::Float => 5,
            _ => 7,
        };
    }
    if !same_class {
        return 8;
    }
    match compare(host, kernel).first() {
        None => cpp::is_conversion(host.cpp, kernel.cpp) as u16,
        Some(Difference::Size | Difference::Class | Difference::Pointer | Difference::Type) => 8,
        Some(Difference::Alignment | Difference::Offset) => 6,
        Some(_) => 3,
    }
}

/// The distance of a field or parameter without a partner.
pub(super) const GAP: u16 = 6;

/// The distance of two neighbours that fit when they are exchanged.
pub(super) const EXCHANGE: u16 = 5;
