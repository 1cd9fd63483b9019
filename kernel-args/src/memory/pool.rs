//! Memory that is used again in the order of a stream.
//!
//! A pool has chunks of the driver's memory, and cuts blocks from them. A block is never a whole chunk. So a
//! [`CudaSlice`] that a program takes out of a [`PoolSlice`] cannot free it: the driver rejects its address. Such a
//! block is not used again, and its chunk is not freed.

use super::{
    held::can_be_sent,
    thread_lock::{LockGuard, ThreadLock},
};
use crate::lock::lock;
use core::{
    any::Any,
    cell::{RefCell, RefMut},
    iter,
    mem::{self, ManuallyDrop},
    ops::{Deref, DerefMut, Range},
    ptr::NonNull,
    sync::atomic::{AtomicUsize, Ordering},
};
use cudarc::driver::{
    CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DriverError, SyncOnDrop,
    sys::{
        CUdeviceptr, CUstreamCaptureStatus,
        cudaError_enum::{CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, CUDA_ERROR_UNKNOWN},
    },
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
};

/// A slice of a pool. It derefs to cudarc's slice, which can block: launches read it as `&x` and write it as `&mut x`.
///
/// While cudarc tracks the use of memory on several streams, `&*x` and `&mut *x` wait on the host for the run before if
/// the memory belongs to a sequence; a run with such memory waits for the work of all streams. User code with one
/// stream, or without cudarc's event tracking, does not wait.
///
/// It owns its memory until it is dropped. Then the pool uses the memory again, for work that is enqueued later on the
/// stream of the pool: a run of a sequence for later steps of the same run, and for later runs.
pub struct PoolSlice<T: 'static> {
    /// In a box, which the next slice of the block uses again, with its stream and its events.
    slice: ManuallyDrop<Box<Lent<T>>>,
    pool: PoolOfSlice,
    block: u32,
}

/// How much memory a pool has, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryUse {
    /// What it has allocated from the driver.
    pub reserved: usize,
    /// What its slices have now, rounded up to the sizes of its blocks.
    pub used: usize,
    /// The largest value that `used` has had.
    pub peak: usize,
}

/// Why a pool has no memory.
#[derive(Clone, Copy)]
pub(crate) enum NoMemory {
    Limit { requested: usize, limit: usize },
    Driver(DriverError),
}

/// The driver's call.
pub(crate) type Alloc = fn(&Arc<CudaStream>, usize) -> Result<CudaSlice<u8>, DriverError>;

type Source<'p> = (&'p Arc<CudaStream>, Alloc);

pub(crate) struct PoolMemory {
    stream: Arc<CudaStream>,
    alloc: Alloc,
    /// The lock of `state`. A run of a sequence records under the same lock, so an allocation in it takes no other.
    lock: ThreadLock,
    state: RefCell<State>,
    late: Arc<Mutex<Late>>,
    declare: Option<DeclareSlice>,
    /// The number of the last run that has used the memory, if other streams do not wait for it; otherwise 0.
    unsettled: AtomicUsize,
}

// SAFETY: `state`, which is private, is only used through `PoolMemory::state`, by the thread that has entered `lock`.
// It is `Send`, because `PoolMemory` is, as asserted below.
unsafe impl Sync for PoolMemory {}

const _: () = can_be_sent::<PoolMemory>();

/// Declares a slice to the test driver, which then reports accesses to the rest of its block: the address, the bytes of
/// the slice, and of the block.
pub(crate) type DeclareSlice = extern "C" fn(u64, usize, usize) -> u32;

/// Slices that were dropped while a different thread recorded, which can last long. `None` for a pool without runs.
type Late = Option<Vec<Box<dyn Any + Send>>>;

#[derive(Default)]
struct State {
    blocks: Vec<Block>,
    /// For each class, the free blocks, and blocks that the order of a run has used since.
    free: Vec<Vec<u32>>,
    chunks: Vec<Chunk>,
    limit: Option<usize>,
    memory: MemoryUse,
    /// The blocks of the allocations of the last run. Equal runs then get the same memory, whatever is dropped when.
    order: Vec<u32>,
    /// The number of allocations of the run that records.
    run: Option<usize>,
    runs: usize,
    /// Whether cudarc tracks the slices of the free blocks.
    is_tracking: bool,
    /// The slices that exist, and the pool itself as long as there is one.
    slices: usize,
    own: Option<Arc<PoolMemory>>,
}

