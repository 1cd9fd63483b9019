//! Hints for members of structs that differ, and for fields with the name of another parameter.

use super::{
    part_names::{Array, write_field_name},
    rename::{rename_to, write_name},
    rust::{member_declaration, member_field, member_type},
    templates as say,
};
use crate::{
    check::{
        Difference, Elsewhere, MemberMismatch, MemberRepair, Pairing, Place, first_difference_of_any_size,
        first_variant, names::is_made,
    },
    cpp::CppBase,
    message::{Hint, Message, Text},
    signature::{Members, Parameter, Variant},
};

pub(super) const fn push_member(hint: &mut Hint, host: &Parameter<'_>, kernel: &Parameter<'_>) {
    let Some(mismatch) = first_difference_of_any_size(host, kernel) else { return };
    let mismatch = mismatch.of_namesakes();
    let k = mismatch.kernel;
    // PTX's name of a parameter says less than the name of the field.
    let there = &member_path(&k, if is_made(kernel.name) { host.name } else { kernel.name });
    let Some(h) = mismatch.host else {
        say::member_missing(hint, there, k.member.cpp, k.offset);
        push_repair(hint, &mismatch);
        return;
    };
    let here = &member_path(&h, host.name);
    let first = mismatch.differences.first();
    if is_pointee(&k) && matches!(first, Some(Difference::Size | Difference::Variants)) {
        push_pointee(hint, (&h, here), (&k, there), host, &mismatch);
    } else if matches!(first, Some(Difference::ParameterName)) {
        let name = k.member.name;
        if h.member.kernel_name.is_empty() {
            say::member_elsewhere_in_kernel(hint, here, there, k.offset);
            push_repair(hint, &mismatch);
            say::or_rename_member(hint, there, &rename_to(name, "device_type"));
        } else {
            let (names, write) = (&names_of(mismatch.siblings), &write_name(name, "device_type"));
            say::member_named_otherwise(hint, here, h.member.kernel_name, there, k.offset, names, write);
        }
    } else if mismatch.is_of_whole() && h.member.size != k.member.size {
        // The sizes are known already.
        push_repair(hint, &mismatch);
    } else {
        let in_kernel: Message<320> = text!(member_at, there, k.offset);
        let in_host: Message<320> = text!(member_at, here, h.offset);
        if matches!(first, Some(Difference::Variants)) {
            say::in_member(hint, &in_host, &variant_hint(&h.member, &k.member));
            return;
        }
        // An element behind a pointer has no spelling.
        let own = member_type(&h.member);
        let (cpp, spelled) = (k.declared.cpp, h.declared.spelling);
        let ty = if spelled.is_empty() { own.as_str() } else { spelled };
        if cpp.is_unknown() || ty.is_empty() {
            say::member_places(hint, &in_kernel, &in_host);
        } else {
            say::members_differ(hint, &in_kernel, cpp, &in_host, ty);
        }
        push_repair(hint, &mismatch);
    }
}

const fn push_repair(hint: &mut Hint, mismatch: &MemberMismatch<'_>) {
    let mut all = Message::<768>::new();
    match mismatch.repair_here() {
        Some(MemberRepair::Order(members)) => return say::in_kernel_order(hint, &names_of(members)),
        Some(MemberRepair::Exchange(first, second)) => return say::exchange_members(hint, first, second),
        Some(MemberRepair::Declare(host, kernel)) => {
            let declare = member_declaration(&host, &kernel);
            if !declare.is_empty() {
                return say::then(hint, &declare);
            }
        }
        Some(MemberRepair::Add(kernel, before)) => {
            let place: Message<320> = if before.is_empty() { text!(at_end) } else { text!(before_field, before) };
            return say::add_member(hint, &member_field(kernel.name, &kernel), &place);
        }
        Some(MemberRepair::Move(name, before)) => return say::move_member(hint, name, before),
        Some(MemberRepair::Remove(host)) => return say::remove_member(hint, host.name),
        Some(MemberRepair::Pad(bytes, before)) => {
            let name = padding_name(mismatch.host_siblings);
            if before.is_empty() {
                say::pad_end(hint, &name, bytes);
            } else {
                say::pad_before(hint, &name, bytes, before);
            }
            return;
        }
        Some(MemberRepair::All(members)) => {
            let mut i = 0;
            while let Some(member) = members.get(i) {
                all.push(if i == 0 { ": " } else { ", " });
                all.push(member_field(member.name, &member).as_str());
                i += 1;
            }
            if all.is_truncated() {
                all = Message::new();
            }
        }
        None => {}
    }
    say::declare_as_kernel(hint, &all);
}

/// Returns a name for new padding: `_padding`, or with a number if the struct has that already.
const fn padding_name(members: Members<'_>) -> Message<32> {
    let mut name = Message::concat(&["_padding"]);
    let mut number = 1;
    while members.has_name(name.as_str()) {
        number += 1;
        name = Message::concat(&["_padding_"]);
        name.writer().push_number(number);
    }
    name
}

