//! The types that parameters and members are or point to, as debug information describes them.

use super::{
    Members, Parameter, ParameterList,
    list::{Row, Text},
};
use alloc::vec::Vec;
use core::fmt;

/// What a parameter or member is, is an array of, or points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Referent<'a> {
    /// A struct, union or enum with a name.
    Type(DescribedType<'a>),
    /// `cudaTextureObject_t`.
    Texture,
    /// `cudaSurfaceObject_t`.
    Surface,
}

/// A struct, union or enum with a name that debug information describes.
#[derive(Clone, Copy)]
pub struct DescribedType<'a> {
    list: &'a ParameterList,
    index: u32,
}

/// What the rows of a list are or point to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Descriptions {
    /// In the order of the rows.
    links: Vec<Link>,
    types: Vec<TypeRow>,
    enumerators: Vec<(Text, i128)>,
}

/// What one row is or points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    not(all(feature = "debug-info", feature = "generate")),
    expect(dead_code, reason = "debug information alone describes types")
)]
pub(crate) enum Target {
    /// By its number.
    Type(u32),
    Texture,
    Surface,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Link {
    row: u32,
    to: Target,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TypeRow {
    row: Row,
    /// Where its enumerators begin, and how many there are.
    enumerators: (u32, u32),
}

#[cfg_attr(
    not(all(feature = "debug-info", feature = "generate")),
    expect(dead_code, reason = "debug information alone describes types")
)]
impl Descriptions {
    /// What a described type takes, in bytes, without its enumerators.
    pub(crate) const OF_TYPE: usize = size_of::<TypeRow>();
    /// What an enumerator takes, in bytes, without its name.
    pub(crate) const OF_ENUMERATOR: usize = size_of::<(Text, i128)>();
    /// What a link takes, in bytes.
    pub(crate) const OF_LINK: usize = size_of::<Link>();

    /// Adds a type, which is described as a parameter without a name is: its number.
    pub(crate) fn push_type(&mut self, row: Row, enumerators: &[(Text, i128)]) -> u32 {
        let number = self.types.len() as u32;
        let first = self.enumerators.len() as u32;
        self.enumerators.extend(enumerators);
        self.types.push(TypeRow {
            row,
            enumerators: (first, enumerators.len() as u32),
        });
        number
    }

    /// Says what rows are or point to.
    pub(crate) fn link(&mut self, links: impl Iterator<Item = (u32, Target)>) {
        self.links.extend(links.map(|(row, to)| Link { row, to }));
        self.links.sort_unstable_by_key(|link| link.row);
    }
}

impl Descriptions {
    pub(super) fn find(&self, row: u32) -> Option<Target> {
        let found = self.links.binary_search_by_key(&row, |link| link.row);
        Some(self.links.get(found.ok()?)?.to)
    }

    pub(super) const fn weight(&self) -> usize {
        self.links.capacity() * size_of::<Link>()
            + self.types.capacity() * size_of::<TypeRow>()
            + self.enumerators.capacity() * size_of::<(Text, i128)>()
    }
}

impl<'a> Referent<'a> {
    pub(super) fn of_row(list: &'a ParameterList, row: u32) -> Option<Self> {
        Some(match list.descriptions().find(row)? {
            Target::Type(index) => Self::Type(DescribedType { list, index }),
            Target::Texture => Self::Texture,
            Target::Surface => Self::Surface,
        })
    }
}

impl<'a> DescribedType<'a> {
    fn row(self) -> Option<&'a TypeRow> {
        self.list.descriptions().types.get(self.index as usize)
    }

    /// The type as a parameter of it would be: size, C++ type and members, without a name.
    #[must_use]
    pub fn parameter(self) -> Parameter<'a> {
        match self.row() {
            Some(row) => self.list.parameter(&row.row),
            None => Parameter::record(0, 0),
        }
    }

    /// The members of a struct.
    #[must_use]
    pub fn members(self) -> Members<'a> {
        self.parameter().members
    }

    /// The names and values of an enum, in the order of its source. Names have no path.
    pub fn enumerators(self) -> impl ExactSizeIterator<Item = (&'a str, i128)> {
        let (first, count) = self.row().map_or((0, 0), |row| row.enumerators);
        let all = &self.list.descriptions().enumerators;
        let own = all.get(first as usize..first as usize + count as usize);
        let text = |&(name, value): &(Text, i128)| (self.list.text(name), value);
        own.unwrap_or_default().iter().map(text)
    }
}

impl PartialEq for DescribedType<'_> {
    /// Whether both are one entry of one image's debug information.
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.list, other.list) && self.index == other.index
    }
}

impl Eq for DescribedType<'_> {}

impl fmt::Debug for DescribedType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the members: a struct may point to itself.
        let Parameter { cpp, size, .. } = self.parameter();
        write!(f, "{cpp} of {size} bytes")
    }
}