struct Block {
    address: CUdeviceptr,
    size: usize,
    class: u32,
    chunk: u32,
    is_free: bool,
    is_listed: bool,
    /// The index in `order` of the last allocation that got it there.
    last: usize,
    /// The last slice that had it, for the next allocation of the same type and length.
    slice: Option<Box<dyn Any + Send>>,
}

struct Chunk {
    /// `None` after it was freed.
    memory: Option<CudaSlice<u8>>,
    range: Range<CUdeviceptr>,
    /// Where the next block begins.
    next: CUdeviceptr,
}

/// A slice that leaves its memory to the pool when it is dropped.
struct Lent<T>(ManuallyDrop<CudaSlice<T>>);

impl<T> Lent<T> {
    /// Returns the slice that a program has exchanged with a slice of the pool.
    #[cold]
    fn into_slice(self) -> CudaSlice<T> {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: it is not used afterwards.
        unsafe { ManuallyDrop::take(&mut this.0) }
    }
}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        // SAFETY: it is not used afterwards.
        unsafe { ManuallyDrop::take(&mut self.0) }.leak();
    }
}

/// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` while the stream is being captured: its allocations then belong to the
/// graph, and exist only when it runs.
pub(crate) fn refuse_capture(stream: &CudaStream) -> Result<(), DriverError> {
    match stream.capture_status()? {
        CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE => Ok(()),
        _ => Err(DriverError(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)),
    }
}

/// Makes the context of the stream current, on a thread that drops slices: cudarc frees without it. An error that is
/// stored in the context stays there.
pub(crate) fn bind_for_drops(stream: &CudaStream) {
    let context = stream.context();
    let stored = context.check_err();
    context.record_err(context.bind_to_thread());
    context.record_err(stored);
}

/// cudarc's `upgrade_device_ptr`, which panics if the driver does not create the events of the slice.
///
/// # Safety
/// Its requirements.
pub(crate) unsafe fn slice_at<T>(
    stream: &Arc<CudaStream>,
    address: CUdeviceptr,
    len: usize,
) -> Result<CudaSlice<T>, DriverError> {
    for _ in 0..3 {
        // SAFETY: the caller guarantees them.
        let slice = catch_unwind(AssertUnwindSafe(|| unsafe { stream.upgrade_device_ptr(address, len) }));
        match slice {
            Ok(slice) => return Ok(slice),
            // The error that the panic hides; or the driver creates events again.
            Err(_) => drop(stream.context().new_event(None)?),
        }
    }
    Err(DriverError(CUDA_ERROR_UNKNOWN))
}

#[derive(Clone, Copy)]
struct PoolOfSlice(NonNull<PoolMemory>);

// SAFETY: it is a shared reference to a `PoolMemory`, which is `Send` and `Sync`.
unsafe impl Send for PoolOfSlice {}
// SAFETY: the same.
unsafe impl Sync for PoolOfSlice {}

/// The smallest block. Addresses are aligned to it.
const SMALLEST: usize = 512;
/// The smallest chunk.
const CHUNK: usize = 16 << 20;
/// The largest memory, as for an object of Rust. Sums and roundings of such sizes do not overflow.
const LARGEST: usize = isize::MAX as usize;

/// Returns the class of the smallest blocks with this size: the sizes of the classes are 4, 5, 6 and 7 times a power of
/// two.
fn class_of(bytes: usize) -> u32 {
    let units = bytes.div_ceil(SMALLEST).max(1);
    if units < 4 {
        return units as u32 - 1;
    }
    let shift = units.ilog2() - 2;
    let quarter = units.div_ceil(1 << shift);
    // Eight quarters are the next power of two.
    shift * 4 + quarter as u32 - 1
}

fn size_of_class(class: u32) -> usize {
    let class = class as usize + 1;
    if class < 4 { class * SMALLEST } else { ((4 + class % 4) * SMALLEST) << (class / 4 - 1) }
}

impl Block {
    #[inline(always)]
    fn lend(&mut self, memory: &mut MemoryUse) {
        self.is_free = false;
        memory.used += self.size;
        memory.peak = memory.peak.max(memory.used);
    }
}

