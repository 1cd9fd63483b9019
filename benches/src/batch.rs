//! Batches of launches, every variant in turn.

use crate::{
    launch::Device,
    measured::{Measured, Samples},
};
use cudarc::driver::{CudaContext, DriverError};
use std::{
    error::Error,
    fmt::Write as _,
    io::{self, Write as _},
    sync::Arc,
    time::{Duration, Instant},
};

/// Launches in one batch: few enough that the driver's queue (1,024 launches) never fills.
pub const BATCH: u32 = 200;
/// Rounds before anything is counted.
const WARM_UP: usize = 3;

type Batch = Box<dyn FnMut(u32) -> Duration>;

/// Variants that are timed in turn.
pub struct Batches {
    context: Arc<CudaContext>,
    variants: Vec<Variant>,
    rounds: usize,
}

struct Variant {
    case: &'static str,
    way: &'static str,
    /// Calls in a batch.
    count: u32,
    batch: Batch,
}

impl Batches {
    /// Nothing to time yet.
    #[must_use]
    pub fn new(device: &Device) -> Self {
        Self {
            context: device.context.clone(),
            variants: Vec::new(),
            rounds: 0,
        }
    }

    /// Adds a way of launching a case; `batch` launches as often as it is told, and gives the time that this took.
    pub fn add(
        &mut self,
        case: &'static str,
        way: &'static str,
        batch: impl FnMut(u32) -> Duration + 'static,
    ) {
        self.push(case, way, BATCH, Box::new(batch));
    }

    /// Adds what is done once in each round.
    pub fn add_once(
        &mut self,
        case: &'static str,
        way: &'static str,
        mut once: impl FnMut() -> Duration + 'static,
    ) {
        self.push(case, way, 1, Box::new(move |_| once()));
    }

    fn push(&mut self, case: &'static str, way: &'static str, count: u32, batch: Batch) {
        self.variants.push(Variant {
            case,
            way,
            count,
            batch,
        });
    }

    /// Times one batch of every variant, and gives each with its nanoseconds per launch. Each round begins with another
    /// variant; a batch that is not counted comes first, since another process may have had the GPU and the caches. The
    /// GPU is idle when a batch begins.
    ///
    /// # Errors
    /// Where a kernel fails.
    pub fn round(
        &mut self,
        mut timed: impl FnMut(&'static str, &'static str, f64),
    ) -> Result<(), DriverError> {
        let count = self.variants.len();
        for turn in 0..=count {
            let Some(variant) = self
                .variants
                .get_mut((self.rounds + turn.max(1) - 1) % count.max(1))
            else {
                break;
            };
            let elapsed = (variant.batch)(variant.count);
            self.context.synchronize()?;
            if turn > 0 {
                let nanoseconds = elapsed.as_secs_f64() * 1e9 / f64::from(variant.count);
                timed(variant.case, variant.way, nanoseconds);
            }
        }
        self.rounds += 1;
        Ok(())
    }

    /// Rounds until the time is over, and what was measured.
    ///
    /// # Errors
    /// Where a kernel fails.
    pub fn run(&mut self, time: Duration, settings: Vec<String>) -> Result<Measured, DriverError> {
        let start = Instant::now();
        let mut samples = Samples::default();
        for round in 0.. {
            if round >= WARM_UP + 5 && start.elapsed() >= time {
                break;
            }
            self.round(|case, way, nanoseconds| {
                samples.add(case, way, (round >= WARM_UP).then_some(nanoseconds));
            })?;
        }
        Ok(samples.measured(settings))
    }

    /// Rounds on demand, as `compare.py` asks for them: one for each line of standard input, answered on standard
    /// output.
    ///
    /// # Errors
    /// Where a kernel fails, or nobody reads what is written.
    pub fn serve(&mut self, settings: &[String]) -> Result<(), Box<dyn Error>> {
        let mut out = io::stdout().lock();
        for setting in settings {
            writeln!(out, "setting\t{setting}")?;
        }
        writeln!(out, "ready")?;
        out.flush()?;
        for line in io::stdin().lines() {
            line?;
            let mut answer = String::new();
            self.round(|case, way, nanoseconds| {
                // Writing to a String cannot fail.
                let _ = writeln!(answer, "sample\t{case}\t{way}\t{nanoseconds:.1}");
            })?;
            writeln!(out, "{answer}done")?;
            out.flush()?;
        }
        Ok(())
    }
}
