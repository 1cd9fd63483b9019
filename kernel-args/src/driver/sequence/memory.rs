//! `Memory`: the memory of a framework's tensors. The traits of cudarc and of this crate for it and for slices of a
//! pool.

use super::retire;
use crate::memory::{DeviceMemory, DeviceMemoryMut, Keep, KeptMemory, PoolSlice, memory};
use core::ops::{Deref, DerefMut};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DeviceSlice, SyncOnDrop, sys::CUdeviceptr};
use std::sync::Arc;

/// The memory of a tensor: a slice of cudarc or of a pool. It derefs to cudarc's slice: launches read it as `&x` and
/// write it as `&mut x`.
///
/// A framework gets a slice of a pool in a run ([`Run::alloc`](super::Run::alloc)) or of a [`Pool`](super::Pool), and a
/// slice of cudarc elsewhere. When it is dropped, on any thread, a slice of cudarc is freed behind the run that records
/// on its stream and may use it ([`retire`](super::retire)), or now if no run records. A slice of a pool leaves its
/// memory to later work of the pool.
///
/// ```no_run
/// # use cudarc::driver::CudaStream;
/// # use kernel_args::Error;
/// # use std::sync::Arc;
/// use kernel_args::sequence::{Memory, current};
///
/// /// # Safety
/// /// Nothing reads an element that was not written.
/// unsafe fn alloc(stream: &Arc<CudaStream>, len: usize) -> Result<Memory<f32>, Error> {
///     Ok(match current(stream) {
///         // SAFETY: the caller guarantees it.
///         Some(run) => unsafe { run.alloc(len) }?.into(),
///         // SAFETY: the same.
///         None => unsafe { stream.alloc(len) }?.into(),
///     })
/// }
/// ```
pub struct Memory<T: 'static>(Inner<T>);

enum Inner<T: 'static> {
    Cuda(Retired<T>),
    Pool(PoolSlice<T>),
}

/// `None` only while it is dropped.
struct Retired<T: 'static>(Option<CudaSlice<T>>);

impl<T: 'static> Drop for Retired<T> {
    fn drop(&mut self) {
        if let Some(slice) = self.0.take() {
            retire(slice);
        }
    }
}

impl<T: 'static> From<CudaSlice<T>> for Memory<T> {
    fn from(slice: CudaSlice<T>) -> Self {
        Self(Inner::Cuda(Retired(Some(slice))))
    }
}

impl<T: 'static> From<PoolSlice<T>> for Memory<T> {
    fn from(slice: PoolSlice<T>) -> Self {
        Self(Inner::Pool(slice))
    }
}

impl<T: 'static> Deref for Memory<T> {
    type Target = CudaSlice<T>;

    #[inline]
    fn deref(&self) -> &CudaSlice<T> {
        match &self.0 {
            Inner::Cuda(Retired(Some(slice))) => slice,
            Inner::Cuda(Retired(None)) => unreachable!("only its drop takes it"),
            Inner::Pool(slice) => slice,
        }
    }
}

impl<T: 'static> DerefMut for Memory<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut CudaSlice<T> {
        match &mut self.0 {
            Inner::Cuda(Retired(Some(slice))) => slice,
            Inner::Cuda(Retired(None)) => unreachable!("only its drop takes it"),
            Inner::Pool(slice) => slice,
        }
    }
}

macro_rules! slices {
    ($($slice:ident),*) => {$(
        impl<T: 'static> memory::Sealed<T> for $slice<T> {}

        impl<T: 'static> DeviceMemory<T> for $slice<T> {
            type Slice = CudaSlice<T>;

            #[inline]
            fn slice(&self) -> &CudaSlice<T> {
                self
            }
        }

        impl<T: 'static> DeviceMemoryMut<T> for $slice<T> {}

        impl<T: 'static> Keep for $slice<T> {
            fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>) {
                memory.add(self);
            }
        }

        impl<T: 'static> DeviceSlice<T> for $slice<T> {
            fn len(&self) -> usize {
                (**self).len()
            }

            fn stream(&self) -> &Arc<CudaStream> {
                (**self).stream()
            }
        }

        impl<T: 'static> DevicePtr<T> for $slice<T> {
            fn device_ptr<'a>(&'a self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
                (**self).device_ptr(stream)
            }
        }

        impl<T: 'static> DevicePtrMut<T> for $slice<T> {
            fn device_ptr_mut<'a>(&'a mut self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
                (**self).device_ptr_mut(stream)
            }
        }
    )*};
}

slices!(Memory, PoolSlice);

debug!([T: 'static] Memory<T>, this => len: this.len());
