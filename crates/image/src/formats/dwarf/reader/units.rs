//! The units of debug information, and their entries by position.

use super::{ABBREV, Die, Error, INFO, LINE_STRINGS, Position, RawValue, STRING_OFFSETS, STRINGS, Sections, Slice};
use crate::prelude::*;
use core::cell::Cell;
use gimli::{
    Abbreviations, DebugAbbrev, DebugInfo, DebugInfoOffset, DebugLineStr, DebugStr, DebugStrOffsets,
    DebugStrOffsetsBase, DwAt, EndianSlice, EntriesRaw, LittleEndian, UnitHeader, UnitOffset, constants as dw,
};

struct Unit<'s> {
    header: UnitHeader<Slice<'s>>,
    abbreviations: usize,
    string_offsets: DebugStrOffsetsBase<usize>,
}

pub(super) struct Units<'s> {
    all: Vec<Unit<'s>>,
    abbreviations: Vec<Abbreviations>,
    strings: DebugStr<Slice<'s>>,
    line_strings: DebugLineStr<Slice<'s>>,
    string_offsets: DebugStrOffsets<Slice<'s>>,
    /// The remaining work, as a number of attributes, and memory in bytes.
    ///
    /// Entries refer to each other by offsets, so a small file could cause an endless loop, or store one struct many
    /// times.
    work: Cell<usize>,
    memory: Cell<usize>,
}

const WORK: usize = 64;
const MEMORY: usize = 16;
const LEAST: usize = 1 << 20;
const MOST_MEMORY: usize = 256 << 20;

impl<'s> Die<'s> {
    pub(super) fn ty(&self, units: &Units<'s>) -> Option<Position> {
        self.reference(units, dw::DW_AT_type)
    }

    /// Returns the entry that this one completes: its declaration, or its abstract origin.
    pub(super) fn completes(&self, units: &Units<'s>) -> Option<Position> {
        let declaration = self.reference(units, dw::DW_AT_specification);
        declaration.or_else(|| self.reference(units, dw::DW_AT_abstract_origin))
    }

    fn reference(&self, units: &Units<'s>, name: DwAt) -> Option<Position> {
        match self.value(name)? {
            RawValue::UnitRef(offset) => Some(Position { offset: offset.0, ..self.place }),
            RawValue::DebugInfoRef(offset) => units.place(offset),
            _ => None,
        }
    }
}

/// The entries of a unit, or one entry and its children.
pub(super) struct Walk<'u, 's> {
    units: &'u Units<'s>,
    raw: EntriesRaw<'u, Slice<'s>>,
    unit: u32,
    is_done: bool,
}

impl<'s> Units<'s> {
    pub(super) fn new(sections: &'s Sections<'_>) -> Result<Self, Error> {
        let slice = |bytes: &'s [u8]| EndianSlice::new(bytes, LittleEndian);
        let size = sections.0.iter().map(|section| section.len()).fold(0, usize::saturating_add);
        let budget = |each| size.saturating_mul(each).saturating_add(LEAST);
        let mut units = Self {
            all: Vec::new(),
            abbreviations: Vec::new(),
            strings: DebugStr::from(slice(sections.get(STRINGS))),
            line_strings: DebugLineStr::from(slice(sections.get(LINE_STRINGS))),
            string_offsets: DebugStrOffsets::from(slice(sections.get(STRING_OFFSETS))),
            work: Cell::new(budget(WORK)),
            memory: Cell::new(budget(MEMORY).min(MOST_MEMORY)),
        };
        let info = DebugInfo::new(sections.get(INFO), LittleEndian);
        let abbrev = DebugAbbrev::new(sections.get(ABBREV), LittleEndian);
        let mut known = BTreeMap::new();
        let mut headers = info.units();
        while let Some(header) = headers.next()? {
            units.store(size_of::<Unit<'_>>())?;
            let at = header.debug_abbrev_offset().0;
            let place = Position { unit: 0, offset: at };
            let abbreviations = *known.entry(place).or_insert(units.abbreviations.len());
            if abbreviations == units.abbreviations.len() {
                let length = table_length(sections.get(ABBREV).get(at..).unwrap_or_default());
                // An abbreviation has at least 5 bytes.
                units.store(length.saturating_mul(size_of::<gimli::Abbreviation>() / 5))?;
                units.abbreviations.push(header.abbreviations(&abbrev)?);
            }
            units.all.push(Unit { string_offsets: DebugStrOffsetsBase(0), header, abbreviations });
        }
        for unit in 0..units.all.len() as u32 {
            if let Some((_, first)) = units.walk_unit(unit)?.next()?
                && let Some(RawValue::DebugStrOffsetsBase(base)) = first.value(dw::DW_AT_str_offsets_base)
            {
                units.all[unit as usize].string_offsets = base;
            }
        }
        Ok(units)
    }

    /// Counts the work for an entry with this many attributes, or a text of this many bytes.
    fn work(&self, attributes: usize) -> Result<(), Error> {
        const EACH: usize = 4;
        take(&self.work, attributes.saturating_add(EACH))
    }

    pub(super) fn store(&self, bytes: usize) -> Result<(), Error> {
        take(&self.memory, bytes)
    }

    pub(super) fn len(&self) -> u32 {
        self.all.len() as u32
    }

    pub(super) fn walk_unit(&self, unit: u32) -> Result<Walk<'_, 's>, Error> {
        self.walk(Position { unit, offset: self.all[unit as usize].header.root_offset().0 })
    }

    pub(super) fn walk(&self, place: Position) -> Result<Walk<'_, 's>, Error> {
        let unit = &self.all[place.unit as usize];
        let abbreviations = &self.abbreviations[unit.abbreviations];
        let raw = unit.header.entries_raw(abbreviations, Some(UnitOffset(place.offset)))?;
        Ok(Walk { units: self, raw, unit: place.unit, is_done: false })
    }

    pub(super) fn entry(&self, place: Position) -> Result<Die<'s>, Error> {
        let found = self.walk(place)?.next()?;
        found.map(|(_, entry)| entry).ok_or_else(|| Error::Dwarf("a reference to no entry".into()))
    }

