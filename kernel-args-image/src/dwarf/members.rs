//! The members of structs, and the variants of enums, by value and behind pointers.

use super::{
    Error,
    entry::{Entry, Offset, Place},
    stored::{OF_MAP, Types},
    types::Type,
};
use crate::{mangled::demangle, table::types::opaque};
use alloc::vec::Vec;
use gimli::constants as dw;
use kernel_args_abi::{
    Alignment, Class, CppType, Opaque, Parameter, Variant, signature::stored::NOTHING,
};

/// The maximum nesting depth of structs. The largest kernel parameter has 32,764 bytes.
const DEEPEST: usize = 32;

/// The maximum size of a struct whose members are read, in bytes. A larger struct cannot be a parameter.
const LARGEST: u64 = 65_536;

/// A stored parameter or member.
pub(super) struct Row {
    pub(super) place: u32,
    /// The size in bytes.
    pub(super) size: usize,
}

/// The content of a struct's entry.
#[derive(Default)]
struct Content {
    members: Vec<Place>,
    why_opaque: Option<Opaque>,
}

impl<'s> Types<'_, 's> {
    /// Stores a parameter or a member of this type at nesting depth `depth`. `None` if its size is unknown.
    pub(super) fn row(
        &mut self,
        entry: &Entry<'s>,
        ty: &Type<'s>,
        offset: Option<usize>,
        depth: usize,
    ) -> Result<Option<Row>, Error> {
        let Some(size) = ty.size.and_then(|size| u32::try_from(size).ok()) else {
            return Ok(None);
        };
        let size = size as usize;
        let members = match ty.aggregate {
            Some(place) => self.members(place, depth)?,
            None => 0,
        };
        let name = match entry.name {
            Some(name) => self.units.text(entry.place, name)?,
            None => "",
        };
        let alignment = entry.alignment.max(ty.alignment);
        let alignment = alignment.and_then(|bytes| usize::try_from(bytes).ok());
        let parameter = Parameter {
            name,
            offset,
            align: alignment.and_then(Alignment::new),
            class: if ty.cpp.is_array() {
                Class::Bytes
            } else {
                ty.class
            },
            cpp: ty.cpp,
            ..Parameter::record(0, size)
        };
        let referent = self.referent(ty)?;
        let place = self.record(&parameter, ty, members, referent)?;
        Ok(Some(Row { place, size }))
    }

    /// The number of the members of the struct at a position, at nesting depth `depth`.
    pub(super) fn members(&mut self, place: Place, depth: usize) -> Result<usize, Error> {
        if let Some(&known) = self.structs.get(&place) {
            return Ok(known);
        }
        self.units.budget.store(OF_MAP)?;
        // A recursive reference to this struct gets this value.
        let unclear = opaque(Opaque::Unclear);
        self.structs.insert(place, unclear);
        let members = if depth == DEEPEST {
            unclear
        } else {
            self.read(place, depth)?
        };
        self.structs.insert(place, members);
        Ok(members)
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

    /// The position of the stored type, or 0 if its entry does not contain a size.
    fn store_type(&mut self, place: Place) -> Result<u32, Error> {
        let ty = Type::read(self.units, Some(place))?;
        let Some(size) = ty.size.and_then(|size| u32::try_from(size).ok()) else {
            return Ok(0);
        };
        let members = match ty.aggregate {
            Some(place) => self.members(place, 1)?,
            None => 0,
        };
        let alignment = ty
            .alignment
            .and_then(|alignment| usize::try_from(alignment).ok());
        let parameter = Parameter {
            offset: None,
            align: alignment.and_then(Alignment::new),
            class: ty.class,
            cpp: CppType::of(ty.cpp.base),
            ..Parameter::record(0, size as usize)
        };
        self.record(&parameter, &ty, members, NOTHING)
    }

    fn read(&mut self, place: Place, depth: usize) -> Result<usize, Error> {
        let unclear = opaque(Opaque::Unclear);
        let entry = self.units.entry(place)?;
        if entry.tag == dw::DW_TAG_enumeration_type {
            return self.variants(&entry);
        }
        let size = match entry.byte_size {
            Some(size @ ..=LARGEST) if !entry.is_declaration => size,
            _ => return Ok(unclear),
        };
        if entry.tag == dw::DW_TAG_union_type {
            return Ok(opaque(Opaque::Union));
        }
        let content = self.content(&entry)?;
        if let Some(why) = content.why_opaque {
            return Ok(opaque(why));
        }
        let mut places = Vec::new();
        let mut end = 0;
        for place in content.members {
            let entry = self.units.entry(place)?;
            let ty = Type::read(self.units, entry.ty)?;
            // An array of unknown length at the end of a struct.
            if ty.size == Some(0) {
                continue;
            }
            let offset = match entry.offset {
                Offset::None => Some(0),
                Offset::Bytes(offset) => Some(offset),
                Offset::Unclear => None,
            };
            // Members follow one another, which limits their number for any nesting of structs.
            let after = offset
                .zip(ty.size)
                .and_then(|(offset, size)| offset.checked_add(size));
            let (Some(offset), Some(after)) = (offset, after) else {
                return Ok(unclear);
            };
            if offset < end || after > size {
                return Ok(unclear);
            }
            end = after;
            match self.row(&entry, &ty, usize::try_from(offset).ok(), depth + 1)? {
                Some(row) => places.push(row.place),
                None => return Ok(unclear),
            }
        }
        self.store(|table| table.structure(&places))
    }

    /// The variants of an enum. Unknown if the value of a variant is missing.
    fn variants(&mut self, entry: &Entry<'s>) -> Result<usize, Error> {
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

    /// The entries of a struct's members, sorted by offset.
    fn content(&self, entry: &Entry<'s>) -> Result<Content, Error> {
        let mut content = Content::default();
        let mut children = self.units.walk(entry.place)?;
        while let Some(child) = children.next_child()? {
            content.why_opaque = match child.tag {
                dw::DW_TAG_inheritance => Some(Opaque::Bases),
                dw::DW_TAG_variant_part => Some(Opaque::Union),
                // A static member.
                dw::DW_TAG_member if child.is_declaration || child.is_external => None,
                dw::DW_TAG_member if child.is_bit_field => Some(Opaque::BitFields),
                dw::DW_TAG_member if self.is_base(&child)? => Some(Opaque::Bases),
                dw::DW_TAG_member => {
                    self.units.budget.store(size_of::<Place>())?;
                    content.members.push(child.place);
                    None
                }
                _ => None,
            };
            if content.why_opaque.is_some() {
                break;
            }
        }
        Ok(content)
    }

    /// Whether a compiler generated a member for a base class or for virtual functions. EDG (nvcc, NVRTC) names a base
    /// class `__b_` plus its mangled name, and a virtual base class `__v_`.
    fn is_base(&self, member: &Entry<'s>) -> Result<bool, Error> {
        let name = match member.name {
            Some(name) => self.units.text(member.place, name)?,
            None => "",
        };
        let made = ["__b_", "__v_", "__vptr", "_vptr"];
        Ok(member.is_artificial || made.into_iter().any(|made| name.starts_with(made)))
    }
}