impl State {
    /// Returns the slice and the block of the previous run's allocation, if this one is equal.
    #[inline(always)]
    fn repeat<T: 'static>(&mut self, len: usize) -> Option<(Box<Lent<T>>, u32)> {
        let at = self.run.as_mut()?;
        let block = *self.order.get(*at)?;
        let own = &mut self.blocks[block as usize];
        match own.slice.take()?.downcast::<Lent<T>>() {
            Ok(slice) if slice.0.len() == len => {
                *at += 1;
                own.lend(&mut self.memory);
                return Some((slice, block));
            }
            Ok(slice) => own.slice = Some(slice),
            Err(slice) => own.slice = Some(slice),
        }
        None
    }

    /// A slice that is created now has events, or none. Slices that are different are not used again.
    #[inline]
    fn set_tracking(&mut self, is_tracking: bool) {
        if self.is_tracking != is_tracking {
            self.blocks.iter_mut().for_each(|block| block.slice = None);
            self.is_tracking = is_tracking;
        }
    }

    /// At most [`LARGEST`].
    fn limit(&self) -> usize {
        self.limit.unwrap_or(LARGEST)
    }

    fn alloc(&mut self, bytes: usize, from: Source<'_>, grown: &dyn Fn(Range<CUdeviceptr>)) -> Result<u32, NoMemory> {
        let class = class_of(bytes);
        let is_free = |block: &u32| {
            let block = &self.blocks[*block as usize];
            block.is_free && block.class == class
        };
        let expected = self.run.and_then(|at| self.order.get(at)).copied().filter(is_free);
        let block = match expected.or_else(|| self.pop(class, true)) {
            Some(block) => block,
            None => self.cut(class, from, grown).or_else(|why| self.pop(class, false).ok_or(why))?,
        };
        if let Some(at) = &mut self.run {
            match self.order.get_mut(*at) {
                Some(old) => *old = block,
                None => self.order.push(block),
            }
            self.blocks[block as usize].last = *at;
            *at += 1;
        }
        self.blocks[block as usize].lend(&mut self.memory);
        Ok(block)
    }

    /// Returns a free block. If it `is_spare`, no later allocation of an equal run would get it: the address of that
    /// allocation would change too, and of what gets the next block.
    fn pop(&mut self, class: u32, is_spare: bool) -> Option<u32> {
        let Self { free, blocks, order, run, .. } = self;
        let list = free.get_mut(class as usize)?;
        if run.is_none() {
            return iter::from_fn(|| list.pop()).find(|block| {
                let own = &mut blocks[*block as usize];
                own.is_listed = false;
                own.is_free
            });
        }
        let is_expected = |block: u32| {
            let at = blocks[block as usize].last;
            run.is_some_and(|now| at > now) && order.get(at) == Some(&block)
        };
        let at = list.iter().rposition(|block| {
            let is_free = blocks[*block as usize].is_free;
            is_free && !(is_spare && is_expected(*block))
        })?;
        let block = if at + 1 == list.len() { list.pop()? } else { list.remove(at) };
        blocks[block as usize].is_listed = false;
        Some(block)
    }

    /// Returns a new free block.
    fn cut(&mut self, class: u32, from: Source<'_>, grown: &dyn Fn(Range<CUdeviceptr>)) -> Result<u32, NoMemory> {
        let size = size_of_class(class);
        let has_room = |chunk: &Chunk| chunk.memory.is_some() && chunk.next + size as CUdeviceptr <= chunk.range.end;
        let chunk = if let Some(chunk) = self.chunks.iter().rposition(has_room) {
            chunk
        } else {
            grown(self.add_chunk(size, from)?);
            self.chunks.len() - 1
        };
        let own = &mut self.chunks[chunk];
        let (address, block) = (own.next, self.blocks.len() as u32);
        own.next += size as CUdeviceptr;
        let chunk = chunk as u32;
        self.blocks.push(Block { address, size, class, chunk, is_free: true, is_listed: false, last: 0, slice: None });
        self.free.resize_with(self.free.len().max(class as usize + 1), Vec::new);
        Ok(block)
    }

    fn add_chunk(&mut self, size: usize, (stream, alloc): Source<'_>) -> Result<Range<CUdeviceptr>, NoMemory> {
        refuse_capture(stream).map_err(NoMemory::Driver)?;
        // No block begins where the chunk begins.
        let bytes = size.saturating_add(SMALLEST);
        let limit = self.limit();
        // The steps of a run use free memory too.
        if self.run.is_none() && self.memory.reserved.saturating_add(bytes) > limit {
            self.trim();
        }
        let room = limit.saturating_sub(self.memory.reserved);
        if bytes > room {
            return Err(NoMemory::Limit { requested: size, limit });
        }
        let bytes = bytes.max(CHUNK.min(room));
        let memory = alloc(stream, bytes).map_err(NoMemory::Driver)?;
        let begin = memory.device_ptr(stream).0;
        let range = begin..begin + bytes as CUdeviceptr;
        let next = (begin + 1).next_multiple_of(SMALLEST as CUdeviceptr);
        self.chunks.push(Chunk { memory: Some(memory), range: range.clone(), next });
        self.memory.reserved += bytes;
        Ok(range)
    }

    /// Returns the block of a slice at this address: `block`, unless a program has exchanged the slices of two
    /// `PoolSlice`. `None` for another slice.
    #[inline(always)]
    fn block_of(&self, block: u32, address: CUdeviceptr) -> Option<u32> {
        #[cold]
        fn search(state: &State, address: CUdeviceptr) -> Option<u32> {
            let is_own = |block: &Block| block.address == address && !block.is_free;
            state.blocks.iter().position(is_own).map(|block| block as u32)
        }
        if self.blocks[block as usize].address == address { Some(block) } else { search(self, address) }
    }

    #[inline(always)]
    fn give_back(&mut self, block: u32, slice: Option<Box<dyn Any + Send>>) {
        let own = &mut self.blocks[block as usize];
        (own.is_free, own.slice) = (true, slice);
        self.memory.used -= own.size;
        if !mem::replace(&mut own.is_listed, true) {
            self.free[own.class as usize].push(block);
        }
    }

    /// Returns whether a slice has a block of this chunk, or user code has taken one.
    fn is_used(&self, chunk: usize) -> bool {
        self.blocks.iter().any(|block| block.chunk as usize == chunk && !block.is_free)
    }

    /// Frees the chunks without used blocks, and returns their memory.
    fn trim(&mut self) -> Vec<Range<CUdeviceptr>> {
        let mut freed = Vec::new();
        for index in 0..self.chunks.len() {
            if self.chunks[index].memory.is_none() || self.is_used(index) {
                continue;
            }
            let chunk = &mut self.chunks[index];
            drop(chunk.memory.take());
            self.memory.reserved -= (chunk.range.end - chunk.range.start) as usize;
            freed.push(chunk.range.clone());
            for own in self.blocks.iter_mut().filter(|own| own.chunk as usize == index) {
                // No slice has it.
                (own.is_free, own.address, own.slice) = (false, 0, None);
            }
        }
        self.order.clear();
        if self.chunks.iter().all(|chunk| chunk.memory.is_none()) {
            self.blocks.clear();
            self.free.clear();
            self.chunks.clear();
        }
        freed
    }
}

