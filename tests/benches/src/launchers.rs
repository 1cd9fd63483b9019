//! Launchers that do nothing: our launch, and the bare call with the same tracking.

use crate::launch::{Device, done};
use core::{error::Error, hint::black_box, ptr};
use cudarc::driver::{
    CudaSlice, CudaStream, DevicePtr, DevicePtrMut,
    sys::{CUstream, cuCtxGetCurrent},
};
use kernel_args::{KernelArgs, launch};
use std::sync::Arc;

unsafe extern "C" {
    fn cu_launcher_words(a: u64, b: u64, c: u64, d: u64, e: u64, f: u64, g: u64, h: u64, stream: CUstream) -> i32;
    fn cu_launcher_slices(
        x: *const f32,
        y: *const f32,
        out: *mut f32,
        n: i32,
        alpha: f32,
        beta: f32,
        stride: u32,
        seed: u64,
        stream: CUstream,
    ) -> i32;
}

/// Eight scalars.
#[derive(Clone, Copy, KernelArgs)]
#[kernel_args(launcher = cu_launcher_words)]
struct Words {
    a: u64,
    b: u64,
    c: u64,
    d: u64,
    e: u64,
    f: u64,
    g: u64,
    h: u64,
}

/// Three slices and five scalars, like [`Slices`](crate::launch::Slices).
#[derive(KernelArgs)]
#[kernel_args(launcher = cu_launcher_slices)]
struct Slices<'a> {
    x: &'a CudaSlice<f32>,
    y: &'a CudaSlice<f32>,
    out: &'a mut CudaSlice<f32>,
    n: i32,
    alpha: f32,
    beta: f32,
    stride: u32,
    seed: u64,
}

/// The arguments of both launchers.
pub struct LaunchersCase {
    words: Words,
    memory: [CudaSlice<f32>; 3],
    scalars: (i32, f32, f32, u32, u64),
    stream: Arc<CudaStream>,
}

impl LaunchersCase {
    /// Allocates the memory.
    ///
    /// # Errors
    /// If there is not enough.
    pub fn new(device: &Device) -> Result<Self, Box<dyn Error>> {
        let stream = device.stream.clone();
        let [x, y, out] = [(); 3].map(|()| stream.alloc_zeros(1024));
        let words = Words { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8 };
        Ok(Self { words, memory: [x?, y?, out?], scalars: (1024, 1.0, 2.0, 4, 7), stream })
    }

    /// `launch!` of the scalars.
    #[inline(always)]
    pub fn words(&mut self) {
        let args = *black_box(&self.words);
        // SAFETY: the function does nothing.
        done(&unsafe { launch!(cu_launcher_words, args, stream = &self.stream) });
    }

    /// The bare call with the scalars, in the stream's context.
    ///
    /// # Panics
    /// Never: the function returns 0.
    #[inline(always)]
    pub fn bare_words(&mut self) {
        let Words { a, b, c, d, e, f, g, h } = *black_box(&self.words);
        bind(&self.stream);
        // SAFETY: the function does nothing.
        let status = unsafe { cu_launcher_words(a, b, c, d, e, f, g, h, self.stream.cu_stream()) };
        assert_eq!(status, 0);
    }

    /// `launch!` of the slices.
    #[inline(always)]
    pub fn slices(&mut self) {
        let [x, y, out] = black_box(&mut self.memory);
        let (n, alpha, beta, stride, seed) = *black_box(&self.scalars);
        let args = Slices { x, y, out, n, alpha, beta, stride, seed };
        // SAFETY: the function does nothing.
        done(&unsafe { launch!(cu_launcher_slices, args, stream = &self.stream) });
    }

    /// The bare call with the slices, in the stream's context, with cudarc's tracking.
    ///
    /// # Panics
    /// Never: the function returns 0.
    #[inline(always)]
    pub fn bare_slices(&mut self) {
        let stream = &self.stream;
        let [x, y, out] = black_box(&mut self.memory);
        let (n, alpha, beta, stride, seed) = *black_box(&self.scalars);
        let ((x, _x), (y, _y), (out, _out)) = (x.device_ptr(stream), y.device_ptr(stream), out.device_ptr_mut(stream));
        bind(stream);
        let (x, y) = (x as *const f32, y as *const f32);
        // SAFETY: the function does nothing.
        let status =
            unsafe { cu_launcher_slices(x, y, out as *mut f32, n, alpha, beta, stride, seed, stream.cu_stream()) };
        assert_eq!(status, 0);
    }
}

/// Checks that the stream's context is current, in which a launcher enqueues.
#[inline(always)]
fn bind(stream: &CudaStream) {
    let mut current = ptr::null_mut();
    // SAFETY: the call writes to `current`.
    let status = unsafe { cuCtxGetCurrent(&raw mut current) };
    assert!(status as u32 == 0 && current == stream.context().cu_ctx());
}
