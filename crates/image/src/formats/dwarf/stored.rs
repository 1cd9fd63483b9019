//! Stored parameters and members, and the names of their types.

use super::{Error, entry::Position, types::Type, units::Units};
use crate::table::types::TypeWriter;
use alloc::{collections::BTreeMap, vec::Vec};
use kernel_args_abi::signature::stored::{FIRST_TYPE, NOTHING, SURFACE, TEXTURE};

pub(super) struct TypeTable<'u, 's> {
    pub(super) units: &'u Units<'s>,
    pub(super) table: TypeWriter,
    pub(super) referents: Referents,
    pub(super) structs: BTreeMap<Position, ReadStruct>,
    names: BTreeMap<Position, usize>,
}

#[derive(Clone, Copy)]
pub(super) struct ReadStruct {
    pub(super) number: usize,
    pub(super) leaves: usize,
}

impl ReadStruct {
    /// Members that are not read, or an enum.
    pub(super) const fn one(number: usize) -> Self {
        Self { number, leaves: 1 }
    }
}

/// The approximate memory of a map entry, in bytes.
pub(super) const OF_MAP: usize = 48;

/// The types that were referred to, in order. They are read last, because a type may refer to itself.
#[derive(Default)]
pub(super) struct Referents {
    known: BTreeMap<Position, usize>,
    pub(super) pending: Vec<Position>,
}

/// The approximate memory of a type in the map and the list, in bytes.
const OF_TYPE: usize = 64;

impl<'u, 's> TypeTable<'u, 's> {
    pub(super) fn new(units: &'u Units<'s>) -> Self {
        Self {
            units,
            table: TypeWriter::new(),
            referents: Referents::default(),
            structs: BTreeMap::new(),
            names: BTreeMap::new(),
        }
    }

    pub(super) fn store<T>(&mut self, write: impl FnOnce(&mut TypeWriter) -> T) -> Result<T, Error> {
        let before = self.table.len();
        let written = write(&mut self.table);
        self.units.budget.store(self.table.len() - before)?;
        Ok(written)
    }

    pub(super) fn name(&mut self, ty: &Type<'s>) -> Result<u32, Error> {
        if let Some(known) = ty.named_by.and_then(|place| self.names.get(&place)) {
            return Ok(*known as u32);
        }
        let name = self.store(|table| table.text(&ty.name))?;
        if let Some(place) = ty.named_by {
            self.units.budget.store(OF_MAP)?;
            self.names.insert(place, name as usize);
        }
        Ok(name)
    }

    pub(super) fn referent(&mut self, ty: &Type<'s>) -> Result<usize, Error> {
        let place = match (ty.alias, ty.named_by) {
            ("cudaTextureObject_t", _) => return Ok(TEXTURE),
            ("cudaSurfaceObject_t", _) => return Ok(SURFACE),
            (_, None) => return Ok(NOTHING),
            (_, Some(place)) => place,
        };
        if let Some(index) = self.referents.known.get(&place) {
            return Ok(FIRST_TYPE + index);
        }
        self.units.budget.store(OF_TYPE)?;
        let index = self.referents.pending.len();
        self.referents.pending.push(place);
        self.referents.known.insert(place, index);
        Ok(FIRST_TYPE + index)
    }
}