impl PoolMemory {
    /// If it `has_runs`, their end is [`close`](Self::close).
    pub(crate) fn new(
        stream: &Arc<CudaStream>,
        alloc: Alloc,
        has_runs: bool,
        declare: Option<DeclareSlice>,
    ) -> Arc<Self> {
        Arc::new(Self {
            stream: stream.clone(),
            alloc,
            lock: ThreadLock::default(),
            state: RefCell::default(),
            late: Arc::new(Mutex::new(has_runs.then(Vec::new))),
            declare,
            unsettled: AtomicUsize::new(0),
        })
    }

    pub(crate) fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    pub(crate) fn lock(&self) -> &ThreadLock {
        &self.lock
    }

    /// Returns the state, for the thread that has entered the lock. With it, nothing drops a slice or runs user code.
    #[inline(always)]
    fn state<'e>(&'e self, entered: &'e LockGuard<'_>) -> RefMut<'e, State> {
        assert!(entered.is_of(&self.lock));
        self.state.borrow_mut()
    }

    /// Allocates a slice with arbitrary contents. Calls `grown` with each range newly obtained from the driver.
    #[inline(always)]
    pub(crate) fn alloc<T: 'static>(
        self: &Arc<Self>,
        entered: &LockGuard<'_>,
        len: usize,
        grown: &dyn Fn(Range<CUdeviceptr>),
    ) -> Result<PoolSlice<T>, NoMemory> {
        let state = &mut *self.state(entered);
        let (slice, block) = match state.repeat(len) {
            Some(known) => known,
            None => self.alloc_otherwise(state, len, grown)?,
        };
        if state.slices == 0 {
            state.own = Some(self.clone());
        }
        state.slices += 1;
        let pool = PoolOfSlice(NonNull::from(&**self));
        Ok(PoolSlice { slice: ManuallyDrop::new(slice), pool, block })
    }

    #[inline(never)]
    fn alloc_otherwise<T: 'static>(
        &self,
        state: &mut State,
        len: usize,
        grown: &dyn Fn(Range<CUdeviceptr>),
    ) -> Result<(Box<Lent<T>>, u32), NoMemory> {
        let limit = state.limit();
        let bytes = len.checked_mul(size_of::<T>()).filter(|bytes| *bytes <= LARGEST).unwrap_or(usize::MAX);
        if bytes > limit {
            return Err(NoMemory::Limit { requested: bytes, limit });
        }
        state.set_tracking(self.stream.context().is_event_tracking());
        let block = state.alloc(bytes, (&self.stream, self.alloc), grown)?;
        let own = &mut state.blocks[block as usize];
        let known = own.slice.take().and_then(|slice| slice.downcast::<Lent<T>>().ok());
        if let Some(slice) = known.filter(|slice| slice.0.len() == len) {
            return Ok((slice, block));
        }
        if let Some(declare) = self.declare {
            // The nodes of a capture run later, with all slices that the block has had.
            let bytes = if refuse_capture(&self.stream).is_ok() { bytes } else { own.size };
            declare(own.address, bytes, own.size);
        }
        // SAFETY: the block has `len` elements, and belongs to this slice until its drop.
        match unsafe { slice_at(&self.stream, own.address, len) } {
            Ok(slice) => Ok((Box::new(Lent(ManuallyDrop::new(slice))), block)),
            Err(error) => {
                state.give_back(block, None);
                Err(NoMemory::Driver(error))
            }
        }
    }

    pub(crate) fn set_limit(&self, bytes: usize) {
        self.state(&self.lock.wait()).limit = Some(bytes.min(LARGEST));
    }

    pub(crate) fn memory_use(&self) -> MemoryUse {
        self.drop_late();
        self.state(&self.lock.wait()).memory
    }

    /// Frees the memory that no slice has, in the order of the stream, or nothing while the stream is being captured.
    /// Returns its ranges.
    pub(crate) fn trim(&self) -> Vec<Range<CUdeviceptr>> {
        if refuse_capture(&self.stream).is_err() {
            return Vec::new();
        }
        self.drop_late();
        self.await_streams();
        self.state(&self.lock.wait()).trim()
    }

    pub(crate) fn begin_run(&self) {
        self.drop_late();
        let entered = self.lock.wait();
        let state = &mut *self.state(&entered);
        state.set_tracking(self.stream.context().is_event_tracking());
        state.run = Some(0);
    }

    pub(crate) fn end_run(&self, is_enqueued: bool) {
        self.drop_late();
        let entered = self.lock.wait();
        let state = &mut *self.state(&entered);
        let allocations = state.run.take().unwrap_or(0);
        if !is_enqueued {
            return;
        }
        state.order.truncate(allocations);
        if allocations > 0 || state.memory.used > 0 {
            state.runs += 1;
            let is_tracked = self.stream.context().is_managing_stream_synchronization();
            self.unsettled.store(if is_tracked { state.runs } else { 0 }, Ordering::Relaxed);
        }
    }

    /// Drops the slices that a different thread could not.
    fn drop_late(&self) {
        let late = lock(&self.late).as_mut().map(mem::take);
        if late.as_ref().is_some_and(|late| !late.is_empty()) {
            let _entered = self.lock.wait();
            drop(late);
        }
    }

    /// No run uses it any more.
    pub(crate) fn close(&self) {
        let late = lock(&self.late).take();
        let _entered = self.lock.wait();
        drop(late);
    }

    /// Before work of the stream uses memory that other streams may use, as far as cudarc tracks uses.
    pub(crate) fn await_streams(&self) {
        if self.awaits_streams() {
            let context = self.stream.context();
            context.record_err(context.synchronize());
        }
    }

    /// Returns whether the host waits for other streams before work with this memory.
    pub(crate) fn awaits_streams(&self) -> bool {
        self.stream.context().is_managing_stream_synchronization() && self.memory_use().peak > 0
    }

    #[inline(always)]
    fn await_run(&self) {
        let run = self.unsettled.load(Ordering::Relaxed);
        if run != 0 {
            self.settle(run);
        }
    }

    #[cold]
    fn settle(&self, run: usize) {
        let waited = self.stream.synchronize();
        if waited.is_ok() {
            // Until now, other threads wait too. A later run is not settled.
            let _ = self.unsettled.compare_exchange(run, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
        self.stream.context().record_err(waited);
    }
}

impl Drop for PoolMemory {
    fn drop(&mut self) {
        self.await_streams();
        bind_for_drops(&self.stream);
        let state = self.state.get_mut();
        for chunk in 0..state.chunks.len() {
            // All slices of the pool are dropped. User code has taken the rest of its blocks.
            if state.is_used(chunk) {
                mem::forget(state.chunks[chunk].memory.take());
            }
        }
    }
}

impl Deref for PoolOfSlice {
    type Target = PoolMemory;

    #[inline(always)]
    fn deref(&self) -> &PoolMemory {
        // SAFETY: `PoolMemory::alloc` has stored an `Arc` of the pool in its state when it had no slice. The drop of
        // the last slice takes it. So the pool exists as long as a slice does, and only slices have this value.
        unsafe { self.0.as_ref() }
    }
}

impl<T: 'static> PoolSlice<T> {
    /// Gives the block back. Returns the pool if this was its last slice.
    #[inline(always)]
    fn give_back(&mut self, pool: &PoolMemory, entered: &LockGuard<'_>) -> Option<Arc<PoolMemory>> {
        // SAFETY: only the drop calls it, once.
        let mut slice = unsafe { ManuallyDrop::take(&mut self.slice) };
        let (address, guard) = slice.0.device_ptr(slice.0.stream());
        let is_tracked = matches!(guard, SyncOnDrop::Record(Some(_)));
        mem::forget(guard);
        let state = &mut *pool.state(entered);
        state.slices -= 1;
        let last = if state.slices == 0 { state.own.take() } else { None };
        match state.block_of(self.block, address) {
            Some(block) => {
                if is_tracked && pool.stream.context().is_managing_stream_synchronization() {
                    // The stream waits for the uses on other streams.
                    mem::forget(slice.0.device_ptr_mut(&pool.stream).1);
                }
                state.give_back(block, (is_tracked == state.is_tracking).then_some(slice as Box<dyn Any + Send>));
            }
            None => drop((*slice).into_slice()),
        }
        last
    }

    /// While a different thread has the lock: whether that thread drops the slice later.
    #[cold]
    fn is_late(&mut self) -> bool {
        let late = self.pool.late.clone();
        let Some(late) = &mut *lock(&late) else { return false };
        // SAFETY: the drop returns after this function.
        let slice = ManuallyDrop::new(unsafe { ManuallyDrop::take(&mut self.slice) });
        late.push(Box::new(Self { slice, ..*self }));
        true
    }
}

