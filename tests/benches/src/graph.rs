//! Graphs of kernels that do nothing. All nodes get new arguments before each launch, with this crate and with the
//! driver calls of a C program.

use crate::{
    batch::BATCH,
    launch::{Device, done},
    ways,
};
use core::{error::Error, ffi::c_void, hint::black_box, ptr};
use cudarc::driver::{
    CudaStream,
    sys::{self, CUDA_KERNEL_NODE_PARAMS, CUfunction, CUgraph, CUgraphExec, CUgraphNode, CUresult},
};
use kernel_args::{
    Kernel, KernelArgs, Launch,
    graph::{Graph, GraphExec, Node},
    launch,
};
use std::sync::Arc;

/// The nodes of the graph.
pub const NODES: u32 = BATCH;

/// Eight parameters of 8 bytes.
#[derive(Clone, Copy, KernelArgs)]
#[repr(C)]
pub(crate) struct Eight {
    pub(crate) a: u64,
    pub(crate) b: u64,
    pub(crate) c: u64,
    pub(crate) d: u64,
    pub(crate) e: u64,
    pub(crate) f: u64,
    pub(crate) g: u64,
    pub(crate) h: u64,
}

impl Eight {
    /// Arguments that change in each step, to prevent reuse.
    #[inline(always)]
    pub(crate) fn of(step: u64) -> Self {
        Self { a: step, b: step + 1, c: step + 2, d: step + 3, e: step + 4, f: step + 5, g: step + 6, h: step + 7 }
    }
}

/// A chain of nodes, made twice: with this crate, and with the driver's functions only.
pub struct Chain {
    exec: GraphExec,
    nodes: Vec<Node<Eight>>,
    bare: Bare,
    kernel: Kernel<Eight>,
    stream: Arc<CudaStream>,
    step: u64,
}

/// The graph of a C program, which retains nothing. It is never destroyed, because a benchmark uses it until the end.
pub(crate) struct Bare {
    exec: CUgraphExec,
    pub(crate) nodes: Vec<CUgraphNode>,
}

impl Chain {
    /// Makes both graphs.
    ///
    /// # Errors
    /// If the kernel does not match, or the driver returns an error.
    pub fn new(device: &Device) -> Result<Self, Box<dyn Error>> {
        let function = device.module.load_function("words_8")?;
        let kernel = Kernel::from_function(&device.context, function)?.require_verified()?;
        let mut graph = Graph::new(&device.context)?;
        let mut nodes: Vec<Node<Eight>> = Vec::new();
        for i in 0..NODES {
            let after: Vec<_> = nodes.last().map(Node::any).into_iter().collect();
            let args = Eight::of(u64::from(i));
            nodes.push(graph.add_kernel(&kernel, 1, 32, args, &after)?);
        }
        Ok(Self {
            exec: graph.instantiate()?,
            nodes,
            bare: Bare::new(kernel.cu_function(), NODES)?,
            kernel,
            stream: device.stream.clone(),
            step: 0,
        })
    }

    #[inline(always)]
    fn next(&mut self) -> u64 {
        self.step += 1;
        black_box(self.step)
    }

    /// `update_all`, then `launch`.
    pub fn ours(&mut self) {
        let step = self.next();
        let launch = Launch::new(1, 32);
        let nodes = self.nodes.iter().zip(step..);
        let result = self.exec.update_all(nodes.map(|(node, step)| (node, launch, Eight::of(step))));
        done(&result);
        self.launch_ours();
    }

    /// `update` for each node, then `launch`.
    pub fn ours_one_by_one(&mut self) {
        let step = self.next();
        for (node, step) in self.nodes.iter().zip(step..) {
            done(&self.exec.update(node, 1, 32, Eight::of(step)));
        }
        self.launch_ours();
    }

    /// Only `launch`.
    pub fn launch_ours(&mut self) {
        // SAFETY: the kernels access no memory.
        done(&unsafe { self.exec.launch(&self.stream) });
    }

    /// `cuGraphExecKernelNodeSetParams` for each node with an array of pointers, then `cuGraphLaunch`.
    pub fn bare_params(&mut self) {
        let step = self.next();
        for (&node, step) in self.bare.nodes.iter().zip(step..) {
            let mut args = Eight::of(step);
            let mut params: [*mut c_void; 8] = [
                (&raw mut args.a).cast(),
                (&raw mut args.b).cast(),
                (&raw mut args.c).cast(),
                (&raw mut args.d).cast(),
                (&raw mut args.e).cast(),
                (&raw mut args.f).cast(),
                (&raw mut args.g).cast(),
                (&raw mut args.h).cast(),
            ];
            let function = self.kernel.cu_function();
            self.bare.set(node, node_params(function, params.as_mut_ptr(), ptr::null_mut()));
        }
        self.launch_bare();
    }

