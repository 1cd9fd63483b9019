//! The memory that the steps of a run may use, and the memory that they use.
//!
//! | memory | until the run is enqueued | a step may use it |
//! |---|---|---|
//! | held: slices that are borrowed | something of its type is at each held place; the end of the run finds the memory there, or is an error | through what is at a held place |
//! | owned: kept values, memory of the sequence, what an `unsafe` caller guarantees | it stays allocated | by its address |
//!
//! Runs usually repeat the order of their uses, so each use first tries what the previous run has found.

use super::{context_name::ContextName, ranges::Ranges, uses::StepUses};
use core::{
    any::TypeId,
    cell::{Cell, OnceCell, RefCell},
    mem,
    ops::Range,
    panic::Location,
    ptr,
};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaStream, DevicePtr, DriverError,
    sys::{CUdeviceptr, cudaError_enum::CUDA_ERROR_UNKNOWN},
};
use std::sync::Arc;

/// Calls cudarc's `device_ptr` or `device_ptr_mut` of a held slice.
///
/// # Safety
/// The pointer is the place of the slice, which exists. Nothing else uses it exclusively during the call.
pub(crate) type Enter = unsafe fn(*mut (), &CudaStream) -> EnteredSlice;

pub(crate) struct EnteredSlice {
    pub(crate) address: CUdeviceptr,
    pub(crate) bytes: usize,
    pub(crate) after: After,
}

/// What to do after work that uses the memory was enqueued: cudarc's `SyncOnDrop`, without its lifetime.
pub(crate) enum After {
    Nothing,
    /// Record this event, which belongs to the slice.
    Record(*const CudaEvent),
    Synchronize,
}

/// A held slice. The place always contains a slice of this type, but user code with `&mut` may have swapped it for
/// a different slice.
#[derive(Clone, Copy)]
pub(crate) struct HeldSlice {
    pub(crate) place: *mut (),
    pub(crate) size: usize,
    pub(crate) enter: Enter,
    pub(crate) is_shared: bool,
    /// Where its stream is, to which its views refer. Slices at this place have the same.
    pub(crate) owner: *const Arc<CudaStream>,
    pub(crate) element: TypeId,
    pub(crate) address: CUdeviceptr,
    pub(crate) bytes: usize,
    pub(crate) held_at: &'static Location<'static>,
}

impl HeldSlice {
    fn contains(&self, address: CUdeviceptr, bytes: usize) -> bool {
        bytes <= self.bytes && address.wrapping_sub(self.address) <= (self.bytes - bytes) as CUdeviceptr
    }
}

/// The memory of a slice or a view at the time of its use: part of held or owned memory. Only [`RunMemory::memory`]
/// creates it, with the address and the size of one object.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct HeldMemory {
    address: CUdeviceptr,
    bytes: usize,
}

impl HeldMemory {
    pub(crate) fn address(self) -> CUdeviceptr {
        self.address
    }

    pub(crate) fn bytes(self) -> usize {
        self.bytes
    }
}

pub(crate) struct NotHeld {
    pub(crate) field: usize,
    /// Where the run has held the slice that this one has replaced.
    pub(crate) replaces: Option<&'static Location<'static>>,
    /// The context of a texture or a surface that belongs to a different context than the launch.
    pub(crate) other_context: Option<ContextName>,
}

// SAFETY: `place` and `enter` are a shared or an exclusive borrow of a slice, and every slice that can be held is
// `Send` and `Sync`: see the assertions in `memory/held.rs`. `owner` is only compared.
unsafe impl Send for HeldSlice {}

#[doc(hidden)]
pub struct RunMemory {
    stream: Arc<CudaStream>,
    /// The stream with which addresses are read.
    reader: OnceCell<Arc<CudaStream>>,
    known: RefCell<Known>,
    /// Whether the current launch uses memory that the run does not hold.
    is_not_held: Cell<bool>,
    /// The first such memory of the current launch, and of launches that are being lowered around it.
    not_held: RefCell<Vec<NotHeld>>,
    /// Whether the memory that launches use is noted, in `steps`.
    pub(crate) notes_uses: Cell<bool>,
    pub(crate) steps: RefCell<StepUses>,
    /// The textures and surfaces that launches use, and whether one writes them.
    #[cfg(feature = "textures")]
    objects: RefCell<Vec<(Arc<dyn super::Tracked>, bool)>>,
    /// What arguments have retained, until the run is over.
    retained: RefCell<Vec<Arc<dyn Send + Sync>>>,
}

