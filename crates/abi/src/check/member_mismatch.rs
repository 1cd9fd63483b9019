//! One mistake in the members of structs, and what is not compared.

use super::{difference::Differences, path::Place};
use crate::signature::{Members, Opaque};

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
