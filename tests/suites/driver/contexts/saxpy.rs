//! The kernel of this suite, and its memory.

use cudarc::driver::{CudaSlice, CudaStream};
use kernel_args::KernelArgs;
use std::{error, sync::Arc};

pub(crate) type Outcome = Result<(), Box<dyn error::Error + Send + Sync>>;

pub(crate) const SAXPY: &str = include_str!("../../../../ptx/saxpy.ptx");

pub(crate) const N: u32 = 1000;

#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/saxpy.ptx", entry = "saxpy")]
pub(crate) struct Saxpy<'a> {
    pub(crate) n: u32,
    pub(crate) alpha: f32,
    pub(crate) x: &'a CudaSlice<f32>,
    pub(crate) y: &'a mut CudaSlice<f32>,
}

/// `x` contains ones, and `y` counts the additions.
pub(crate) struct Counted {
    stream: Arc<CudaStream>,
    pub(crate) x: CudaSlice<f32>,
    pub(crate) y: CudaSlice<f32>,
}

impl Counted {
    pub(crate) fn new(stream: &Arc<CudaStream>) -> Result<Self, kernel_args::Error> {
        Ok(Self {
            x: stream.clone_htod(&vec![1.0; N as usize])?,
            y: stream.alloc_zeros(N as usize)?,
            stream: stream.clone(),
        })
    }

    pub(crate) fn args(&mut self) -> Saxpy<'_> {
        Saxpy { n: N, alpha: 1.0, x: &self.x, y: &mut self.y }
    }

    /// Returns an error unless exactly this number of launches has added to `y`.
    #[expect(clippy::float_cmp, reason = "small whole numbers: exact")]
    pub(crate) fn added(&self, times: u16) -> Outcome {
        let y = self.stream.clone_dtoh(&self.y)?;
        match y.iter().find(|value| **value != f32::from(times)) {
            None => Ok(()),
            Some(wrong) => Err(format!("{wrong} after {times} launches").into()),
        }
    }
}
