//! One mistake in a list of fields.

use super::{
    difference::{Difference, Differences},
    lists::Lists,
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
    /// Several consecutive fields together have the layout of one parameter, a struct or vector.
    Split {
        /// The first field's index.
        first: usize,
        /// The last field's index.
        last: usize,
        /// The parameter's index.
        parameter: usize,
    },
    /// One field, a struct or vector, has the layout of several consecutive parameters.
    Joined {
        /// The field's index.
        field: usize,
        /// The first parameter's index.
        first: usize,
        /// The last parameter's index.
        last: usize,
    },
}

impl Mismatch {
    /// The index of the wrong field. For several fields, the first. `None` for a parameter without a field.
    #[must_use]
    pub const fn field(self) -> Option<usize> {
        match self {
            Self::Differs { field, .. }
            | Self::Extra { field, .. }
            | Self::Joined { field, .. }
            | Self::Split { first: field, .. } => Some(field),
            Self::Missing { .. } => None,
        }
    }

    /// The index of the kernel's parameter. For several parameters, the first. `None` for a field without a parameter.
    #[must_use]
    pub const fn parameter(self) -> Option<usize> {
        match self {
            Self::Differs { parameter, .. }
            | Self::Missing { parameter, .. }
            | Self::Split { parameter, .. }
            | Self::Joined { first: parameter, .. } => Some(parameter),
            Self::Extra { .. } => None,
        }
    }
}

/// Marks two mismatches as one mistake: two exchanged fields, or one moved field.
pub(super) const fn mark_as_one_mistake(mismatches: &mut [Mismatch], i: usize, j: usize, lists: &Lists<'_>) {
    let (before, after) = mismatches.split_at_mut(j);
    match (&mut before[i], &mut after[0]) {
        (
            Mismatch::Differs { field, parameter, differences, exchanged: exchanged @ None },
            Mismatch::Differs {
                field: other_field,
                parameter: other_parameter,
                differences: other_differences,
                exchanged: other_exchanged @ None,
            },
        ) if is_own(*differences)
            && is_own(*other_differences)
            && lists.belong_together(*field, *other_parameter)
            && lists.belong_together(*other_field, *parameter) =>
        {
            *exchanged = Some(*other_field);
            *other_exchanged = Some(*field);
        }
        (Mismatch::Extra { field, moved: to @ None }, Mismatch::Missing { parameter, moved: from @ None, .. })
        | (Mismatch::Missing { parameter, moved: from @ None, .. }, Mismatch::Extra { field, moved: to @ None })
            if lists.belong_together(*field, *parameter) =>
        {
            *to = Some(*parameter);
            *from = Some(*field);
        }
        _ => {}
    }
}

/// Whether the field itself is wrong, not only its offset.
const fn is_own(differences: Differences) -> bool {
    !matches!(differences.first(), Some(Difference::Offset) | None)
}