    /// Updates the bare graph with packed buffers.
    pub fn bare_packed(&mut self) {
        let step = self.next();
        for (&node, step) in self.bare.nodes.iter().zip(step..) {
            self.bare.update(node, self.kernel.cu_function(), Eight::of(step));
        }
        self.launch_bare();
    }

    /// Only `cuGraphLaunch`.
    pub fn launch_bare(&self) {
        self.bare.launch(&self.stream);
    }

    /// Launches as many kernels with `launch!`.
    pub fn separate(&mut self) {
        let step = self.next();
        for step in step..step + u64::from(NODES) {
            let args = Eight::of(step);
            // SAFETY: the kernel accesses no memory.
            done(&unsafe { launch!(self.kernel, 1, 32, args, stream = &self.stream) });
        }
    }
}

impl Bare {
    /// Sets the arguments of a node in the packed form.
    #[inline(always)]
    pub(crate) fn update(&self, node: CUgraphNode, function: CUfunction, mut args: Eight) {
        let mut size = size_of::<Eight>();
        let mut extra: [*mut c_void; 5] = [
            sys::CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT as _,
            (&raw mut args).cast(),
            sys::CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT as _,
            (&raw mut size).cast(),
            sys::CU_LAUNCH_PARAM_END_AS_INT as _,
        ];
        self.set(node, node_params(function, ptr::null_mut(), extra.as_mut_ptr()));
    }

    #[inline(always)]
    fn set(&self, node: CUgraphNode, params: CUDA_KERNEL_NODE_PARAMS) {
        let exec = self.exec;
        // SAFETY: the graph is alive, and the node is part of it; the kernel takes these parameters.
        let status = unsafe { sys::cuGraphExecKernelNodeSetParams_v2(exec, node, &raw const params) };
        done(&status.result());
    }

    /// `cuGraphLaunch`.
    #[inline(always)]
    pub(crate) fn launch(&self, stream: &CudaStream) {
        // SAFETY: the graph and the stream are alive; the kernels access no memory.
        done(&unsafe { sys::cuGraphLaunch(self.exec, stream.cu_stream()) }.result());
    }

    /// The graph that `peers/launch.cu` makes.
    pub(crate) fn new(function: CUfunction, count: u32) -> Result<Self, Box<dyn Error>> {
        let (mut graph, mut exec): (CUgraph, CUgraphExec) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: `graph` outlives the call.
        let status: CUresult = unsafe { sys::cuGraphCreate(&raw mut graph, 0) };
        status.result()?;
        let mut args = [0_u64; 8];
        let mut pointers = args.each_mut().map(|arg| ptr::from_mut(arg).cast::<c_void>());
        let params = node_params(function, pointers.as_mut_ptr(), ptr::null_mut());
        let mut nodes: Vec<CUgraphNode> = Vec::new();
        for _ in 0..count {
            let (after, mut node) = (nodes.last().copied(), ptr::null_mut());
            let after = after.as_slice();
            // SAFETY: the graph is alive, and its dependency is one of its nodes; the kernel takes eight words.
            let status = unsafe {
                sys::cuGraphAddKernelNode_v2(&raw mut node, graph, after.as_ptr(), after.len(), &raw const params)
            };
            status.result()?;
            nodes.push(node);
        }
        // SAFETY: `exec` outlives the call; the graph is alive.
        let status = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut exec, graph, 0) };
        status.result()?;
        Ok(Self { exec, nodes })
    }
}

/// One block with one warp, as in all launches here.
#[inline(always)]
fn node_params(func: CUfunction, params: *mut *mut c_void, extra: *mut *mut c_void) -> CUDA_KERNEL_NODE_PARAMS {
    CUDA_KERNEL_NODE_PARAMS {
        func,
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 32,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        kernelParams: params,
        extra,
        kern: ptr::null_mut(),
        ctx: ptr::null_mut(),
    }
}

/// A way to update and launch the graph, and its name.
pub type Variant = (&'static str, fn(&mut Chain));

/// All ways.
pub const VARIANTS: [Variant; 7] = [
    (BARE, Chain::bare_params),
    (ways::BARE_GRAPH_PACKED, Chain::bare_packed),
    (ways::OURS_GRAPH, Chain::ours),
    ("kernel-args, each node by itself", Chain::ours_one_by_one),
    (ways::BARE_GRAPH_UNCHANGED, |chain| chain.launch_bare()),
    (ways::OURS_GRAPH_UNCHANGED, Chain::launch_ours),
    ("launch! each, no graph", Chain::separate),
];

/// Every ratio is relative to this variant.
pub const BARE: &str = ways::BARE_GRAPH_PARAMS;
