//! Whether a Rust type fits a global variable.

use super::{
    difference::{Difference, Differences},
    member_mismatch::NotCompared,
    value::same_class,
    walk::{first_difference, not_compared},
};
use crate::{
    class::Class,
    signature::{Members, Parameter},
};

/// Returns how a Rust type differs from a global variable. Empty if it fits.
///
/// The value is compared as the only member of a struct: see [`first_difference`](super::first_difference). A variable
/// can be aligned more than its type, not less.
pub const fn compare_variable(host: &Parameter<'_>, variable: &Parameter<'_>) -> Differences {
    let mut differences = Differences::NONE;
    if host.size != variable.size {
        differences = differences.with(Difference::Size);
    }
    let is_described = is_described(variable);
    if !is_described && !same_class(host, variable) {
        differences = differences.with(Difference::Class);
    }
    if let (Some(h), Some(v)) = (host.align, variable.align)
        && h.log2 > v.log2
    {
        differences = differences.with(Difference::Alignment);
    }
    if !differences.is_empty() || !is_described {
        return differences;
    }
    let (host, variable) = ([as_member(host, variable)], [as_member(variable, variable)]);
    let (host, variable) = (as_struct(&host), as_struct(&variable));
    match first_difference(&host, &variable) {
        Some(mismatch) if mismatch.kernel.path[0].is_empty() => mismatch.differences,
        Some(_) => differences.with(Difference::Members),
        None => differences,
    }
}

/// Calls `found` for each part of a variable that is not compared with any type.
pub fn not_compared_in_variable<'a>(variable: &'a Parameter<'a>, found: impl FnMut(NotCompared<'_>)) {
    if !is_described(variable) {
        return;
    }
    let variable = [as_member(variable, variable)];
    let variable = as_struct(&variable);
    not_compared(&variable, &variable, found);
}

const fn is_described(variable: &Parameter<'_>) -> bool {
    !variable.cpp.is_unknown() || variable.members.is_described()
}

pub(crate) const fn as_member<'a>(value: &Parameter<'a>, variable: &Parameter<'a>) -> Parameter<'a> {
    Parameter {
        name: variable.name,
        kernel_name: "",
        offset: Some(0),
        // Alignments are compared before.
        align: None,
        ..*value
    }
}

pub(crate) const fn as_struct<'a>(member: &'a [Parameter<'a>; 1]) -> Parameter<'a> {
    Parameter { class: Class::Bytes, members: Members::of(member), ..Parameter::record(0, member[0].size) }
}
