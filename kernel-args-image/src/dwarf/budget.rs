//! How much work and memory debug information may take.

use super::Error;
use core::cell::Cell;

/// What is left of the work and memory that debug information of a size may take.
///
/// Entries refer to each other by offsets, so a small file could make a reader go round for ever, or store one struct
/// many times over. Each step and each byte is paid for. What nvcc writes takes about half of either.
#[derive(Debug)]
pub(super) struct Budget {
    /// In attributes.
    work: Cell<usize>,
    /// In bytes.
    memory: Cell<usize>,
}

/// For each byte of debug information.
const WORK: usize = 64;
const MEMORY: usize = 16;

/// Whatever the size.
const LEAST: usize = 1 << 20;
const MOST_MEMORY: usize = 256 << 20;

impl Budget {
    pub(super) fn new(size: usize) -> Self {
        let budget = |each| size.saturating_mul(each).saturating_add(LEAST);
        Self {
            work: Cell::new(budget(WORK)),
            memory: Cell::new(budget(MEMORY).min(MOST_MEMORY)),
        }
    }

    /// Pays for the reading of an entry with this many attributes, or of a text of this many bytes.
    ///
    /// # Errors
    /// Where nothing is left.
    pub(super) fn work(&self, attributes: usize) -> Result<(), Error> {
        const EACH: usize = 4;
        take(&self.work, attributes.saturating_add(EACH))
    }

    /// Pays for the storing of this many bytes, for good or for a while.
    ///
    /// # Errors
    /// Where nothing is left.
    pub(super) fn store(&self, bytes: usize) -> Result<(), Error> {
        take(&self.memory, bytes)
    }
}

fn take(left: &Cell<usize>, cost: usize) -> Result<(), Error> {
    left.set(left.get().checked_sub(cost).ok_or(Error::Size)?);
    Ok(())
}
