//! Memory that a graph allocates and frees when it runs.

use super::{
    AnyNode, Dependencies, Graph, GraphExec,
    allocations::GraphAllocation,
    contents::GraphContents,
    copy::size,
    explain::{self, Action},
};
use crate::{
    device::{DevicePointer, DevicePointerMut, DeviceType},
    driver::{
        api::{Api, ContextState, api, out},
        context::make_current,
        error::Error,
    },
    marshal::Retained,
};
use core::marker::PhantomData;
use cudarc::driver::{
    CudaContext,
    sys::{CUdevice, CUdeviceptr},
};
use std::sync::Arc;

/// Memory of `len` elements that a graph allocates each time it runs: see [`Graph::add_alloc`].
///
/// For the nodes of the same graph, [`read`](Self::read) and [`write`](Self::write) are arguments where a struct has a
/// [`Retained`] pointer, and [`pointer`](Self::pointer) is for copies and memsets. The address is fixed for all
/// launches.
///
/// The memory exists during a launch of the graph, from the node that allocates it to the node that frees it; without
/// such a node, until user code frees it. The handle itself keeps nothing allocated.
pub struct GraphMemory<T> {
    address: CUdeviceptr,
    len: usize,
    node: AnyNode,
    context: Arc<CudaContext>,
    elements: PhantomData<fn() -> T>,
}

impl<T: DeviceType> GraphMemory<T> {
    /// Returns the argument for a kernel that reads the memory: C++'s `T const*`.
    #[must_use]
    pub fn read(&self) -> Retained<DevicePointer<T>> {
        Retained::of_graph(DevicePointer::from_raw(self.address), self.len, &self.context)
    }

    /// Returns the argument for a kernel that writes the memory: C++'s `T*`.
    #[must_use]
    pub fn write(&self) -> Retained<DevicePointerMut<T>> {
        Retained::of_graph(self.pointer(), self.len, &self.context)
    }

    /// Returns the pointer to the first element.
    #[must_use]
    pub fn pointer(&self) -> DevicePointerMut<T> {
        DevicePointerMut::from_raw(self.address)
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements, which [`Graph::add_alloc`] rejects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the node that allocates the memory.
    #[must_use]
    pub fn node(&self) -> AnyNode {
        self.node
    }

    pub(super) fn of<'c>(&self, contents: &'c GraphContents, action: Action) -> Result<&'c GraphAllocation, Error> {
        contents.memory.of(self.address, self.node.0).ok_or_else(|| action.foreign_memory())
    }
}

impl<T> Clone for GraphMemory<T> {
    fn clone(&self) -> Self {
        Self { context: self.context.clone(), ..*self }
    }
}

debug!([T] GraphMemory<T>, this => address: format_args!("{:#x}", this.address), len: this.len);

impl Graph {
    /// Adds a node that allocates uninitialized memory for `len` elements on the graph's device, after the nodes
    /// `after`.
    ///
    /// Nodes whose arguments contain an address of the memory run after this node.
    /// [`graphs`](crate::guide::graphs#memory-of-the-graph) has an example, the uses that the graph does not find, and
    /// what becomes of memory that no node frees.
    ///
    /// # Limits of CUDA
    ///
    /// A graph that allocates or frees memory can be instantiated only once at a time, its nodes cannot be
    /// [removed](Self::remove), and it cannot take part in [`GraphExec::update_graph`].
    ///
    /// # Errors
    /// [`Error::Graph`] if `len` is 0, if one of `after` belongs to a different graph, or if the driver returns an
    /// error, such as too little memory.
    pub fn add_alloc<T: DeviceType>(&mut self, len: usize, after: impl Dependencies) -> Result<GraphMemory<T>, Error> {
        let action = explain::ALLOCATED;
        let bytes = size::<T>(len).ok_or_else(|| match len {
            0 => action.nothing_to_allocate(),
            _ => action.too_large_allocation(len, size_of::<T>()),
        })?;
        let after = self.after(None, after)?;
        make_current(&self.context)?;
        let (node, address) = action.check(after.add_alloc(self.context.cu_device(), bytes))?;
        let state = || ContextState::of(self.driver.api(), &self.context);
        self.contents.memory.add(address, bytes, node, state);
        Ok(GraphMemory { address, len, node: AnyNode(node), context: self.context.clone(), elements: PhantomData })
    }

