//! Stored parameters, the members of their structs and the variants of their enums.

use super::{
    Die, Error, Position, Type, Units,
    content::{Content, PartKind, StructPart},
};
use crate::prelude::*;
use crate::{
    mangled::demangle,
    table::types::{TypeWriter, opaque},
};
use gimli::constants as dw;
use kernel_args_abi::{
    Alignment, Class, CppBase, CppType, Opaque, Parameter, Variant,
    signature::stored::{FIRST_TYPE, NOTHING, SURFACE, TEXTURE},
};

/// The largest kernel parameter has 32,764 bytes.
const DEEPEST: usize = 32;

/// The most members of a struct, including nested members. An array is one element.
const MOST: usize = 65_536;

/// The approximate memory of an entry of a map, and of a referent, in bytes.
const OF_MAP: usize = 48;
const OF_REFERENT: usize = 64;

pub(super) struct TypeTable<'u, 's> {
    units: &'u Units<'s>,
    table: TypeWriter,
    /// The types that were referred to, in order.
    referents: Vec<Position>,
    known_referents: BTreeMap<Position, usize>,
    /// The number of each struct or enum, and how many members it has in all.
    structs: BTreeMap<Position, (usize, usize)>,
    names: BTreeMap<Position, usize>,
}

pub(super) struct Stored {
    pub(super) place: u32,
    pub(super) size: usize,
}

impl<'u, 's> TypeTable<'u, 's> {
    pub(super) fn new(units: &'u Units<'s>) -> Self {
        let (known_referents, structs, names) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { units, table: TypeWriter::new(), referents: Vec::new(), known_referents, structs, names }
    }

    /// Returns a parameter or a member at this nesting depth. `None` if its size is unknown.
    pub(super) fn row(
        &mut self,
        name: &str,
        alignment: Option<u64>,
        ty: &Type<'s>,
        offset: Option<usize>,
        depth: usize,
    ) -> Result<Option<Stored>, Error> {
        let class = if ty.cpp.is_array() { Class::Bytes } else { ty.class };
        let parameter = Parameter { name, offset, class, cpp: ty.cpp, ..Parameter::record(0, 0) };
        self.sized(parameter, ty, alignment.max(ty.alignment), Some(depth))
    }

