//! Memory of the device during a launch. Every access is checked against the allocations, and is a relaxed atomic
//! access of its size: threads of a kernel can access the same address at the same time.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Why memory cannot be accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    Outside,
    Misaligned,
}

/// The memory that a kernel can access: the starts and ends of allocations, in ascending order.
#[derive(Debug)]
pub(super) struct Global {
    regions: Vec<(u64, u64)>,
}

/// The region of the last access.
pub(super) type Recent = (u64, u64);

impl Global {
    /// # Safety
    /// The regions are memory of this process, ordered and without overlaps. It stays allocated as long as the value
    /// exists. All code accesses it as it would access the memory of a GPU: atomically, or not at the same time.
    pub(super) unsafe fn new(regions: Vec<(u64, u64)>) -> Self {
        Self { regions }
    }

    #[inline]
    fn check(&self, recent: &mut Recent, address: u64, size: u64) -> Result<*mut u8, Problem> {
        if address < recent.0 || address >= recent.1 || recent.1 - address < size {
            let after = self.regions.partition_point(|(start, _)| *start <= address);
            let region = after.checked_sub(1).map(|index| self.regions[index]);
            match region {
                Some((start, end)) if address < end && end - address >= size => *recent = (start, end),
                _ => return Err(Problem::Outside),
            }
        }
        if address & (size - 1) != 0 {
            return Err(Problem::Misaligned);
        }
        Ok(std::ptr::with_exposed_provenance_mut(address as usize))
    }

    /// Reads 1, 2, 4 or 8 bytes.
    #[inline]
    pub(super) fn load(&self, recent: &mut Recent, address: u64, size: u32) -> Result<u64, Problem> {
        let place = self.check(recent, address, u64::from(size))?;
        Ok(match size {
            // SAFETY: `check` found the byte inside of a region.
            1 => u64::from(unsafe { AtomicU8::from_ptr(place) }.load(Relaxed)),
            // SAFETY: `check` found both bytes inside of a region, and aligned.
            2 => u64::from(unsafe { AtomicU16::from_ptr(place.cast()) }.load(Relaxed)),
            // SAFETY: as before, for 4 bytes.
            4 => u64::from(unsafe { AtomicU32::from_ptr(place.cast()) }.load(Relaxed)),
            // SAFETY: as before, for 8 bytes.
            8 => unsafe { AtomicU64::from_ptr(place.cast()) }.load(Relaxed),
            _ => return Err(Problem::Misaligned),
        })
    }

    /// Writes 1, 2, 4 or 8 bytes.
    #[inline]
    pub(super) fn store(&self, recent: &mut Recent, address: u64, size: u32, value: u64) -> Result<(), Problem> {
        let place = self.check(recent, address, u64::from(size))?;
        match size {
            // SAFETY: `check` found the byte inside of a region.
            1 => unsafe { AtomicU8::from_ptr(place) }.store(value as u8, Relaxed),
            // SAFETY: `check` found both bytes inside of a region, and aligned.
            2 => unsafe { AtomicU16::from_ptr(place.cast()) }.store(value as u16, Relaxed),
            // SAFETY: as before, for 4 bytes.
            4 => unsafe { AtomicU32::from_ptr(place.cast()) }.store(value as u32, Relaxed),
            // SAFETY: as before, for 8 bytes.
            8 => unsafe { AtomicU64::from_ptr(place.cast()) }.store(value, Relaxed),
            _ => return Err(Problem::Misaligned),
        }
        Ok(())
    }

    /// Replaces the value at an address by a function of it. The result is the old value.
    pub(super) fn update(
        &self,
        recent: &mut Recent,
        address: u64,
        size: u32,
        function: impl Fn(u64) -> u64,
    ) -> Result<u64, Problem> {
        let place = self.check(recent, address, u64::from(size))?;
        // The closures never refuse, so both results are the old value.
        Ok(match size {
            2 => {
                // SAFETY: `check` found both bytes inside of a region, and aligned.
                let cell = unsafe { AtomicU16::from_ptr(place.cast()) };
                let old = cell.fetch_update(Relaxed, Relaxed, |old| Some(function(u64::from(old)) as u16));
                u64::from(old.unwrap_or_default())
            }
            4 => {
                // SAFETY: as before, for 4 bytes.
                let cell = unsafe { AtomicU32::from_ptr(place.cast()) };
                let old = cell.fetch_update(Relaxed, Relaxed, |old| Some(function(u64::from(old)) as u32));
                u64::from(old.unwrap_or_default())
            }
            8 => {
                // SAFETY: as before, for 8 bytes.
                let cell = unsafe { AtomicU64::from_ptr(place.cast()) };
                cell.fetch_update(Relaxed, Relaxed, |old| Some(function(old))).unwrap_or_default()
            }
            _ => return Err(Problem::Misaligned),
        })
    }
}
