//! Device memory, which is host memory: allocations, pools, copies and fills, arrays and textures.
//!
//! This file has the live allocations, and every access to them.

pub(crate) mod blocks;
pub(crate) mod copy;
pub(crate) mod pointer;
pub(crate) mod pool;
pub(crate) mod region;
pub(crate) mod texture;

use std::{
    alloc::{Layout, alloc, alloc_zeroed, dealloc},
    collections::{BTreeMap, HashSet, VecDeque},
    ffi::c_int,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::{
    error::{Outcome, Status},
    execute::Written,
    handle::Handle,
};

use blocks::Blocks;

/// The memory of a device.
pub(crate) const TOTAL_MEMORY: u64 = 80 << 30;

/// Who can access an allocation, and who frees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `cuMemAlloc`: memory of one context.
    Device,
    /// `cuMemAllocAsync`: memory of the device, for all its contexts.
    Pooled,
    /// `cuMemAllocManaged`: host and every device.
    Managed,
    /// `cuMemHostAlloc`: host and every device.
    Pinned,
    /// `cuMemHostRegister`: memory of the program that is only registered here.
    Registered,
    /// A module's variable, freed with the module.
    Variable,
    /// The texels of an array, freed with the array.
    Array,
    /// Allocated by a graph: memory of the device, for all its contexts.
    Graph,
}

/// One live allocation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allocation {
    pub(crate) length: usize,
    pub(crate) kind: Kind,
    pub(crate) context: Handle,
    pub(crate) device: c_int,
    pub(crate) id: u64,
}

/// The largest pages of Linux, in bytes.
const PAGE: u64 = if cfg!(target_arch = "aarch64") { 64 << 10 } else { 4 << 10 };

impl Allocation {
    /// Returns whether the host may access it directly.
    pub(crate) fn on_host(&self) -> bool {
        matches!(self.kind, Kind::Managed | Kind::Pinned | Kind::Registered)
    }

    /// Returns whether it is memory of the host that kernels can access.
    pub(crate) fn is_only_on_host(&self) -> bool {
        matches!(self.kind, Kind::Pinned | Kind::Registered)
    }

    /// Returns whether a kernel of `context` on `device` may access it.
    pub(crate) fn reachable_from(&self, context: Handle, device: c_int, peers: &Peers) -> bool {
        match self.kind {
            Kind::Device | Kind::Variable | Kind::Array => {
                self.context == context || peers.contexts.contains(&(context, self.context))
            }
            // Pools ignore the peer access of contexts.
            Kind::Pooled | Kind::Graph => self.device == device || peers.pools.contains(&(device, self.device)),
            Kind::Managed | Kind::Pinned | Kind::Registered => true,
        }
    }
}

/// Access rights in addition to the owner's.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    /// A context whose kernels may access the memory of another context.
    pub(crate) contexts: HashSet<(Handle, Handle)>,
    /// A device whose kernels may access the pools of another device.
    pub(crate) pools: HashSet<(c_int, c_int)>,
}

/// All live allocations by their start address.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) peers: Peers,
    live: BTreeMap<u64, Allocation>,
    /// The memory of allocation nodes, by its address.
    pub(crate) blocks: Blocks,
    allocated: u64,
    made: u64,
    /// Whether it is tracked which bytes were written.
    pub(crate) tracks: bool,
    pub(crate) written: Written,
    /// Slices of a pool that the program has declared: the lengths of the slice and of its block, by the address.
    slices: BTreeMap<u64, (u64, u64)>,
    /// The last allocations that were freed: start, length and number.
    freed: VecDeque<(u64, u64, u64)>,
}

/// The freed allocations that are remembered for reports.
const REMEMBERED: usize = 256;

/// The alignment of `cuMemAlloc` on an H100.
const ALIGNMENT: usize = 512;
/// Larger allocations are left zeroed: filling them would touch every page.
const FILL_LIMIT: usize = 16 << 20;
const FILL: u8 = 0xa5;

fn layout(length: usize) -> Outcome<Layout> {
    Layout::from_size_align(length, ALIGNMENT).map_err(|_| Status::OUT_OF_MEMORY)
}

