//! What describes a node of a graph.

use cudarc::driver::sys::{CUcontext, CUdeviceptr, CUfunction};
use std::ffi::{c_uint, c_void};

/// `CUDA_KERNEL_NODE_PARAMS_v2`, which cudarc has from `cuda-12000` on only.
#[derive(Clone, Copy)]
#[repr(C)]
pub(in crate::driver) struct KernelNodeParams {
    pub(in crate::driver) function: CUfunction,
    pub(in crate::driver) grid: [c_uint; 3],
    pub(in crate::driver) block: [c_uint; 3],
    pub(in crate::driver) shared: c_uint,
    pub(in crate::driver) params: *mut *mut c_void,
    pub(in crate::driver) extra: *mut *mut c_void,
    /// `CUkernel`, where `function` is null.
    pub(in crate::driver) kernel: *mut c_void,
    pub(in crate::driver) context: CUcontext,
}

/// `CUDA_MEMSET_NODE_PARAMS`, the first version, which `cuGraphAddMemsetNode` takes in every driver.
#[repr(C)]
pub(in crate::driver) struct MemsetNodeParams {
    pub(in crate::driver) address: CUdeviceptr,
    pub(in crate::driver) pitch: usize,
    pub(in crate::driver) value: c_uint,
    pub(in crate::driver) element_size: c_uint,
    pub(in crate::driver) width: usize,
    pub(in crate::driver) height: usize,
}
