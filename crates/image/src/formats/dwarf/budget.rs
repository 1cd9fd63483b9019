//! Limits for the work and memory that debug information may use.

use super::Error;
use core::cell::Cell;

/// The remaining work and memory for debug information of a given size.
///
/// Entries refer to each other by offsets, so a small file could cause an endless loop, or store one struct many
/// times. Each step and each byte counts against the budget. nvcc's output uses about half of each.
pub(super) struct Allowance {
    /// The remaining number of attributes.
    work: Cell<usize>,
    memory: Cell<usize>,
}

/// Attributes per byte of debug information.
const WORK: usize = 64;
const MEMORY: usize = 16;

const LEAST: usize = 1 << 20;
const MOST_MEMORY: usize = 256 << 20;

impl Allowance {
    pub(super) fn new(size: usize) -> Self {
        let budget = |each| size.saturating_mul(each).saturating_add(LEAST);
        Self { work: Cell::new(budget(WORK)), memory: Cell::new(budget(MEMORY).min(MOST_MEMORY)) }
    }

    /// Counts the reading of an entry with this many attributes, or of a text of this many bytes.
    pub(super) fn work(&self, attributes: usize) -> Result<(), Error> {
        const EACH: usize = 4;
        take(&self.work, attributes.saturating_add(EACH))
    }

    pub(super) fn store(&self, bytes: usize) -> Result<(), Error> {
        take(&self.memory, bytes)
    }
}

fn take(left: &Cell<usize>, cost: usize) -> Result<(), Error> {
    left.set(left.get().checked_sub(cost).ok_or(Error::Size)?);
    Ok(())
}
