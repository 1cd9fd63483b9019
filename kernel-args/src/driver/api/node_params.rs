//! Parameters of graph nodes.

use super::{ContextHandle, KernelCall};
use core::{
    ffi::{c_int, c_uint, c_void},
    marker::PhantomData,
    ptr,
};
use cudarc::driver::sys::{CUcontext, CUdevice, CUdeviceptr, CUfunction, CUgraph};

/// `CUDA_KERNEL_NODE_PARAMS_v2`. cudarc has it only from `cuda-12000` on.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct KernelNodeRecord {
    pub(super) function: CUfunction,
    pub(crate) grid: [c_uint; 3],
    pub(crate) block: [c_uint; 3],
    pub(crate) shared: c_uint,
    pub(super) params: *mut *mut c_void,
    pub(super) extra: *mut *mut c_void,
    /// `CUkernel`, used if `function` is null.
    pub(super) kernel: *mut c_void,
    context: CUcontext,
}

impl KernelNodeRecord {
    pub(super) const EMPTY: Self = Self {
        function: ptr::null_mut(),
        grid: [0; 3],
        block: [0; 3],
        shared: 0,
        params: ptr::null_mut(),
        extra: ptr::null_mut(),
        kernel: ptr::null_mut(),
        context: ptr::null_mut(),
    };
}

/// `KernelNodeRecord` as input for the driver. The function accepts its parameters, and both are valid for `'p`.
#[repr(transparent)]
pub(crate) struct KernelNodeParams<'p>(KernelNodeRecord, PhantomData<&'p ()>);

/// [`KernelNodeParams`] without the function and its parameters, which are written where the arguments are lowered.
pub(crate) struct KernelNodeShape(KernelNodeParams<'static>);

impl KernelNodeShape {
    #[inline(always)]
    pub(crate) fn new(grid: [c_uint; 3], block: [c_uint; 3], shared: c_uint) -> Self {
        let record = KernelNodeRecord { grid, block, shared, ..KernelNodeRecord::EMPTY };
        Self(KernelNodeParams(record, PhantomData))
    }

    #[inline(always)]
    pub(crate) fn of<'p>(&'p mut self, call: KernelCall<'p>) -> &'p KernelNodeParams<'p> {
        let KernelNodeParams(record, _) = &mut self.0;
        record.function = call.function().raw();
        record.params = call.params;
        record.extra = call.extra;
        &self.0
    }
}

/// `CUDA_MEM_ALLOC_NODE_PARAMS`.
#[repr(C)]
pub(crate) struct AllocNodeParams {
    /// `CUmemPoolProps`: the types of the allocation, of its handles and of its location; the location; and words that
    /// must be zero.
    pool: [c_uint; 22],
    access: *const c_void,
    access_count: usize,
    bytes: usize,
    /// The driver writes it.
    pub(super) address: CUdeviceptr,
}

const _: () = assert!(size_of::<AllocNodeParams>() == 120);

impl AllocNodeParams {
    pub(super) fn new(device: CUdevice, bytes: usize) -> Self {
        /// `CU_MEM_ALLOCATION_TYPE_PINNED`, the only type that CUDA supports here.
        const PINNED: c_uint = 1;
        /// `CU_MEM_LOCATION_TYPE_DEVICE`.
        const DEVICE: c_uint = 1;
        let mut pool = [0; 22];
        pool[..4].copy_from_slice(&[PINNED, 0, DEVICE, device.cast_unsigned()]);
        Self { pool, access: ptr::null(), access_count: 0, bytes, address: 0 }
    }
}

/// `CUDA_HOST_NODE_PARAMS`, the first version: a function, and a pointer that it accepts while the graph can be
/// launched.
#[repr(C)]
pub(crate) struct HostNodeParams {
    pub(super) function: unsafe extern "C" fn(*mut c_void),
    pub(super) data: *mut c_void,
}

/// A function that a host node calls. It can be called on any thread, and by several launches at the same time.
pub(crate) trait HostFunction: Send + Sync + 'static {
    /// A panic ends the process.
    fn run(&self);
}

/// `CUgraphConditionalNodeType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum ConditionalKind {
    If = 0,
    While = 1,
    Switch = 2,
}

/// `CUgraphNodeParams` with the `CUDA_CONDITIONAL_NODE_PARAMS` of a node in a live context.
#[repr(C)]
pub(crate) struct ConditionalNodeParams<'c> {
    kind: c_uint,
    reserved: [c_int; 3],
    handle: u64,
    conditional: ConditionalKind,
    size: c_uint,
    /// The driver writes the address of `size` bodies.
    pub(super) bodies: *const CUgraph,
    context: CUcontext,
    /// The rest of the union, and reserved bytes, which must be zero.
    rest: [u64; 26],
    lifetime: PhantomData<&'c ()>,
}

// CUDA Driver API, `CUgraphNodeParams`: 16 bytes, a union of 232 bytes, and 8 reserved bytes.
const _: () = assert!(size_of::<ConditionalNodeParams<'_>>() == 256);

impl<'c> ConditionalNodeParams<'c> {
    pub(crate) fn new(handle: u64, conditional: ConditionalKind, bodies: u32, context: ContextHandle<'c>) -> Self {
        /// `CU_GRAPH_NODE_TYPE_CONDITIONAL`.
        const CONDITIONAL: c_uint = 13;
        Self {
            kind: CONDITIONAL,
            reserved: [0; 3],
            handle,
            conditional,
            size: bodies,
            bodies: ptr::null(),
            context: context.raw(),
            rest: [0; 26],
            lifetime: PhantomData,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.size as usize
    }
}
