//! The handle of a node that kernels can update.

use core::{
    ffi::c_void,
    ptr,
    sync::atomic::{AtomicPtr, Ordering},
};
use cudarc::driver::sys::CUdeviceptr;

/// Where a captured launch with `device_updatable_node` stores the handle of its node: `CUgraphDeviceNode`.
///
/// A kernel takes the handle as `cudaGraphDeviceNode_t`, and passes it to `cudaGraphKernelNodeSetParam` and the like:
///
/// ```no_run
/// # use kernel_args::{Kernel, KernelArgs, launch, attribute::DeviceNode};
/// # use cudarc::driver::{CudaStream, sys::CUdeviceptr};
/// # #[derive(KernelArgs)] struct Work { n: u32 }
/// #[derive(KernelArgs)]
/// struct Update { node: CUdeviceptr, n: u32 }
///
/// # fn capture(work: &Kernel<Work>, captured: &CudaStream) -> Result<Update, Box<dyn std::error::Error>> {
/// let node = DeviceNode::new();
/// // SAFETY: the kernel accesses no memory.
/// unsafe { launch!(work, 1, 32, Work { n: 1 }, stream = captured, device_updatable_node = &node)? };
/// let update = Update { node: node.handle().ok_or("no handle")?, n: 2 };
/// # Ok(update)
/// # }
/// ```
#[derive(Debug, Default)]
pub struct DeviceNode(AtomicPtr<c_void>);

impl DeviceNode {
    /// Creates a place without a handle; a launch stores one in it.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// Returns the handle of the node that the last launch with this option created; `None` before such a launch. It is
    /// valid as long as the graph.
    #[must_use]
    pub fn handle(&self) -> Option<CUdeviceptr> {
        let handle = self.0.load(Ordering::Acquire);
        (!handle.is_null()).then(|| handle.expose_provenance() as CUdeviceptr)
    }

    pub(crate) fn store(&self, handle: *mut c_void) {
        self.0.store(handle, Ordering::Release);
    }
}