impl<T: 'static> Drop for PoolSlice<T> {
    #[inline]
    fn drop(&mut self) {
        let pool = self.pool;
        let entered = match pool.lock.enter_briefly() {
            Some(entered) => entered,
            None if self.is_late() => return,
            None => pool.lock.wait(),
        };
        let last = self.give_back(&pool, &entered);
        // From here on, a different thread can drop the pool, unless this was the last slice.
        drop(entered);
        drop(last);
    }
}

impl<T: 'static> Deref for PoolSlice<T> {
    type Target = CudaSlice<T>;

    #[inline]
    fn deref(&self) -> &CudaSlice<T> {
        self.pool.await_run();
        &self.slice.0
    }
}

impl<T: 'static> DerefMut for PoolSlice<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut CudaSlice<T> {
        self.pool.await_run();
        &mut self.slice.0
    }
}

debug!([T: 'static] PoolSlice<T>, this => len: this.slice.0.len());

#[cfg(test)]
mod tests {
    use super::{SMALLEST, class_of, size_of_class};

    #[test]
    fn a_block_is_at_most_a_quarter_larger_than_its_memory() {
        let mut before = None;
        for bytes in (0..100_000).chain((17..40).flat_map(|shift| (1 << shift) - 3..(1 << shift) + 3)) {
            let class = class_of(bytes);
            let size = size_of_class(class);
            assert!(size >= bytes && size.is_multiple_of(SMALLEST), "{bytes}: {size}");
            assert!(size <= SMALLEST.max(bytes.next_multiple_of(SMALLEST) * 5 / 4), "{bytes}: {size}");
            assert!(before <= Some(class), "larger memory has a larger class");
            before = Some(class);
        }
    }
}
