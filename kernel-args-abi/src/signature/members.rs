//! The members of a struct that is passed by value.

use super::Parameter;
#[cfg(feature = "read")]
use super::{described::Referent, list::Range};
use crate::{class::Class, cpp::CppBase};
use core::fmt;

/// The members of a struct that is passed by value, as far as its source tells them.
///
/// Each is a [`Parameter`] whose offset counts from the beginning of the struct, in the order of the offsets, and without
/// those that have no bytes.
#[derive(Clone, Copy)]
pub struct Members<'a>(Source<'a>);

#[derive(Clone, Copy)]
enum Source<'a> {
    Unknown,
    Opaque(Opaque),
    Slice(&'a [Parameter<'a>]),
    #[cfg(feature = "read")]
    List(Range<'a>),
}

/// Why the members of a struct cannot be compared one by one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum Opaque {
    /// It is a union: which member its bytes are, its type does not tell.
    Union,
    /// It has bit fields. Where their bits lie is the compiler's choice.
    BitFields,
    /// It has base classes or virtual functions.
    Bases,
    /// Members lie over each other or outside of the struct, or the type of one is not understood.
    Unclear,
}

impl Opaque {
    /// Every reason.
    pub const ALL: [Self; 4] = [Self::Union, Self::BitFields, Self::Bases, Self::Unclear];
}

impl<'a> Members<'a> {
    /// The source does not tell, or the type is no struct: agrees with everything.
    pub const UNKNOWN: Self = Self(Source::Unknown);

    /// These members, in the order of their offsets.
    #[must_use]
    pub const fn of(members: &'a [Parameter<'a>]) -> Self {
        Self(Source::Slice(members))
    }

    /// Bytes that are not told apart: agrees with everything.
    #[must_use]
    pub const fn opaque(why: Opaque) -> Self {
        Self(Source::Opaque(why))
    }

    #[cfg(feature = "read")]
    pub(super) const fn of_list(range: Range<'a>) -> Self {
        Self(Source::List(range))
    }

    /// Whether the members are known, be it that there are none.
    #[must_use]
    pub const fn is_known(self) -> bool {
        !matches!(self.0, Source::Unknown | Source::Opaque(_))
    }

    /// Why they are not told apart, although the source describes the struct.
    #[must_use]
    pub const fn why_opaque(self) -> Option<Opaque> {
        match self.0 {
            Source::Opaque(why) => Some(why),
            _ => None,
        }
    }

    /// How many there are; 0 where they are not known.
    #[must_use]
    pub const fn len(self) -> usize {
        match self.0 {
            Source::Unknown | Source::Opaque(_) => 0,
            Source::Slice(members) => members.len(),
            #[cfg(feature = "read")]
            Source::List(range) => range.len(),
        }
    }

    /// Whether there are none, or they are not known.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The member of this index.
    #[must_use]
    pub const fn get(self, index: usize) -> Option<Parameter<'a>> {
        match self.0 {
            Source::Slice(members) if index < members.len() => Some(members[index]),
            #[cfg(feature = "read")]
            Source::List(range) => range.get(index),
            _ => None,
        }
    }

    /// What the member of this index is, is an array of, or points to, where debug information describes it: with the
    /// feature `generate` alone.
    #[cfg(feature = "read")]
    #[must_use]
    pub fn referent(self, index: usize) -> Option<Referent<'a>> {
        match self.0 {
            Source::List(range) => range.referent(index),
            _ => None,
        }
    }

    /// Adds what debug information tells of a kernel's parameters to what its image tells, if both speak of the same ones:
    /// of as many, and of the same sizes. Returns whether they do.
    ///
    /// Names and members are those of debug information. C++ types are the image's where it has them, because a symbol
    /// qualifies names.
    pub fn complete(self, parameters: &mut [Parameter<'a>]) -> bool {
        let same = self.is_known()
            && parameters.len() == self.len()
            && parameters
                .iter()
                .zip(self.iter())
                .all(|(a, b)| a.size == b.size);
        if !same {
            return false;
        }
        for (parameter, told) in parameters.iter_mut().zip(self.iter()) {
            if !told.name.is_empty() {
                parameter.name = told.name;
            }
            if matches!(parameter.cpp.base, CppBase::Unknown) {
                parameter.cpp = told.cpp;
            }
            if parameter.class.same(Class::Unknown) {
                parameter.class = told.class;
            }
            parameter.align = parameter.align.or(told.align);
            parameter.members = told.members;
        }
        true
    }

    /// The members in order.
    pub fn iter(self) -> impl Iterator<Item = Parameter<'a>> {
        (0..self.len()).filter_map(move |index| self.get(index))
    }
}

impl PartialEq for Members<'_> {
    /// Whether both have the same members, wherever they are stored.
    fn eq(&self, other: &Self) -> bool {
        self.is_known() == other.is_known()
            && self.why_opaque() == other.why_opaque()
            && self.len() == other.len()
            && self.iter().eq(other.iter())
    }
}

impl Eq for Members<'_> {}

impl fmt::Debug for Members<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.why_opaque() {
            Some(why) => write!(f, "Opaque({why:?})"),
            None if self.is_known() => f.debug_list().entries(self.iter()).finish(),
            None => f.write_str("Unknown"),
        }
    }
}
