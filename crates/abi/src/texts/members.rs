//! Hints for members of structs that differ, and for fields with the name of another parameter.

use super::{
    part_names::{Array, write_field_name},
    rename::{rename_to, write_name},
    rust::{member_declaration, member_field, member_type},
    templates as say,
};
use crate::{
    bytes::same,
    check::{
        Difference, Elsewhere, MemberMismatch, MemberRepair, Place, Report, elsewhere, first_difference_of_any_size,
        first_variant, names::is_made,
    },
    cpp::CppBase,
    message::{Hint, Message},
    signature::{Members, Parameter, Variant},
};

pub(super) const fn push_member(hint: &mut Hint, host: &Parameter<'_>, kernel: &Parameter<'_>) {
    let Some(mismatch) = first_difference_of_any_size(host, kernel) else {
        return;
    };
    let mismatch = mismatch.of_namesakes();
    let k = mismatch.kernel;
    // PTX's name of a parameter says less than the name of the field.
    let there = member_path(&k, if is_made(kernel.name) { host.name } else { kernel.name });
    let Some(h) = mismatch.host else {
        say::member_missing(hint, there.as_str(), k.member.cpp, k.offset);
        push_repair(hint, &mismatch);
        return;
    };
    let here = member_path(&h, host.name);
    if is_pointee(&k) && matches!(mismatch.differences.first(), Some(Difference::Size | Difference::Variants)) {
        push_pointee(hint, (&h, here.as_str()), (&k, there.as_str()), host, &mismatch);
        return;
    }
    if matches!(mismatch.differences.first(), Some(Difference::ParameterName)) {
        let name = k.member.name;
        if h.member.kernel_name.is_empty() {
            let rename = rename_to(name, "device_type");
            say::member_elsewhere_in_kernel(hint, here.as_str(), there.as_str(), k.offset);
            push_repair(hint, &mismatch);
            say::or_rename_member(hint, there.as_str(), rename.as_str());
        } else {
            let write = write_name(name, "device_type");
            let names = names_of(mismatch.siblings);
            say::member_named_otherwise(
                hint,
                here.as_str(),
                h.member.kernel_name,
                there.as_str(),
                k.offset,
                names.as_str(),
                write.as_str(),
            );
        }
        return;
    }
    if mismatch.is_of_whole() && h.member.size != k.member.size {
        // The sizes are known already.
        push_repair(hint, &mismatch);
        return;
    }
    let (mut in_kernel, mut in_host) = (Message::<320>::new(), Message::<320>::new());
    say::member_at(&mut in_kernel, there.as_str(), k.offset);
    say::member_at(&mut in_host, here.as_str(), h.offset);
    if matches!(mismatch.differences.first(), Some(Difference::Variants)) {
        let mut variant = Hint::new();
        push_variant(&mut variant, &h.member, &k.member);
        say::in_member(hint, in_host.as_str(), variant.as_str());
        return;
    }
    let (in_kernel, in_host) = (in_kernel.as_str(), in_host.as_str());
    // An element behind a pointer has no spelling.
    let own = member_type(&h.member);
    let (cpp, spelled) = (k.declared.cpp, h.declared.spelling);
    let ty = if spelled.is_empty() { own.as_str() } else { spelled };
    if cpp.is_unknown() || ty.is_empty() {
        say::member_places(hint, in_kernel, in_host);
    } else {
        say::members_differ(hint, in_kernel, cpp, in_host, ty);
    }
    push_repair(hint, &mismatch);
}

const fn push_repair(hint: &mut Hint, mismatch: &MemberMismatch<'_>) {
    let repair = mismatch.repair_here();
    match repair.as_ref() {
        Some(MemberRepair::Order(members)) => say::in_kernel_order(hint, names_of(*members).as_str()),
        Some(MemberRepair::Exchange(first, second)) => say::exchange_members(hint, first, second),
        Some(MemberRepair::Declare(host, kernel)) => {
            let declare = member_declaration(host, kernel);
            if declare.is_empty() {
                say::declare_as_kernel(hint, "");
            } else {
                say::then(hint, declare.as_str());
            }
        }
        Some(MemberRepair::Add(kernel, before)) => {
            let mut place = Message::<320>::new();
            if before.is_empty() {
                say::at_end(&mut place);
            } else {
                say::before_field(&mut place, before);
            }
            say::add_member(hint, member_field(kernel.name, kernel).as_str(), place.as_str());
        }
        Some(MemberRepair::Remove(host)) => say::remove_member(hint, host.name),
        Some(MemberRepair::Pad(bytes, before)) => {
            let name = padding_name(mismatch.host_siblings);
            if before.is_empty() {
                say::pad_end(hint, name.as_str(), *bytes);
            } else {
                say::pad_before(hint, name.as_str(), *bytes, before);
            }
        }
        Some(MemberRepair::All(members)) => {
            let mut all = Message::<768>::new();
            let mut i = 0;
            while let Some(member) = members.get(i) {
                all.push(if i == 0 { ": " } else { ", " });
                all.push(member_field(member.name, &member).as_str());
                i += 1;
            }
            say::declare_as_kernel(hint, if all.is_truncated() { "" } else { all.as_str() });
        }
        None => say::declare_as_kernel(hint, ""),
    }
}

