//! Whether several fields are the members of one struct parameter, or one field is a struct of several parameters.

use super::{align::differences_at, lists::Lists, mismatch::Mismatch, names::Partners};
use crate::{
    class::Class,
    cpp::{CppBase, name, vectors_of},
    layout::Layout,
    signature::Parameter,
};

/// Walks through two lists that differ only in structs that are split into fields, and in fields that are structs of
/// parameters.
pub(super) struct Split<'a> {
    host: &'a [Parameter<'a>],
    kernel: &'a [Parameter<'a>],
    partners: &'a Partners,
    base: Option<usize>,
    at: (usize, usize),
}

/// The result of one step.
pub(super) enum Next {
    /// A split or joined struct.
    Found(Mismatch),
    /// The end of both lists.
    End,
    /// A different mistake.
    Other,
}

impl<'a> Split<'a> {
    pub(super) const fn new(lists: &'a Lists<'a>, base: Option<usize>) -> Self {
        Self { host: lists.host, kernel: lists.kernel, partners: &lists.partners, base, at: (0, 0) }
    }

    pub(super) const fn next(&mut self) -> Next {
        loop {
            let (i, j) = self.at;
            if i == self.host.len() && j == self.kernel.len() {
                return Next::End;
            }
            if i == self.host.len() || j == self.kernel.len() {
                return Next::Other;
            }
            if !self.fits(i, j) {
                break;
            }
            self.at = (i + 1, j + 1);
        }
        let (i, j) = self.at;
        // A field or parameter that has a partner by name belongs to it.
        if !matches!(self.partners.of(i, j), (None, None)) || are_one_struct(&self.host[i], &self.kernel[j]) {
            return Next::Other;
        }
        if let Some(count) = self.members(self.host, i, &self.kernel[j], false) {
            self.at = (i + count, j + 1);
            return Next::Found(Mismatch::Split { first: i, last: i + count - 1, parameter: j });
        }
        if let Some(count) = self.members(self.kernel, j, &self.host[i], true) {
            self.at = (i + 1, j + count);
            return Next::Found(Mismatch::Joined { field: i, first: j, last: j + count - 1 });
        }
        Next::Other
    }

    const fn fits(&self, i: usize, j: usize) -> bool {
        differences_at(self.host, self.kernel, self.base, i, j).is_empty()
    }

    /// The number of entries of `list`, from `from` on, that have the layout of `whole`'s members. After them, both
    /// lists fit again or end.
    const fn members(
        &self,
        list: &[Parameter<'_>],
        from: usize,
        whole: &Parameter<'_>,
        of_host: bool,
    ) -> Option<usize> {
        if !may_have_members(whole) {
            return None;
        }
        let Ok(mut layout) = Layout::from_size_align(0, 1) else {
            return None;
        };
        // Several numbers can fit, because padding may hold one more member. Prefer the number with which both lists
        // end together.
        let (more, fewer) = if of_host {
            (self.kernel.len() - self.at.1, self.host.len() - self.at.0)
        } else {
            (self.host.len() - self.at.0, self.kernel.len() - self.at.1)
        };
        let likely = (more + 1).saturating_sub(fewer);
        let mut found = None;
        let mut at = from;
        while at < list.len() && at - from < MOST_MEMBERS {
            let Some(member) = list[at].layout() else {
                return found;
            };
            layout = match layout.extend(member) {
                Ok((longer, _)) if longer.size() <= whole.size => longer,
                _ => return found,
            };
            at += 1;
            let count = at - from;
            if count > 1 && is_layout_of(layout, whole) && self.goes_on(count, of_host) {
                found = Some(count);
                if count == likely {
                    return found;
                }
            }
        }
        found
    }

    /// Whether the lists fit after such a struct, as far as the next entry shows.
    const fn goes_on(&self, count: usize, of_host: bool) -> bool {
        let (i, j) = if of_host { (self.at.0 + 1, self.at.1 + count) } else { (self.at.0 + count, self.at.1 + 1) };
        match (i < self.host.len(), j < self.kernel.len()) {
            (false, false) => true,
            (true, true) => self.fits(i, j) || may_have_members(&self.host[i]) || may_have_members(&self.kernel[j]),
            _ => false,
        }
    }
}

/// Whether the structs have one name.
const fn are_one_struct(host: &Parameter<'_>, kernel: &Parameter<'_>) -> bool {
    match (host.cpp.base, kernel.cpp.base) {
        (CppBase::Named(own), CppBase::Named(other)) => name::agree(own, other),
        _ => false,
    }
}

/// The maximum number of members.
const MOST_MEMBERS: usize = 64;

/// Whether it can be a struct or vector. If only its size is known: whether no scalar has this size.
const fn may_have_members(parameter: &Parameter<'_>) -> bool {
    match parameter.class {
        Class::Bytes => true,
        Class::Unknown => match parameter.cpp.base {
            CppBase::Unknown => !matches!(parameter.size, 1 | 2 | 4 | 8),
            CppBase::Named(_) => !parameter.cpp.is_pointer(),
            _ => false,
        },
        _ => false,
    }
}

/// Whether members of this layout fill `whole`: a struct, or a CUDA vector, which may have a larger alignment than its
/// components.
const fn is_layout_of(members: Layout, whole: &Parameter<'_>) -> bool {
    let Some(align) = whole.align else {
        return members.pad_to_align().size() == whole.size;
    };
    if members.align().bytes() == align.bytes() {
        return members.pad_to_align().size() == whole.size;
    }
    let is_vector = match whole.cpp.base {
        CppBase::Named(spelled) => name::is_builtin(spelled),
        CppBase::Unknown => vectors_of::<1>(whole.size, align.bytes()).1 > 0,
        _ => false,
    };
    is_vector && members.size() == whole.size && members.align().bytes() < align.bytes()
}
