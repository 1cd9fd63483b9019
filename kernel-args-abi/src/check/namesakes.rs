//! Lifts a difference to the members of one name that contain it.

use super::{
    cursor::offset,
    member_mismatch::MemberMismatch,
    path::{NAMES, Place},
    value::compare_values,
};
use crate::{
    bytes::same,
    cpp::{CppBase, name},
    signature::Parameter,
};

impl<'a> MemberMismatch<'a> {
    /// The difference of the outermost members of one name that are not two structs of the program: they have different sizes, or
    /// one is of a type of CUDA, whose members the program cannot change. This difference if there are none.
    pub(super) const fn of_namesakes(self) -> Self {
        let Some(kernel) = self.kernel else {
            return self;
        };
        let (mut own, mut theirs) = self.whole;
        let (mut start, mut there) = (0, 0);
        let mut routes = [
            match &self.host {
                Some(host) => Route::of(host),
                None => Route { is_inside: false, ..Route::of(&kernel) },
            },
            Route::of(&kernel),
        ];
        'levels: loop {
            let mut i = 0;
            while i < routes.len() {
                let route = routes[i];
                let name = route.first();
                if !name.is_empty()
                    && let (Some(host), Some(kernel)) = (own.find(name), theirs.find(name))
                {
                    let has_one_size = host.size == kernel.size;
                    let is_own = is_own_struct(&host) && is_own_struct(&kernel);
                    let has_one_type = has_one_size || have_one_type(&host, &kernel);
                    let is_inside =
                        !has_one_size && route.has_more() || routes[0].leads_into(name) && routes[1].leads_into(name);
                    if is_own && has_one_type && is_inside && host.cpp.elements() == kernel.cpp.elements() {
                        routes = [routes[0].behind(name), routes[1].behind(name)];
                        (start, there) = (start + offset(&host), there + offset(&kernel));
                        (own, theirs) = (host.members, kernel.members);
                        continue 'levels;
                    }
                    if !has_one_size || route.has_more() && !compare_values(&host, &kernel).is_empty() {
                        return Self {
                            host: Some(routes[0].place(&host, start + offset(&host))),
                            kernel: Some(routes[1].place(&kernel, there + offset(&kernel))),
                            siblings: theirs,
                            host_siblings: own,
                            ..self
                        };
                    }
                }
                i += 1;
            }
            return self;
        }
    }
}

/// The names from the outermost struct, or the one behind the last pointer, to a place, and the level that is looked at.
#[derive(Clone, Copy)]
struct Route<'a> {
    path: [&'a str; NAMES],
    pointers: [u8; NAMES],
    /// The name of the place, after the path.
    last: &'a str,
    level: usize,
    /// Whether the place is in the members of this level.
    is_inside: bool,
}

impl<'a> Route<'a> {
    const fn of(place: &Place<'a>) -> Self {
        let (mut level, mut i) = (0, 0);
        while i < NAMES {
            if place.pointers[i] > 0 {
                level = i + 1;
            }
            i += 1;
        }
        let Place { path, pointers, declared, .. } = *place;
        Self { path, pointers, last: declared.name, level, is_inside: true }
    }

    /// Whether the place is inside of a member of this level.
    const fn has_more(&self) -> bool {
        self.is_inside && self.level < NAMES && !self.path[self.level].is_empty()
    }

    const fn leads_into(&self, name: &str) -> bool {
        self.has_more() && same(self.first(), name)
    }

    /// The member of this level that is the place, or contains it. Empty if there is none.
    const fn first(&self) -> &'a str {
        match self.is_inside {
            true if self.has_more() => self.path[self.level],
            true => self.last,
            false => "",
        }
    }

    /// The place of a member of this level.
    const fn place(&self, member: &Parameter<'a>, offset: usize) -> Place<'a> {
        let mut path = self.path;
        let mut i = self.level;
        while i < NAMES {
            path[i] = "";
            i += 1;
        }
        Place { path, pointers: self.pointers, member: *member, declared: *member, offset }
    }

    /// The next level, in the member of this name. No longer than a path can be.
    const fn behind(mut self, name: &'a str) -> Self {
        self.is_inside = self.leads_into(name);
        if self.level < NAMES {
            self.path[self.level] = name;
            self.level += 1;
        }
        self
    }
}

/// Whether it is a struct of the program, or an array of such structs, whose members are known.
const fn is_own_struct(member: &Parameter<'_>) -> bool {
    member.members.is_known()
        && !member.cpp.is_pointer()
        && !matches!(member.cpp.base, CppBase::Named(spelled) if name::is_builtin(spelled))
}

/// Whether the names of two structs can mean one type. If not, the hint is the type of the member: the members of its struct can be
/// right for another one.
const fn have_one_type(host: &Parameter<'_>, kernel: &Parameter<'_>) -> bool {
    match (host.cpp.base, kernel.cpp.base) {
        (CppBase::Named(host), CppBase::Named(kernel)) => name::agree(host, kernel),
        _ => true,
    }
}
