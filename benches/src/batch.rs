//! Batches of launches, every variant in turn.

use crate::launch::Device;
use cudarc::driver::{CudaContext, DriverError};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// Launches in one batch: few enough that the driver's queue (1,024 launches) never fills.
pub const BATCH: u32 = 200;
/// Batches before anything is counted.
const WARM_UP: usize = 3;

type Batch = Box<dyn FnMut(u32) -> Duration>;

/// Variants that are timed in turn.
pub struct Batches {
    context: Arc<CudaContext>,
    variants: Vec<(Timed, Batch)>,
}

/// The times of one variant.
#[derive(Clone, Debug)]
pub struct Timed {
    /// What is launched.
    pub case: &'static str,
    /// How.
    pub variant: &'static str,
    /// Nanoseconds per launch, of each batch, in rising order.
    pub nanoseconds: Vec<f64>,
}

impl Timed {
    /// The time below which this part of the batches lies, in nanoseconds per launch.
    #[must_use]
    pub fn quantile(&self, part: f64) -> f64 {
        let last = self.nanoseconds.len().saturating_sub(1);
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "an index of a few thousand, and a part from 0 to 1"
        )]
        let place = (last as f64 * part).round() as usize;
        self.nanoseconds.get(place).copied().unwrap_or(f64::NAN)
    }

    /// The median, in nanoseconds per launch.
    #[must_use]
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }
}

impl Batches {
    /// Nothing to time yet.
    #[must_use]
    pub fn new(device: &Device) -> Self {
        Self {
            context: device.context.clone(),
            variants: Vec::new(),
        }
    }

    /// Adds a variant; `batch` launches as often as it is told, and gives the time that this took.
    pub fn add(
        &mut self,
        case: &'static str,
        variant: &'static str,
        batch: impl FnMut(u32) -> Duration + 'static,
    ) {
        let timed = Timed {
            case,
            variant,
            nanoseconds: Vec::new(),
        };
        self.variants.push((timed, Box::new(batch)));
    }

    /// Times a batch of every variant, again and again until the time is over. Each round begins with another
    /// variant, and the GPU is idle when a batch begins.
    ///
    /// # Errors
    /// Where a kernel fails.
    pub fn run(&mut self, time: Duration) -> Result<(), DriverError> {
        let (start, count) = (Instant::now(), self.variants.len());
        let mut round = 0;
        while round < WARM_UP + 5 || start.elapsed() < time {
            for turn in 0..count {
                let (timed, batch) = &mut self.variants[(round + turn) % count];
                let elapsed = batch(BATCH);
                self.context.synchronize()?;
                if round >= WARM_UP {
                    let nanoseconds = elapsed.as_secs_f64() * 1e9 / f64::from(BATCH);
                    timed.nanoseconds.push(nanoseconds);
                }
            }
            round += 1;
        }
        Ok(())
    }

    /// The times of all variants.
    #[must_use]
    pub fn finish(self) -> Vec<Timed> {
        let timed = self.variants.into_iter().map(|(mut timed, _)| {
            timed.nanoseconds.sort_unstable_by(f64::total_cmp);
            timed
        });
        timed.collect()
    }
}
