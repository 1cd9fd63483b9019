//! Reads debug information.

mod content;
mod entry;
mod functions;
mod kernels;
mod members;
mod passing;
mod reduce;
mod relocate;
mod types;
mod units;

pub use reduce::reduce;

pub(crate) use functions::{Function, Functions};
pub(super) use kernels::read;

use super::{
    DebugInfo, Error,
    sections::{INFO, NAMES, Sections},
};
use crate::prelude::*;
use gimli::{Attribute, AttributeValue, DwTag, EndianSlice, LittleEndian};
use kernel_args_abi::{Class, CppType};
use units::Units;

// Sections by their place in `NAMES`.
const ABBREV: usize = 1;
const STRINGS: usize = 2;
const LINE_STRINGS: usize = 3;
const STRING_OFFSETS: usize = 4;

const FLOAT_NOT_IN_RUST: &str = "a floating-point number that Rust does not have, such as `long double`";

impl From<gimli::Error> for Error {
    #[cold]
    fn from(error: gimli::Error) -> Self {
        Self::Dwarf(error.to_string())
    }
}

type Slice<'s> = EndianSlice<'s, LittleEndian>;

type RawValue<'s> = AttributeValue<Slice<'s>>;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    unit: u32,
    /// The offset from the beginning of the unit, in bytes.
    offset: usize,
}

/// An entry.
struct Die<'s> {
    place: Position,
    tag: DwTag,
    has_children: bool,
    attributes: Vec<Attribute<Slice<'s>>>,
}

struct Type<'s> {
    /// Without the name if its base is [`CppBase::Named`](kernel_args_abi::CppBase::Named).
    cpp: CppType<'static>,
    name: Cow<'s, str>,
    named_by: Option<Position>,
    size: Option<u64>,
    class: Class,
    alignment: Option<u64>,
    /// The struct, class, union or enum of a value, or of an array's elements.
    aggregate: Option<Position>,
    /// The typedef name of a base type, if it has one.
    alias: &'s str,
    /// What the type is if no type of Rust is passed like it.
    unlike_c: Option<&'static str>,
}
