//! The parts of a struct: its own members, the members of its base classes, and hidden bytes.

use super::{Die, Error, Position, RawValue, Type, Units};
use crate::prelude::*;
use gimli::constants as dw;
use kernel_args_abi::Opaque;

const DEEPEST: usize = 16;

#[derive(Default)]
pub(super) struct Content<'s> {
    pub(super) parts: Vec<StructPart<'s>>,
    /// Why none of the parts can be compared.
    pub(super) opaque: Option<Opaque>,
}

/// A member, or bytes that cannot be compared: bit fields, the pointer to a table of virtual functions.
pub(super) struct StructPart<'s> {
    /// In bytes.
    pub(super) offset: u64,
    pub(super) kind: PartKind<'s>,
}

pub(super) enum PartKind<'s> {
    Member(Position),
    Hidden { end: u64, name: &'s str, why: Opaque },
}

impl<'s> Content<'s> {
    pub(super) fn read(units: &Units<'s>, entry: &Die<'s>) -> Result<Self, Error> {
        let mut content = Self::default();
        content.add(units, entry, 0, 0)?;
        content.parts.sort_by_key(|part| part.offset);
        // Bit fields extend to the next member: the unused bits of their integer can be part of a field in Rust.
        let mut next = entry.byte_size().unwrap_or(0);
        for part in content.parts.iter_mut().rev() {
            if let PartKind::Hidden { end, why: Opaque::BitFields, .. } = &mut part.kind {
                *end = next.max(*end);
            }
            next = part.offset;
        }
        Ok(content)
    }

    fn add(&mut self, units: &Units<'s>, entry: &Die<'s>, start: u64, depth: usize) -> Result<(), Error> {
        let mut children = units.walk(entry.place)?;
        while self.opaque.is_none()
            && let Some(child) = children.next_child()?
        {
            match child.tag {
                dw::DW_TAG_variant_part => self.opaque = Some(Opaque::Union),
                dw::DW_TAG_member if child.is_static() => {}
                dw::DW_TAG_inheritance | dw::DW_TAG_member => self.part(units, &child, start, depth)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn part(&mut self, units: &Units<'s>, child: &Die<'s>, start: u64, depth: usize) -> Result<(), Error> {
        units.store(size_of::<StructPart<'_>>())?;
        let place = child.offset().and_then(|offset| start.checked_add(offset));
        let is_member = child.tag == dw::DW_TAG_member;
        // EDG (nvcc, NVRTC) writes members instead: `__b_` plus the mangled name of a base class, `__v_` for a virtual
        // one.
        let name = if is_member { units.name(child)? } else { "" };
        let is_virtual = child
            .value(dw::DW_AT_virtuality)
            .is_some_and(|value| value != RawValue::Virtuality(dw::DW_VIRTUALITY_none));
        if is_virtual && !is_member || name.starts_with("__v_") {
            self.opaque = Some(Opaque::Bases);
        } else if !is_member || name.starts_with("__b_") {
            let of = Type::read(units, child.ty(units))?;
            if let (Some(start), Some(base)) = (place, of.aggregate) {
                let entry = units.entry(base)?;
                let is_struct = matches!(entry.tag, dw::DW_TAG_structure_type | dw::DW_TAG_class_type);
                if depth < DEEPEST && is_struct && !entry.is_declaration() && !of.cpp.is_pointer() {
                    return self.add(units, &entry, start, depth + 1);
                }
            }
            self.opaque = Some(Opaque::Bases);
        } else if child.is(dw::DW_AT_artificial) || name.starts_with("__vptr") || name.starts_with("_vptr") {
            let bytes = place.zip(Type::read(units, child.ty(units))?.size);
            self.hide(bytes.and_then(|(start, size)| Some((start, start.checked_add(size)?))), "", Opaque::Bases);
        } else if child.is_bit_field() {
            let integer = child.byte_size().or(Type::read(units, child.ty(units))?.size);
            let bytes = child.bit_field(integer);
            let shifted = bytes.and_then(|(first, end)| Some((start.checked_add(first)?, start.checked_add(end)?)));
            self.hide(shifted, name, Opaque::BitFields);
        } else if let Some(offset) = place {
            self.parts.push(StructPart { offset, kind: PartKind::Member(child.place) });
        } else {
            self.opaque = Some(Opaque::Unclear);
        }
        Ok(())
    }

    /// Bit fields in a row are one part.
    fn hide(&mut self, bytes: Option<(u64, u64)>, name: &'s str, why: Opaque) {
        let Some((offset, end)) = bytes else {
            self.opaque = Some(why);
            return;
        };
        if let Some(StructPart { offset: first, kind: PartKind::Hidden { end: last, why: Opaque::BitFields, .. } }) =
            self.parts.last_mut()
            && why == Opaque::BitFields
            && (*first..=*last).contains(&offset)
        {
            *last = end.max(*last);
        } else {
            self.parts.push(StructPart { offset, kind: PartKind::Hidden { end, name, why } });
        }
    }
}
