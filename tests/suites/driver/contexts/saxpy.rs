//! The kernel of this suite, and its memory.

use cudarc::driver::{CudaSlice, CudaStream};
use std::{error, sync::Arc};

pub(crate) use kernel_args_tests::saxpy::{SAXPY, Saxpy};

pub(crate) type Outcome = Result<(), Box<dyn error::Error + Send + Sync>>;

pub(crate) const N: u32 = 1000;

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
