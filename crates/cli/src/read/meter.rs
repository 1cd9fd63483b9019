//! Limits the bytes of a file that are read: tables can name the same bytes any number of times.

use object::read::ReadRef;
use std::{cell::Cell, ops::Range};

pub(super) struct Meter(Cell<u64>);

impl Meter {
    /// Of a file of `size` bytes, which can be read `times` times.
    pub(super) const fn new(size: u64, times: u64) -> Self {
        const LEAST: u64 = 16 << 20;
        Self(Cell::new(size.saturating_mul(times).saturating_add(LEAST)))
    }

    pub(super) fn take(&self, size: u64) -> Result<(), ()> {
        let left = self.0.get().checked_sub(size);
        self.0.set(left.unwrap_or(0));
        left.map(drop).ok_or(())
    }
}

/// The memory for a read of any size.
const EACH: u64 = 64;

/// Beyond the limit, nothing can be read.
#[derive(Clone, Copy)]
pub(super) struct Metered<'m, R> {
    pub(super) data: R,
    pub(super) meter: &'m Meter,
}

impl<'a, R: ReadRef<'a>> ReadRef<'a> for Metered<'_, R> {
    fn len(self) -> Result<u64, ()> {
        self.data.len()
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        self.meter.take(size.saturating_add(EACH))?;
        self.data.read_bytes_at(offset, size)
    }

    /// The names of sections and archive members are shorter than the limit.
    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'a [u8], ()> {
        const LONGEST: u64 = 4096;
        let end = range.end.min(range.start.saturating_add(LONGEST));
        self.meter.take(end.saturating_sub(range.start).saturating_add(EACH))?;
        self.data.read_bytes_at_until(range.start..end, delimiter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_over_and_over_ends() {
        let bytes = vec![b'n'; 1 << 20];
        let meter = Meter::new(bytes.len() as u64, 2);
        let data = Metered { data: &bytes[..], meter: &meter };
        let mut names = 0;
        while data.read_bytes_at_until(names..1 << 20, 0).is_err() && meter.0.get() > 0 {
            names += 1;
        }
        assert!(names < 5_000, "{names}");
        assert!(data.read_bytes_at(0, 1).is_err());
        assert_eq!(data.len(), Ok(1 << 20));
    }
}
