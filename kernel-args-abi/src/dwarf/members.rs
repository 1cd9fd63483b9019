//! The members of structs, and the variants of enums.

use super::{
    Error,
    described::{Linked, Pending},
    entry::{Entry, Offset},
    types::Type,
    units::{Place, Units},
};
use crate::{
    class::Class,
    cpp::{CppBase, mangled::demangle},
    layout::Alignment,
    signature::{
        Opaque, ParameterList,
        list::{Base, Cpp, Row, RowMembers, RowVariant, Rows, Text},
    },
};
use alloc::{collections::BTreeMap, vec::Vec};
use gimli::constants as dw;

/// How deep structs lie in each other, at most. The largest that a kernel takes has 32,764 bytes.
const DEEPEST: usize = 32;

/// The largest struct whose members are read, in bytes: a larger one cannot be a parameter.
const LARGEST: u64 = 65_536;

/// Parameters and members as they are stored.
pub(super) struct Types<'u, 's> {
    pub(super) units: &'u Units<'s>,
    pub(super) list: ParameterList,
    /// What rows are or point to, before it is read.
    pub(super) pending: Pending,
    /// The structs and enums that have been read.
    structs: BTreeMap<Place, RowMembers>,
    /// The names of types that have been stored.
    names: BTreeMap<Place, Text>,
}

/// What one entry of a map takes, in bytes, about.
const OF_MAP: usize = 48;

/// What the entry of a struct holds.
#[derive(Default)]
struct Content {
    members: Vec<Place>,
    why_opaque: Option<Opaque>,
}

impl<'u, 's> Types<'u, 's> {
    pub(super) fn new(units: &'u Units<'s>) -> Self {
        Self {
            units,
            list: ParameterList::default(),
            pending: Pending::default(),
            structs: BTreeMap::new(),
            names: BTreeMap::new(),
        }
    }

    /// The entry of a parameter. `None` where its size is not known.
    pub(super) fn parameter(&mut self, entry: &Entry<'s>) -> Result<Option<Linked>, Error> {
        let ty = Type::read(self.units, entry.ty)?;
        self.row(entry, &ty, None, 0)
    }

    /// A parameter or a member of this type; `depth` is how many structs it lies in.
    fn row(
        &mut self,
        entry: &Entry<'s>,
        ty: &Type<'s>,
        offset: Option<u32>,
        depth: usize,
    ) -> Result<Option<Linked>, Error> {
        let Some(size) = ty.size.and_then(|size| u32::try_from(size).ok()) else {
            return Ok(None);
        };
        let members = match ty.aggregate {
            Some(place) => self.members(place, depth)?,
            None => RowMembers::Unknown,
        };
        let name = match entry.name {
            Some(name) => self.units.text(entry.place, name)?,
            None => "",
        };
        self.units.budget.store(size_of::<Row>())?;
        let alignment = entry.alignment.max(ty.alignment);
        let alignment = alignment.and_then(|bytes| usize::try_from(bytes).ok());
        let row = Row {
            name: self.text(name)?,
            spelling: Text::default(),
            offset,
            size,
            align: alignment.and_then(Alignment::new),
            class: if ty.cpp.is_array() {
                Class::Bytes
            } else {
                ty.class
            },
            cpp: Cpp {
                base: self.base(ty)?,
                depth: ty.cpp.depth,
                const_mask: ty.cpp.const_mask,
                extents: ty.cpp.extents,
            },
            members,
        };
        Ok(Some(Linked::new(row, ty)))
    }

    /// Appends the parameters of one kernel or the members of one struct.
    pub(super) fn push(&mut self, linked: &[Linked]) -> Result<Rows, Error> {
        let rows = linked.iter().map(|linked| linked.row).collect();
        let rows = self.list.push_rows(rows).ok_or(Error::Size)?;
        self.pending.add(self.units, rows, linked)?;
        Ok(rows)
    }

    pub(super) fn base(&mut self, ty: &Type<'s>) -> Result<Base, Error> {
        let CppBase::Named(_) = ty.cpp.base else {
            return self.list.base(ty.cpp.base).ok_or(Error::Size);
        };
        if let Some(known) = ty.named_by.and_then(|place| self.names.get(&place)) {
            return Ok(Base::Named(*known));
        }
        let name = self.text(&ty.name)?;
        if let Some(place) = ty.named_by {
            self.units.budget.store(OF_MAP)?;
            self.names.insert(place, name);
        }
        Ok(Base::Named(name))
    }

