//! Whether two names of C++ types, including their template arguments, match.
//!
//! Parts that cannot be compared match: expressions, function types, and a constant that one side names.

use super::{
    argument::{Argument, Spelled, argument_end, integer_or_float, same_scalar, trim},
    builtin::{self, canonical, same_vector},
    path::last,
    scalar::scalar,
};
use crate::bytes::equal;

/// Returns whether two names can mean the same type. The shorter path is a suffix of the longer one, ignoring inline
/// namespaces. Template arguments match if both names have them. `Params` and `sim::Params<float>` match.
pub const fn agree(a: &str, b: &str) -> bool {
    names_agree(a.as_bytes(), b.as_bytes())
}

const fn names_agree(a: &[u8], b: &[u8]) -> bool {
    if equal(a, b) {
        return true;
    }
    let (mut left, mut right) = (last(a, a.len()), last(b, b.len()));
    // Every `complex` has one layout for each template argument.
    if equal(left.name, b"complex") && equal(right.name, b"complex") {
        return lists_agree(left.arguments, right.arguments);
    }
    let (a_last, b_last) = (canonical(left.name, left.arguments), canonical(right.name, right.arguments));
    if same_vector(a_last, b_last) {
        return true;
    }
    if !equal(a_last, b_last) || !lists_agree(left.arguments, right.arguments) {
        return false;
    }
    loop {
        (left, right) = (some!(left.outer(a), true), some!(right.outer(b), true));
        if !equal(left.name, right.name) || !lists_agree(left.arguments, right.arguments) {
            return builtin::contains(a_last);
        }
    }
}

/// Returns whether two lists of template arguments match. A kernel's name also contains default arguments, so the
/// shorter list may be a prefix.
const fn lists_agree(a: &[u8], b: &[u8]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (end_a, end_b) = (argument_end(a, i), argument_end(b, j));
        if !arguments_agree(trim(a, i, end_a), trim(b, j, end_b)) {
            return false;
        }
        (i, j) = (end_a + 1, end_b + 1);
    }
    true
}

const fn arguments_agree(a: &[u8], b: &[u8]) -> bool {
    if equal(a, b) {
        return true;
    }
    match (Argument::read(a), Argument::read(b)) {
        (Argument::Unknown, _) | (_, Argument::Unknown) => true,
        (Argument::Number(a), Argument::Number(b)) => equal(a, b),
        // The name of a constant, or a type.
        (Argument::Number(_), Argument::Type(ty)) | (Argument::Type(ty), Argument::Number(_)) => {
            !ty.shape.is_pointer() && scalar(ty.name).is_none()
        }
        (Argument::Type(a), Argument::Type(b)) => types_agree(&a, &b),
    }
}

const fn types_agree(a: &Spelled<'_>, b: &Spelled<'_>) -> bool {
    if a.shape.depth != b.shape.depth
        || a.shape.const_mask != b.shape.const_mask
        || a.is_const != b.is_const && !a.shape.is_pointer()
    {
        return false;
    }
    match (integer_or_float(a.name), integer_or_float(b.name)) {
        (None, None) => names_agree(a.name, b.name),
        (Some(a), Some(b)) => same_scalar(a, b),
        _ => false,
    }
}
