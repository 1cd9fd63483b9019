//! What a type that is passed by value consists of: the members of a struct, the variants of an enum.

use super::{
    Parameter,
    stored::{Stored, StoredType},
};
use crate::{bytes::equal, class::Class, cpp::CppBase};
use core::fmt;

/// The members of a struct that is passed by value, or the variants of an enum, as far as the source tells them.
///
/// Each member is a [`Parameter`] whose offset counts from the beginning of the struct, in the order of the offsets. C++ has
/// no members without bytes; a Rust struct may have a `PhantomData` among others.
#[derive(Clone, Copy)]
pub struct Members<'a>(Source<'a>);

#[derive(Clone, Copy)]
enum Source<'a> {
    Unknown,
    Opaque(Opaque),
    Slice(&'a [Parameter<'a>]),
    Variants(&'a [Variant<'a>], Option<bool>),
    Stored(Stored<'a>),
    StoredVariants(Stored<'a>, Option<bool>),
}

/// What a parameter or member is, is an array of, or points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Referent<'a> {
    /// A struct, union or enum with a name.
    Type(StoredType<'a>),
    /// `cudaTextureObject_t`.
    Texture,
    /// `cudaSurfaceObject_t`.
    Surface,
}

/// A variant of an enum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variant<'a> {
    /// As its source spells it: `Fast`.
    pub name: &'a str,
    /// Its value. Of a `u128` above `i128::MAX`, the negative number of the same bits.
    pub value: i128,
}

impl Variant<'_> {
    /// Its value in an integer of `size` bytes, with a sign or without: compilers do not tell the one from the other.
    #[must_use]
    pub const fn value_in(self, size: usize, is_signed: bool) -> i128 {
        let unused = match size {
            1..=15 => 128 - 8 * size as u32,
            _ => return self.value,
        };
        let shifted = self.value << unused;
        if is_signed {
            shifted >> unused
        } else {
            (shifted.cast_unsigned() >> unused).cast_signed()
        }
    }
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
    /// The field of a Rust struct says so: `#[device_type(opaque)]`.
    Said,
}

impl Opaque {
    /// Every reason.
    pub const ALL: [Self; 5] = [
        Self::Union,
        Self::BitFields,
        Self::Bases,
        Self::Unclear,
        Self::Said,
    ];
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

    /// The variants of an enum, which is an integer and has no members; and whether it is a signed one, if the source tells.
    #[must_use]
    pub const fn of_enum(variants: &'a [Variant<'a>], is_signed: Option<bool>) -> Self {
        Self(Source::Variants(variants, is_signed))
    }

    /// Those of a stored struct.
    pub(super) const fn stored(members: Stored<'a>) -> Self {
        Self(Source::Stored(members))
    }

    /// Those of a stored enum.
    pub(super) const fn stored_enum(variants: Stored<'a>, is_signed: Option<bool>) -> Self {
        Self(Source::StoredVariants(variants, is_signed))
    }

    /// Whether it is a struct whose members are known, be it that there are none.
    #[must_use]
    pub const fn is_known(self) -> bool {
        matches!(self.0, Source::Slice(_) | Source::Stored(_))
    }

    /// Whether it is an enum whose variants are known.
    #[must_use]
    pub const fn is_enum(self) -> bool {
        matches!(self.0, Source::Variants(..) | Source::StoredVariants(..))
    }

    /// Whether the integer that an enum is has a sign; `None` where the source does not tell, as the DWARF 2 of NVIDIA's
    /// compilers does not.
    #[must_use]
    pub const fn is_signed(self) -> Option<bool> {
        match self.0 {
            Source::Variants(_, is_signed) | Source::StoredVariants(_, is_signed) => is_signed,
            _ => None,
        }
    }

    /// The variant of this index; `None` where there is none, and where it is no enum.
    #[must_use]
    pub const fn variant(self, index: usize) -> Option<Variant<'a>> {
        match self.0 {
            Source::Variants(variants, _) if index < variants.len() => Some(variants[index]),
            Source::StoredVariants(variants, _) => variants.variant(index),
            _ => None,
        }
    }

    /// The variants of an enum, in order.
    pub fn variants(self) -> impl Iterator<Item = Variant<'a>> {
        (0..).map_while(move |index| self.variant(index))
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
            Source::Slice(members) => members.len(),
            Source::Stored(members) => members.len(),
            _ => 0,
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
            Source::Stored(members) => members.get(index),
            _ => None,
        }
    }

    /// The member of this index, if that is [its name in C++](Parameter::cpp_name).
    pub(crate) const fn get_named(self, index: usize, name: &[u8]) -> Option<Parameter<'a>> {
        let is_named = match self.0 {
            Source::Slice(members) if index < members.len() => {
                equal(members[index].cpp_name().as_bytes(), name)
            }
            Source::Stored(members) => members.is_named(index, name),
            _ => false,
        };
        if is_named { self.get(index) } else { None }
    }

    /// What the member of this index is, is an array of, or points to, where debug information describes it.
    #[must_use]
    pub const fn referent(self, index: usize) -> Option<Referent<'a>> {
        match self.0 {
            Source::Stored(members) => members.referent(index),
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
            && self.is_enum() == other.is_enum()
            && self.is_signed() == other.is_signed()
            && self.why_opaque() == other.why_opaque()
            && self.len() == other.len()
            && self.iter().eq(other.iter())
            && self.variants().eq(other.variants())
    }
}

impl Eq for Members<'_> {}

impl fmt::Debug for Members<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.why_opaque() {
            Some(why) => write!(f, "Opaque({why:?})"),
            None if self.is_known() => f.debug_list().entries(self.iter()).finish(),
            None if self.is_enum() => f.debug_list().entries(self.variants()).finish(),
            None => f.write_str("Unknown"),
        }
    }
}
