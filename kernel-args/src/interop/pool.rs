//! Memory that is used again in the order of a stream.
//!
//! A pool has chunks of the driver's memory, and cuts blocks from them. A block is never a whole chunk. So a [`CudaSlice`] that a program takes out of a
//! [`PoolSlice`] cannot free it: the driver rejects an address that no allocation has returned. Such a block is not used again, and its chunk is not freed.

use super::{
    DeviceMemory, DeviceMemoryMut,
    cudarc::memory,
    keep::{Keep, KeptMemory},
};
use core::{
    fmt,
    mem::{self, ManuallyDrop},
    ops::{Deref, DerefMut, Range},
    sync::atomic::{AtomicBool, Ordering},
};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, DriverError, sys::CUdeviceptr};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    vec::Vec,
};

/// A slice of a pool. It derefs to cudarc's slice: launches read it as `&x` and write it as `&mut x`.
///
/// It owns its memory until it is dropped. Then the pool uses the memory again, for work that is enqueued later on the stream of the pool: a run of a sequence
/// for later steps of the same run, and for later runs.
///
/// While cudarc tracks the use of memory on several streams, the host waits. An access to memory of a sequence waits for the run before, and a
/// run with such memory waits for the work of all streams. A program with one stream, or without cudarc's event tracking, does not wait.
pub struct PoolSlice<T> {
    slice: ManuallyDrop<CudaSlice<T>>,
    pool: Arc<PoolMemory>,
    block: u32,
    address: CUdeviceptr,
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

/// The memory of a pool.
pub(crate) struct PoolMemory {
    stream: Arc<CudaStream>,
    state: Mutex<State>,
    /// A run has used the memory, and other streams do not wait for it.
    is_unsettled: AtomicBool,
}

#[derive(Default)]
struct State {
    blocks: Vec<Block>,
    /// For each class, the first free block.
    free: Vec<Option<u32>>,
    chunks: Vec<Chunk>,
    limit: Option<usize>,
    memory: MemoryUse,
    /// Whether a run records, its allocations, and the allocations of the previous run. Equal runs then get the same memory, whatever is dropped when.
    in_run: bool,
    now: Vec<u32>,
    previous: Vec<u32>,
}

struct Block {
    address: CUdeviceptr,
    class: u32,
    chunk: u32,
    is_free: bool,
    /// In the list of free blocks of its class.
    next: Option<u32>,
    before: Option<u32>,
}

struct Chunk {
    /// `None` after it was freed.
    memory: Option<CudaSlice<u8>>,
    range: Range<CUdeviceptr>,
    /// Where the next block begins.
    next: CUdeviceptr,
    /// The blocks that are not free.
    used: usize,
}

/// The smallest block. Addresses are aligned to it.
const SMALLEST: usize = 512;
/// The smallest chunk.
const CHUNK: usize = 16 << 20;

/// The class of the smallest blocks with this size: the sizes of the classes are 4, 5, 6 and 7 times a power of two.
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

/// The size of the blocks of a class.
fn size_of_class(class: u32) -> usize {
    let class = class as usize + 1;
    if class < 4 { class * SMALLEST } else { ((4 + class % 4) * SMALLEST) << (class / 4 - 1) }
}

impl State {
    /// The block and its address, and the memory of a new chunk.
    fn alloc(
        &mut self,
        bytes: usize,
        stream: &Arc<CudaStream>,
    ) -> Result<(u32, CUdeviceptr, Option<Range<CUdeviceptr>>), NoMemory> {
        let class = class_of(bytes);
        let expected = self.previous.get(self.now.len()).copied().filter(|block| {
            let block = &self.blocks[*block as usize];
            self.in_run && block.is_free && block.class == class
        });
        let free = expected.or_else(|| self.free.get(class as usize).copied().flatten());
        let (block, new) = if let Some(block) = free { (block, None) } else { self.cut(class, stream)? };
        if self.in_run {
            self.now.push(block);
        }
        self.unlink(block);
        let own = &mut self.blocks[block as usize];
        own.is_free = false;
        self.chunks[own.chunk as usize].used += 1;
        self.memory.used += size_of_class(class);
        self.memory.peak = self.memory.peak.max(self.memory.used);
        Ok((block, own.address, new))
    }

