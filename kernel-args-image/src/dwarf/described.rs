//! The structs and enums that parameters and members are or point to.

use super::{Error, members::Types, types::Type, units::Place};
use alloc::{collections::BTreeMap, vec::Vec};
use kernel_args_abi::{
    Alignment, CppType, Parameter,
    signature::stored::{FIRST_TYPE, NOTHING, SURFACE, TEXTURE},
};

/// The types that were referred to, in that order: they are read after everything else, because one may refer to itself.
#[derive(Default)]
pub(super) struct Referents {
    known: BTreeMap<Place, usize>,
    pending: Vec<Place>,
}

/// What a type takes in the map and the list, in bytes, about.
const OF_TYPE: usize = 64;

impl<'s> Types<'_, 's> {
    /// The number of what a parameter or member of this type is or points to.
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

    /// Reads the types that were referred to, and those that they refer to, as far as time and memory last: a type that is not
    /// read then is not described. Returns all that was written.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let mut places = Vec::new();
        // Reading one finds others.
        while let Some(&place) = self.referents.pending.get(places.len()) {
            places.push(self.described(place).unwrap_or(0));
        }
        self.table.finish(&places)
    }

    /// Where the type at a place is written; 0 if its entry does not contain its size.
    fn described(&mut self, place: Place) -> Result<u32, Error> {
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
        let described = Parameter {
            offset: None,
            align: alignment.and_then(Alignment::new),
            class: ty.class,
            cpp: CppType::of(ty.cpp.base),
            ..Parameter::record(0, size as usize)
        };
        self.record(&described, &ty, members, NOTHING)
    }
}
