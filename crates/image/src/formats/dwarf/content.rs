//! The parts of a struct: its own members, the members of its base classes, and bytes that cannot be compared.

use super::{
    Error,
    entry::{Die, Offset, Position},
    types::Type,
    units::Units,
};
use alloc::vec::Vec;
use core::ops::Range;
use gimli::constants as dw;
use kernel_args_abi::Opaque;

/// The depth of base classes of base classes.
const DEEPEST: usize = 16;

#[derive(Default)]
pub(super) struct Content<'s> {
    pub(super) parts: Vec<StructPart<'s>>,
}

/// A part of a struct. Offsets are in bytes.
pub(super) enum StructPart<'s> {
    Member {
        place: Position,
        offset: u64,
    },
    /// Bit fields, or the pointer to a table of virtual functions.
    Hidden {
        bytes: Range<u64>,
        name: &'s str,
        why: Opaque,
    },
}

impl StructPart<'_> {
    fn start(&self) -> u64 {
        match self {
            StructPart::Member { offset, .. } => *offset,
            StructPart::Hidden { bytes, .. } => bytes.start,
        }
    }
}

/// Why the parts of a struct are not read.
enum Stop {
    Opaque(Opaque),
    Error(Error),
}

impl From<Opaque> for Stop {
    fn from(why: Opaque) -> Self {
        Self::Opaque(why)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl<'s> Content<'s> {
    /// The parts of the struct at `entry`, or why none of them can be compared.
    pub(super) fn read(units: &Units<'s>, entry: &Die<'s>) -> Result<Result<Self, Opaque>, Error> {
        let mut content = Self::default();
        match content.add(units, entry, 0, 0) {
            Ok(()) => {}
            Err(Stop::Opaque(why)) => return Ok(Err(why)),
            Err(Stop::Error(error)) => return Err(error),
        }
        content.parts.sort_by_key(StructPart::start);
        content.extend_bit_fields(entry.byte_size.unwrap_or(0));
        Ok(Ok(content))
    }

    /// Extends bit fields to the next member: the unused bits of their integer can be part of a field in Rust.
    fn extend_bit_fields(&mut self, size: u64) {
        let mut next = size;
        for part in self.parts.iter_mut().rev() {
            if let StructPart::Hidden { bytes, why: Opaque::BitFields, .. } = part {
                bytes.end = bytes.end.max(next);
            }
            next = part.start();
        }
    }

    fn add(&mut self, units: &Units<'s>, entry: &Die<'s>, start: u64, depth: usize) -> Result<(), Stop> {
        let mut children = units.walk(entry.place)?;
        while let Some(child) = children.next_child()? {
            let is_member = child.tag == dw::DW_TAG_member;
            match child.tag {
                dw::DW_TAG_variant_part => return Err(Opaque::Union.into()),
                // A static member.
                dw::DW_TAG_member if child.is_declaration || child.is_external => continue,
                dw::DW_TAG_inheritance | dw::DW_TAG_member => {}
                _ => continue,
            }
            units.budget.store(size_of::<StructPart<'_>>())?;
            // EDG (nvcc, NVRTC) writes members instead: `__b_` plus the mangled name of a base class, `__v_` for a virtual one.
            let name = if is_member { units.name(&child)? } else { "" };
            if child.is_virtual && !is_member || name.starts_with("__v_") {
                return Err(Opaque::Bases.into());
            } else if !is_member || name.starts_with("__b_") {
                self.base(units, &child, start, depth)?;
            } else if child.is_artificial || name.starts_with("__vptr") || name.starts_with("_vptr") {
                let size = Type::read(units, child.ty)?.size;
                let bytes = place(&child, start).zip(size);
                self.hide(bytes.and_then(|(start, size)| Some(start..start.checked_add(size)?)), "", Opaque::Bases)?;
            } else if child.bits.exists() {
                let integer = child.byte_size.or(Type::read(units, child.ty)?.size);
                let bytes = child.bits.bytes(child.offset, integer);
                let shifted =
                    bytes.and_then(|bytes| Some(start.checked_add(bytes.start)?..start.checked_add(bytes.end)?));
                self.hide(shifted, name, Opaque::BitFields)?;
            } else {
                let offset = place(&child, start).ok_or(Opaque::Unclear)?;
                self.parts.push(StructPart::Member { place: child.place, offset });
            }
        }
        Ok(())
    }

    fn base(&mut self, units: &Units<'s>, child: &Die<'s>, start: u64, depth: usize) -> Result<(), Stop> {
        let of = Type::read(units, child.ty)?;
        let (Some(start), Some(base)) = (place(child, start), of.aggregate) else {
            return Err(Opaque::Bases.into());
        };
        let entry = units.entry(base)?;
        let is_struct = matches!(entry.tag, dw::DW_TAG_structure_type | dw::DW_TAG_class_type);
        if depth == DEEPEST || !is_struct || entry.is_declaration || of.cpp.is_pointer() {
            return Err(Opaque::Bases.into());
        }
        self.add(units, &entry, start, depth + 1)
    }

    /// Adds bytes that cannot be compared. Bit fields in a row are one part.
    fn hide(&mut self, bytes: Option<Range<u64>>, name: &'s str, why: Opaque) -> Result<(), Opaque> {
        let bytes = bytes.ok_or(why)?;
        if let Some(StructPart::Hidden { bytes: last, why: Opaque::BitFields, .. }) = self.parts.last_mut()
            && why == Opaque::BitFields
            && (last.start..=last.end).contains(&bytes.start)
        {
            last.end = last.end.max(bytes.end);
            return Ok(());
        }
        self.parts.push(StructPart::Hidden { bytes, name, why });
        Ok(())
    }
}

fn place(member: &Die<'_>, start: u64) -> Option<u64> {
    match member.offset {
        Offset::None => Some(start),
        Offset::Bytes(offset) => start.checked_add(offset),
        Offset::Unclear => None,
    }
}