    /// Adds a node that frees the memory, after the nodes `after` and after all nodes of the graph that use it. A node
    /// that is added later cannot use the memory.
    ///
    /// # Errors
    /// [`Error::Graph`] if the memory or one of `after` belongs to a different graph, this graph frees it already, or
    /// the driver returns an error.
    pub fn add_free<T: DeviceType>(
        &mut self,
        memory: &GraphMemory<T>,
        after: impl Dependencies,
    ) -> Result<AnyNode, Error> {
        let own = memory.of(&self.contents, explain::ADDED)?;
        if own.freed_by.is_some() {
            return Err(explain::ADDED.freed_twice());
        }
        let mut after = self.after(None, after)?;
        after.also(own.node);
        own.users.iter().for_each(|user| after.also(*user));
        make_current(&self.context)?;
        let node = explain::ADDED.check(after.add_free(memory.address))?;
        drop(after);
        self.contents.memory.freed(memory.address, node);
        Ok(AnyNode(node))
    }

    /// [`instantiate`](Self::instantiate) with `CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH`: each launch first
    /// frees the memory that the previous launch has left allocated.
    ///
    /// # Errors
    /// As for [`instantiate`](Self::instantiate).
    pub fn instantiate_auto_free(self) -> Result<GraphExec, Error> {
        const AUTO_FREE_ON_LAUNCH: u64 = 1;
        self.instantiate_with(AUTO_FREE_ON_LAUNCH)
    }
}

/// The memory that the graphs of a device have allocated, in bytes: `cuDeviceGetGraphMemAttribute`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphMemoryUse {
    /// The memory that graphs use now.
    pub used: u64,
    /// The largest value of `used` since the last [`Graph::reset_memory_peaks`].
    pub used_peak: u64,
    /// The memory that the driver keeps for graphs now, for example for their next launch.
    pub reserved: u64,
    /// The largest value of `reserved` since the last [`Graph::reset_memory_peaks`].
    pub reserved_peak: u64,
}

/// `CUgraphMem_attribute`.
const USED: u32 = 0;
const USED_PEAK: u32 = 1;
const RESERVED: u32 = 2;
const RESERVED_PEAK: u32 = 3;

fn device(ctx: &Arc<CudaContext>) -> Result<(&'static Api, CUdevice), Error> {
    let api = api()?;
    make_current(ctx)?;
    Ok((api, ctx.cu_device()))
}

impl Graph {
    /// Returns the memory that the graphs of the device of `ctx` use.
    ///
    /// # Errors
    /// [`Error::Driver`], [`Error::OldDriver`].
    pub fn memory_use(ctx: &Arc<CudaContext>) -> Result<GraphMemoryUse, Error> {
        let (api, device) = device(ctx)?;
        let get = |attribute| out(|value| api.cuDeviceGetGraphMemAttribute(device, attribute, value));
        Ok(GraphMemoryUse {
            used: get(USED)?,
            used_peak: get(USED_PEAK)?,
            reserved: get(RESERVED)?,
            reserved_peak: get(RESERVED_PEAK)?,
        })
    }

    /// Gives memory that the driver keeps for graphs of this device, but no graph uses now, back to the device:
    /// `cuDeviceGraphMemTrim`.
    ///
    /// # Errors
    /// [`Error::Driver`], [`Error::OldDriver`].
    pub fn trim_memory(ctx: &Arc<CudaContext>) -> Result<(), Error> {
        let (api, device) = device(ctx)?;
        Ok(api.cuDeviceGraphMemTrim(device)?)
    }

    /// Sets the peaks of [`memory_use`](Self::memory_use) to the current values.
    ///
    /// # Errors
    /// [`Error::Driver`], [`Error::OldDriver`].
    pub fn reset_memory_peaks(ctx: &Arc<CudaContext>) -> Result<(), Error> {
        let (api, device) = device(ctx)?;
        for attribute in [USED_PEAK, RESERVED_PEAK] {
            api.cuDeviceSetGraphMemAttribute(device, attribute, &mut 0)?;
        }
        Ok(())
    }
}
