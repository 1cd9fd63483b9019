//! The structs and enums that parameters and members are or point to, for [`generate`](crate::generate).

use super::{
    Error,
    members::Types,
    types::Type,
    units::{Place, Units},
};
use crate::{
    layout::Alignment,
    signature::{
        described::{Descriptions, Target},
        list::{Cpp, Row, RowMembers, Rows, Text},
    },
};
use alloc::{collections::BTreeMap, vec::Vec};

/// A row, and what it is or points to.
pub(super) struct Linked {
    pub(super) row: Row,
    to: Option<To>,
}

/// What rows are or point to, by the number of the row.
#[derive(Default)]
pub(super) struct Pending {
    rows: Vec<(u32, To)>,
}

#[derive(Clone, Copy)]
enum To {
    Entry(Place),
    Texture,
    Surface,
}

impl Linked {
    pub(super) fn new(row: Row, ty: &Type<'_>) -> Self {
        let to = match ty.alias {
            "cudaTextureObject_t" => Some(To::Texture),
            "cudaSurfaceObject_t" => Some(To::Surface),
            _ => ty.named_by.map(To::Entry),
        };
        Self { row, to }
    }
}

impl Pending {
    pub(super) fn add(
        &mut self,
        units: &Units<'_>,
        rows: Rows,
        linked: &[Linked],
    ) -> Result<(), Error> {
        for (row, linked) in (rows.first()..).zip(linked) {
            if let Some(to) = linked.to {
                units
                    .budget
                    .store(size_of::<(u32, To)>() + Descriptions::OF_LINK)?;
                self.rows.push((row, to));
            }
        }
        Ok(())
    }
}

impl Types<'_, '_> {
    /// Reads what the rows are or point to, and what the members of those point to, as far as time and memory last: what
    /// is not read then is not described.
    pub(super) fn describe(&mut self) {
        let mut links = Vec::new();
        let mut known = BTreeMap::new();
        let mut at = 0;
        // Reading one finds others.
        while let Some(&(row, to)) = self.pending.rows.get(at) {
            at += 1;
            let target = match to {
                To::Texture => Some(Target::Texture),
                To::Surface => Some(Target::Surface),
                To::Entry(place) => *known
                    .entry(place)
                    .or_insert_with(|| self.described(place).unwrap_or(None).map(Target::Type)),
            };
            links.extend(target.map(|target| (row, target)));
        }
        self.list.descriptions_mut().link(links.into_iter());
    }

    /// The number of the type at a place; `None` where its entry does not tell its size.
    fn described(&mut self, place: Place) -> Result<Option<u32>, Error> {
        let ty = Type::read(self.units, Some(place))?;
        let Some(size) = ty.size.and_then(|size| u32::try_from(size).ok()) else {
            return Ok(None);
        };
        self.units.budget.store(size_of::<Row>())?;
        let members = match ty.aggregate {
            Some(place) => self.members(place, 1)?,
            None => RowMembers::Unknown,
        };
        let alignment = ty
            .alignment
            .and_then(|alignment| usize::try_from(alignment).ok());
        let row = Row {
            name: Text::default(),
            spelling: Text::default(),
            offset: None,
            size,
            align: alignment.and_then(Alignment::new),
            class: ty.class,
            cpp: Cpp {
                base: self.base(&ty)?,
                depth: 0,
                const_mask: 0,
                extents: [0; 3],
            },
            members,
        };
        Ok(Some(self.list.descriptions_mut().push_type(row)))
    }
}
