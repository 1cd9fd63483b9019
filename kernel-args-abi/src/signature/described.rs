//! The types that parameters and members are or point to, as debug information describes them.

use super::{Parameter, ParameterList, list::Row};
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
    types: Vec<Row>,
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

#[cfg_attr(
    not(all(feature = "debug-info", feature = "generate")),
    expect(dead_code, reason = "debug information alone describes types")
)]
impl Descriptions {
    /// What a link takes, in bytes.
    pub(crate) const OF_LINK: usize = size_of::<Link>();

    /// Adds a type, which is described as a parameter without a name is: its number.
    pub(crate) fn push_type(&mut self, row: Row) -> u32 {
        self.types.push(row);
        self.types.len() as u32 - 1
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
        self.links.capacity() * size_of::<Link>() + self.types.capacity() * size_of::<Row>()
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
    /// The type as a parameter of it would be: size, C++ type, and members or variants, without a name.
    #[must_use]
    pub fn parameter(self) -> Parameter<'a> {
        let types = &self.list.descriptions().types;
        match types.get(self.index as usize) {
            Some(row) => self.list.parameter(row),
            None => Parameter::record(0, 0),
        }
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
