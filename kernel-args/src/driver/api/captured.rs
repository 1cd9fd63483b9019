//! A captured graph as recorded steps: the launches, copies and memsets of code that this crate does not see.

use super::{
    Api, CallError, Graph, LaunchAttribute, StreamHandle, copies,
    graph_nodes::GraphNode,
    launch::{
        CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_END, MemoryOperation, Shape, push_captured_launch,
        push_captured_memory, push_parameter,
    },
    node_params::KernelNodeRecord,
};
use core::{ffi::c_void, slice};
use cudarc::driver::sys::{CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS, CUdeviceptr, CUmemorytype};

pub(crate) enum NotRead {
    Call(CallError),
    /// The driver does not report the parameters of kernels: it is older than 12.4.
    Parameters,
    /// It has a node that a run cannot have.
    Node(&'static str),
    /// It allocates or frees memory.
    Allocation,
    /// A copy or a memset uses memory that is not allowed: whether it is written, and whether it is memory of the host.
    Memory {
        is_written: bool,
        is_host: bool,
    },
}

impl<E: Into<CallError>> From<E> for NotRead {
    fn from(error: E) -> Self {
        Self::Call(error.into())
    }
}

/// The attributes of kernels that libraries set, by their `CUlaunchAttributeID`: cooperative, cluster dimension,
/// cluster scheduling policy, priority, memory synchronization domain, preferred cluster dimension. Their default is
/// zero.
const ATTRIBUTES: [u32; 6] = [2, 4, 5, 8, 9, 11];

impl Graph {
    /// Appends its nodes to `words`, each after the nodes that it depends on, and returns their number. `allows`
    /// returns whether a copy or a memset may read or write this memory.
    pub(crate) fn read_steps(
        &self,
        words: &mut Vec<u64>,
        allows: &dyn Fn(CUdeviceptr, usize, bool) -> bool,
    ) -> Result<usize, NotRead> {
        let (graph, mut steps, mut all_read) = (self.as_ref(), 0, Ok(()));
        let (mut open, mut edges) = (graph.nodes()?, graph.edges()?);
        // The driver returns few nodes, usually in the order in which they were captured.
        while let Some(next) = open.iter().position(|node| edges.iter().all(|(_, after)| after != node)) {
            let id = open.remove(next);
            edges.retain(|(before, _)| *before != id);
            if let Some(node) = graph.node(id) {
                match node.read_step(words, allows) {
                    // The memory of the other nodes is checked.
                    Err(NotRead::Parameters) => all_read = Err(NotRead::Parameters),
                    read => steps += usize::from(read?),
                }
            }
        }
        all_read.map(|()| steps)
    }

    /// The kind of each node, as `CUgraphNodeType`.
    pub(crate) fn kinds(&self) -> Result<Vec<u32>, CallError> {
        let graph = self.as_ref();
        graph.nodes()?.into_iter().filter_map(|node| graph.node(node)).map(GraphNode::kind).collect()
    }
}

impl GraphNode<'_> {
    /// Returns whether the node is a step. An empty node is not.
    fn read_step(
        self,
        words: &mut Vec<u64>,
        allows: &dyn Fn(CUdeviceptr, usize, bool) -> bool,
    ) -> Result<bool, NotRead> {
        let check = |address, bytes, is_written| {
            let refused = NotRead::Memory { is_written, is_host: false };
            if allows(address, bytes, is_written) { Ok(()) } else { Err(refused) }
        };
        // `CUgraphNodeType`.
        let refused = match self.kind()? {
            0 => return self.read_launch(words).map(|()| true),
            1 => {
                let (to, from, bytes) = self.read_copy()?;
                check(to, bytes, true)?;
                check(from, bytes, false)?;
                push_captured_memory(words, MemoryOperation::Copy { to, from, bytes });
                return Ok(true);
            }
            2 => {
                let (dst, pitch, value, width, height) = (0, 0, 0, 0, 0);
                let mut memset = CUDA_MEMSET_NODE_PARAMS { dst, pitch, value, elementSize: 1, width, height };
                self.api.cuGraphMemsetNodeGetParams(self.node, &mut memset)?;
                let CUDA_MEMSET_NODE_PARAMS { dst, pitch, value, elementSize: element, width, height } = memset;
                let row = width * element as usize;
                if height > 1 && pitch != row {
                    return Err(NotRead::Node("a memset of rows with gaps"));
                }
                check(dst, row * height.max(1), true)?;
                let elements = width * height.max(1);
                push_captured_memory(words, MemoryOperation::Set { to: dst, value, element, elements });
                return Ok(true);
            }
            5 => return Ok(false),
            3 => "a call of a host function",
            4 => "the launch of a graph",
            6 | 7 => "an external event",
            8 | 9 => "an external semaphore",
            10 | 11 => return Err(NotRead::Allocation),
            12 => "a batch of memory operations",
            13 => "a conditional node",
            _ => "a node of an unknown kind",
        };
        Err(NotRead::Node(refused))
    }