const fn names_of(members: Members<'_>) -> Message<768> {
    let mut names = NameList::new();
    let mut i = 0;
    while let Some(member) = members.get_unspelled(i) {
        names.push(member.name);
        i += 1;
    }
    names.list()
}

/// Types behind pointers that differ as a whole: their sizes, or a variant of an enum.
const fn push_pointee(
    hint: &mut Hint,
    (h, here): (&Place<'_>, &Text),
    (k, there): (&Place<'_>, &Text),
    host: &Parameter<'_>,
    mismatch: &MemberMismatch<'_>,
) {
    if h.member.size != k.member.size {
        say::pointee_sizes(hint, there, k.member.size, here, h.member.size);
        push_repair(hint, mismatch);
        return;
    }
    let spelling = match h.member.cpp.base {
        CppBase::Named(name) => name,
        _ => host.spelling,
    };
    let within: Message<320> = text!(pointee, there);
    say::in_member(hint, &within, &variant_hint(&Parameter { spelling, ..h.member }, &k.member));
}

const fn is_pointee(place: &Place<'_>) -> bool {
    place.member.name.is_empty() && {
        let mut last = 0;
        while last + 1 < place.path.len() && !place.path[last + 1].is_empty() {
            last += 1;
        }
        place.pointers[last] > 0
    }
}

/// Returns the hint for a variant. Empty if all are right.
pub(super) const fn variant_hint(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Hint {
    let mismatch = some!(first_variant(host, kernel), Hint::new());
    let own = &variant(mismatch.host);
    if let Some(named) = mismatch.kernel {
        return text!(variant_differs, &variant(named), host.spelling, own);
    }
    let mut variants = NameList::new();
    let mut i = 0;
    while let Some(other) = kernel.members.variant(i) {
        variants.push(variant(other).as_str());
        i += 1;
    }
    text!(unknown_variant, host.spelling, own, &variants.list())
}

/// `Fast = 1`.
const fn variant(variant: Variant<'_>) -> Message<160> {
    text!(variant, variant.name, variant.value)
}

/// Returns the path of a member: `cells.values`, or `lights[].color` behind a pointer. A member without a name, such as
/// an array element, has the name of the `whole`.
pub const fn member_path(place: &Place<'_>, whole: &str) -> Message<512> {
    let mut path = Message::new();
    let mut i = 0;
    while i < place.path.len() && !(place.path[i].is_empty() && place.pointers[i] == 0) {
        if i > 0 {
            path.push(".");
        }
        path.writer().push_shortened(place.path[i], LONGEST);
        let mut pointers = place.pointers[i];
        while pointers > 0 {
            path.push("[]");
            pointers -= 1;
        }
        i += 1;
    }
    let name = if i == 0 && place.member.name.is_empty() { whole } else { place.member.name };
    if i > 0 && !name.is_empty() {
        path.push(".");
    }
    path.writer().push_shortened(name, LONGEST);
    path
}

const LONGEST: usize = 48;

/// A field with the name of another parameter, or with an explicit name that the kernel does not have.
pub(super) const fn push_elsewhere(hint: &mut Hint, pairing: &Pairing<'_>, field: usize, parameter: usize) {
    let Pairing { host, kernel, .. } = *pairing;
    let (own, here) = (&host[field], kernel[parameter].name);
    let pair = (field, parameter);
    let write = &write_field_name(host, kernel, pair, false);
    match pairing.elsewhere(field, parameter) {
        Some(Elsewhere::At(other)) if !own.has_explicit_name() => {
            let rename = write_field_name(host, kernel, pair, true);
            say::parameter_elsewhere(hint, own.name, other, field, here, &rename);
        }
        Some(Elsewhere::At(other)) => {
            say::named_elsewhere(hint, own.name, own.kernel_name, other, field);
            match Array::of(host, field) {
                Some(array) if array.takes(other, pair) => say::then(hint, write),
                _ => say::order_or(hint, write),
            }
        }
        Some(Elsewhere::Unknown) => {
            let mut names = NameList::new();
            let mut i = 0;
            while i < kernel.len() {
                names.push(kernel[i].name);
                i += 1;
            }
            say::unknown_parameter(hint, own.kernel_name, &names.list(), write);
        }
        None => {}
    }
}

const LISTED: usize = 12;

struct NameList {
    text: Message<768>,
    count: usize,
}

impl NameList {
    const fn new() -> Self {
        Self { text: Message::new(), count: 0 }
    }

    /// Adds a name. Ignores an empty name.
    const fn push(&mut self, name: &str) {
        if is_made(name) {
            return;
        }
        if self.count < LISTED {
            if self.count > 0 {
                self.text.push(", ");
            }
            say::listed(&mut self.text, name);
        }
        self.count += 1;
    }

    const fn list(&self) -> Message<768> {
        let mut text = self.text;
        if self.count > LISTED {
            say::more_names(&mut text, self.count - LISTED);
        }
        text
    }
}
