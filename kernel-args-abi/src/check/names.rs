//! Whether a field has the name of another parameter.

use super::{compare::compare_values, cursor::Item};
use crate::{cpp::equal, signature::Parameter};

/// How many of a kernel's parameters have names that are looked for.
pub(crate) const MOST: usize = 768;

/// The names of a kernel's parameters, for looking many up. Those that PTX made are none, and of more than
/// [`MOST`] parameters the first ones have names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    /// By a number made of the name, or behind it: a parameter's index and 1, or 0.
    slots: [u16; Self::SLOTS],
}

impl Names {
    const SLOTS: usize = 1024;

    pub(super) const fn new(kernel: &[Parameter<'_>]) -> Self {
        let mut slots = [0; Self::SLOTS];
        let mut i = 0;
        while i < kernel.len() && i < MOST {
            let name = kernel[i].name;
            if !is_made(name) {
                let mut at = Self::slot(name);
                while slots[at] != 0 {
                    at = (at + 1) % Self::SLOTS;
                }
                slots[at] = i as u16 + 1;
            }
            i += 1;
        }
        Self { slots }
    }

    /// FNV-1a.
    const fn slot(name: &str) -> usize {
        let mut hash = 0x811c_9dc5_u32;
        let mut i = 0;
        while i < name.len() {
            hash = (hash ^ name.as_bytes()[i] as u32).wrapping_mul(0x0100_0193);
            i += 1;
        }
        hash as usize % Self::SLOTS
    }

    /// The parameter that field `i` has the name of, where it stands in the place of parameter `j`, and would fit there
    /// as well: the two are likely exchanged. A name that no parameter has is not a mistake.
    pub(super) const fn other_place(
        &self,
        host: &[Parameter<'_>],
        kernel: &[Parameter<'_>],
        i: usize,
        j: usize,
    ) -> Option<usize> {
        if !is_named_otherwise(&host[i], &kernel[j]) {
            return None;
        }
        let mut at = Self::slot(plain(host[i].name));
        while self.slots[at] != 0 {
            let other = self.slots[at] as usize - 1;
            if other != j && is_of_another(&host[i], &kernel[j], &kernel[other]) {
                return Some(other);
            }
            at = (at + 1) % Self::SLOTS;
        }
        None
    }
}

/// Whether a field has another name than the parameter in whose place it stands.
pub(crate) const fn is_named_otherwise(host: &Parameter<'_>, kernel: &Parameter<'_>) -> bool {
    let name = plain(host.name);
    !name.is_empty() && !is_made(kernel.name) && !same(name, kernel.name)
}

/// Whether a field in the place of a parameter has the name of another one, and would fit there as well.
pub(crate) const fn is_of_another(
    host: &Parameter<'_>,
    kernel: &Parameter<'_>,
    other: &Parameter<'_>,
) -> bool {
    same(plain(host.name), other.name)
        && !is_made(other.name)
        && compare_values(kernel, other).is_empty()
        && compare_values(host, other).is_empty()
}

/// Whether no field of a list that fits by its types has the name of another parameter.
pub(super) const fn fit(host: &[Parameter<'_>], kernel: &[Parameter<'_>]) -> bool {
    let names = Names::new(kernel);
    let mut i = 0;
    while i < host.len() && i < kernel.len() {
        if names.other_place(host, kernel, i, i).is_some() {
            return false;
        }
        i += 1;
    }
    true
}

/// The parameter that field `i` has the name of: see [`Names::other_place`].
pub(crate) const fn other_place(
    host: &[Parameter<'_>],
    kernel: &[Parameter<'_>],
    i: usize,
    j: usize,
) -> Option<usize> {
    Names::new(kernel).other_place(host, kernel, i, j)
}

/// How many members before and after one are looked at.
const NEAR: usize = 64;

/// Whether a member of the host has the name of another member of the kernel's struct, of the same type: of one of the 64
/// before and after.
pub(super) const fn is_of_another_member(host: &Item<'_>, kernel: &Item<'_>) -> bool {
    let name = plain(host.member.name);
    if name.is_empty() || kernel.member.name.is_empty() || same(name, kernel.member.name) {
        return false;
    }
    match find(kernel, name) {
        Some(other) => {
            other.size == kernel.member.size
                && other.cpp.elements() == kernel.elements()
                && compare_values(&kernel.member, &other).is_empty()
        }
        None => false,
    }
}

const fn find<'a>(item: &Item<'a>, name: &str) -> Option<Parameter<'a>> {
    let mut i = item.index.saturating_sub(NEAR);
    while i <= item.index.saturating_add(NEAR)
        && let Some(member) = item.siblings.get(i)
    {
        if same(name, member.name) {
            return Some(member);
        }
        i += 1;
    }
    None
}

const fn same(a: &str, b: &str) -> bool {
    equal(a.as_bytes(), b.as_bytes())
}

/// A field's name without `r#`, which a keyword has.
const fn plain(name: &str) -> &str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

/// Whether a parameter has a name that no program gave it: an empty one, or PTX's `saxpy_param_2`.
pub(crate) const fn is_made(name: &str) -> bool {
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