    fn read_launch(self, words: &mut Vec<u64>) -> Result<(), NotRead> {
        let (record, function) = self.kernel()?;
        let mut parameters = Vec::new();
        let places = self.api.parameters(function)?.ok_or(NotRead::Parameters)?;
        for (index, (offset, size)) in places.into_iter().enumerate() {
            // SAFETY: `record` has the parameters of this function, and the node is not changed.
            let value = unsafe { parameter(&record, index, offset, size) };
            push_parameter(
                &mut parameters,
                value.ok_or(NotRead::Node("a kernel whose parameters the driver does not report"))?,
            );
        }
        let attributes = ATTRIBUTES.iter().filter_map(|id| self.attribute(*id).ok());
        let attributes: Vec<_> = attributes.filter(LaunchAttribute::is_set).collect();
        let KernelNodeRecord { grid, block, shared, .. } = record;
        let shape = Shape { grid, block, shared, shared_given: true };
        push_captured_launch(words, &shape, function, &attributes, &parameters);
        Ok(())
    }

    /// Returns the destination, the source and the size in bytes.
    fn read_copy(self) -> Result<(CUdeviceptr, CUdeviceptr, usize), NotRead> {
        let mut copy = copies::copy(copies::CopyPlace::Device(0), copies::CopyPlace::Device(0), [0; 3]);
        self.api.cuGraphMemcpyNodeGetParams(self.node, &mut copy)?;
        let CUDA_MEMCPY3D { WidthInBytes: width, Height: height, Depth: depth, .. } = copy;
        let (height, depth) = (height.max(1), depth.max(1));
        let side = |memory, device: CUdeviceptr, [x, y, z, pitch, rows]: [usize; 5], is_written| {
            match memory {
                CUmemorytype::CU_MEMORYTYPE_DEVICE | CUmemorytype::CU_MEMORYTYPE_UNIFIED => {}
                CUmemorytype::CU_MEMORYTYPE_HOST => return Err(NotRead::Memory { is_written, is_host: true }),
                CUmemorytype::CU_MEMORYTYPE_ARRAY => return Err(NotRead::Node("a copy of an array")),
            }
            if (height * depth > 1 && pitch != width) || (depth > 1 && rows != height) {
                return Err(NotRead::Node("a copy of rows with gaps"));
            }
            Ok(device + (x + y * pitch + z * pitch * rows) as CUdeviceptr)
        };
        let place = [copy.dstXInBytes, copy.dstY, copy.dstZ, copy.dstPitch, copy.dstHeight];
        let to = side(copy.dstMemoryType, copy.dstDevice, place, true)?;
        let place = [copy.srcXInBytes, copy.srcY, copy.srcZ, copy.srcPitch, copy.srcHeight];
        let from = side(copy.srcMemoryType, copy.srcDevice, place, false)?;
        Ok((to, from, width * height * depth))
    }
}

/// Returns the bytes of a parameter; `None` if the node has not the parameters in a known form.
///
/// # Safety
/// The record has the parameters of a node that is not changed while the result is used. The parameter with this index
/// has this offset and size.
unsafe fn parameter(record: &KernelNodeRecord, index: usize, offset: usize, size: usize) -> Option<&[u8]> {
    let mut address = core::ptr::null::<u8>();
    if !record.params.is_null() {
        // SAFETY: `cuGraphKernelNodeGetParams`: `kernelParams` has a pointer to each parameter of the function.
        let pointer = unsafe { record.params.add(index) };
        // SAFETY: "the kernelParams or extra array returned in nodeParams, as well as the argument values it points to,
        // are owned by the node".
        address = unsafe { *pointer }.cast();
    } else if !record.extra.is_null() {
        let mut pair = record.extra.cast::<[*mut c_void; 2]>();
        loop {
            // SAFETY: `cuLaunchKernel`: `extra` is a list of keys with values that ends with the key
            // `CU_LAUNCH_PARAM_END`.
            let key = unsafe { *pair.cast::<*mut c_void>() };
            if key == CU_LAUNCH_PARAM_END {
                break;
            }
            // SAFETY: the key is not the end, so a value is next to it.
            let [_, value] = unsafe { *pair };
            if key == CU_LAUNCH_PARAM_BUFFER_POINTER {
                address = value.cast::<u8>().wrapping_add(offset).cast_const();
            }
            // SAFETY: the list goes on behind a pair.
            pair = unsafe { pair.add(1) };
        }
    }
    // SAFETY: the value of the parameter has `size` bytes, and is owned by the node.
    (!address.is_null()).then(|| unsafe { slice::from_raw_parts(address, size) })
}

impl Api {
    /// Begins to capture a stream, whose context must be current. The calls of this thread are not restricted: a
    /// library can load code.
    pub(crate) fn begin_external_capture(&self, stream: StreamHandle<'_>) -> Result<(), CallError> {
        self.cuStreamBeginCapture_v2(stream, Self::RELAXED)
    }
}
