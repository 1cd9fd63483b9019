//! The members of structs, and the variants of enums, by value and behind pointers.

use super::{
    Error,
    content::{Content, StructPart},
    entry::{Die, Position},
    stored::{OF_MAP, ReadStruct, TypeTable},
    types::Type,
};
use crate::{mangled::demangle, table::types::opaque};
use alloc::vec::Vec;
use gimli::constants as dw;
use kernel_args_abi::{Alignment, Class, CppBase, CppType, Opaque, Parameter, Variant, signature::stored::NOTHING};

/// The maximum nesting depth of structs. The largest kernel parameter has 32,764 bytes.
const DEEPEST: usize = 32;

/// The maximum number of members of a struct that is read, including nested members. An array counts as one element.
const MOST: usize = 65_536;

pub(super) struct Stored {
    pub(super) place: u32,
    pub(super) size: usize,
}

impl<'s> TypeTable<'_, 's> {
    /// Stores a parameter or a member of this type at nesting depth `depth`. `None` if its size is unknown.
    pub(super) fn row(
        &mut self,
        entry: &Die<'s>,
        ty: &Type<'s>,
        offset: Option<usize>,
        depth: usize,
    ) -> Result<Option<Stored>, Error> {
        let class = if ty.cpp.is_array() { Class::Bytes } else { ty.class };
        let name = self.units.name(entry)?;
        let parameter = Parameter { name, offset, class, cpp: ty.cpp, ..Parameter::record(0, 0) };
        self.sized(parameter, ty, entry.alignment.max(ty.alignment), depth)
    }

    /// Stores this parameter, member or pointee with the size and the members of its type. A pointee has no depth.
    fn sized(
        &mut self,
        parameter: Parameter<'_>,
        ty: &Type<'s>,
        alignment: Option<u64>,
        depth: impl Into<Option<usize>>,
    ) -> Result<Option<Stored>, Error> {
        let Some(size) = ty.size.and_then(|size| u32::try_from(size).ok()) else {
            return Ok(None);
        };
        let (size, depth) = (size as usize, depth.into());
        let members = match ty.aggregate {
            Some(place) => self.members(place, depth.unwrap_or(1))?,
            None => 0,
        };
        let align = alignment.and_then(|bytes| usize::try_from(bytes).ok()).and_then(Alignment::new);
        let referent = if depth.is_some() { self.referent(ty)? } else { NOTHING };
        let named = match ty.cpp.base {
            CppBase::Named(_) => Some(self.name(ty)?),
            _ => None,
        };
        let parameter = Parameter { align, size, ..parameter };
        let place = self.store(|table| table.record(&parameter, named, members, referent))?;
        Ok(Some(Stored { place, size }))
    }

    /// Stores a parameter whose type has no size: its name.
    pub(super) fn only_name(&mut self, entry: &Die<'s>) -> Result<Stored, Error> {
        let name = self.units.name(entry)?;
        let parameter = Parameter { name, ..Parameter::record(0, 0) };
        let place = self.store(|table| table.record(&parameter, None, 0, NOTHING))?;
        Ok(Stored { place, size: 0 })
    }

    pub(super) fn members(&mut self, place: Position, depth: usize) -> Result<usize, Error> {
        if let Some(known) = self.structs.get(&place) {
            return Ok(known.number);
        }
        self.units.budget.store(OF_MAP)?;
        // A recursive reference to this struct gets this value.
        let unclear = ReadStruct::one(opaque(Opaque::Unclear));
        self.structs.insert(place, unclear);
        let known = if depth == DEEPEST { unclear } else { self.read(place, depth)? };
        self.structs.insert(place, known);
        Ok(known.number)
    }

    /// Reads the types that were referred to, and the types that these refer to, as far as the budget permits. A type
    /// that is not read remains unknown. Returns all stored data.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let mut places = Vec::new();
        // Reading a type can add more types.
        while let Some(&place) = self.referents.pending.get(places.len()) {
            places.push(self.store_type(place).unwrap_or(0));
        }
        self.table.finish(&places)
    }

    fn store_type(&mut self, place: Position) -> Result<u32, Error> {
        let ty = Type::read(self.units, Some(place))?;
        let cpp = CppType::of(ty.cpp.base);
        let parameter = Parameter { offset: None, class: ty.class, cpp, ..Parameter::record(0, 0) };
        Ok(self.sized(parameter, &ty, ty.alignment, None)?.map_or(0, |row| row.place))
    }

    fn read(&mut self, place: Position, depth: usize) -> Result<ReadStruct, Error> {
        let unclear = ReadStruct::one(opaque(Opaque::Unclear));
        let entry = self.units.entry(place)?;
        if entry.tag == dw::DW_TAG_enumeration_type {
            return Ok(ReadStruct::one(self.variants(&entry)?));
        }
        let size = match entry.byte_size {
            Some(size) if !entry.is_declaration => size,
            _ => return Ok(unclear),
        };
        if entry.tag == dw::DW_TAG_union_type {
            return Ok(ReadStruct::one(opaque(Opaque::Union)));
        }
        let content = match Content::read(self.units, &entry)? {
            Ok(content) => content,
            Err(why) => return Ok(ReadStruct::one(opaque(why))),
        };
        let mut places = Vec::new();
        let (mut end, mut leaves) = (0, 0usize);
        for part in content.parts {
            let (offset, row) = match part {
                StructPart::Hidden { bytes, name, why } => {
                    let Ok(size) = u32::try_from(bytes.end - bytes.start) else {
                        return Ok(unclear);
                    };
                    let hidden = Parameter {
                        name,
                        offset: usize::try_from(bytes.start).ok(),
                        class: Class::Bytes,
                        ..Parameter::record(0, size as usize)
                    };
                    let place = self.store(|table| table.record(&hidden, None, opaque(why), NOTHING))?;
                    let size = size as usize;
                    (bytes.start, Stored { place, size })
                }
                StructPart::Member { place, offset } => {
                    let entry = self.units.entry(place)?;
                    let ty = Type::read(self.units, entry.ty)?;
                    // An array of unknown length at the end of a struct.
                    if ty.size == Some(0) {
                        continue;
                    }
                    let start = usize::try_from(offset).ok();
                    let Some(row) = self.row(&entry, &ty, start, depth + 1)? else {
                        return Ok(unclear);
                    };
                    let known = ty.aggregate.and_then(|place| self.structs.get(&place));
                    leaves += known.map_or(1, |known| known.leaves);
                    if leaves > MOST {
                        return Ok(unclear);
                    }
                    (offset, row)
                }
            };
            // Members follow one another.
            let after = offset.checked_add(row.size as u64);
            match after {
                Some(after) if offset >= end && after <= size => end = after,
                _ => return Ok(unclear),
            }
            places.push(row.place);
        }
        let number = self.store(|table| table.structure(&places))?;
        Ok(ReadStruct { number, leaves })
    }

    /// The variants of an enum. Unknown if the value of a variant is missing.
    fn variants(&mut self, entry: &Die<'s>) -> Result<usize, Error> {
        let mut places = Vec::new();
        let mut children = self.units.walk(entry.place)?;
        while let Some(child) = children.next_child()? {
            if child.tag != dw::DW_TAG_enumerator {
                continue;
            }
            let (Some(name), Some(value)) = (child.name, child.value) else {
                return Ok(0);
            };
            let name = self.units.text(child.place, name)?;
            // EDG (nvcc, NVRTC) writes `_ZN3sim5Color3RedE`.
            let demangled = name.starts_with("_Z").then(|| demangle(name)).flatten();
            let name = demangled.as_deref().unwrap_or(name);
            let name = name.rsplit("::").next().unwrap_or(name);
            self.units.budget.store(size_of::<u32>())?;
            places.push(self.store(|table| table.variant(Variant { name, value }))?);
        }
        let is_signed = Type::integer_of(self.units, entry.ty)?.is_signed;
        self.store(|table| table.enumeration(&places, is_signed))
    }
}