/// A name for new padding: `_padding`, or with a number if the struct has that already.
const fn padding_name(members: Members<'_>) -> Message<32> {
    let mut number = 1;
    loop {
        let mut name = Message::<32>::new();
        name.push("_padding");
        if number > 1 {
            name.push("_");
            name.writer().push_number(number);
        }
        let mut i = 0;
        while let Some(member) = members.get_unspelled(i)
            && !same(member.name, name.as_str())
        {
            i += 1;
        }
        if i == members.len() {
            return name;
        }
        number += 1;
    }
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
    (h, here): (&Place<'_>, &str),
    (k, there): (&Place<'_>, &str),
    host: &Parameter<'_>,
    mismatch: &MemberMismatch<'_>,
) {
    if h.member.size != k.member.size {
        say::pointee_sizes(hint, there, k.member.size, here, h.member.size);
        push_repair(hint, mismatch);
        return;
    }
    let mut variant = Hint::new();
    let enumeration = Parameter {
        spelling: match h.member.cpp.base {
            CppBase::Named(name) => name,
            _ => host.spelling,
        },
        ..h.member
    };
    push_variant(&mut variant, &enumeration, &k.member);
    let mut within = Message::<320>::new();
    say::pointee(&mut within, there);
    say::in_member(hint, within.as_str(), variant.as_str());
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

pub(super) const fn push_variant(hint: &mut Hint, host: &Parameter<'_>, kernel: &Parameter<'_>) {
    let Some(mismatch) = first_variant(host, kernel) else {
        return;
    };
    let own = variant(mismatch.host);
    let (own, ty) = (own.as_str(), host.spelling);
    if let Some(named) = mismatch.kernel {
        say::variant_differs(hint, variant(named).as_str(), ty, own);
        return;
    }
    let mut variants = NameList::new();
    let mut i = 0;
    while let Some(other) = kernel.members.variant(i) {
        variants.push(variant(other).as_str());
        i += 1;
    }
    say::unknown_variant(hint, ty, own, variants.list().as_str());
}

/// `Fast = 1`.
const fn variant(variant: Variant<'_>) -> Message<160> {
    let mut text = Message::new();
    say::variant(&mut text, variant.name, variant.value);
    text
}

/// The path of a member: the names of the enclosing members and its own: `cells.values`, `lights[].color` behind a pointer. A member without
/// a name, such as an array element, has the name of the `whole`.
#[must_use]
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

/// The maximum length of a name in a path before it is shortened, in bytes.
const LONGEST: usize = 48;

/// A field with the name of another parameter, or with an explicit name that the kernel does not have.
pub(super) const fn push_elsewhere<const N: usize>(
    hint: &mut Hint,
    report: &Report<'_, N>,
    field: usize,
    parameter: usize,
) {
    let (host, kernel) = (report.host().parameters, report.kernel().parameters);
    let (own, here) = (&host[field], kernel[parameter].name);
    let pair = (field, parameter);
    let write = write_field_name(host, kernel, pair, false);
    let write = write.as_str();
    match elsewhere(host, kernel, field, parameter) {
        Some(Elsewhere::At(other)) if !own.has_explicit_name() => {
            let rename = write_field_name(host, kernel, pair, true);
            say::parameter_elsewhere(hint, own.name, other, field, here, rename.as_str());
        }
        Some(Elsewhere::At(other)) => match Array::of(host, field) {
            Some(array) if array.takes(other, pair) => {
                say::element_named_elsewhere(hint, own.name, own.kernel_name, other, field, write);
            }
            _ => say::parameter_named_elsewhere(hint, own.name, own.kernel_name, other, field, write),
        },
        Some(Elsewhere::Unknown) => {
            let mut names = NameList::new();
            let mut i = 0;
            while i < kernel.len() {
                names.push(kernel[i].name);
                i += 1;
            }
            say::unknown_parameter(hint, own.kernel_name, names.list().as_str(), write);
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
