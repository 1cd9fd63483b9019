//! The place of a member: its struct, and the pointers that lead to the struct.

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

/// The names and pointers that lead to the type of a [`Place`].
#[derive(Clone, Copy)]
pub(super) struct Route<'a> {
    names: [&'a str; NAMES],
    pointers: [u8; NAMES],
    len: usize,
}

impl<'a> Route<'a> {
    pub(super) const START: Self = Self { names: [""; NAMES], pointers: [0; NAMES], len: 0 };

    /// The route through a member, which is a pointer of this depth.
    pub(super) const fn through(mut self, name: &'a str, depth: u8) -> Self {
        if self.len < NAMES {
            (self.names[self.len], self.pointers[self.len]) = (name, depth);
            self.len += 1;
        }
        self
    }

    pub(super) const fn to(&self, member: Parameter<'a>, offset: usize) -> Place<'a> {
        Place { path: self.names, pointers: self.pointers, member, declared: member, offset }
    }
}
