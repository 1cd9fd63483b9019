//! The kernels of the trials, and what they get.

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr};
use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, Error, KernelArgs,
    error::{BadPointer, LaunchError},
    vector::{Double2, Float4},
};
use kernel_args_tests::driver::context;
use std::sync::Arc;

pub(crate) use kernel_args_tests::saxpy::{Outcome, Pointers, SAXPY};

pub(crate) const ALIGNMENTS: &str = include_str!("../../../../ptx/alignments.ptx");

pub(crate) const N: u32 = 32;

#[derive(KernelArgs)]
pub(crate) struct Slices<'a> {
    pub(crate) n: u32,
    pub(crate) alpha: f32,
    pub(crate) x: Option<&'a CudaSlice<f32>>,
    pub(crate) y: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
pub(crate) struct Vectors {
    pub(crate) p: DevicePointerMut<Float4>,
    pub(crate) n: u32,
}

/// Two pointers to `float`, and the number of elements.
#[derive(KernelArgs)]
pub(crate) struct Two {
    pub(crate) p: DevicePointerMut<f32>,
    pub(crate) out: DevicePointerMut<f32>,
    pub(crate) n: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(crate) struct Lights {
    pub(crate) count: u32,
    pub(crate) at: DevicePointerMut<Double2>,
}

#[derive(KernelArgs)]
pub(crate) struct InStruct {
    pub(crate) lights: Lights,
    pub(crate) out: DevicePointerMut<f32>,
}

pub(crate) struct World {
    pub(crate) ctx: Arc<CudaContext>,
    pub(crate) stream: Arc<CudaStream>,
    pub(crate) x: CudaSlice<f32>,
    pub(crate) y: CudaSlice<f32>,
}

impl World {
    pub(crate) fn new() -> Outcome<Self> {
        let ctx = context()?;
        let stream = ctx.default_stream();
        Ok(Self { x: stream.clone_htod(&[1.0; 4 * N as usize])?, y: stream.alloc_zeros(4 * N as usize)?, stream, ctx })
    }

    pub(crate) fn address<T>(&self, slice: &CudaSlice<T>) -> u64 {
        slice.device_ptr(&self.stream).0
    }

    /// `y = x + y` for `N` elements.
    pub(crate) fn saxpy(&self) -> Pointers {
        Pointers {
            n: N,
            alpha: 1.0,
            x: DevicePointer::from_raw(self.address(&self.x)),
            y: DevicePointerMut::from_raw(self.address(&self.y)),
        }
    }

    /// The kernels that have run are over, and have not failed.
    pub(crate) fn finish(&self) -> Outcome {
        Ok(self.stream.synchronize()?)
    }
}

/// A refused launch: the pointer.
#[track_caller]
pub(crate) fn refused<T>(result: Result<T, Error>) -> BadPointer {
    match result {
        Err(Error::Launch(LaunchError::Pointer(bad))) => *bad,
        Err(error) => panic!("a different error: {error}"),
        Ok(_) => panic!("the launch was accepted"),
    }
}
