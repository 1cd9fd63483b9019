//! The slices that a run of a sequence holds: their device addresses, by the address of the host object.

use core::cell::{Cell, RefCell};
use cudarc::driver::{CudaEvent, CudaStream, sys::CUdeviceptr};
use std::{sync::Arc, vec::Vec};

/// Calls cudarc's `device_ptr` or `device_ptr_mut` of a held slice.
///
/// # Safety
/// The pointer is the place of the slice, which exists. Nothing else uses it exclusively during the call.
pub(crate) type Enter = unsafe fn(*mut (), &CudaStream) -> Entered;

/// The memory of a slice.
pub(crate) struct Entered {
    pub(crate) address: CUdeviceptr,
    pub(crate) bytes: usize,
    pub(crate) after: After,
}

/// What a use of the memory must do after it is enqueued: cudarc's `SyncOnDrop`, without its lifetime.
pub(crate) enum After {
    Nothing,
    /// Record this event, which belongs to the slice.
    Record(*const CudaEvent),
    Synchronize,
}

/// A held slice. It exists, at the same place, until the run is over.
#[derive(Clone)]
pub(crate) struct HeldSlice {
    pub(crate) place: *mut (),
    pub(crate) enter: Enter,
    pub(crate) address: CUdeviceptr,
    pub(crate) bytes: usize,
    /// The exclusive borrows that the program has taken, without the borrows of launches. After such a borrow, there can be a different
    /// slice at this place.
    exclusive: u32,
}

impl HeldSlice {
    pub(crate) fn new(place: *mut (), enter: Enter, address: CUdeviceptr, bytes: usize) -> Self {
        Self { place, enter, address, bytes, exclusive: 0 }
    }

    /// Whether the slice that was held is still at its place.
    pub(crate) fn is_at_place(&self, now: &Entered) -> bool {
        (now.address, now.bytes) == (self.address, self.bytes)
    }

    /// Whether the program has borrowed it exclusively, not for a launch: then the launches have used the slice that was at the place.
    pub(crate) fn is_borrowed(&self) -> bool {
        self.exclusive > 0
    }
}

// SAFETY: the pointer is only compared, except by the code that calls `enter`, which has its own proof.
unsafe impl Send for HeldSlice {}

/// The held slices, in the order in which they were held.
pub(crate) struct HeldSlices {
    /// The stream of the sequence.
    stream: Arc<CudaStream>,
    uses: RefCell<Uses>,
    /// The first field of the current launch whose memory is not held.
    not_held: Cell<Option<usize>>,
    /// Whether the memory that launches use is noted.
    pub(crate) notes_uses: bool,
    /// The memory of the slices that the current launch uses.
    used: RefCell<Vec<(CUdeviceptr, usize)>>,
    /// What arguments have retained, until the run is over.
    kept: RefCell<Vec<Arc<dyn Send + Sync>>>,
}

#[derive(Default)]
struct Uses {
    slices: Vec<HeldSlice>,
    /// For each use of a slice in the previous run, the index of the slice. Runs usually repeat the order of their uses.
    previous: Vec<u32>,
    /// The number of uses in this run.
    count: usize,
}

impl HeldSlices {
    pub(crate) fn new(stream: Arc<CudaStream>) -> Self {
        Self {
            stream,
            uses: RefCell::default(),
            not_held: Cell::new(None),
            notes_uses: false,
            used: RefCell::default(),
            kept: RefCell::default(),
        }
    }

    #[inline(always)]
    pub(crate) fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// Runs `record`, which lowers the arguments of a launch. A launch while another launch is lowered has marks of its own.
    #[inline(always)]
    pub(crate) fn within<R>(&self, record: impl FnOnce() -> R) -> R {
        struct Outer<'h>(&'h HeldSlices, Option<usize>);

