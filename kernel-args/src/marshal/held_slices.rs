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
    exclusive: Cell<u32>,
}

impl HeldSlice {
    pub(crate) fn new(place: *mut (), enter: Enter, address: CUdeviceptr, bytes: usize) -> Self {
        Self {
            place,
            enter,
            address,
            bytes,
            exclusive: Cell::new(0),
        }
    }
}

// SAFETY: the pointer is only compared, except by the code that calls `enter`, which has its own proof.
unsafe impl Send for HeldSlice {}

/// The held slices, in the order in which they were held.
pub(crate) struct HeldSlices {
    /// The stream of the sequence.
    stream: Arc<CudaStream>,
    slices: RefCell<Vec<HeldSlice>>,
    /// For each use of a slice in the previous run, the index of the slice. Runs usually repeat the order of their uses.
    previous: RefCell<Vec<u32>>,
    /// The number of uses in this run.
    uses: Cell<usize>,
    /// The first field of the current launch whose memory is not held.
    not_held: Cell<Option<usize>>,
    /// What arguments have retained, until the run is over.
    kept: RefCell<Vec<Arc<dyn Send + Sync>>>,
}

impl HeldSlices {
    pub(crate) fn new(stream: Arc<CudaStream>) -> Self {
        Self {
            stream,
            slices: RefCell::default(),
            previous: RefCell::default(),
            uses: Cell::new(0),
            not_held: Cell::new(None),
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

    /// The first field of the current launch whose memory is not held.
    #[inline(always)]
    pub(crate) fn take_not_held(&self) -> Option<usize> {
        self.not_held.take()
    }

    /// Adds a slice; returns its index.
    pub(crate) fn push(&self, slice: HeldSlice) -> usize {
        let mut slices = self.slices.borrow_mut();
        slices.push(slice);
        slices.len() - 1
    }

    /// The held slice with this index.
    pub(crate) fn get(&self, index: usize) -> Option<HeldSlice> {
        self.slices.borrow().get(index).cloned()
    }

    /// The program borrows the slice with this index exclusively.
    #[inline]
    pub(crate) fn borrowed_exclusively(&self, index: usize) {
        if let Some(slice) = self.slices.borrow().get(index) {
            slice.exclusive.set(slice.exclusive.get() + 1);
        }
    }

    /// The device address of the slice at `place`; `None` if it is not held, or if a different slice can be there.
    #[inline]
    pub(super) fn find(&self, place: *const (), exclusive: bool) -> Option<CUdeviceptr> {
        let slices = self.slices.borrow();
        let at = self.uses.get();
        let index = self.previous.borrow().get(at).copied();
        let slice = match index.and_then(|index| slices.get(index as usize)) {
            Some(slice) if slice.place.cast_const() == place => slice,
            _ => self.search(place, &slices)?,
        };
        self.uses.set(at + 1);
        let borrows = slice.exclusive.get().saturating_sub(u32::from(exclusive));
        slice.exclusive.set(borrows);
        (borrows == 0).then_some(slice.address)
    }

    #[cold]
    fn search<'h>(&self, place: *const (), slices: &'h [HeldSlice]) -> Option<&'h HeldSlice> {
        let index = slices
            .iter()
            .position(|slice| slice.place.cast_const() == place)?;
        let (at, mut previous) = (self.uses.get(), self.previous.borrow_mut());
        let number = u32::try_from(index).ok()?;
        match previous.get_mut(at) {
            Some(entry) => *entry = number,
            None => previous.push(number),
        }
        Some(&slices[index])
    }

    /// Whether this is the memory of the held slices, in any order.
    pub(crate) fn is_memory(&self, mut now: Vec<(CUdeviceptr, usize)>) -> bool {
        let slices = self.slices.borrow();
        let memory = slices.iter().map(|slice| (slice.address, slice.bytes));
        let mut held: Vec<_> = memory.collect();
        held.sort_unstable();
        now.sort_unstable();
        held == now
    }

    /// Whether the memory is part of a held slice.
    pub(super) fn contains(&self, address: CUdeviceptr, bytes: usize) -> bool {
        let end = address + bytes as CUdeviceptr;
        let slices = self.slices.borrow();
        slices.iter().any(|slice| {
            slice.address <= address && end <= slice.address + slice.bytes as CUdeviceptr
        })
    }

    /// The run is over. The storage is kept for the next run.
    pub(crate) fn clear(&self) {
        self.slices.borrow_mut().clear();
        self.kept.borrow_mut().clear();
        self.uses.set(0);
        self.not_held.set(None);
    }
}
