//! Whether a field has the name of another parameter.

use super::{
    cursor::{Cursor, Item, element, offset},
    slots::{NEAR, Slots, hash},
    value::compare_values,
};
use crate::{
    bytes::{equal, same},
    signature::Parameter,
};

/// How many of a kernel's parameters have names that are looked for: as many as [`Names`] has room for.
pub(crate) const MOST: usize = 768;

/// Where the parameter is that a field has the name of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Elsewhere {
    /// The parameter of this index.
    At(usize),
    /// The kernel has none of the name that the field says: `#[kernel_args(name = "…")]`.
    Nowhere,
}

/// The names of a kernel's parameters, for looking many up. Those that PTX made are none, and of more than
/// [`MOST`] parameters the first ones have names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    slots: Slots<1024>,
    /// Whether a parameter has a name.
    any: bool,
}

impl Names {
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

    /// The parameter that field `i` has the name of, where it stands in the place of parameter `j`, and would fit there
    /// as well: the two are likely exchanged. A name that no parameter has is not a mistake, unless the field says that
    /// it is the parameter's.
    pub(super) const fn elsewhere(
        &self,
        host: &[Parameter<'_>],
        kernel: &[Parameter<'_>],
        i: usize,
        j: usize,
    ) -> Option<Elsewhere> {
        let field = &host[i];
        let says = !field.kernel_name.is_empty();
        if says && (!self.any || same(field.kernel_name, kernel[j].name))
            || !says && !is_named_otherwise(field, &kernel[j])
        {
            return None;
        }
        let mut found = self.slots.find(hash(field.cpp_name().as_bytes()));
        while let Some(other) = found.next() {
            let is_it = if says {
                same(field.kernel_name, kernel[other].name)
            } else {
                is_of_another(field, &kernel[j], &kernel[other])
            };
            if other != j && is_it {
                return Some(Elsewhere::At(other));
            }
        }
        if says { Some(Elsewhere::Nowhere) } else { None }
    }
}

/// Whether a field has another name than the parameter in whose place it stands.
pub(crate) const fn is_named_otherwise(host: &Parameter<'_>, kernel: &Parameter<'_>) -> bool {
    let name = host.cpp_name();
    !name.is_empty() && !is_made(kernel.name) && !same(name, kernel.name)
}

/// Whether a field says that it is a parameter of another name than the one in whose place it stands.
pub(crate) const fn says_otherwise(host: &Parameter<'_>, kernel: &Parameter<'_>) -> bool {
    !host.kernel_name.is_empty() && !same(host.kernel_name, kernel.name)
}

/// Whether a field in the place of a parameter has the name of another one, and would fit there as well.
pub(crate) const fn is_of_another(
    host: &Parameter<'_>,
    kernel: &Parameter<'_>,
    other: &Parameter<'_>,
) -> bool {
    same(host.cpp_name(), other.name)
        && !is_made(other.name)
        && compare_values(kernel, other).is_empty()
        && compare_values(host, other).is_empty()
}

/// Whether no field of a list that fits by its types has the name of another parameter.
pub(super) const fn fit(host: &[Parameter<'_>], kernel: &[Parameter<'_>]) -> bool {
    let names = Names::new(kernel);
    let mut i = 0;
    while i < host.len() && i < kernel.len() {
        if names.elsewhere(host, kernel, i, i).is_some() {
            return false;
        }
        i += 1;
    }
    true
}

/// The parameter that field `i` has the name of: see [`Names::elsewhere`].
pub(crate) const fn elsewhere(
    host: &[Parameter<'_>],
    kernel: &[Parameter<'_>],
    i: usize,
    j: usize,
) -> Option<Elsewhere> {
    Names::new(kernel).elsewhere(host, kernel, i, j)
}

/// The names of the members of one of a kernel's structs, for looking many up.
pub(super) struct MemberNames {
    /// The number of the struct.
    number: usize,
    slots: Slots<1024>,
}

impl MemberNames {
    pub(super) const fn new() -> Self {
        Self {
            number: 0,
            slots: Slots::new(),
        }
    }

    /// The member of this name among those that `item` is one of; of many, among the first 768, and the 64 before and after it.
    const fn find<'a>(&mut self, item: &Item<'a>, name: &str) -> Option<Parameter<'a>> {
        let name = name.as_bytes();
        if self.number != item.number {
            *self = Self::new();
            self.number = item.number;
            let mut i = 0;
            while let Some(member) = item.siblings.get(i) {
                self.slots.insert(hash(member.cpp_name().as_bytes()), i);
                i += 1;
            }
        }
        let mut found = self.slots.find(hash(name));
        while let Some(i) = found.next() {
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

/// Whether a member of the host has the name of another member of the kernel's struct, of the same type. Of one that says which it
/// is, whether it says another one; a struct or array around it may be meant.
///
/// Where the two structs begin at different places, as a `float4` over the second of several `float3`, the host's must have
/// the name of this member too, and not as far away: else the one is shifted against the other, and no two are exchanged.
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
    let says = !host.member.kernel_name.is_empty();
    match names.find(kernel, name) {
        Some(_) if says => true,
        Some(other) => {
            other.size == kernel.member.size
                && other.cpp.elements() == kernel.elements()
                && compare_values(&kernel.element(), &element(&other)).is_empty()
                && (host.start == kernel.start || are_exchanged(host, kernel, &other))
        }
        None => says && !kernel.opens() && !cursor.is_inside(name),
    }
}

/// Whether the host's struct has the name of a member of the kernel's, and not as far before it as `other`, whose name the
/// host's member has, is behind it.
const fn are_exchanged(host: &Item<'_>, kernel: &Item<'_>, other: &Parameter<'_>) -> bool {
    let mut i = 0;
    while i < host.siblings.len() {
        if let Some(own) = host.siblings.get_named(i, kernel.member.name.as_bytes()) {
            let (here, there) = (host.start + offset(&own), kernel.start + offset(other));
            return here + there != host.offset + kernel.offset;
        }
        i += 1;
    }
    false
}

/// Whether a parameter has a name that no program gave it: an empty one, or PTX's `saxpy_param_2`.
#[must_use]
pub const fn is_made(name: &str) -> bool {
    const PARAM: &[u8] = b"_param_";
    let bytes = name.as_bytes();
    let mut at = bytes.len();
    while at > 0 && bytes[at - 1].is_ascii_digit() {
        at -= 1;
    }
    name.is_empty()
        || at < bytes.len()
            && at >= PARAM.len()
            && equal(bytes.split_at(at).0.split_at(at - PARAM.len()).1, PARAM)
}
