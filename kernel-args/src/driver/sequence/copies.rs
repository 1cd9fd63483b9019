//! Memsets and copies in the order of the launches.

use super::Run;
use crate::{
    driver::{
        config::Recording,
        error::{Error, LaunchError},
    },
    interop::{DeviceMemory, DeviceMemoryMut},
    marshal::{Access, HeldMemory},
};
use cudarc::driver::{DeviceRepr, DeviceSlice, ValidAsZeroBits};

/// # Memsets and copies
/// Slices and views of memory that the run holds or owns. They are steps in the order of the launches.
impl Run {
    /// Sets all bytes to zero.
    ///
    /// # Errors
    /// [`Error::Launch`] if the run does not hold the memory, or cannot record.
    pub fn memset_zeros<T: DeviceRepr + ValidAsZeroBits>(
        &self,
        slice: &mut impl DeviceMemoryMut<T>,
    ) -> Result<(), Error> {
        let recording = &*self.enter("memset_zeros")?;
        let to = memory(recording, slice, "memset_zeros", "slice")?;
        if to.bytes() > 0 {
            recording.log.borrow_mut().push_memset(to, 0);
            uses(recording, &[(to, true)], to.bytes());
        }
        Ok(())
    }

    /// Copies all elements of `from` to the beginning of `to`.
    ///
    /// # Errors
    /// [`Error::Launch`] if the run does not hold the memory of both or cannot record, or if `to` has fewer elements than `from`.
    pub fn memcpy_dtod<T: DeviceRepr>(
        &self,
        from: &impl DeviceMemory<T>,
        to: &mut impl DeviceMemoryMut<T>,
    ) -> Result<(), Error> {
        let recording = &*self.enter("memcpy_dtod")?;
        let (from_len, to_len) = (from.slice().len(), to.slice().len());
        if to_len < from_len {
            return Err(Error::Launch(LaunchError::TooShort { from: from_len, to: to_len }));
        }
        let from = memory(recording, from, "memcpy_dtod", "from")?;
        let to = memory(recording, to, "memcpy_dtod", "to")?;
        if from.bytes() > 0 {
            recording.log.borrow_mut().push_copy(to, from);
            uses(recording, &[(from, false), (to, true)], from.bytes());
        }
        Ok(())
    }
}

/// Adds a step with accesses to the first bytes of this memory, which is written or not.
fn uses(recording: &Recording, accesses: &[(HeldMemory, bool)], bytes: usize) {
    if recording.held.notes_uses.get() {
        let accesses = accesses.iter().map(|&(memory, writes)| Access { address: memory.address(), bytes, writes });
        recording.held.steps.borrow_mut().add(accesses);
    }
}

fn memory<T>(
    recording: &Recording,
    slice: &impl DeviceMemory<T>,
    method: &str,
    parameter: &'static str,
) -> Result<HeldMemory, Error> {
    let held = &recording.held;
    held.within(|| {
        held.memory(slice.slice(), 0).map_err(|_| {
            Error::Launch(LaunchError::NotHeld {
                kernel: method.into(),
                field: parameter.into(),
                replaces: held.take_not_held().and_then(|not_held| not_held.replaces),
            })
        })
    })
}