    pub(super) fn address_size(&self, place: Position) -> u8 {
        self.all[place.unit as usize].header.address_size()
    }

    /// Empty if it is not UTF-8 or too long.
    pub(super) fn text(&self, place: Position, value: RawValue<'s>) -> Result<&'s str, Error> {
        /// The limit for symbols: see `mangled`.
        const LONGEST: usize = 32 << 10;
        let unit = &self.all[place.unit as usize];
        let text = match value {
            RawValue::String(text) => text,
            RawValue::DebugStrRef(offset) => self.strings.get_str(offset)?,
            RawValue::DebugLineStrRef(offset) => self.line_strings.get_str(offset)?,
            RawValue::DebugStrOffsetsIndex(index) => {
                let offset = self.string_offsets.get_str_offset(unit.header.format(), unit.string_offsets, index)?;
                self.strings.get_str(offset)?
            }
            _ => return Ok(""),
        };
        self.work(text.len())?;
        let text = core::str::from_utf8(text.slice()).unwrap_or_default();
        Ok(if text.len() <= LONGEST { text } else { "" })
    }

    pub(super) fn name(&self, entry: &Die<'s>) -> Result<&'s str, Error> {
        entry.value(dw::DW_AT_name).map_or(Ok(""), |name| self.text(entry.place, name))
    }

    fn place(&self, offset: DebugInfoOffset<usize>) -> Option<Position> {
        let begins = |unit: &Unit<'_>| unit.header.debug_info_offset().map_or(0, |offset| offset.0);
        let after = self.all.partition_point(|unit| begins(unit) <= offset.0);
        let unit = after.checked_sub(1)?;
        Some(Position { unit: unit as u32, offset: offset.0 - begins(&self.all[unit]) })
    }
}

impl<'u, 's> Walk<'u, 's> {
    /// Returns the next entry, and its depth.
    pub(super) fn next(&mut self) -> Result<Option<(isize, Die<'s>)>, Error> {
        loop {
            if self.is_done || self.raw.is_empty() {
                return Ok(None);
            }
            let depth = self.raw.next_depth();
            let offset = self.raw.next_offset().0;
            let Some(abbreviation) = self.raw.read_abbreviation()? else {
                self.units.work(0)?;
                self.is_done |= self.raw.next_depth() <= 0;
                continue;
            };
            self.units.work(abbreviation.attributes().len())?;
            let (tag, has_children) = (abbreviation.tag(), abbreviation.has_children());
            let attributes = abbreviation
                .attributes()
                .iter()
                .map(|&attribute| self.raw.read_attribute(attribute))
                .collect::<Result<_, _>>()?;
            self.is_done |= depth == 0 && !has_children;
            let place = Position { unit: self.unit, offset };
            return Ok(Some((depth, Die { place, tag, has_children, attributes })));
        }
    }

    pub(super) fn next_child(&mut self) -> Result<Option<Die<'s>>, Error> {
        while let Some((depth, entry)) = self.next()? {
            if depth == 1 {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }
}

fn take(left: &Cell<usize>, cost: usize) -> Result<(), Error> {
    left.set(left.get().checked_sub(cost).ok_or(Error::Size)?);
    Ok(())
}

fn table_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    // A LEB128 number: whether it is 0.
    let mut is_zero = || {
        let length = bytes[at..].iter().position(|byte| byte & 0x80 == 0)? + 1;
        let number = &bytes[at..at + length];
        at += length;
        Some(number.iter().all(|byte| byte << 1 == 0))
    };
    let mut table = || -> Option<()> {
        while !is_zero()? {
            // The tag, and a byte for whether there are children.
            is_zero()?;
            is_zero()?;
            loop {
                let (attribute, form) = (is_zero()?, is_zero()?);
                if attribute && form {
                    break;
                }
            }
        }
        Some(())
    };
    // A truncated table ends with the section. Its parser reports this.
    match table() {
        Some(()) => at,
        None => bytes.len(),
    }
}
