//! Whether a field has the name of another parameter.

use super::{
    cursor::{Cursor, Item, offset},
    slots::{NEAR, Slots, hash},
    value::compare_values,
};
use crate::{
    bytes::{ends_with, same},
    signature::{Opaque, Parameter},
};

/// The capacity of [`NameIndex`].
pub(crate) const MOST: usize = 768;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Elsewhere {
    At(usize),
    /// The kernel does not have the name that `#[kernel_args(name = "…")]` specifies.
    Unknown,
}

/// An index of the first [`MOST`] names of a kernel's parameters. PTX's own names are ignored.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameIndex {
    slots: Slots<1024>,
    any: bool,
}

impl NameIndex {
    pub(super) const fn new(kernel: &[Parameter<'_>]) -> Self {
        let mut slots = Slots::new();
        let mut any = false;
        let mut i = 0;
        while i < kernel.len() && i < MOST {
            let name = kernel[i].name;
            if !is_made(name) {
                any = true;
                slots.insert(hash(name.as_bytes()), i);
            }
            i += 1;
        }
        Self { slots, any }
    }

    /// Returns where the name of field `i`, which fits parameter `j`, belongs. A name that matches no parameter is
    /// ignored unless it is explicit.
    pub(super) const fn elsewhere(
        &self,
        host: &[Parameter<'_>],
        kernel: &[Parameter<'_>],
        i: usize,
        j: usize,
    ) -> Option<Elsewhere> {
        let field = &host[i];
        let says = field.has_explicit_name();
        if says && (!self.any || same(field.kernel_name, kernel[j].name))
            || !says && !is_named_otherwise(field, &kernel[j])
        {
            return None;
        }
        let mut at = hash(field.cpp_name().as_bytes());
        while let Some(other) = self.slots.next(&mut at) {
            let is_it = if says {
                same(field.kernel_name, kernel[other].name)
            } else {
                is_of_another(field, &kernel[j], &kernel[other])
            };
            if other != j && is_it {
                return Some(Elsewhere::At(other));
            }
        }
        if says { Some(Elsewhere::Unknown) } else { None }
    }
}

/// Which fields and parameters have one name. Used only where a list does not fit.
#[derive(Clone, Debug)]
pub(super) struct Partners {
    /// For each field, the parameter with its name, plus 1.
    of_field: [u16; MOST],
    /// For each parameter, the field with its name, plus 1.
    of_parameter: [u16; MOST],
    /// Whether a field has the name of a parameter.
    pub(super) any: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    Partners,
    /// Each has the name of the other one's position.
    Exchanged,
    Strangers,
    Unknown,
}

impl Partners {
    pub(super) const fn new(host: &[Parameter<'_>], kernel: &[Parameter<'_>]) -> Self {
        let names = NameIndex::new(kernel);
        let mut partners = Self { of_field: [0; MOST], of_parameter: [0; MOST], any: false };
        let mut i = 0;
        while names.any && i < host.len() && i < MOST {
            let name = host[i].cpp_name();
            let mut at = hash(name.as_bytes());
            while let Some(j) = names.slots.next(&mut at) {
                if same(name, kernel[j].name) {
                    if partners.of_parameter[j] == 0 {
                        (partners.of_field[i], partners.of_parameter[j]) = (j as u16 + 1, i as u16 + 1);
                        partners.any = true;
                    }
                    break;
                }
            }
            i += 1;
        }
        partners
    }

    pub(super) const fn relation(&self, field: usize, parameter: usize) -> Relation {
        match self.of(field, parameter) {
            (None, None) => Relation::Unknown,
            (Some(own), _) if own == parameter => Relation::Partners,
            (Some(own), Some(other)) if own + field == other + parameter => Relation::Exchanged,
            _ => Relation::Strangers,
        }
    }

    /// Returns the parameter with the name of a field, and the field with the name of a parameter.
    pub(super) const fn of(&self, field: usize, parameter: usize) -> (Option<usize>, Option<usize>) {
        if field >= MOST || parameter >= MOST {
            return (None, None);
        }
        ((self.of_field[field] as usize).checked_sub(1), (self.of_parameter[parameter] as usize).checked_sub(1))
    }
}

/// Returns whether a field and the parameter at its position have different names.
pub(crate) const fn is_named_otherwise(host: &Parameter<'_>, kernel: &Parameter<'_>) -> bool {
    let name = host.cpp_name();
    !name.is_empty() && !is_made(kernel.name) && !same(name, kernel.name)
}

/// Returns whether a field has the name of another parameter and fits it too.
pub(crate) const fn is_of_another(host: &Parameter<'_>, kernel: &Parameter<'_>, other: &Parameter<'_>) -> bool {
    same(host.cpp_name(), other.name)
        && !is_made(other.name)
        && compare_values(kernel, other).is_empty()
        && compare_values(host, other).is_empty()
}

pub(super) struct MemberNames {
    number: usize,
    slots: Slots<1024>,
}

impl MemberNames {
    pub(super) const fn new() -> Self {
        Self { number: 0, slots: Slots::new() }
    }

    /// Returns the sibling of `item` with this name. In a large struct: among the first 768 members and the 64 before
    /// and after `item`.
    const fn find<'a>(&mut self, item: &Item<'a>, name: &str) -> Option<Parameter<'a>> {
        let name = name.as_bytes();
        if self.number != item.number {
            *self = Self::new();
            self.number = item.number;
            let mut i = 0;
            while let Some(member) = item.siblings.get_unspelled(i) {
                self.slots.insert(hash(member.cpp_name().as_bytes()), i);
                i += 1;
            }
        }
        let mut at = hash(name);
        while let Some(i) = self.slots.next(&mut at) {
            let member = item.siblings.get_named(i, name);
            if member.is_some() {
                return member;
            }
        }
        let mut i = item.index.saturating_sub(NEAR);
        while self.slots.is_full() && i <= item.index + NEAR && i < item.siblings.len() {
            let member = item.siblings.get_named(i, name);
            if member.is_some() {
                return member;
            }
            i += 1;
        }
        None
    }
}

/// Returns whether a member of the host has the name of another member of the kernel's struct, of the same type. An
/// explicit name has to be the member's own, or the name of an enclosing struct or array.
///
/// If the two structs begin at different offsets, a name counts only if the members are exchanged.
pub(super) const fn is_of_another_member(
    host: &Item<'_>,
    cursor: &Cursor<'_>,
    kernel: &Item<'_>,
    names: &mut MemberNames,
) -> bool {
    let name = host.member.cpp_name();
    if name.is_empty() || kernel.member.name.is_empty() || same(name, kernel.member.name) {
        return false;
    }
    let is_explicit = host.member.has_explicit_name();
    match names.find(kernel, name) {
        Some(_) if is_explicit => true,
        Some(other) => {
            other.size == kernel.member.size
                && other.cpp.elements() == kernel.elements()
                && compare_values(&kernel.element(), &other.element()).is_empty()
                && (host.start == kernel.start || are_exchanged(host, kernel, &other))
        }
        // The kernel's bit fields are one member with the name of the first.
        None => {
            is_explicit
                && !kernel.opens()
                && !cursor.is_inside(name)
                && !matches!(kernel.member.members.why_opaque(), Some(Opaque::BitFields))
        }
    }
}

/// Returns the member of the struct around `at` that has the name of `item`, can have its type, and has another offset;
/// and this offset. `item` is a whole member of a struct at the same offset.
pub(super) const fn misplaced<'a>(
    item: &Item<'_>,
    at: &Item<'a>,
    names: &mut MemberNames,
) -> Option<(Parameter<'a>, usize)> {
    let whole = some!(item.siblings.get_unspelled(item.index));
    let name = item.member.cpp_name();
    let is_whole = item.start + offset(&whole) == item.offset && whole.size == item.member.size;
    if name.is_empty() || !is_whole || item.start != at.start {
        return None;
    }
    let other = some!(names.find(at, name));
    let place = at.start + offset(&other);
    let is_opaque = item.member.members.why_opaque().is_some() || other.members.why_opaque().is_some();
    let has_type =
        other.size == item.member.size && (is_opaque || compare_values(&item.element(), &other.element()).is_empty());
    if place == item.offset || !has_type {
        return None;
    }
    Some((other, place))
}

/// Returns whether two members are exchanged: each struct has the name of the other one's member, at another distance.
/// `other` is the kernel's member with the name of the host's.
const fn are_exchanged(host: &Item<'_>, kernel: &Item<'_>, other: &Parameter<'_>) -> bool {
    let own = some!(host.siblings.find(kernel.member.name), false);
    let (here, there) = (host.start + offset(&own), kernel.start + offset(other));
    here + there != host.offset + kernel.offset
}

/// Returns whether the name comes from a compiler, not from a program: it is empty or has PTX's form `saxpy_param_2`.
pub const fn is_made(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut at = bytes.len();
    while at > 0 && bytes[at - 1].is_ascii_digit() {
        at -= 1;
    }
    name.is_empty() || at < bytes.len() && ends_with(bytes.split_at(at).0, b"_param_")
}
