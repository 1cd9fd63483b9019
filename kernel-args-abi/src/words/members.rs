//! Members of structs that differ, and fields that have the name of another parameter.

use super::{hint::Hint, message::Message, rename::rename_to, rust::declaration, templates as say};
use crate::{
    check::{Difference, Place, Report, first_difference, other_place},
    signature::Parameter,
};

/// The first member that differs, on both sides.
pub(super) const fn push_member(hint: &mut Hint, host: &Parameter<'_>, kernel: &Parameter<'_>) {
    let Some(mismatch) = first_difference(host, kernel) else {
        return;
    };
    let Some(k) = mismatch.kernel else { return };
    let there = path(&k);
    let Some(h) = mismatch.host else {
        say::member_missing(hint, there.as_str(), k.member.cpp, k.offset);
        return;
    };
    let here = path(&h);
    if matches!(
        mismatch.differences.first(),
        Some(Difference::ParameterName)
    ) {
        let rename = rename_to(k.member.name);
        say::member_elsewhere_in_kernel(
            hint,
            here.as_str(),
            there.as_str(),
            k.offset,
            rename.as_str(),
        );
        return;
    }
    let mut declare = Message::<768>::new();
    if k.member.cpp.is_array() {
        let mut ty = Message::<64>::new();
        say::some_type(&mut ty, (k.member.size, None));
        say::declare(&mut declare, ty.as_str());
    } else {
        declare = declaration(&h.member, &k.member);
    }
    let (mut in_kernel, mut in_host) = (Message::<320>::new(), Message::<320>::new());
    say::member_at(&mut in_kernel, there.as_str(), k.offset);
    say::member_at(&mut in_host, here.as_str(), h.offset);
    let ty = h.member.spelling;
    say::member_differs(
        hint,
        in_kernel.as_str(),
        k.member.cpp,
        in_host.as_str(),
        ty,
        declare.as_str(),
    );
}

/// A member with the names of those that it lies in: `cells.values`.
const fn path(place: &Place<'_>) -> Message<256> {
    let mut path = Message::new();
    let mut i = 0;
    while i < place.path.len() && !place.path[i].is_empty() {
        path.push_shortened(place.path[i], LONGEST);
        path.push(".");
        i += 1;
    }
    path.push_shortened(place.member.name, LONGEST);
    path
}

/// The longest name in a path that is shown whole, in bytes.
const LONGEST: usize = 48;

/// A field that has the name of another parameter.
pub(super) const fn push_other_place<const N: usize>(
    hint: &mut Hint,
    report: &Report<'_, N>,
    field: usize,
    parameter: usize,
) {
    let (host, kernel) = (report.host().parameters, report.kernel().parameters);
    if let Some(other) = other_place(host, kernel, field, parameter) {
        let name = kernel[parameter].name;
        let rename = rename_to(name);
        say::parameter_elsewhere(hint, host[field].name, other, field, name, rename.as_str());
    }
}
