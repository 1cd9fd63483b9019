//! Lifts a difference to the members of one name that contain it.

use super::{
    cursor::offset,
    difference::{Difference, Differences},
    member_mismatch::MemberMismatch,
    path::{NAMES, Place},
    value::compare_values,
};
use crate::{
    bytes::same,
    cpp::{CppBase, name},
    signature::{Members, Parameter},
};

impl<'a> MemberMismatch<'a> {
    /// The difference of the first members of one name that differ in size or contain this difference, and are not two
    /// structs of the program: it cannot change the members of a type of CUDA. Or the first member with this difference
    /// in it that the host's struct lacks. Otherwise this difference.
    pub(crate) const fn of_namesakes(self) -> Self {
        let mut level = Structs {
            own: self.whole.0,
            theirs: self.whole.1,
            start: [0; 2],
            routes: [
                match &self.host {
                    Some(host) => PathTo::of(host),
                    None => PathTo { is_inside: false, ..PathTo::of(&self.kernel) },
                },
                PathTo::of(&self.kernel),
            ],
        };
        let mut i = 0;
        while let Some(kernel) = level.theirs.get_unspelled(i) {
            let index = level.own.position_near(i, kernel.name);
            i += 1;
            if kernel.name.is_empty() {
                continue;
            }
            let is_at = same(level.routes[1].first(), kernel.name);
            let Some(index) = index else {
                if is_at && level.routes[1].has_more() && !level.is_flat() && level.is_of_other() {
                    return level.differ(&self, None, &kernel);
                }
                continue;
            };
            let Some(host) = level.own.get_unspelled(index) else {
                continue;
            };
            let leads_into = [level.routes[0].leads_into(kernel.name), level.routes[1].leads_into(kernel.name)];
            let is_inside = leads_into[0] || leads_into[1];
            let has_one_size = host.size == kernel.size;
            let contains_it = if has_one_size { leads_into[0] && leads_into[1] } else { is_inside };
            if contains_it && are_structs_of_one_type(&host, &kernel) {
                level = level.behind(&host, &kernel);
                i = 0;
            } else if !has_one_size || is_inside && !compare_values(&host, &kernel).is_empty() {
                let difference = if has_one_size { Difference::Type } else { Difference::Size };
                let from = Self { differences: Differences::of(difference), ..self };
                return level.differ(&from, level.own.get(index), &kernel);
            } else if is_at {
                return self;
            }
        }
        self
    }
}

#[derive(Clone, Copy)]
struct Structs<'a> {
    own: Members<'a>,
    theirs: Members<'a>,
    start: [usize; 2],
    routes: [PathTo<'a>; 2],
}

impl<'a> Structs<'a> {
    const fn behind(self, host: &Parameter<'a>, kernel: &Parameter<'a>) -> Self {
        Self {
            own: host.members,
            theirs: kernel.members,
            start: [self.start[0] + offset(host), self.start[1] + offset(kernel)],
            routes: [self.routes[0].behind(kernel.name), self.routes[1].behind(kernel.name)],
        }
    }

    /// Whether the host's struct has the members of the kernel's inner struct itself.
    const fn is_flat(&self) -> bool {
        let name = self.routes[1].end.declared.name;
        self.own.find(name).is_some() && self.theirs.find(name).is_none()
    }

    const fn differ(
        &self,
        from: &MemberMismatch<'a>,
        host: Option<Parameter<'a>>,
        kernel: &Parameter<'a>,
    ) -> MemberMismatch<'a> {
        MemberMismatch {
            host: match host {
                Some(host) => Some(self.routes[0].place(&host, self.start[0] + offset(&host))),
                None => None,
            },
            kernel: self.routes[1].place(kernel, self.start[1] + offset(kernel)),
            siblings: self.theirs,
            host_siblings: self.own,
            ..*from
        }
    }

    /// Whether the host's member at the difference is no other name of the kernel's member.
    const fn is_of_other(&self) -> bool {
        let host = some!(self.own.find(self.routes[0].first()), true);
        self.theirs.find(host.cpp_name()).is_some()
    }
}

/// The names that lead to a place, from the outermost struct or the pointee, and the level that is looked at.
#[derive(Clone, Copy)]
struct PathTo<'a> {
    end: Place<'a>,
    level: usize,
    is_inside: bool,
}

impl<'a> PathTo<'a> {
    const fn of(place: &Place<'a>) -> Self {
        let (mut level, mut i) = (0, 0);
        while i < NAMES {
            if place.pointers[i] > 0 {
                level = i + 1;
            }
            i += 1;
        }
        Self { end: *place, level, is_inside: true }
    }

    const fn has_more(&self) -> bool {
        self.is_inside && self.level < NAMES && !self.end.path[self.level].is_empty()
    }

    const fn leads_into(&self, name: &str) -> bool {
        self.has_more() && same(self.first(), name)
    }

    /// The member of this level that is the place or contains it, or empty.
    const fn first(&self) -> &'a str {
        match self.is_inside {
            true if self.has_more() => self.end.path[self.level],
            true => self.end.declared.name,
            false => "",
        }
    }

    const fn place(&self, member: &Parameter<'a>, offset: usize) -> Place<'a> {
        let mut path = self.end.path;
        let (_, rest) = path.split_at_mut(self.level);
        rest.copy_from_slice([""; NAMES].split_at(self.level).1);
        Place { path, member: *member, declared: *member, offset, ..self.end }
    }

    const fn behind(mut self, name: &'a str) -> Self {
        self.is_inside = self.leads_into(name);
        if self.level < NAMES {
            self.end.path[self.level] = name;
            self.level += 1;
        }
        self
    }
}

/// Whether it is a struct of the program, or an array of them.
const fn is_own_struct(member: &Parameter<'_>) -> bool {
    member.members.is_known() && !member.cpp.is_pointer() && !member.cpp.base.is_builtin()
}

/// Whether the program can have changed something inside of the host's struct. If the names mean two types, its members
/// can be right for another kernel.
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