        impl Drop for Outer<'_> {
            fn drop(&mut self) {
                self.0.not_held.set(self.1);
            }
        }

        let _outer = Outer(self, self.not_held.take());
        record()
    }

    /// Keeps the memory of an argument allocated until the run is enqueued.
    pub(super) fn keep(&self, memory: &Arc<dyn Send + Sync>) {
        self.kept.borrow_mut().push(memory.clone());
    }

    #[cold]
    pub(super) fn mark_not_held(&self, field: usize) {
        if self.not_held.get().is_none() {
            self.not_held.set(Some(field));
        }
    }

    /// Whether the current launch uses memory that is not held.
    #[inline(always)]
    pub(crate) fn is_not_held(&self) -> bool {
        self.not_held.get().is_some()
    }

    /// The first field of the current launch whose memory is not held.
    #[cold]
    pub(crate) fn take_not_held(&self) -> Option<usize> {
        self.not_held.take()
    }

    /// The current launch uses this memory.
    #[inline(never)]
    pub(super) fn note_use(&self, address: CUdeviceptr, bytes: usize) {
        self.used.borrow_mut().push((address, bytes));
    }

    /// Calls `then` with the memory of the slices that the current launch uses, and forgets it.
    pub(crate) fn take_used(&self, then: impl FnOnce(&[(CUdeviceptr, usize)])) {
        let mut used = self.used.borrow_mut();
        then(&used);
        used.clear();
    }

    /// Adds a slice; returns its index.
    pub(crate) fn push(&self, slice: HeldSlice) -> usize {
        let mut uses = self.uses.borrow_mut();
        uses.slices.push(slice);
        uses.slices.len() - 1
    }

    /// The held slice with this index.
    pub(crate) fn get(&self, index: usize) -> Option<HeldSlice> {
        self.uses.borrow().slices.get(index).cloned()
    }

    /// The program borrows the slice with this index exclusively.
    #[inline]
    pub(crate) fn borrowed_exclusively(&self, index: usize) {
        if let Some(slice) = self.uses.borrow_mut().slices.get_mut(index) {
            slice.exclusive += 1;
        }
    }

    /// The device address of the slice at `place`; `None` if it is not held, or if a different slice can be there.
    #[inline]
    pub(super) fn find(&self, place: *const (), exclusive: bool) -> Option<CUdeviceptr> {
        let uses = &mut *self.uses.borrow_mut();
        let Uses { slices, previous, count } = uses;
        let expected = previous.get(*count).map_or(0, |index| *index as usize);
        let index = match slices.get(expected) {
            Some(slice) if slice.place.cast_const() == place => expected,
            _ => search(slices, previous, *count, place)?,
        };
        let slice = &mut slices[index];
        *count += 1;
        if exclusive {
            slice.exclusive = slice.exclusive.saturating_sub(1);
        }
        (slice.exclusive == 0).then_some(slice.address)
    }

    /// Whether this is the memory of the held slices, in any order.
    pub(crate) fn is_memory(&self, mut now: Vec<(CUdeviceptr, usize)>) -> bool {
        let slices = &self.uses.borrow().slices;
        let memory = slices.iter().map(|slice| (slice.address, slice.bytes));
        let mut held: Vec<_> = memory.collect();
        held.sort_unstable();
        now.sort_unstable();
        held == now
    }

    /// Whether the memory is part of a held slice.
    pub(super) fn contains(&self, address: CUdeviceptr, bytes: usize) -> bool {
        let end = address + bytes as CUdeviceptr;
        self.uses
            .borrow()
            .slices
            .iter()
            .any(|slice| slice.address <= address && end <= slice.address + slice.bytes as CUdeviceptr)
    }

    /// The run is over. The storage is kept for the next run.
    pub(crate) fn clear(&self) {
        let mut uses = self.uses.borrow_mut();
        uses.slices.clear();
        uses.count = 0;
        self.not_held.set(None);
        self.used.borrow_mut().clear();
        self.kept.borrow_mut().clear();
    }
}

/// The index of the slice at `place`, which becomes the expected one for use number `count`.
#[cold]
fn search(slices: &[HeldSlice], previous: &mut Vec<u32>, count: usize, place: *const ()) -> Option<usize> {
    let mut places = slices.iter().map(|slice| slice.place.cast_const());
    let index = places.position(|held| held == place)?;
    if previous.len() <= count {
        previous.resize(count + 1, 0);
    }
    previous[count] = u32::try_from(index).ok()?;
    Some(index)
}
