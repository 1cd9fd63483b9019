//! The slices that a run of a sequence holds, and the memory of them that its steps use.

use super::{context_name::ContextName, uses::StepUses};
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
use std::{boxed::Box, sync::Arc, vec::Vec};

/// Calls cudarc's `device_ptr` or `device_ptr_mut` of a held slice.
///
/// # Safety
/// The pointer is the place of the slice, which exists. Nothing else uses it exclusively during the call.
pub(crate) type Enter = unsafe fn(*mut (), &CudaStream) -> Entered;

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

/// A held slice. Something of its type is at its place until the run is over: behind an exclusive borrow, the program can exchange it.
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

/// The memory of a slice or a view at the time of its use: part of the memory of a held slice. Only [`HeldSlices::memory`] creates it, with
/// the address and the size of one object.
#[derive(Clone, Copy)]
pub(crate) struct HeldMemory {
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
    pub(crate) foreign: Option<ContextName>,
}

// SAFETY: `place` and `enter` are a shared or an exclusive borrow of a slice, and every slice that can be held is `Send` and `Sync`: see
// `can_be_sent` in `interop/held.rs`. `owner` is only compared.
unsafe impl Send for HeldSlice {}

pub(crate) struct HeldSlices {
    stream: Arc<CudaStream>,
    /// The stream with which addresses are read.
    reader: OnceCell<Arc<CudaStream>>,
    uses: RefCell<HeldUses>,
    /// The first mark of the current launch. In a box, because each launch has marks of its own.
    not_held: Cell<Option<Box<NotHeld>>>,
    /// Whether the memory that launches use is noted, in `steps`.
    pub(crate) notes_uses: bool,
    pub(crate) steps: RefCell<StepUses>,
    /// The textures and surfaces that launches use, and whether one writes them.
    #[cfg(feature = "textures")]
    objects: RefCell<Vec<(Arc<dyn super::Tracked>, bool)>>,
    /// What arguments have retained, until the run is over.
    kept: RefCell<Vec<Arc<dyn Send + Sync>>>,
}

#[derive(Default)]
struct HeldUses {
    slices: Vec<HeldSlice>,
    /// The addresses of the places that are held exclusively.
    exclusive: Vec<Range<usize>>,
    /// For each use of a slice in the previous run, the index of the slice. Runs usually repeat the order of their uses.
    previous: Vec<u32>,
    count: usize,
}

impl HeldSlices {
    pub(crate) fn new(stream: Arc<CudaStream>) -> Self {
        Self {
            stream,
            reader: OnceCell::new(),
            uses: RefCell::default(),
            not_held: Cell::new(None),
            notes_uses: false,
            steps: RefCell::default(),
            #[cfg(feature = "textures")]
            objects: RefCell::default(),
            kept: RefCell::default(),
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

    /// Runs `record`, which lowers the arguments of a launch. A launch while another launch is lowered has marks of its own.
    #[inline(always)]
    pub(crate) fn within<R>(&self, record: impl FnOnce() -> R) -> R {
        struct Outer<'h>(&'h HeldSlices, Option<Box<NotHeld>>);

        impl Drop for Outer<'_> {
            fn drop(&mut self) {
                self.0.not_held.set(self.1.take());
            }
        }

        let _outer = Outer(self, self.not_held.take());
        record()
    }

    pub(super) fn keep(&self, memory: &Arc<dyn Send + Sync>) {
        self.kept.borrow_mut().push(memory.clone());
    }

    #[cold]
    pub(super) fn mark_not_held(&self, not_held: NotHeld) {
        let first = self.not_held.take();
        self.not_held.set(first.or_else(|| Some(Box::new(not_held))));
    }

    #[inline(always)]
    pub(crate) fn is_not_held(&self) -> bool {
        let first = self.not_held.take();
        let is_marked = first.is_some();
        self.not_held.set(first);
        is_marked
    }

    #[cold]
    pub(crate) fn take_not_held(&self) -> Option<Box<NotHeld>> {
        self.not_held.take()
    }

    /// The address of a slice or a view of cudarc that the current launch uses. If no held slice has its memory, `field` is marked.
    #[inline(never)]
    pub(super) fn address<T>(&self, memory: &impl DevicePtr<T>, field: usize) -> CUdeviceptr {
        let memory = self.memory(memory, field);
        memory.map_or_else(|address| address, HeldMemory::address)
    }