    /// A new free block.
    fn cut(&mut self, class: u32, stream: &Arc<CudaStream>) -> Result<(u32, Option<Range<CUdeviceptr>>), NoMemory> {
        let size = size_of_class(class);
        let has_room = |chunk: &Chunk| chunk.memory.is_some() && chunk.next + size as CUdeviceptr <= chunk.range.end;
        let (chunk, new) = if let Some(chunk) = self.chunks.iter().rposition(has_room) {
            (chunk, None)
        } else {
            let new = self.add_chunk(size, stream)?;
            (self.chunks.len() - 1, Some(new))
        };
        let own = &mut self.chunks[chunk];
        let (address, block) = (own.next, self.blocks.len() as u32);
        own.next += size as CUdeviceptr;
        self.blocks.push(Block { address, class, chunk: chunk as u32, is_free: false, next: None, before: None });
        self.link(block);
        Ok((block, new))
    }

    fn add_chunk(&mut self, size: usize, stream: &Arc<CudaStream>) -> Result<Range<CUdeviceptr>, NoMemory> {
        // No block begins where the chunk begins.
        let bytes = size.saturating_add(SMALLEST);
        let limit = self.limit.unwrap_or(usize::MAX);
        // The steps of a run use free memory too.
        if !self.in_run && self.memory.reserved.saturating_add(bytes) > limit {
            self.trim();
        }
        let room = limit.saturating_sub(self.memory.reserved);
        if bytes > room {
            return Err(NoMemory::Limit { requested: size, limit });
        }
        let bytes = bytes.max(CHUNK.min(room));
        // SAFETY: nothing reads a byte of it that was not written: this is the promise of the callers of `alloc`, and `alloc_zeros` writes all bytes.
        let memory = unsafe { stream.alloc::<u8>(bytes) }.map_err(NoMemory::Driver)?;
        let begin = memory.device_ptr(stream).0;
        let range = begin..begin + bytes as CUdeviceptr;
        let next = (begin + 1).next_multiple_of(SMALLEST as CUdeviceptr);
        self.chunks.push(Chunk { memory: Some(memory), range: range.clone(), next, used: 0 });
        self.memory.reserved += bytes;
        Ok(range)
    }

    fn give_back(&mut self, block: u32) {
        let own = &self.blocks[block as usize];
        self.memory.used -= size_of_class(own.class);
        self.chunks[own.chunk as usize].used -= 1;
        self.link(block);
    }

    fn link(&mut self, block: u32) {
        let own = &mut self.blocks[block as usize];
        own.is_free = true;
        let class = own.class as usize;
        if self.free.len() <= class {
            self.free.resize(class + 1, None);
        }
        let next = self.free[class].replace(block);
        (own.next, own.before) = (next, None);
        if let Some(next) = next {
            self.blocks[next as usize].before = Some(block);
        }
    }

    fn unlink(&mut self, block: u32) {
        let own = &mut self.blocks[block as usize];
        let (class, next, before) = (own.class as usize, own.next.take(), own.before.take());
        match before {
            Some(before) => self.blocks[before as usize].next = next,
            None => self.free[class] = next,
        }
        if let Some(next) = next {
            self.blocks[next as usize].before = before;
        }
    }

    /// Frees the chunks without used blocks, and returns their memory.
    fn trim(&mut self) -> Vec<Range<CUdeviceptr>> {
        let mut freed = Vec::new();
        for chunk in 0..self.chunks.len() {
            let own = &mut self.chunks[chunk];
            if own.used > 0 || own.memory.is_none() {
                continue;
            }
            drop(own.memory.take());
            self.memory.reserved -= (own.range.end - own.range.start) as usize;
            freed.push(own.range.clone());
            for block in 0..self.blocks.len() as u32 {
                let own = &self.blocks[block as usize];
                if own.chunk as usize == chunk && own.is_free {
                    self.unlink(block);
                    let own = &mut self.blocks[block as usize];
                    // No slice has it.
                    (own.is_free, own.address) = (false, 0);
                }
            }
        }
        if self.chunks.iter().all(|chunk| chunk.memory.is_none()) {
            self.blocks.clear();
            self.chunks.clear();
        }
        freed
    }
}

impl PoolMemory {
    pub(crate) fn new(stream: &Arc<CudaStream>) -> Arc<Self> {
        Arc::new(Self { stream: stream.clone(), state: Mutex::default(), is_unsettled: AtomicBool::new(false) })
    }

