//! The content of a type that is passed by value: the members of a struct, the variants of an enum.

use super::{Parameter, reader::List, stored::StoredType};
use crate::{
    bytes::{equal, same},
    class::Class,
    cpp::CppBase,
};
use core::fmt;

/// The members of a struct that is passed by value, or the variants of an enum, as far as the source contains them.
///
/// Each member is a [`Parameter`]. Members are sorted by offset. C++ has no members of size zero; a Rust struct may
/// contain a `PhantomData`.
#[derive(Clone, Copy)]
pub struct Members<'a>(MemberSource<'a>);

#[derive(Clone, Copy)]
enum MemberSource<'a> {
    Unknown,
    Meaning(Meaning),
    Opaque(Opaque),
    Slice(&'a [Parameter<'a>]),
    Variants(&'a [Variant<'a>], Option<bool>),
    Stored(List<'a>),
    StoredVariants(List<'a>, Option<bool>),
}

/// The type of a parameter or member, of its elements, or of its pointee.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Referent<'a> {
    /// A struct, union or enum with a name.
    Type(StoredType<'a>),
    /// `cudaTextureObject_t`.
    Texture,
    /// `cudaSurfaceObject_t`.
    Surface,
}

/// What an integer stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum Meaning {
    /// A count or an index: `usize`. It is no address; `CUdeviceptr` is `u64`.
    Count,
    /// A texture object.
    Texture,
    /// A surface object.
    Surface,
}

/// A variant of an enum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variant<'a> {
    /// The name as in the source: `Fast`.
    pub name: &'a str,
    /// The value. For a `u128` above `i128::MAX`: the negative number with the same bits.
    pub value: i128,
}

impl Variant<'_> {
    /// Returns the value in an integer of `size` bytes, signed or unsigned. Compilers do not record which of the two it
    /// is.
    #[must_use]
    pub const fn value_in(self, size: usize, is_signed: bool) -> i128 {
        let unused = match size {
            1..=15 => 128 - 8 * size as u32,
            _ => return self.value,
        };
        let shifted = self.value << unused;
        if is_signed { shifted >> unused } else { (shifted.cast_unsigned() >> unused).cast_signed() }
    }
}

/// Why the members of a struct cannot be compared one by one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum Opaque {
    /// It is a union: its type does not specify which member is in use.
    Union,
    /// It has bit fields. The compiler chooses the position of their bits.
    BitFields,
    /// It has base classes or virtual functions.
    Bases,
    /// Members overlap or are outside the struct, or the type of a member is not supported.
    Unclear,
    /// The field of a Rust struct is marked `#[device_type(opaque)]`.
    Declared,
}

impl Opaque {
    /// Every reason.
    pub const ALL: [Self; 5] = [Self::Union, Self::BitFields, Self::Bases, Self::Unclear, Self::Declared];
}

impl<'a> Members<'a> {
    /// Unknown, or the type is not a struct: matches everything.
    pub const UNKNOWN: Self = Self(MemberSource::Unknown);