    /// The address and the size of memory that the current launch uses. The error is the address of memory that is not held.
    #[inline]
    pub(crate) fn memory<T>(&self, memory: &impl DevicePtr<T>, field: usize) -> Result<HeldMemory, CUdeviceptr> {
        let (owner, bytes) = (ptr::from_ref(memory.stream()), memory.num_bytes());
        let uses = &mut *self.uses.borrow_mut();
        let expected = uses.expected().filter(|slice| slice.owner == owner);
        let address = match expected {
            // While it is borrowed, it does not change. All of its memory begins at its address.
            Some(slice) if slice.is_shared && slice.bytes == bytes => slice.address,
            _ => self.read_address(memory),
        };
        if expected.is_some_and(|slice| slice.contains(address, bytes)) {
            uses.count += 1;
        } else if let Err(replaces) = uses.search(owner, address, bytes) {
            self.mark_not_held(NotHeld { field, replaces, foreign: None });
            return Err(address);
        }
        if self.notes_uses {
            self.steps.borrow_mut().add_slice(address, bytes);
        }
        Ok(HeldMemory { address, bytes })
    }

    fn read_address<T>(&self, memory: &impl DevicePtr<T>) -> CUdeviceptr {
        let reader = self.reader.get_or_init(|| reader(&self.stream));
        let (address, guard) = memory.device_ptr(reader);
        // The run records the use of the whole slice.
        mem::forget(guard);
        address
    }

    /// The current launch uses an object, which is kept until the run is enqueued. An object of a different context is marked.
    #[cfg(feature = "textures")]
    pub(super) fn track<T: super::Tracked>(&self, object: &Arc<T>, writes: bool, field: usize) {
        if object.context().cu_ctx() != self.stream.context().cu_ctx() {
            let foreign = Some(ContextName::of(object.context()));
            return self.mark_not_held(NotHeld { field, replaces: None, foreign });
        }
        if self.notes_uses {
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

    /// The textures and surfaces of the run, and whether a launch writes them.
    #[cfg(feature = "textures")]
    pub(crate) fn take_objects(&self) -> Vec<(Arc<dyn super::Tracked>, bool)> {
        self.objects.take()
    }

    /// Adds a slice, unless its place is held exclusively, or it is a view of the slice at such a place: a program can do so with a borrow of a
    /// [`Held`] that it leaks.
    ///
    /// [`Held`]: crate::sequence::Held
    pub(crate) fn push(&self, slice: HeldSlice) {
        let mut uses = self.uses.borrow_mut();
        let place = slice.place.addr();
        // A slice contains its owner. A view refers to the owner in its slice.
        let is_inside = |held: &Range<usize>| held.contains(&place) || held.contains(&slice.owner.addr());
        if !uses.exclusive.iter().any(is_inside) {
            if !slice.is_shared {
                uses.exclusive.push(place..place + slice.size);
            }
            uses.slices.push(slice);
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<HeldSlice> {
        self.uses.borrow().slices.get(index).copied()
    }

    pub(crate) fn clear(&self) {
        let mut uses = self.uses.borrow_mut();
        uses.slices.clear();
        uses.exclusive.clear();
        uses.count = 0;
        self.not_held.set(None);
        self.steps.borrow_mut().clear();
        #[cfg(feature = "textures")]
        self.objects.borrow_mut().clear();
        self.kept.borrow_mut().clear();
    }
}

impl HeldUses {
    /// The slice that the next use should be of.
    #[inline]
    fn expected(&self) -> Option<&HeldSlice> {
        let index = self.previous.get(self.count).map_or(0, |index| *index as usize);
        self.slices.get(index)
    }

    /// Searches for the slice with this memory, which becomes the expected one for this use: a held slice with the type of a slice at this
    /// place, because the program can exchange them. The error is where the run has held the slice at the place with this `owner`, if it has.
    #[cold]
    fn search(
        &mut self,
        owner: *const Arc<CudaStream>,
        address: CUdeviceptr,
        bytes: usize,
    ) -> Result<(), Option<&'static Location<'static>>> {
        let slices = &self.slices;
        let places = || slices.iter().filter(|slice| slice.owner == owner);
        let held_at = places().next().ok_or(None)?.held_at;
        let has = |slice: &HeldSlice| {
            let is_type = |place: &HeldSlice| place.element == slice.element;
            slice.contains(address, bytes) && places().any(is_type)
        };
        let index = slices.iter().position(has).ok_or(Some(held_at))?;
        if self.previous.len() <= self.count {
            self.previous.resize(self.count + 1, 0);
        }
        self.previous[self.count] = index as u32;
        self.count += 1;
        Ok(())
    }
}

/// A stream with which cudarc reports addresses without calls of the driver, if there is one; otherwise `stream`.
///
/// `DevicePtr::device_ptr` also lets the stream wait for the memory, but not if an error is stored in the context of the stream. No other code
/// uses this handle to the context of the device.
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
