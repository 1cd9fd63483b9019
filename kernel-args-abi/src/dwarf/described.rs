//! The structs and enums that parameters and members are or point to, for [`generate`](crate::generate).

use super::{
    Error,
    members::Types,
    types::Type,
    units::{Place, Units},
};
use crate::{
    cpp::mangled::demangle,
    layout::Alignment,
    signature::{
        described::{Descriptions, Target},
        list::{Cpp, Row, RowMembers, Rows, Text},
    },
};
use alloc::{collections::BTreeMap, vec::Vec};
use gimli::constants as dw;

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

/// The most that one enum has.
const MOST_ENUMERATORS: usize = 65_536;

impl<'s> Types<'_, 's> {
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
        self.units.budget.store(Descriptions::OF_TYPE)?;
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
        let enumerators = self.enumerators(place)?;
        Ok(Some(
            self.list.descriptions_mut().push_type(row, &enumerators),
        ))
    }

    /// The names and values of an enum; none of a struct.
    fn enumerators(&mut self, place: Place) -> Result<Vec<(Text, i128)>, Error> {
        let mut enumerators = Vec::new();
        let units = self.units;
        let mut children = units.walk(place)?;
        while let Some(child) = children.next_child()? {
            let (dw::DW_TAG_enumerator, Some(name), Some(value)) =
                (child.tag, child.name, child.const_value)
            else {
                continue;
            };
            if enumerators.len() == MOST_ENUMERATORS {
                return Err(Error::Size);
            }
            let name: &'s str = units.text(child.place, name)?;
            // nvcc and NVRTC mangle those of an `enum class` and in namespaces.
            let plain = match demangle(name) {
                Some(path) => self.text(path.rsplit("::").next().unwrap_or_default())?,
                None => self.text(name)?,
            };
            units.budget.store(Descriptions::OF_ENUMERATOR)?;
            enumerators.push((plain, value));
        }
        Ok(enumerators)
    }
}
