//! The lengths and strides of a tensor, copied to device memory before each launch, or passed by value.

use crate::launch::Device;
use core::{error::Error, hint::black_box};
use cudarc::driver::{CudaSlice, CudaStream};
use kernel_args::{DeviceType, Kernel, KernelArgs, launch};
use std::sync::Arc;

/// A tensor of three dimensions, transposed. The grid is small: the cost is the host's.
const LENGTHS: [usize; 3] = [4, 8, 16];
const STRIDES: [usize; 3] = [1, 4, 32];
const N: usize = LENGTHS[0] * LENGTHS[1] * LENGTHS[2];

#[derive(KernelArgs)]
#[kernel_args(ptx = "../../ptx/strided.ptx", entry = "strided_uploaded")]
struct Uploaded<'a> {
    n: usize,
    dimensions: usize,
    dims: &'a CudaSlice<usize>,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Dims {
    lengths: [usize; 4],
    strides: [usize; 4],
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "../../ptx/strided.ptx", entry = "strided_by_value")]
struct ByValue<'a> {
    n: usize,
    dimensions: usize,
    dims: Dims,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "../../ptx/strided.ptx", entry = "strided_spread")]
struct Spread<'a> {
    n: usize,
    #[kernel_args(spread)]
    length: [usize; 3],
    #[kernel_args(spread)]
    stride: [usize; 3],
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

/// The kernels, and the memory of the tensor.
pub struct DimsCase {
    stream: Arc<CudaStream>,
    uploaded: Kernel<Uploaded<'static>>,
    by_value: Kernel<ByValue<'static>>,
    spread: Kernel<Spread<'static>>,
    dims: CudaSlice<usize>,
    x: CudaSlice<f32>,
    y: CudaSlice<f32>,
}

impl DimsCase {
    /// Loads the kernels and allocates the tensor.
    ///
    /// # Errors
    /// If the driver refuses it.
    pub fn new(device: &Device) -> Result<Self, Box<dyn Error>> {
        let stream = device.stream.clone();
        Ok(Self {
            uploaded: Kernel::load(&device.context)?,
            by_value: Kernel::load(&device.context)?,
            spread: Kernel::load(&device.context)?,
            dims: stream.alloc_zeros(2 * LENGTHS.len())?,
            x: stream.alloc_zeros(N)?,
            y: stream.alloc_zeros(N)?,
            stream,
        })
    }

    /// Copies both arrays to memory that is allocated for each launch, as frameworks do.
    ///
    /// # Panics
    /// If the launch fails.
    pub fn allocated(&mut self) {
        let dims = [black_box(LENGTHS), black_box(STRIDES)].concat();
        let Ok(dims) = self.stream.clone_htod(&dims) else { panic!("the copy failed") };
        launch_uploaded(&self.uploaded, &dims, &self.x, &mut self.y);
    }

    /// Copies both arrays to memory that is allocated once.
    ///
    /// # Panics
    /// If the launch fails.
    pub fn copied(&mut self) {
        let dims = [black_box(LENGTHS), black_box(STRIDES)].concat();
        assert!(self.stream.memcpy_htod(&dims, &mut self.dims).is_ok());
        launch_uploaded(&self.uploaded, &self.dims, &self.x, &mut self.y);
    }

    /// Passes both arrays in a struct.
    ///
    /// # Panics
    /// If the launch fails.
    pub fn by_value(&mut self) {
        let (mut lengths, mut strides) = ([0; 4], [0; 4]);
        lengths[..3].copy_from_slice(&black_box(LENGTHS));
        strides[..3].copy_from_slice(&black_box(STRIDES));
        let args =
            ByValue { n: N, dimensions: LENGTHS.len(), dims: Dims { lengths, strides }, x: &self.x, y: &mut self.y };
        // SAFETY: both slices have `n` elements, which the strides stay within.
        let launched = unsafe { launch!(self.by_value, 4, 128, args) };
        assert!(launched.is_ok());
    }

    /// Passes each number as a parameter.
    ///
    /// # Panics
    /// If the launch fails.
    pub fn spread(&mut self) {
        let args = Spread { n: N, length: black_box(LENGTHS), stride: black_box(STRIDES), x: &self.x, y: &mut self.y };
        // SAFETY: both slices have `n` elements, which the strides stay within.
        let launched = unsafe { launch!(self.spread, 4, 128, args) };
        assert!(launched.is_ok());
    }
}

#[inline(always)]
fn launch_uploaded(
    kernel: &Kernel<Uploaded<'static>>,
    dims: &CudaSlice<usize>,
    x: &CudaSlice<f32>,
    y: &mut CudaSlice<f32>,
) {
    let args = Uploaded { n: N, dimensions: LENGTHS.len(), dims, x, y };
    // SAFETY: both slices have `n` elements, which the strides stay within.
    let launched = unsafe { launch!(kernel, 4, 128, args) };
    assert!(launched.is_ok());
}