#[derive(Default)]
struct Known {
    /// In the order of the calls of `hold`.
    slices: Vec<HeldSlice>,
    /// The indices of the slices, by address.
    by_address: Vec<u32>,
    /// The indices of the slices, by owner.
    by_owner: Vec<u32>,
    /// The addresses of the places that are held exclusively.
    exclusive: Vec<Range<usize>>,
    owned: Ranges,
    /// The owned memory of every run.
    always: Ranges,
    /// For each use in the previous run, where its memory was.
    previous: Vec<Place>,
    count: usize,
}

/// Where the memory of a use is: an index of `slices` or of `owned`.
#[derive(Clone, Copy)]
enum Place {
    Held(u32),
    Owned(u32),
}

impl RunMemory {
    pub(crate) fn new(stream: Arc<CudaStream>) -> Self {
        Self {
            stream,
            reader: OnceCell::new(),
            known: RefCell::default(),
            is_not_held: Cell::new(false),
            not_held: RefCell::default(),
            notes_uses: Cell::new(false),
            steps: RefCell::default(),
            #[cfg(feature = "textures")]
            objects: RefCell::default(),
            retained: RefCell::default(),
        }
    }

    /// Without a driver, for slices of tests.
    #[cfg(test)]
    pub(crate) fn without_driver(stream: Arc<CudaStream>) -> Self {
        Self { reader: stream.clone().into(), ..Self::new(stream) }
    }

    #[inline(always)]
    pub(crate) fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// Runs `record`, which lowers the arguments of a launch. A launch while another launch is lowered has marks of its
    /// own.
    #[inline(always)]
    pub(crate) fn within<R>(&self, record: impl FnOnce() -> R) -> R {
        struct Outer<'h>(&'h RunMemory, bool);

