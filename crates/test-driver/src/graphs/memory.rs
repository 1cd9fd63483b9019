//! Memory of graphs: allocation and free nodes, and how much memory they use (CUDA driver API, "Graph management"; the programming
//! guide's "Graph memory nodes").

use std::{
    collections::HashMap,
    ffi::{c_int, c_uint},
    sync::{Arc, Weak, atomic::Ordering},
};

use crate::{
    entry::{In, Out},
    error::{Outcome, Status},
    handle::Handle,
    memory::Block,
    state::{Driver, Operation},
};

/// The memory of all allocation nodes, by its address.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    all: HashMap<u64, Weak<Block>>,
    allocated: HashMap<u64, Arc<Block>>,
    /// By the device: `CUgraphMem_attribute`.
    figures: HashMap<c_int, [u64; 4]>,
}

const USED: usize = 0;
const USED_HIGH: usize = 1;
const RESERVED: usize = 2;
const RESERVED_HIGH: usize = 3;
/// The driver reserves memory in units of 32 MiB (seen with driver 580).
const UNIT: u64 = 32 << 20;

impl Blocks {
    pub(crate) fn add(&mut self, block: &Arc<Block>) {
        self.all.retain(|_, block| block.strong_count() > 0);
        self.all.insert(block.address, Arc::downgrade(block));
    }

    pub(crate) fn get(&self, address: u64) -> Option<Arc<Block>> {
        self.all.get(&address)?.upgrade()
    }

    pub(crate) fn allocated(&mut self, block: Arc<Block>) {
        let device = block.device;
        self.allocated.insert(block.address, block);
        self.count(device);
    }

    pub(crate) fn freed(&mut self, address: u64) {
        if let Some(block) = self.allocated.remove(&address) {
            self.count(block.device);
        }
    }

    fn is_allocated(&self, address: u64) -> bool {
        self.allocated.contains_key(&address)
    }

    fn count(&mut self, device: c_int) {
        let of_device = self.allocated.values().filter(|block| block.device == device);
        let used = of_device.count() as u64 * UNIT;
        let figures = self.figures.entry(device).or_default();
        figures[USED] = used;
        figures[RESERVED] = figures[RESERVED].max(used);
        figures[USED_HIGH] = figures[USED_HIGH].max(used);
        figures[RESERVED_HIGH] = figures[RESERVED_HIGH].max(figures[RESERVED]);
    }
}

/// `CUDA_MEM_ALLOC_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
struct AllocParams {
    /// Allocation type, handle types, location type, location.
    properties: [c_int; 4],
    security: usize,
    largest: usize,
    /// The usage, and reserved bytes.
    usage: [u64; 7],
    access: usize,
    access_count: usize,
    bytes: usize,
    address: u64,
}

const _: () = assert!(size_of::<AllocParams>() == 120);

impl Driver {
    /// Whether nodes of the graph allocate or free memory.
    pub(crate) fn has_memory(&self, graph: Handle) -> Outcome<bool> {
        let nodes = &self.graphs.get(graph)?.nodes;
        Ok(nodes.iter().any(|node| self.nodes.get(*node).is_ok_and(|node| node.operation.is_memory())))
    }

    /// The memory that a new node of `graph` frees.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if no node allocates it, this graph frees it already, or its own graph and another graph would both free it.
    fn to_free(&self, graph: Handle, address: u64) -> Outcome<Arc<Block>> {
        let block = self.memory.blocks.get(address).ok_or(Status::INVALID_VALUE)?;
        let owner = self.graphs.iter().find_map(|(owner, held)| {
            let allocates = |node: &Handle| {
                matches!(self.nodes.get(*node).map(|node| &node.operation),
                    Ok(Operation::Allocate { block }) if block.address == address)
            };
            held.nodes.iter().any(allocates).then_some(owner)
        });
        let before = Handle(block.freed_in.load(Ordering::Relaxed));
        if !before.is_null() && (before == graph || Some(before) == owner || Some(graph) == owner) {
            return Err(Status::INVALID_VALUE);
        }
        Ok(block)
    }

    /// The launch of a graph: it must not find memory allocated that it allocates, unless it frees this memory first.
    pub(crate) fn begin_allocations(&mut self, operations: &[Operation], frees_first: bool) -> Outcome {
        for operation in operations {
            if let Operation::Allocate { block } = operation
                && self.memory.blocks.is_allocated(block.address)
            {
                if !frees_first {
                    return Err(Status::INVALID_VALUE);
                }
                self.memory.free(block.address, &[crate::memory::Kind::Graph])?;
            }
        }
        Ok(())
    }

    fn graph_figures(&mut self, device: c_int, attribute: c_uint) -> Outcome<&mut [u64; 4]> {
        self.device(device)?;
        if attribute as usize > RESERVED_HIGH {
            return Err(Status::INVALID_VALUE);
        }
        Ok(self.memory.blocks.figures.entry(device).or_default())
    }
}

entry_points! {
    fn cuGraphAddMemAllocNode(
        driver, node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, params: Out<AllocParams>,
    ) {
        /// `CU_MEM_ALLOCATION_TYPE_PINNED`, `CU_MEM_LOCATION_TYPE_DEVICE`.
        const PINNED: c_int = 1;
        const DEVICE: c_int = 1;
        let mut wanted = params.get()?;
        let [allocation, handles, location, device] = wanted.properties;
        if (allocation, handles, location) != (PINNED, 0, DEVICE) || driver.device(device).is_err() {
            return Err(Status::INVALID_VALUE);
        }
        if wanted.access_count != 0 {
            return Err(Status::NOT_SUPPORTED);
        }
        let block = driver.memory.reserve(wanted.bytes, device)?;
        wanted.address = block.address;
        node.set(driver.add_node(graph, Operation::Allocate { block }, dependencies.take(count)?)?)?;
        params.set(wanted)
    }

    fn cuGraphAddMemFreeNode(
        driver, node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, address: u64,
    ) {
        let dependencies = dependencies.take(count)?;
        let block = driver.to_free(graph, address)?;
        node.set(driver.add_node(graph, Operation::Free { address }, dependencies)?)?;
        block.freed_in.store(graph.0, Ordering::Relaxed);
        Ok(())
    }

    fn cuDeviceGraphMemTrim(driver, device: c_int) {
        let figures = driver.graph_figures(device, 0)?;
        figures[RESERVED] = figures[USED];
        Ok(())
    }

    fn cuDeviceGetGraphMemAttribute(driver, device: c_int, attribute: c_uint, value: Out<u64>) {
        value.set(driver.graph_figures(device, attribute)?[attribute as usize])
    }

    fn cuDeviceSetGraphMemAttribute(driver, device: c_int, attribute: c_uint, value: In<u64>) {
        let figures = driver.graph_figures(device, attribute)?;
        // Only the largest values can be set, and only to zero.
        let current = match attribute as usize {
            USED_HIGH => USED,
            RESERVED_HIGH => RESERVED,
            _ => return Err(Status::INVALID_VALUE),
        };
        if value.get()? != 0 {
            return Err(Status::INVALID_VALUE);
        }
        figures[attribute as usize] = figures[current];
        Ok(())
    }
}