/// Returns whether the host has this memory. It is asked once for every 64 MiB.
fn is_on_host(length: usize) -> bool {
    const OFTEN: usize = 64 << 20;
    /// What the rest of the program can need.
    const RESERVE: usize = 256 << 20;
    static FILLED: AtomicUsize = AtomicUsize::new(0);
    let before = FILLED.fetch_add(length, Ordering::Relaxed);
    if before / OFTEN == before.saturating_add(length) / OFTEN {
        return true;
    }
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let free = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    let fits = free.is_none_or(|kib| length + RESERVE <= kib << 10);
    if !fits {
        eprintln!(
            "kernel-args test driver: {length} bytes of device memory are refused: this machine has no more memory"
        );
    }
    fits
}

/// New memory, filled with `0xA5` up to 16 MiB.
fn memory(length: usize) -> Outcome<u64> {
    let layout = layout(length)?;
    let start = if length <= FILL_LIMIT {
        if !is_on_host(length) {
            return Err(Status::OUT_OF_MEMORY);
        }
        // SAFETY: the layout's size is not zero.
        let start = unsafe { alloc(layout) };
        if !start.is_null() {
            // SAFETY: the block has `length` bytes.
            unsafe { start.write_bytes(FILL, length) };
        }
        start
    } else {
        // SAFETY: the layout's size is not zero.
        unsafe { alloc_zeroed(layout) }
    };
    if start.is_null() {
        return Err(Status::OUT_OF_MEMORY);
    }
    Ok(start.expose_provenance() as u64)
}

/// The memory of an allocation node. It exists as long as a node, an executable graph or an allocation refers to it, so
/// its address is fixed.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) address: u64,
    length: usize,
    pub(crate) device: c_int,
    /// The graph that has a free node for it, as a number; 0 for none.
    pub(crate) freed_in: AtomicUsize,
}

impl Drop for Block {
    fn drop(&mut self) {
        if let Ok(layout) = layout(self.length) {
            // SAFETY: the block came from `memory` with this layout, and nothing refers to it.
            unsafe { dealloc(host(self.address), layout) };
        }
    }
}

