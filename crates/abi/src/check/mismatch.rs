//! One mistake in a list of fields.

use super::{
    difference::{Difference, Differences},
    lists::Lists,
    names::Relation,
};

/// One mistake in a list of fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Mismatch {
    /// A field does not fit its parameter.
    Differs {
        /// The field's index.
        field: usize,
        /// The parameter's index.
        parameter: usize,
        /// How they differ. Never empty.
        differences: Differences,
        /// The field that looks exchanged with this one. If that field fits in its current place, no other mismatch
        /// contains it.
        exchanged: Option<usize>,
    },
    /// No field passes this parameter.
    Missing {
        /// The parameter's index.
        parameter: usize,
        /// The index of the field before which a field is missing. At the end, the number of fields.
        before: usize,
        /// The extra field that would fit here.
        moved: Option<usize>,
    },
    /// A field has no parameter.
    Extra {
        /// The field's index.
        field: usize,
        /// The unpaired parameter that it would fit.
        moved: Option<usize>,
    },
}

impl Mismatch {
    /// Returns whether it is a row of a field that fits its parameter.
    pub(crate) const fn is_right(self) -> bool {
        matches!(self, Self::Differs { differences, .. } if differences.is_empty())
    }

    /// Returns the index of the wrong field. `None` for a parameter without a field.
    pub const fn field(self) -> Option<usize> {
        match self {
            Self::Differs { field, .. } | Self::Extra { field, .. } => Some(field),
            Self::Missing { .. } => None,
        }
    }

    /// Returns the index of the kernel's parameter. `None` for a field without a parameter.
    pub const fn parameter(self) -> Option<usize> {
        match self {
            Self::Differs { parameter, .. } | Self::Missing { parameter, .. } => Some(parameter),
            Self::Extra { .. } => None,
        }
    }
}

/// Marks two mismatches as one: two exchanged fields, or one moved field.
pub(super) const fn mark_as_one_mistake(mismatches: &mut [Mismatch], i: usize, j: usize, lists: &Lists<'_>) {
    let (before, after) = mismatches.split_at_mut(j);
    match (&mut before[i], &mut after[0]) {
        (
            Mismatch::Differs { field, parameter, differences, exchanged: one @ None },
            Mismatch::Differs { field: other, parameter: to, differences: others, exchanged: another @ None },
        ) if belongs_to(lists, *field, *to, *differences) && belongs_to(lists, *other, *parameter, *others) => {
            (*one, *another) = (Some(*other), Some(*field));
        }
        (Mismatch::Extra { field, moved: to @ None }, Mismatch::Missing { parameter, moved: from @ None, .. })
        | (Mismatch::Missing { parameter, moved: from @ None, .. }, Mismatch::Extra { field, moved: to @ None })
            if lists.belong_together(*field, *parameter) =>
        {
            (*to, *from) = (Some(*parameter), Some(*field));
        }
        _ => {}
    }
}

/// Returns whether a field with these differences belongs to another parameter. A wrong offset is no mistake of the
/// field.
const fn belongs_to(lists: &Lists<'_>, field: usize, parameter: usize, differences: Differences) -> bool {
    match differences.first() {
        Some(Difference::Offset) | None => false,
        Some(Difference::ParameterName) => matches!(lists.partners.relation(field, parameter), Relation::Partners),
        _ => lists.belong_together(field, parameter),
    }
}
