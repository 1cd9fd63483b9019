//! Batches of launches. The variants take turns.

use crate::{
    launch::Device,
    measured::{Measured, Samples},
};
use core::hint::black_box;
use cudarc::driver::{CudaContext, DriverError};
use std::{
    error::Error,
    fmt::Write as _,
    hash::{BuildHasher as _, RandomState},
    io::{self, Write as _},
    sync::Arc,
    time::{Duration, Instant},
};

/// Launches in one batch: few enough to never fill the driver's queue (1,024 launches).
pub const BATCH: u32 = 200;
/// Batches of a variant that are not timed, before the timed batch. Without them a variant pays for the cold state that
/// the previous variant leaves: the driver's queue, which a batch of large parameters fills with megabytes, and the
/// driver's copy of a graph.
const LEAD: u32 = 2;
/// The number of stack depths. Each timed batch runs at one of them, to average over the alignment of buffers on the
/// stack.
const DEPTHS: u64 = 64;
/// Rounds before the first measured round.
const WARM_UP: usize = 3;

type Batch = Box<dyn FnMut(u32) -> Duration>;

/// Variants that are timed in turn.
pub struct Batches {
    context: Arc<CudaContext>,
    variants: Vec<Variant>,
    /// The name of the only case to time, if one is given.
    only: Option<String>,
}

struct Variant {
    case: &'static str,
    way: &'static str,
    /// Launches per batch.
    count: u32,
    batch: Batch,
}

impl Batches {
    /// Creates an empty set. If `only` is given, variants of different cases are ignored.
    #[must_use]
    pub fn new(device: &Device, only: Option<String>) -> Self {
        Self { context: device.context.clone(), variants: Vec::new(), only }
    }

    /// Adds a way to launch a case. `batch` launches the given number of times and returns the elapsed time.
    pub fn add(&mut self, case: &'static str, way: &'static str, batch: impl FnMut(u32) -> Duration + 'static) {
        self.push(case, way, BATCH, Box::new(batch));
    }

    /// Adds work that runs once per round.
    pub fn add_once(&mut self, case: &'static str, way: &'static str, mut once: impl FnMut() -> Duration + 'static) {
        self.push(case, way, 1, Box::new(move |_| once()));
    }

    fn push(&mut self, case: &'static str, way: &'static str, count: u32, batch: Batch) {
        if self.only.as_deref().is_some_and(|only| only != case) {
            return;
        }
        self.variants.push(Variant { case, way, count, batch });
    }

    /// Times one batch of every variant, and returns each with its nanoseconds per launch. Each round has a different
    /// order. Two untimed batches of the same variant precede each timed batch. The GPU is idle when a batch begins.
    ///
    /// # Errors
    /// If a kernel fails.
    pub fn round(&mut self, mut timed: impl FnMut(&'static str, &'static str, f64)) -> Result<(), DriverError> {
        // A new seed in each run.
        let random = RandomState::new();
        let mut order: Vec<usize> = (0..self.variants.len()).collect();
        order.sort_by_cached_key(|place| random.hash_one(place));
        for place in order {
            let variant = &mut self.variants[place];
            for _ in 0..LEAD {
                (variant.batch)(variant.count);
                self.context.synchronize()?;
            }
            let depth = random.hash_one((place, DEPTHS)) % DEPTHS;
            let elapsed = deeper(depth, &mut || (variant.batch)(variant.count));
            self.context.synchronize()?;
            let nanoseconds = elapsed.as_secs_f64() * 1e9 / f64::from(variant.count);
            timed(variant.case, variant.way, nanoseconds);
        }
        Ok(())
    }

    /// Runs rounds until the time is over, and returns the results.
    ///
    /// # Errors
    /// If a kernel fails.
    pub fn run(&mut self, time: Duration, settings: Vec<String>) -> Result<Measured, DriverError> {
        let start = Instant::now();
        let mut samples = Samples::default();
        for Variant { case, way, .. } in &self.variants {
            samples.add(case, way, None);
        }
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

    /// Runs a round for each line of standard input, and writes the result to standard output. `compare.py` uses this
    /// mode.
    ///
    /// # Errors
    /// If a kernel fails, or standard output is closed.
    pub fn serve(&mut self, settings: &[String]) -> Result<(), Box<dyn Error>> {
        let mut out = io::stdout().lock();
        for setting in settings {
            writeln!(out, "setting\t{setting}")?;
        }
        for Variant { case, way, .. } in &self.variants {
            writeln!(out, "variant\t{case}\t{way}")?;
        }
        writeln!(out, "ready")?;
        out.flush()?;
        for line in io::stdin().lines() {
            line?;
            let mut answer = String::new();
            self.round(|case, way, nanoseconds| {
                // Writing to a `String` cannot fail.
                let _ = writeln!(answer, "sample\t{case}\t{way}\t{nanoseconds:.1}");
            })?;
            writeln!(out, "{answer}done")?;
            out.flush()?;
        }
        Ok(())
    }
}

/// Runs `batch` with this many additional stack frames.
#[inline(never)]
fn deeper(depth: u64, batch: &mut dyn FnMut() -> Duration) -> Duration {
    let frame = black_box([depth; 10]);
    match black_box(frame)[0] {
        0 => batch(),
        left => black_box(deeper(left - 1, batch)),
    }
}