fn host(address: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

impl Memory {
    /// Allocates `length` bytes, filled with `0xA5` up to 16 MiB.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for 0 bytes, `CUDA_ERROR_OUT_OF_MEMORY` beyond the device's 80 GiB.
    pub(crate) fn allocate(&mut self, length: usize, kind: Kind, context: Handle, device: c_int) -> Outcome<u64> {
        if length == 0 {
            return Err(Status::INVALID_VALUE);
        }
        if self.allocated.saturating_add(length as u64) > TOTAL_MEMORY {
            return Err(Status::OUT_OF_MEMORY);
        }
        let address = memory(length)?;
        self.insert(address, length, kind, context, device);
        Ok(address)
    }

    fn insert(&mut self, address: u64, length: usize, kind: Kind, context: Handle, device: c_int) {
        self.allocated += length as u64;
        self.made += 1;
        let allocation = Allocation { length, kind, context, device, id: self.made };
        self.live.insert(address, allocation);
        if self.tracks && matches!(kind, Kind::Device | Kind::Pooled | Kind::Graph) {
            self.written.insert(address, vec![0; length.div_ceil(64)]);
        }
    }

    /// Tracks from now on which bytes are written.
    pub(crate) fn track(&mut self, tracks: bool) {
        self.tracks = tracks;
        self.written.clear();
    }

    /// The host or a copy has written `length` bytes.
    fn mark(&mut self, address: u64, length: usize) {
        if !self.tracks {
            return;
        }
        self.set_written(address, length, true);
    }

    fn set_written(&mut self, address: u64, length: usize, is_written: bool) {
        let Some((start, bits)) = self.written.range_mut(..=address).next_back() else { return };
        let first = (address - start) as usize;
        for at in first..first + length {
            match bits.get_mut(at / 64) {
                Some(word) if is_written => *word |= 1 << (at % 64),
                Some(word) => *word &= !(1 << (at % 64)),
                None => return,
            }
        }
    }

    /// Returns the memory that kernels of `context` on `device` can access: starts and ends, in ascending order.
    pub(crate) fn regions(&self, context: Handle, device: c_int) -> Vec<(u64, u64)> {
        let reachable = self.live.iter().filter(|(_, held)| held.reachable_from(context, device, &self.peers));
        let parts = reachable.flat_map(|(start, held)| {
            let end = start + held.length as u64;
            let slices = self.slices.range(start..&end).map(|(at, (length, _))| (*at, at + length));
            let whole = self.slices.range(start..&end).next().is_none().then_some((*start, end));
            whole.into_iter().chain(slices)
        });
        parts.filter(|(start, end)| start < end).collect()
    }

    /// A slice at the start of a block, which a pool of the program has cut from an allocation.
    pub(crate) fn declare_slice(&mut self, address: u64, length: usize, room: usize) {
        if !self.holds(address, length.max(room)) {
            return;
        }
        let (length, room) = (length as u64, length.max(room) as u64);
        let end = address + room;
        self.slices.retain(|at, (_, room)| *at >= end || at + *room <= address);
        self.slices.insert(address, (length, room));
        if self.tracks {
            // Nothing has written the slice.
            self.set_written(address, room as usize, false);
        }
    }

    /// Returns the allocation with an address or next to it: start, length, number, and whether it is freed.
    pub(crate) fn nearest(&self, address: u64) -> Option<(u64, u64, u64, bool)> {
        let freed = self.freed.iter().rev().find(|(start, length, _)| (*start..start + length).contains(&address));
        if let (Some((start, length, id)), None) = (freed, self.find(address)) {
            return Some((*start, *length, *id, true));
        }
        let slice = self.slices.range(..=address).next_back().map(|(at, (length, _))| (*at, *length));
        if let (Some((at, length)), Some((start, held))) = (slice, self.find(address))
            && at >= start
        {
            return Some((at, length, held.id, false));
        }
        let before = self.live.range(..=address).next_back();
        let after = self.live.range(address..).next();
        let distance = |(start, held): &(&u64, &Allocation)| {
            if **start > address { *start - address } else { address.saturating_sub(*start + held.length as u64) }
        };
        let nearest = before.into_iter().chain(after).min_by_key(distance)?;
        Some((*nearest.0, nearest.1.length as u64, nearest.1.id, false))
    }

    /// Registers memory of the program.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for no memory, `CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED` for memory that is known
    /// already, or that shares a page with registered memory.
    pub(crate) fn register(&mut self, address: u64, length: usize) -> Outcome {
        if address == 0 || length == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let pages = |start: u64, length: usize| start / PAGE..=(start + length as u64 - 1) / PAGE;
        let new = pages(address, length);
        let shares_a_page = self.live.iter().any(|(&start, held)| {
            let old = pages(start, held.length.max(1));
            held.kind == Kind::Registered && old.start() <= new.end() && new.start() <= old.end()
        });
        if shares_a_page || self.find(address).is_some() {
            return Err(Status::HOST_MEMORY_ALREADY_REGISTERED);
        }
        let kind = Kind::Registered;
        self.insert(address, length, kind, Handle::NULL, 0);
        self.allocated -= length as u64;
        Ok(())
    }

    /// Reserves the memory of an allocation node. It is not allocated before a graph runs the node.
    ///
    /// # Errors
    /// The errors of [`Self::allocate`].
    pub(crate) fn reserve(&mut self, length: usize, device: c_int) -> Outcome<Arc<Block>> {
        if length == 0 {
            return Err(Status::INVALID_VALUE);
        }
        if length as u64 > TOTAL_MEMORY {
            return Err(Status::OUT_OF_MEMORY);
        }
        let address = memory(length)?;
        let block = Arc::new(Block { address, length, device, freed_in: AtomicUsize::new(0) });
        self.blocks.add(&block);
        Ok(block)
    }

    /// A graph runs the node that allocates `block`.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if it is allocated already.
    pub(crate) fn allocate_block(&mut self, block: &Arc<Block>) -> Outcome {
        let (address, length, device) = (block.address, block.length, block.device);
        if self.live.contains_key(&address) {
            return Err(Status::INVALID_VALUE);
        }
        if length <= FILL_LIMIT {
            // SAFETY: the block has `length` bytes, and its memory is not in use.
            unsafe { host(address).write_bytes(FILL, length) };
        }
        self.insert(address, length, Kind::Graph, Handle::NULL, device);
        self.blocks.allocated(block.clone());
        Ok(())
    }

    /// Frees the allocation that begins at `address` and is of one of `kinds`.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if there is no such allocation: it is already freed, or the address is inside one.
    pub(crate) fn free(&mut self, address: u64, kinds: &[Kind]) -> Outcome {
        match self.live.get(&address) {
            Some(allocation) if kinds.contains(&allocation.kind) => {}
            _ => return Err(Status::INVALID_VALUE),
        }
        let Some(allocation) = self.live.remove(&address) else {
            return Err(Status::INVALID_VALUE);
        };
        self.written.remove(&address);
        let end = address + allocation.length as u64;
        if self.slices.range(address..end).next().is_some() {
            self.slices.retain(|at, _| !(address..end).contains(at));
        }
        self.freed.push_back((address, allocation.length as u64, allocation.id));
        if self.freed.len() > REMEMBERED {
            self.freed.pop_front();
        }
        if allocation.kind != Kind::Registered {
            self.allocated -= allocation.length as u64;
            if allocation.kind == Kind::Graph {
                self.blocks.freed(address);
                return Ok(());
            }
            let layout = layout(allocation.length)?;
            // SAFETY: the block came from `allocate` with this layout, and its only entry was just removed.
            unsafe { dealloc(host(address), layout) };
        }
        Ok(())
    }

    /// Frees the memory of a destroyed context.
    pub(crate) fn free_context(&mut self, context: Handle) {
        self.peers.contexts.retain(|(kernels, memory)| *kernels != context && *memory != context);
        let doomed: Vec<(u64, Kind)> = self
            .live
            .iter()
            .filter(|(_, allocation)| allocation.context == context)
            .map(|(address, allocation)| (*address, allocation.kind))
            .collect();
        for (address, kind) in doomed {
            // It was found one line above.
            let _ = self.free(address, &[kind]);
        }
    }

    /// Returns the allocation that contains `address`, with its start address.
    pub(crate) fn find(&self, address: u64) -> Option<(u64, Allocation)> {
        let (start, allocation) = self.live.range(..=address).next_back()?;
        (address - start < allocation.length as u64).then_some((*start, *allocation))
    }

    /// Returns whether `length` bytes starting at `address` are inside one allocation.
    pub(crate) fn holds(&self, address: u64, length: usize) -> bool {
        self.find(address)
            .is_some_and(|(start, allocation)| (allocation.length as u64 - (address - start)) >= length as u64)
    }

    /// Copies between two addresses. Each is checked if it is device memory.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if a device range is not inside one live allocation, or a host pointer is null.
    pub(crate) fn copy(&mut self, to: Place, from: Place, length: usize) -> Outcome {
        if length == 0 {
            return Ok(());
        }
        if let Place::Device(address) = to {
            self.mark(address, length);
        }
        let to = self.resolve(to, length)?;
        let from = self.resolve(from, length)?;
        // SAFETY: device ranges were checked. For host ranges the caller guarantees validity, as CUDA requires. The
        // ranges may overlap.
        unsafe { to.copy_from(from, length) };
        Ok(())
    }

    /// Writes `pattern` `count` times starting at `address`, checked like [`Self::copy`].
    pub(crate) fn set(&mut self, address: u64, pattern: &[u8], count: usize) -> Outcome {
        const PART: usize = 1 << 16;
        let length = pattern.len().checked_mul(count).ok_or(Status::INVALID_VALUE)?;
        if length == 0 {
            return Ok(());
        }
        let start = self.resolve(Place::Device(address), length)?;
        self.mark(address, length);
        let bytes = pattern.repeat(count.min(PART));
        for at in (0..length).step_by(bytes.len()) {
            let part = bytes.len().min(length - at);
            // SAFETY: the destination was checked; `bytes` is not part of an allocation.
            unsafe { start.wrapping_add(at).copy_from_nonoverlapping(bytes.as_ptr(), part) };
        }
        Ok(())
    }

    fn resolve(&self, place: Place, length: usize) -> Outcome<*mut u8> {
        match place {
            Place::Device(address) if self.holds(address, length) => Ok(host(address)),
            Place::Host(address) if address != 0 => Ok(host(address)),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    /// Returns the number and the total size of the live allocations that a program made and must free.
    pub(crate) fn live(&self) -> (u64, u64) {
        let owned = self.live.values().filter(|held| !matches!(held.kind, Kind::Variable | Kind::Array));
        owned.fold((0, 0), |(count, bytes), held| (count + 1, bytes + held.length as u64))
    }

    pub(crate) fn free_bytes(&self) -> u64 {
        TOTAL_MEMORY - self.allocated
    }
}

/// One side of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Must be inside a live allocation.
    Device(u64),
    /// Any memory of the program.
    Host(u64),
}
