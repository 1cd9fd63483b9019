//! What describes a node of a graph.

use cudarc::driver::sys::{CUcontext, CUdeviceptr, CUfunction};
use std::ffi::{c_uint, c_void};

/// `CUDA_KERNEL_NODE_PARAMS_v2`, which cudarc has from `cuda-12000` on only.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct KernelNodeParams {
    pub(crate) function: CUfunction,
    pub(crate) grid: [c_uint; 3],
    pub(crate) block: [c_uint; 3],
    pub(crate) shared: c_uint,
    pub(crate) params: *mut *mut c_void,
    pub(crate) extra: *mut *mut c_void,
    /// `CUkernel`, where `function` is null.
    pub(crate) kernel: *mut c_void,
    pub(crate) context: CUcontext,
}

/// `CUDA_MEMSET_NODE_PARAMS`, the first version, which `cuGraphAddMemsetNode` takes in every driver.
#[repr(C)]
pub(crate) struct MemsetNodeParams {
    pub(crate) address: CUdeviceptr,
    pub(crate) pitch: usize,
    pub(crate) value: c_uint,
    pub(crate) element_size: c_uint,
    pub(crate) width: usize,
    pub(crate) height: usize,
}
