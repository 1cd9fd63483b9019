//! Compares the launch limits of two kernels.

use super::change::{Change, Kind, Side};
use crate::limits::{Limits, ROWS};

/// A change breaks callers if the old kernel accepts a launch that the new kernel rejects.
pub(super) fn changes(old: &Limits, new: &Limits) -> Vec<Change> {
    let changes = ROWS.iter().filter_map(|row| {
        let (sides, breaks) = row.change(old, new)?;
        let [old, new] = sides.map(|side| side.map(Side::text));
        let kind = Kind::Limit { name: row.name, title: row.title };
        Some(Change::new(kind, breaks, old, new))
    });
    changes.collect()
}
