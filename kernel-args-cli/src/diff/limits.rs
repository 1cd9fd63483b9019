//! What changed in what a kernel demands of a launch.

use super::change::{Change, Kind, Side};
use crate::limits::{Limits, ROWS};

/// A change breaks callers where a launch that the old kernel takes is one that the new one refuses.
pub(super) fn changes(old: &Limits, new: &Limits) -> Vec<Change> {
    let changes = ROWS.iter().filter_map(|row| {
        let (sides, breaks) = row.change(old, new)?;
        let [old, new] = sides.map(|side| side.map(Side::text));
        let kind = Kind::Limit {
            name: row.name,
            title: row.title,
        };
        Some(Change::new(kind, breaks, old, new))
    });
    changes.collect()
}
