//! Memory of graphs: allocation and free nodes, and how much memory they use (CUDA driver API, "Graph management"; the
//! programming guide's "Graph memory nodes").

use std::{
    ffi::{c_int, c_uint},
    sync::{Arc, atomic::Ordering},
};

use crate::{
    entry::{In, Out},
    error::{Outcome, Status},
    handle::Handle,
    memory::{
        Block, Kind,
        blocks::{RESERVED, RESERVED_HIGH, USED, USED_HIGH},
    },
    state::{Driver, Operation},
};

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
    /// Returns whether nodes of the graph allocate or free memory.
    pub(crate) fn has_memory(&self, graph: Handle) -> Outcome<bool> {
        let nodes = &self.graphs.get(graph)?.nodes;
        Ok(nodes.iter().any(|node| self.nodes.get(*node).is_ok_and(|node| node.operation.is_memory())))
    }

    /// Returns the memory that a new node of `graph` frees.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if no node allocates it, this graph frees it already, or its own graph and another
    /// graph would both free it.
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
                self.memory.free(block.address, &[Kind::Graph])?;
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