    /// Returns a parameter, member or pointee with the size and the members of its type. A pointee has no depth.
    fn sized(
        &mut self,
        parameter: Parameter<'_>,
        ty: &Type<'s>,
        alignment: Option<u64>,
        depth: Option<usize>,
    ) -> Result<Option<Stored>, Error> {
        let Some(size) = ty.size.and_then(|size| u32::try_from(size).ok()) else {
            return Ok(None);
        };
        let size = size as usize;
        let members = match ty.aggregate {
            Some(place) => self.members(place, depth.unwrap_or(1))?.0,
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

    /// Returns a parameter whose type has no size.
    pub(super) fn only_name(&mut self, name: &str) -> Result<Stored, Error> {
        let parameter = Parameter { name, ..Parameter::record(0, 0) };
        let place = self.store(|table| table.record(&parameter, None, 0, NOTHING))?;
        Ok(Stored { place, size: 0 })
    }

    pub(super) fn store<T>(&mut self, write: impl FnOnce(&mut TypeWriter) -> T) -> Result<T, Error> {
        let before = self.table.len();
        let written = write(&mut self.table);
        self.units.store(self.table.len() - before)?;
        Ok(written)
    }

    fn name(&mut self, ty: &Type<'s>) -> Result<u32, Error> {
        if let Some(known) = ty.named_by.and_then(|place| self.names.get(&place)) {
            return Ok(*known as u32);
        }
        let name = self.store(|table| table.text(&ty.name))?;
        if let Some(place) = ty.named_by {
            self.units.store(OF_MAP)?;
            self.names.insert(place, name as usize);
        }
        Ok(name)
    }

    fn referent(&mut self, ty: &Type<'s>) -> Result<usize, Error> {
        let place = match (ty.alias, ty.named_by) {
            ("cudaTextureObject_t", _) => return Ok(TEXTURE),
            ("cudaSurfaceObject_t", _) => return Ok(SURFACE),
            (_, None) => return Ok(NOTHING),
            (_, Some(place)) => place,
        };
        if let Some(index) = self.known_referents.get(&place) {
            return Ok(FIRST_TYPE + index);
        }
        self.units.store(OF_REFERENT)?;
        let index = self.referents.len();
        self.referents.push(place);
        self.known_referents.insert(place, index);
        Ok(FIRST_TYPE + index)
    }

    fn members(&mut self, place: Position, depth: usize) -> Result<(usize, usize), Error> {
        if let Some(known) = self.structs.get(&place) {
            return Ok(*known);
        }
        self.units.store(OF_MAP)?;
        // A recursive reference to this struct gets this value.
        let unclear = (opaque(Opaque::Unclear), 1);
        self.structs.insert(place, unclear);
        let known = if depth == DEEPEST { unclear } else { self.read(place, depth)?.unwrap_or(unclear) };
        self.structs.insert(place, known);
        Ok(known)
    }

    /// Reads the types that were referred to, and those that these refer to, as far as the budget permits. A type that
    /// is not read remains unknown.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let mut places = Vec::new();
        while let Some(&place) = self.referents.get(places.len()) {
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

    /// `None` if its members are unclear.
    fn read(&mut self, place: Position, depth: usize) -> Result<Option<(usize, usize)>, Error> {
        let entry = self.units.entry(place)?;
        if entry.tag == dw::DW_TAG_enumeration_type {
            return Ok(Some((self.variants(&entry)?, 1)));
        }
        let Some(size) = entry.byte_size().filter(|_| !entry.is_declaration()) else {
            return Ok(None);
        };
        if entry.tag == dw::DW_TAG_union_type {
            return Ok(Some((opaque(Opaque::Union), 1)));
        }
        let content = Content::read(self.units, &entry)?;
        if let Some(why) = content.opaque {
            return Ok(Some((opaque(why), 1)));
        }
        let mut places = Vec::new();
        let (mut end, mut leaves) = (0, 0usize);
        for StructPart { offset, kind } in content.parts {
            let start = usize::try_from(offset).ok();
            let row = match kind {
                PartKind::Hidden { end, name, why } => {
                    let Ok(size) = u32::try_from(end - offset) else {
                        return Ok(None);
                    };
                    let size = size as usize;
                    let hidden = Parameter { name, offset: start, class: Class::Bytes, ..Parameter::record(0, size) };
                    let place = self.store(|table| table.record(&hidden, None, opaque(why), NOTHING))?;
                    Stored { place, size }
                }
                PartKind::Member(place) => {
                    let entry = self.units.entry(place)?;
                    let ty = Type::read(self.units, entry.ty(self.units))?;
                    // An array of unknown length at the end of a struct.
                    if ty.size == Some(0) {
                        continue;
                    }
                    let name = self.units.name(&entry)?;
                    // The alignment of a member that is a number shows in its offset, and in the struct's alignment.
                    let alignment = entry.alignment().filter(|_| ty.aggregate.is_some());
                    let Some(row) = self.row(name, alignment, &ty, start, depth + 1)? else {
                        return Ok(None);
                    };
                    let known = ty.aggregate.and_then(|place| self.structs.get(&place));
                    leaves += known.map_or(1, |known| known.1);
                    if leaves > MOST {
                        return Ok(None);
                    }
                    row
                }
            };
            match offset.checked_add(row.size as u64) {
                Some(after) if offset >= end && after <= size => end = after,
                _ => return Ok(None),
            }
            places.push(row.place);
        }
        Ok(Some((self.store(|table| table.structure(&places))?, leaves)))
    }

    /// Returns the variants of an enum. Unknown if the value of a variant is missing.
    fn variants(&mut self, entry: &Die<'s>) -> Result<usize, Error> {
        let mut places = Vec::new();
        let mut children = self.units.walk(entry.place)?;
        while let Some(child) = children.next_child()? {
            if child.tag != dw::DW_TAG_enumerator {
                continue;
            }
            let (Some(name), Some(value)) = (child.value(dw::DW_AT_name), child.constant()) else {
                return Ok(0);
            };
            let name = self.units.text(child.place, name)?;
            // EDG (nvcc, NVRTC) writes `_ZN3sim5Color3RedE`.
            let demangled = name.starts_with("_Z").then(|| demangle(name)).flatten();
            let name = demangled.as_deref().unwrap_or(name);
            let name = name.rsplit("::").next().unwrap_or(name);
            self.units.store(size_of::<u32>())?;
            places.push(self.store(|table| table.variant(Variant { name, value }))?);
        }
        let (_, is_signed) = Type::integer_of(self.units, entry.ty(self.units))?;
        self.store(|table| table.enumeration(&places, is_signed))
    }
}
