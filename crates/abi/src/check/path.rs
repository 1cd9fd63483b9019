//! The place of a member: its struct, and the pointers that lead to the struct.

use super::cursor::{Cursor, Item};
use crate::signature::Parameter;

pub(crate) const NAMES: usize = 8;

/// A member and its offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Place<'a> {
    /// The names of the enclosing members, the outermost first. Unused entries are empty.
    pub path: [&'a str; NAMES],
    /// For each name, the number of pointers that are followed: 1 for `lights` of `lights[].color`.
    pub pointers: [u8; NAMES],
    /// The member. For an array: one or several of its elements.
    pub member: Parameter<'a>,
    /// The member as its struct declares it, or [`member`](Self::member) for elements of an array outside of structs.
    pub declared: Parameter<'a>,
    /// The offset in bytes from the beginning of the outermost struct or, behind a pointer, of the pointee.
    pub offset: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Route<'a> {
    names: [&'a str; NAMES],
    pointers: [u8; NAMES],
    len: usize,
}

impl<'a> Route<'a> {
    pub(super) const START: Self = Self { names: [""; NAMES], pointers: [0; NAMES], len: 0 };

    const fn through(mut self, cursor: &Cursor<'a>) -> Self {
        let open: [&'a str; NAMES] = cursor.path();
        let mut i = 0;
        while i < NAMES && !open[i].is_empty() && self.len < NAMES {
            self.names[self.len] = open[i];
            self.len += 1;
            i += 1;
        }
        self
    }

    /// The route to what `pointer` points to.
    pub(super) const fn behind(self, cursor: &Cursor<'a>, pointer: &Parameter<'a>) -> Self {
        let mut route = self.through(cursor);
        if route.len < NAMES {
            route.names[route.len] = pointer.name;
            route.pointers[route.len] = pointer.cpp.depth;
            route.len += 1;
        }
        route
    }

    pub(super) const fn place(&self, cursor: &Cursor<'a>, item: &Item<'a>) -> Place<'a> {
        let declared = item.declared();
        let member = Parameter { spelling: declared.spelling, ..item.member };
        Place { member, ..self.place_of(cursor, declared, item.offset) }
    }

    pub(super) const fn place_of(&self, cursor: &Cursor<'a>, member: Parameter<'a>, offset: usize) -> Place<'a> {
        let route = self.through(cursor);
        Place { path: route.names, pointers: route.pointers, member, declared: member, offset }
    }
}
