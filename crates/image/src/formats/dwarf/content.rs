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

/// What a compiler generated a member for. EDG (nvcc, NVRTC) names a base class `__b_` plus its mangled name, and a
/// virtual base class `__v_`.
enum Made {
    Base,
    VirtualBase,
    VirtualFunctions,
}

impl<'s> Content<'s> {
    /// The parts of the struct at `entry`, or why none of them can be compared.
    pub(super) fn read(units: &Units<'s>, entry: &Die<'s>) -> Result<Result<Self, Opaque>, Error> {
        let mut content = Self::default();
        if let Err(why) = content.add(units, entry, 0, 0)? {
            return Ok(Err(why));
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

    fn add(
        &mut self,
        units: &Units<'s>,
        entry: &Die<'s>,
        start: u64,
        depth: usize,
    ) -> Result<Result<(), Opaque>, Error> {
        let mut children = units.walk(entry.place)?;
        while let Some(child) = children.next_child()? {
            let made = match child.tag {
                dw::DW_TAG_variant_part => return Ok(Err(Opaque::Union)),
                dw::DW_TAG_inheritance if child.is_virtual => Some(Made::VirtualBase),
                dw::DW_TAG_inheritance => Some(Made::Base),
                // A static member.
                dw::DW_TAG_member if child.is_declaration || child.is_external => continue,
                dw::DW_TAG_member => made(units, &child)?,
                _ => continue,
            };
            units.budget.store(size_of::<StructPart<'_>>())?;
            let added = match made {
                Some(Made::VirtualBase) => Err(Opaque::Bases),
                Some(Made::Base) => self.base(units, &child, start, depth)?,
                Some(Made::VirtualFunctions) => {
                    let size = Type::read(units, child.ty)?.size;
                    let bytes =
                        place(&child, start).zip(size).and_then(|(start, size)| Some(start..start.checked_add(size)?));
                    self.hide(bytes, "", Opaque::Bases)
                }
                None if child.bits.exists() => {
                    let integer = child.byte_size.or(Type::read(units, child.ty)?.size);
                    let bytes = child.bits.bytes(child.offset, integer);
                    let shifted =
                        bytes.and_then(|bytes| Some(start.checked_add(bytes.start)?..start.checked_add(bytes.end)?));
                    let name = units.name(&child)?;
                    self.hide(shifted, name, Opaque::BitFields)
                }
                None => match place(&child, start) {
                    Some(offset) => {
                        let place = child.place;
                        self.parts.push(StructPart::Member { place, offset });
                        Ok(())
                    }
                    None => Err(Opaque::Unclear),
                },
            };
            if added.is_err() {
                return Ok(added);
            }
        }
        Ok(Ok(()))
    }

    fn base(
        &mut self,
        units: &Units<'s>,
        child: &Die<'s>,
        start: u64,
        depth: usize,
    ) -> Result<Result<(), Opaque>, Error> {
        let of = Type::read(units, child.ty)?;
        let (Some(start), Some(base)) = (place(child, start), of.aggregate) else {
            return Ok(Err(Opaque::Bases));
        };
        let entry = units.entry(base)?;
        let is_struct = matches!(entry.tag, dw::DW_TAG_structure_type | dw::DW_TAG_class_type);
        if depth == DEEPEST || !is_struct || entry.is_declaration || of.cpp.is_pointer() {
            return Ok(Err(Opaque::Bases));
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

fn made<'s>(units: &Units<'s>, member: &Die<'s>) -> Result<Option<Made>, Error> {
    let name = units.name(member)?;
    Ok(if name.starts_with("__b_") {
        Some(Made::Base)
    } else if name.starts_with("__v_") {
        Some(Made::VirtualBase)
    } else if member.is_artificial || name.starts_with("__vptr") || name.starts_with("_vptr") {
        Some(Made::VirtualFunctions)
    } else {
        None
    })
}