        impl Drop for Outer<'_> {
            #[inline(always)]
            fn drop(&mut self) {
                if self.0.is_not_held.replace(self.1) {
                    self.0.not_held.borrow_mut().pop();
                }
            }
        }

        let _outer = Outer(self, self.is_not_held.replace(false));
        record()
    }

    /// Returns whether steps use memory that is allocated only until the work of the run has finished, as far as it is
    /// known.
    pub(crate) fn uses_own_memory(&self) -> bool {
        let known = self.known.borrow();
        (known.count > 0 || !self.retained.borrow().is_empty()) && !known.owned.is_everything()
    }

    pub(crate) fn retain(&self, memory: &Arc<dyn Send + Sync>) {
        self.retained.borrow_mut().push(memory.clone());
    }

    /// The current launch uses memory in a way that shows no address.
    #[cold]
    pub(crate) fn use_unknown(&self, field: usize) {
        if !self.known.borrow().owned.is_everything() {
            self.mark_not_held(NotHeld { field, replaces: None, other_context: None });
        }
    }

    #[cold]
    fn mark_not_held(&self, not_held: NotHeld) {
        if !self.is_not_held.replace(true) {
            self.not_held.borrow_mut().push(not_held);
        }
    }

    #[inline(always)]
    pub(crate) fn is_not_held(&self) -> bool {
        self.is_not_held.get()
    }

    #[cold]
    pub(crate) fn take_not_held(&self) -> Option<NotHeld> {
        if self.is_not_held.replace(false) { self.not_held.borrow_mut().pop() } else { None }
    }

    /// Returns the address of a slice or a view of cudarc that the current launch uses. If the run does not hold it,
    /// marks `field`. Not inlined: a plain launch does not pay for it.
    #[inline(never)]
    pub(crate) fn address<T>(&self, memory: &impl DevicePtr<T>, field: usize) -> CUdeviceptr {
        let memory = self.memory(memory, field);
        memory.map_or_else(|address| address, HeldMemory::address)
    }

    /// Returns the address and the size of memory that the current launch uses. The error is the address of memory that
    /// the run has not.
    #[inline(always)]
    pub(crate) fn memory<T>(&self, memory: &impl DevicePtr<T>, field: usize) -> Result<HeldMemory, CUdeviceptr> {
        self.expected(memory).map_or_else(|| self.memory_otherwise(memory, field), Ok)
    }

    /// Memory that does not change while it is owned or borrowed, where the previous run has found it.
    #[inline(always)]
    fn expected<T>(&self, memory: &impl DevicePtr<T>) -> Option<HeldMemory> {
        let (mut known, bytes) = (self.known.try_borrow_mut().ok()?, memory.num_bytes());
        let address = match *known.previous.get(known.count)? {
            Place::Owned(index) => {
                let address = Self::read_address(memory, self.reader.get()?);
                known.owned.has_at(index as usize, address, bytes).then_some(address)
            }
            Place::Held(index) => {
                // All of the memory of a slice begins at its address.
                let is_all = |slice: &&HeldSlice| {
                    slice.is_shared && slice.bytes == bytes && slice.owner == ptr::from_ref(memory.stream())
                };
                known.slices.get(index as usize).filter(is_all).map(|slice| slice.address)
            }
        }?;
        known.count += 1;
        Some(self.used(address, bytes))
    }

    #[inline(never)]
    fn memory_otherwise<T>(&self, memory: &impl DevicePtr<T>, field: usize) -> Result<HeldMemory, CUdeviceptr> {
        let (owner, bytes) = (ptr::from_ref(memory.stream()), memory.num_bytes());
        let known = &mut *self.known.borrow_mut();
        let expected = match known.previous.get(known.count) {
            Some(Place::Held(index)) => known.slices.get(*index as usize).filter(|slice| slice.owner == owner),
            _ => None,
        };
        let address = Self::read_address(memory, self.reader());
        if expected.is_some_and(|slice| slice.contains(address, bytes)) {
            known.count += 1;
        } else if let Err(replaces) = known.search(owner, address, bytes) {
            self.mark_not_held(NotHeld { field, replaces, other_context: None });
            return Err(address);
        }
        Ok(self.used(address, bytes))
    }

    #[inline(always)]
    fn used(&self, address: CUdeviceptr, bytes: usize) -> HeldMemory {
        #[inline(never)]
        fn note(steps: &RefCell<StepUses>, address: CUdeviceptr, bytes: usize) {
            steps.borrow_mut().add_slice(address, bytes);
        }

        if self.notes_uses.get() {
            note(&self.steps, address, bytes);
        }
        HeldMemory { address, bytes }
    }

    /// Returns a stream with which cudarc reports addresses, without waits if that is possible.
    pub(crate) fn reader(&self) -> &Arc<CudaStream> {
        self.reader.get_or_init(|| reader(&self.stream))
    }

    #[inline(always)]
    fn read_address<T>(memory: &impl DevicePtr<T>, reader: &CudaStream) -> CUdeviceptr {
        let (address, guard) = memory.device_ptr(reader);
        // The run records the use of the whole slice.
        mem::forget(guard);
        address
    }

    /// The current launch uses an object, which is kept until the run is enqueued. An object of a different context is
    /// marked.
    #[cfg(feature = "textures")]
    pub(crate) fn track<T: super::Tracked>(&self, object: &Arc<T>, writes: bool, field: usize) {
        if object.context().cu_ctx() != self.stream.context().cu_ctx() {
            let other_context = Some(ContextName::of(object.context()));
            return self.mark_not_held(NotHeld { field, replaces: None, other_context });
        }
        if self.notes_uses.get() {
            let (address, bytes) = object.memory();
            self.steps.borrow_mut().add_object(super::Access { address, bytes, writes });
        }
        let mut objects = self.objects.borrow_mut();
        let place = Arc::as_ptr(object).cast::<()>();
        match objects.iter_mut().find(|(known, _)| Arc::as_ptr(known).cast() == place) {
            Some((_, is_written)) => *is_written |= writes,
            None => objects.push((object.clone(), writes)),
        }
    }

    /// Returns the textures and surfaces of the run, and whether a launch writes them.
    #[cfg(feature = "textures")]
    pub(crate) fn take_objects(&self) -> Vec<(Arc<dyn super::Tracked>, bool)> {
        self.objects.take()
    }

    /// Adds a slice, unless its place is held exclusively, or it is a view of the slice at such a place: a program can
    /// do so with a borrow of a [`Held`] that it leaks.
    ///
    /// [`Held`]: crate::sequence::Held
    pub(crate) fn hold(&self, slice: HeldSlice) {
        let known = &mut *self.known.borrow_mut();
        let place = slice.place.addr();
        // A slice contains its owner. A view refers to the owner in its slice.
        let is_inside = |held: &Range<usize>| held.contains(&place) || held.contains(&slice.owner.addr());
        if !known.exclusive.iter().any(is_inside) {
            if !slice.is_shared {
                known.exclusive.push(place..place + slice.size);
            }
            let Known { slices, by_address, by_owner, .. } = known;
            let index = slices.len() as u32;
            let before = |old: &u32| slices[*old as usize].address <= slice.address;
            by_address.insert(by_address.partition_point(before), index);
            let before = |old: &u32| slices[*old as usize].owner <= slice.owner;
            by_owner.insert(by_owner.partition_point(before), index);
            slices.push(slice);
        }
    }

    /// Adds memory that stays allocated until this run is enqueued, or every run.
    pub(crate) fn own(&self, memory: Range<CUdeviceptr>, always: bool) {
        let mut known = self.known.borrow_mut();
        if always {
            known.always.insert(memory.clone());
        }
        known.owned.insert(memory);
    }

    /// The memory is freed between two runs.
    pub(crate) fn disown(&self, memory: Range<CUdeviceptr>) {
        let mut known = self.known.borrow_mut();
        if !known.always.is_everything() {
            known.always.remove(memory.clone());
            known.owned.remove(memory);
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<HeldSlice> {
        self.known.borrow().slices.get(index).copied()
    }

    /// Returns what arguments have retained. The caller drops it when nothing of this run is borrowed.
    pub(crate) fn clear(&self) -> Vec<Arc<dyn Send + Sync>> {
        let Known { slices, by_address, by_owner, exclusive, owned, always, count, .. } = &mut *self.known.borrow_mut();
        slices.clear();
        by_address.clear();
        by_owner.clear();
        exclusive.clear();
        owned.copy_from(always);
        *count = 0;
        self.is_not_held.set(false);
        self.not_held.borrow_mut().clear();
        self.steps.borrow_mut().clear();
        #[cfg(feature = "textures")]
        self.objects.borrow_mut().clear();
        self.retained.take()
    }
}

impl Known {
    /// Searches for the slice or the range with this memory, which becomes the expected one for this use: owned memory;
    /// or a held slice with the type of a slice at this place, because user code can exchange them. The error is
    /// where the run has held the slice at the place with this `owner`, if it has.
    #[cold]
    fn search(
        &mut self,
        owner: *const Arc<CudaStream>,
        address: CUdeviceptr,
        bytes: usize,
    ) -> Result<(), Option<&'static Location<'static>>> {
        let place = match self.owned.find(address, bytes) {
            Some(index) => Place::Owned(index as u32),
            // Nothing uses memory without bytes.
            None if bytes == 0 => Place::Owned(u32::MAX),
            None => Place::Held(self.search_held(owner, address, bytes)?),
        };
        if self.previous.len() <= self.count {
            self.previous.resize(self.count + 1, place);
        }
        self.previous[self.count] = place;
        self.count += 1;
        Ok(())
    }

    fn search_held(
        &self,
        owner: *const Arc<CudaStream>,
        address: CUdeviceptr,
        bytes: usize,
    ) -> Result<u32, Option<&'static Location<'static>>> {
        let at = |index: &u32| &self.slices[*index as usize];
        let first = self.by_owner.partition_point(|index| at(index).owner < owner);
        let places = || self.by_owner[first..].iter().map(at).take_while(|slice| slice.owner == owner);
        let held_at = places().map(|slice| slice.held_at).next().ok_or(None)?;
        let end = self.by_address.partition_point(|index| at(index).address <= address);
        let has = |index: &u32| {
            let slice = at(index);
            slice.contains(address, bytes) && places().any(|place| place.element == slice.element)
        };
        self.by_address[..end].iter().copied().rev().find(has).ok_or(Some(held_at))
    }
}

/// Returns a stream with which cudarc reports addresses without calls of the driver, if there is one; otherwise
/// `stream`.
///
/// `DevicePtr::device_ptr` also lets the stream wait for the memory, but not if an error is stored in the context of
/// the stream. No other code uses this handle to the context of the device.
fn reader(stream: &Arc<CudaStream>) -> Arc<CudaStream> {
    let context = stream.context();
    if context.is_primary()
        && let Ok(own) = CudaContext::new(context.ordinal())
    {
        own.record_err(Err::<(), _>(DriverError(CUDA_ERROR_UNKNOWN)));
        return own.default_stream();
    }
    stream.clone()
}