    /// Returns a struct with these members, sorted by offset.
    #[must_use]
    pub const fn of(members: &'a [Parameter<'a>]) -> Self {
        Self(MemberSource::Slice(members))
    }

    /// Returns a type whose members cannot be compared: matches everything.
    #[must_use]
    pub const fn opaque(why: Opaque) -> Self {
        Self(MemberSource::Opaque(why))
    }

    /// Returns the variants of an enum, and whether the enum is signed, if known.
    #[must_use]
    pub const fn of_enum(variants: &'a [Variant<'a>], is_signed: Option<bool>) -> Self {
        Self(MemberSource::Variants(variants, is_signed))
    }

    /// Returns an integer whose type shows its meaning.
    #[must_use]
    pub const fn meaning(meaning: Meaning) -> Self {
        Self(MemberSource::Meaning(meaning))
    }

    /// Returns the meaning of an integer, if its type shows it.
    #[must_use]
    pub const fn stands_for(self) -> Option<Meaning> {
        match self.0 {
            MemberSource::Meaning(meaning) => Some(meaning),
            _ => None,
        }
    }

    pub(crate) const fn is_unknown(self) -> bool {
        matches!(self.0, MemberSource::Unknown)
    }

    pub(super) const fn stored(members: List<'a>) -> Self {
        Self(MemberSource::Stored(members))
    }

    pub(super) const fn stored_enum(variants: List<'a>, is_signed: Option<bool>) -> Self {
        Self(MemberSource::StoredVariants(variants, is_signed))
    }

    /// Returns whether it is a struct whose members are known (possibly none).
    #[must_use]
    pub const fn is_known(self) -> bool {
        matches!(self.0, MemberSource::Slice(_) | MemberSource::Stored(_))
    }

    /// Returns whether the source contains the struct: its members, or why they cannot be compared.
    pub(crate) const fn is_described(self) -> bool {
        self.is_known() || matches!(self.0, MemberSource::Opaque(_))
    }

    /// Returns whether it is an enum whose variants are known.
    #[must_use]
    pub const fn is_enum(self) -> bool {
        matches!(self.0, MemberSource::Variants(..) | MemberSource::StoredVariants(..))
    }

    /// Returns whether an enum is signed, if the source specifies it: DWARF 2 from NVIDIA's compilers does not.
    #[must_use]
    pub const fn is_signed(self) -> Option<bool> {
        match self.0 {
            MemberSource::Variants(_, is_signed) | MemberSource::StoredVariants(_, is_signed) => is_signed,
            _ => None,
        }
    }

    /// Returns the variant at `index`. `None` if it is out of bounds, or if this is not an enum.
    #[must_use]
    pub const fn variant(self, index: usize) -> Option<Variant<'a>> {
        match self.0 {
            MemberSource::Variants(variants, _) if index < variants.len() => Some(variants[index]),
            MemberSource::StoredVariants(variants, _) => variants.variant(index),
            _ => None,
        }
    }

    /// Returns the variants of an enum, in order.
    pub fn variants(self) -> impl Iterator<Item = Variant<'a>> {
        (0..).map_while(move |index| self.variant(index))
    }

    /// Returns why the members cannot be compared, although the source contains the struct.
    #[must_use]
    pub const fn why_opaque(self) -> Option<Opaque> {
        match self.0 {
            MemberSource::Opaque(why) => Some(why),
            _ => None,
        }
    }

    /// Returns what identifies a stored struct among the structs of all tables.
    #[doc(hidden)]
    #[must_use]
    pub fn key(self) -> Option<(usize, usize)> {
        match self.0 {
            MemberSource::Stored(members) => Some(members.key()),
            _ => None,
        }
    }

    /// Returns the number of members, or 0 if they are unknown.
    #[must_use]
    pub const fn len(self) -> usize {
        match self.0 {
            MemberSource::Slice(members) => members.len(),
            MemberSource::Stored(members) => members.len(),
            _ => 0,
        }
    }

    /// Returns whether there are no members, or they are unknown.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the member at `index`.
    #[must_use]
    pub const fn get(self, index: usize) -> Option<Parameter<'a>> {
        match self.0 {
            MemberSource::Slice(members) if index < members.len() => Some(members[index]),
            MemberSource::Stored(members) => members.get(index, true),
            _ => None,
        }
    }

    /// Returns the member at `index`, possibly without its spelling.
    pub(crate) const fn get_unspelled(self, index: usize) -> Option<Parameter<'a>> {
        match self.0 {
            MemberSource::Stored(members) => members.get(index, false),
            _ => self.get(index),
        }
    }

    /// Returns the member at `index`, if `name` is [its C++ name](Parameter::cpp_name).
    pub(crate) const fn get_named(self, index: usize, name: &[u8]) -> Option<Parameter<'a>> {
        let is_named = match self.0 {
            MemberSource::Slice(members) if index < members.len() => equal(members[index].cpp_name().as_bytes(), name),
            MemberSource::Stored(members) => members.is_named(index, name),
            _ => false,
        };
        if is_named { self.get(index) } else { None }
    }

    /// Returns the index of the first member with this C++ name. An empty name is the name of no member.
    pub(crate) const fn position(self, name: &str) -> Option<usize> {
        self.position_near(0, name)
    }

    /// [`position`](Self::position), searched from `start` on: most members have one index in two structs.
    pub(crate) const fn position_near(self, start: usize, name: &str) -> Option<usize> {
        let len = self.len();
        let mut i = 0;
        while !name.is_empty() && i < len {
            let at = (start + i) % len;
            if self.get_named(at, name.as_bytes()).is_some() {
                return Some(at);
            }
            i += 1;
        }
        None
    }

    /// Returns whether a member has this name in its source.
    pub(crate) const fn has_name(self, name: &str) -> bool {
        any!(i, member = self.get_unspelled(i), same(member.name, name))
    }

    pub(crate) const fn find(self, name: &str) -> Option<Parameter<'a>> {
        self.get(some!(self.position(name)))
    }

    /// Returns the type of the member at `index`, of its elements, or of its pointee, if debug information contains it.
    #[must_use]
    pub const fn referent(self, index: usize) -> Option<Referent<'a>> {
        match self.0 {
            MemberSource::Stored(members) => members.referent(index),
            _ => None,
        }
    }

    /// Adds the data from debug information to the data from the kernel's image, if both describe the same number of
    /// parameters. Returns whether they do.
    ///
    /// C++ types come from the image if it has them. A parameter that debug information
    /// [contradicts](Parameter::contradicts) gets only its name: of a `long double`, and of clang's vectors of three,
    /// it contains the host's size.
    pub fn complete(self, parameters: &mut [Parameter<'a>]) -> bool {
        if !self.is_known() || parameters.len() != self.len() {
            return false;
        }
        for (parameter, debug) in parameters.iter_mut().zip(self.iter()) {
            if !debug.name.is_empty() {
                parameter.name = debug.name;
            }
            if debug.contradicts(parameter) {
                continue;
            }
            if matches!(parameter.cpp.base, CppBase::Unknown) {
                parameter.cpp = debug.cpp;
            }
            if parameter.class.same(Class::Unknown) {
                parameter.class = debug.class;
            }
            parameter.align = parameter.align.or(debug.align);
            parameter.members = debug.members;
            parameter.pointee = debug.pointee;
        }
        true
    }

    /// Returns the members in order.
    pub fn iter(self) -> impl Iterator<Item = Parameter<'a>> {
        (0..self.len()).filter_map(move |index| self.get(index))
    }
}

impl PartialEq for Members<'_> {
    fn eq(&self, other: &Self) -> bool {
        let kind = |own: Self| (own.is_known(), own.is_enum(), own.is_signed(), own.why_opaque(), own.stands_for());
        kind(*self) == kind(*other) && self.iter().eq(other.iter()) && self.variants().eq(other.variants())
    }
}

impl Eq for Members<'_> {}

impl fmt::Debug for Members<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.why_opaque() {
            Some(why) => write!(f, "Opaque({why:?})"),
            None if self.is_known() => f.debug_list().entries(self.iter()).finish(),
            None if self.is_enum() => f.debug_list().entries(self.variants()).finish(),
            None => match self.stands_for() {
                Some(meaning) => write!(f, "{meaning:?}"),
                None => f.write_str("Unknown"),
            },
        }
    }
}