    pub(crate) fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A slice, whose elements can have any bytes, and the memory that the pool has got for it from the driver.
    pub(crate) fn alloc<T>(
        self: &Arc<Self>,
        len: usize,
    ) -> Result<(PoolSlice<T>, Option<Range<CUdeviceptr>>), NoMemory> {
        let mut state = self.state();
        let limit = state.limit.unwrap_or(isize::MAX as usize);
        let too_large = NoMemory::Limit { requested: usize::MAX, limit };
        let bytes = len.checked_mul(size_of::<T>()).filter(|bytes| *bytes <= limit).ok_or(too_large)?;
        let (block, address, new) = state.alloc(bytes, &self.stream)?;
        drop(state);
        // SAFETY: the block has `len` elements, and belongs to this slice until its drop.
        let slice = ManuallyDrop::new(unsafe { self.stream.upgrade_device_ptr(address, len) });
        Ok((PoolSlice { slice, pool: self.clone(), block, address }, new))
    }

    /// The block of a slice that a program has exchanged with a slice of a `PoolSlice`: the slice owns its block.
    #[cold]
    fn block_at(&self, address: CUdeviceptr) -> Option<u32> {
        let state = self.state();
        let is_own = |block: &Block| block.address == address && !block.is_free;
        state.blocks.iter().position(is_own).map(|block| block as u32)
    }

    pub(crate) fn set_limit(&self, bytes: usize) {
        self.state().limit = Some(bytes);
    }

    pub(crate) fn memory_use(&self) -> MemoryUse {
        self.state().memory
    }

    /// Frees the memory that no slice has, in the order of the stream. Returns its ranges.
    pub(crate) fn trim(&self) -> Vec<Range<CUdeviceptr>> {
        self.await_streams();
        let mut state = self.state();
        state.previous.clear();
        state.trim()
    }

    pub(crate) fn begin_run(&self) {
        let mut state = self.state();
        state.in_run = true;
        state.now.clear();
    }

    pub(crate) fn end_run(&self, is_enqueued: bool) {
        let state = &mut *self.state();
        state.in_run = false;
        if is_enqueued {
            mem::swap(&mut state.now, &mut state.previous);
            if !state.previous.is_empty() || state.memory.used > 0 {
                let context = self.stream.context();
                self.is_unsettled.store(context.is_managing_stream_synchronization(), Ordering::Relaxed);
            }
        }
    }

    /// Before work of the stream uses memory that other streams may use, as far as cudarc tracks uses.
    pub(crate) fn await_streams(&self) {
        let context = self.stream.context();
        if context.is_managing_stream_synchronization() && self.state().memory.peak > 0 {
            context.record_err(context.synchronize());
        }
    }

    #[cold]
    fn settle(&self) {
        self.is_unsettled.store(false, Ordering::Relaxed);
        self.stream.context().record_err(self.stream.synchronize());
    }
}

impl Drop for PoolMemory {
    fn drop(&mut self) {
        self.await_streams();
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        for chunk in &mut state.chunks {
            // All slices of the pool are dropped. The program has taken the rest of its blocks.
            if chunk.used > 0 {
                mem::forget(chunk.memory.take());
            }
        }
    }
}

impl<T> Drop for PoolSlice<T> {
    fn drop(&mut self) {
        // SAFETY: it is not used afterwards.
        let slice = unsafe { ManuallyDrop::take(&mut self.slice) };
        let address = slice.device_ptr(slice.stream()).0;
        let block = if address == self.address { Some(self.block) } else { self.pool.block_at(address) };
        match block {
            Some(block) => {
                // The stream waits for the uses on other streams that cudarc has recorded.
                slice.leak();
                self.pool.state().give_back(block);
            }
            None => drop(slice),
        }
    }
}

impl<T> Deref for PoolSlice<T> {
    type Target = CudaSlice<T>;

    #[inline]
    fn deref(&self) -> &CudaSlice<T> {
        if self.pool.is_unsettled.load(Ordering::Relaxed) {
            self.pool.settle();
        }
        &self.slice
    }
}

impl<T> DerefMut for PoolSlice<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut CudaSlice<T> {
        if self.pool.is_unsettled.load(Ordering::Relaxed) {
            self.pool.settle();
        }
        &mut self.slice
    }
}

impl<T> memory::Sealed<T> for PoolSlice<T> {}

impl<T> DeviceMemory<T> for PoolSlice<T> {
    type Slice = CudaSlice<T>;

    #[inline]
    fn slice(&self) -> &CudaSlice<T> {
        self
    }
}

impl<T> DeviceMemoryMut<T> for PoolSlice<T> {}

impl<T: 'static> Keep for PoolSlice<T> {
    fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>) {
        memory.add(self);
    }
}

impl<T> fmt::Debug for PoolSlice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolSlice").field("len", &self.slice.len()).finish_non_exhaustive()
    }
}

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
