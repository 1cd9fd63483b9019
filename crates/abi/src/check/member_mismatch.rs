//! One mistake in the members of structs, what is not compared, and the place of a member.

use super::difference::Differences;
use crate::signature::{Members, Opaque, Parameter};

/// How a member of the host's struct and a member of the kernel's differ. Offsets count in bytes from the beginning of
/// the outermost struct or, behind a pointer, of the pointee.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MemberMismatch<'a> {
    /// The host's member.
    pub host: Option<Place<'a>>,
    /// The kernel's member.
    pub kernel: Place<'a>,
    /// The members of the kernel's struct that contains it.
    pub siblings: Members<'a>,
    /// The members of the host's struct that contains its member.
    pub host_siblings: Members<'a>,
    /// The members of both whole structs.
    pub whole: (Members<'a>, Members<'a>),
    /// How they differ. [`Difference::ParameterName`] if the host's member has the name of another member of the
    /// kernel's struct.
    ///
    /// [`Difference::ParameterName`]: super::Difference::ParameterName
    pub differences: Differences,
}

/// A part of a parameter that is not compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NotCompared<'a> {
    /// The kernel's member, or the pointee.
    pub place: Place<'a>,
    /// Why it is not compared.
    pub reason: NotComparedReason,
}

/// Why a part of a parameter is not compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum NotComparedReason {
    /// The members of its type cannot be compared one by one.
    Opaque(Opaque),
    /// The source of the kernel declares the struct behind the pointer, but does not define it.
    Incomplete,
    /// The members of the Rust type or of the C++ type are unknown.
    Unknown,
    /// It is behind too many pointers, or nested too deep.
    Limit,
}

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

    /// Sets the route through a member, which is a pointer of this depth.
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