    pub(super) fn text(&mut self, text: &str) -> Result<Text, Error> {
        self.units.budget.store(text.len())?;
        self.list.push_text(text).ok_or(Error::Size)
    }

    /// The members of the struct at a place, in which others lie `depth` deep.
    pub(super) fn members(&mut self, place: Place, depth: usize) -> Result<RowMembers, Error> {
        if let Some(&known) = self.structs.get(&place) {
            return Ok(known);
        }
        self.units.budget.store(OF_MAP)?;
        // A struct that has itself as a member finds this.
        let unclear = RowMembers::Opaque(Opaque::Unclear);
        self.structs.insert(place, unclear);
        let members = if depth == DEEPEST {
            unclear
        } else {
            self.read(place, depth)?
        };
        self.structs.insert(place, members);
        Ok(members)
    }

    fn read(&mut self, place: Place, depth: usize) -> Result<RowMembers, Error> {
        const UNCLEAR: RowMembers = RowMembers::Opaque(Opaque::Unclear);
        let entry = self.units.entry(place)?;
        if entry.tag == dw::DW_TAG_enumeration_type {
            return self.variants(&entry);
        }
        let size = match entry.byte_size {
            Some(size @ ..=LARGEST) if !entry.is_declaration => size,
            _ => return Ok(UNCLEAR),
        };
        if entry.tag == dw::DW_TAG_union_type {
            return Ok(RowMembers::Opaque(Opaque::Union));
        }
        let content = self.content(&entry)?;
        if let Some(why) = content.why_opaque {
            return Ok(RowMembers::Opaque(why));
        }
        let mut rows = Vec::new();
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
            // That members follow each other bounds how many there are, whatever the structs that they are.
            let after = offset
                .zip(ty.size)
                .and_then(|(offset, size)| offset.checked_add(size));
            let (Some(offset), Some(after)) = (offset, after) else {
                return Ok(UNCLEAR);
            };
            if offset < end || after > size {
                return Ok(UNCLEAR);
            }
            end = after;
            match self.row(&entry, &ty, u32::try_from(offset).ok(), depth + 1)? {
                Some(row) => rows.push(row),
                None => return Ok(UNCLEAR),
            }
        }
        Ok(RowMembers::Rows(self.push(&rows)?))
    }

    /// The variants of an enum; unknown where the value of one is not told.
    fn variants(&mut self, entry: &Entry<'s>) -> Result<RowMembers, Error> {
        let mut variants = Vec::new();
        let mut children = self.units.walk(entry.place)?;
        while let Some(child) = children.next_child()? {
            if child.tag != dw::DW_TAG_enumerator {
                continue;
            }
            let (Some(name), Some(value)) = (child.name, child.value) else {
                return Ok(RowMembers::Unknown);
            };
            let name = self.units.text(child.place, name)?;
            // EDG (nvcc, NVRTC) writes `_ZN3sim5Color3RedE`.
            let demangled = name.starts_with("_Z").then(|| demangle(name)).flatten();
            let name = demangled.as_deref().unwrap_or(name);
            let name = name.rsplit("::").next().unwrap_or(name);
            self.units.budget.store(size_of::<RowVariant>())?;
            let name = self.text(name)?;
            variants.push(RowVariant { name, value });
        }
        let variants = self.list.push_variants(variants).ok_or(Error::Size)?;
        let is_signed = Type::integer_of(self.units, entry.ty)?.is_signed;
        Ok(RowMembers::Variants(variants, is_signed))
    }

    /// The entries of a struct's members, in the order of their offsets.
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

    /// Whether a member is what a compiler made of a base class or of virtual functions. EDG (nvcc, NVRTC) calls a base
    /// `__b_` and its mangled name, a virtual one `__v_`.
    fn is_base(&self, member: &Entry<'s>) -> Result<bool, Error> {
        let name = match member.name {
            Some(name) => self.units.text(member.place, name)?,
            None => "",
        };
        let made = ["__b_", "__v_", "__vptr", "_vptr"];
        Ok(member.is_artificial || made.into_iter().any(|made| name.starts_with(made)))
    }
}
