//! Lifts a difference to the members of one name that contain it.

use super::{
    cursor::offset,
    difference::{Difference, Differences},
    member_mismatch::{MemberMismatch, NAMES, Place},
    value::compare_values,
};
use crate::{
    bytes::same,
    cpp::{CppBase, name},
    signature::{Members, Parameter},
};

impl<'a> MemberMismatch<'a> {
    /// Moves the difference up to the first pair of members with the same name that contains it, but never into a CUDA
    /// type, which the user cannot edit. Or the first member with this difference in it that the host's struct lacks.
    /// Otherwise this difference.
    pub(crate) const fn of_namesakes(self) -> Self {
        let mut theirs = Level::of(self.whole.1, &self.kernel);
        let mut own = match &self.host {
            Some(host) => Level::of(self.whole.0, host),
            None => Level { members: self.whole.0, is_inside: false, ..theirs },
        };
        let mut i = 0;
        while let Some(kernel) = theirs.members.get_unspelled(i) {
            let name = kernel.name;
            let index = own.members.position_near(i, name);
            i += 1;
            if name.is_empty() {
                continue;
            }
            let is_at = same(theirs.first(), name);
            let Some(index) = index else {
                if is_at && theirs.has_more() && own.lacks(&theirs) {
                    return self.lifted(&own, None, &theirs, &kernel);
                }
                continue;
            };
            let host = some!(own.members.get_unspelled(index), self);
            let (left, right) = (own.leads_into(name), theirs.leads_into(name));
            let has_one_size = host.size == kernel.size;
            let contains_it = if has_one_size { left && right } else { left || right };
            if contains_it && are_structs_of_one_type(&host, &kernel) {
                (own, theirs, i) = (own.behind(&host, name), theirs.behind(&kernel, name), 0);
            } else if !has_one_size || (left || right) && !compare_values(&host, &kernel).is_empty() {
                let difference = if has_one_size { Difference::Type } else { Difference::Size };
                let from = Self { differences: Differences::of(difference), ..self };
                return from.lifted(&own, own.members.get(index), &theirs, &kernel);
            } else if is_at {
                return self;
            }
        }
        self
    }

    const fn lifted(
        &self,
        own: &Level<'a>,
        host: Option<Parameter<'a>>,
        theirs: &Level<'a>,
        kernel: &Parameter<'a>,
    ) -> Self {
        Self {
            host: match &host {
                Some(host) => Some(own.place(host)),
                None => None,
            },
            kernel: theirs.place(kernel),
            siblings: theirs.members,
            host_siblings: own.members,
            ..*self
        }
    }
}

/// A struct whose members are compared by name, and the names that lead from it to the difference.
#[derive(Clone, Copy)]
struct Level<'a> {
    members: Members<'a>,
    start: usize,
    end: Place<'a>,
    /// The number of names before this struct.
    depth: usize,
    /// Whether the struct contains the difference.
    is_inside: bool,
}

impl<'a> Level<'a> {
    /// Returns the outermost struct or the pointee with these members.
    const fn of(members: Members<'a>, end: &Place<'a>) -> Self {
        let (mut depth, mut i) = (0, 0);
        while i < NAMES {
            if end.pointers[i] > 0 {
                depth = i + 1;
            }
            i += 1;
        }
        Self { members, start: 0, end: *end, depth, is_inside: true }
    }

    const fn has_more(&self) -> bool {
        self.is_inside && self.depth < NAMES && !self.end.path[self.depth].is_empty()
    }

    const fn leads_into(&self, name: &str) -> bool {
        self.has_more() && same(self.first(), name)
    }

    /// Returns the member that is the place or contains it, or empty.
    const fn first(&self) -> &'a str {
        if self.has_more() {
            self.end.path[self.depth]
        } else if self.is_inside {
            self.end.declared.name
        } else {
            ""
        }
    }

    /// Returns whether this struct has neither the inner struct with the difference, under any name, nor its members.
    const fn lacks(&self, theirs: &Self) -> bool {
        let inner = theirs.end.declared.name;
        if self.members.find(inner).is_some() && theirs.members.find(inner).is_none() {
            return false;
        }
        theirs.members.find(some!(self.members.find(self.first()), true).cpp_name()).is_some()
    }

    const fn place(&self, member: &Parameter<'a>) -> Place<'a> {
        let mut path = self.end.path;
        let (_, rest) = path.split_at_mut(self.depth);
        rest.copy_from_slice([""; NAMES].split_at(self.depth).1);
        Place { path, member: *member, declared: *member, offset: self.start + offset(member), ..self.end }
    }

    const fn behind(mut self, member: &Parameter<'a>, name: &'a str) -> Self {
        self.is_inside = self.leads_into(name);
        self.members = member.members;
        self.start += offset(member);
        if self.depth < NAMES {
            self.end.path[self.depth] = name;
            self.depth += 1;
        }
        self
    }
}

/// Returns whether it is a struct of the user, or an array of them.
const fn is_own_struct(member: &Parameter<'_>) -> bool {
    member.members.is_known() && !member.cpp.is_pointer() && !member.cpp.base.is_builtin()
}

/// If the names mean two types, the host's members can be right for another kernel.
const fn are_structs_of_one_type(host: &Parameter<'_>, kernel: &Parameter<'_>) -> bool {
    let have_one_name = match (host.cpp.base, kernel.cpp.base) {
        (CppBase::Named(host), CppBase::Named(kernel)) => name::agree(host, kernel),
        _ => true,
    };
    is_own_struct(host)
        && is_own_struct(kernel)
        && host.cpp.elements() == kernel.cpp.elements()
        && (host.size == kernel.size || have_one_name)
}
