//! Nodes that copy memory and set it.

use super::{AnyNode, Graph, HostBuffer, explain};
use crate::{
    device::{DevicePointer, DevicePointerMut, DeviceType},
    driver::{
        api::{Api, MemsetNodeParams, Status, required},
        error::Error,
    },
};
use core::ptr;
use cudarc::driver::sys::{CUDA_MEMCPY3D, CUgraph, CUgraphNode, CUmemorytype};
use std::boxed::Box;

/// The bytes of `elements` elements of `T`, at least one.
fn bytes<T>(elements: usize) -> Result<usize, Error> {
    match elements.checked_mul(size_of::<T>()) {
        Some(bytes) if bytes > 0 && isize::try_from(bytes).is_ok() => Ok(bytes),
        _ => Err(explain::bad_length(elements, size_of::<T>())),
    }
}

/// One row of `width` bytes, from nowhere to nowhere.
fn row(width: usize) -> CUDA_MEMCPY3D {
    CUDA_MEMCPY3D {
        srcXInBytes: 0,
        srcY: 0,
        srcZ: 0,
        srcLOD: 0,
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
        srcHost: ptr::null(),
        srcDevice: 0,
        srcArray: ptr::null_mut(),
        reserved0: ptr::null_mut(),
        srcPitch: 0,
        srcHeight: 0,
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
        dstHost: ptr::null_mut(),
        dstDevice: 0,
        dstArray: ptr::null_mut(),
        reserved1: ptr::null_mut(),
        dstPitch: 0,
        dstHeight: 0,
        WidthInBytes: width,
        Height: 1,
        Depth: 1,
    }
}

impl Graph {
    /// Adds a node that copies `len` elements within device memory, after the nodes `after`.
    ///
    /// The graph retains neither memory: the caller keeps it allocated, with [`retain`](Self::retain) for example.
    ///
    /// # Errors
    /// [`Error::Graph`] for no elements, where one of `after` belongs to another graph, or the driver returns an error.
    pub fn add_memcpy<T: DeviceType>(
        &mut self,
        to: DevicePointerMut<T>,
        from: DevicePointer<T>,
        len: usize,
        after: &[AnyNode],
    ) -> Result<AnyNode, Error> {
        let mut copy = row(bytes::<T>(len)?);
        copy.srcDevice = from.address();
        copy.dstDevice = to.address();
        self.add_copy(&copy, after)
    }

    /// Adds a node that copies all elements of `from` to device memory, after the nodes `after`.
    ///
    /// The graph retains `from`, which every launch reads anew, and not the device memory.
    ///
    /// # Errors
    /// As [`add_memcpy`](Self::add_memcpy).
    pub fn add_memcpy_htod<T: DeviceType>(
        &mut self,
        to: DevicePointerMut<T>,
        from: impl AsRef<[T]> + Send + 'static,
        after: &[AnyNode],
    ) -> Result<AnyNode, Error> {
        // In a box, so that an array stays where it is.
        let from = Box::new(from);
        let elements: &[T] = (*from).as_ref();
        let mut copy = row(bytes::<T>(elements.len())?);
        copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
        copy.srcHost = elements.as_ptr().cast();
        copy.dstDevice = to.address();
        let slot = self.slot(Box::new(()))?;
        let node = self.add_copy(&copy, after)?;
        slot.keep(from);
        Ok(node)
    }

    /// Adds a node that copies as many elements as `to` has from device memory to it, after the nodes `after`.
    ///
    /// The graph retains `to`, which every launch writes anew, and not the device memory.
    ///
    /// # Errors
    /// As [`add_memcpy`](Self::add_memcpy).
    pub fn add_memcpy_dtoh<T: DeviceType + Send + Sync + 'static>(
        &mut self,
        to: &HostBuffer<T>,
        from: DevicePointer<T>,
        after: &[AnyNode],
    ) -> Result<AnyNode, Error> {
        let mut copy = row(bytes::<T>(to.len())?);
        copy.srcDevice = from.address();
        copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
        copy.dstHost = to.as_ptr().cast();
        let slot = self.slot(Box::new(()))?;
        let node = self.add_copy(&copy, after)?;
        slot.keep(Box::new(to.clone()));
        Ok(node)
    }

    fn add_copy(&mut self, copy: &CUDA_MEMCPY3D, after: &[AnyNode]) -> Result<AnyNode, Error> {
        let add = required!(self.handle.api, cuGraphAddMemcpyNode)?;
        self.add_node("cuGraphAddMemcpyNode", after, |graph, node, after| {
            let context = self.context.cu_ctx();
            // SAFETY: the graph is alive, and so is what the node depends on. The copy runs when the graph is launched, and
            // the caller who launches it vouches for the memory.
            unsafe { add(node, graph, after.as_ptr(), after.len(), copy, context) }
        })
    }

    /// Adds a node that sets every byte of `len` elements to `byte`, after the nodes `after`.
    ///
    /// The graph does not retain the memory: the caller keeps it allocated, with [`retain`](Self::retain) for example.
    ///
    /// # Errors
    /// As [`add_memcpy`](Self::add_memcpy).
    pub fn add_memset<T: DeviceType>(
        &mut self,
        to: DevicePointerMut<T>,
        byte: u8,
        len: usize,
        after: &[AnyNode],
    ) -> Result<AnyNode, Error> {
        let add = required!(self.handle.api, cuGraphAddMemsetNode)?;
        let params = MemsetNodeParams {
            address: to.address(),
            pitch: 0,
            value: byte.into(),
            element_size: 1,
            width: bytes::<T>(len)?,
            height: 1,
        };
        self.add_node("cuGraphAddMemsetNode", after, |graph, node, after| {
            let context = self.context.cu_ctx();
            // SAFETY: as for a copy.
            unsafe {
                add(
                    node,
                    graph,
                    after.as_ptr(),
                    after.len(),
                    &raw const params,
                    context,
                )
            }
        })
    }

    fn add_node(
        &self,
        call: &'static str,
        after: &[AnyNode],
        add: impl FnOnce(CUgraph, *mut CUgraphNode, &[CUgraphNode]) -> Status,
    ) -> Result<AnyNode, Error> {
        let after = self.dependencies(None, after)?;
        self.context.bind_to_thread().map_err(Error::context)?;
        let mut node = ptr::null_mut();
        match add(self.handle.raw(), &raw mut node, &after) {
            Status::SUCCESS => Ok(AnyNode {
                node,
                graph: self.id,
            }),
            status => Err(explain::call(explain::ADDED, call, status)),
        }
    }
}
