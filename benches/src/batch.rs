//! Batches of launches, every variant in turn.

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

/// Launches in one batch: few enough that the driver's queue (1,024 launches) never fills.
pub const BATCH: u32 = 200;
/// Batches of a variant that are not timed, before the one that is. Without them a variant pays for what the one before has
/// left cold: the driver's queue, which a batch of large parameters fills with megabytes, and its copy of a graph.
const LEAD: u32 = 2;
/// Each timed batch runs at one of so many depths of the stack, so that no alignment of a buffer on it decides.
const DEPTHS: u64 = 64;
/// Rounds before anything is counted.
const WARM_UP: usize = 3;

type Batch = Box<dyn FnMut(u32) -> Duration>;

/// Variants that are timed in turn.
pub struct Batches {
    context: Arc<CudaContext>,
    variants: Vec<Variant>,
    /// The only case that is timed, where one is named.
    only: Option<String>,
}

struct Variant {
    case: &'static str,
    way: &'static str,
    /// Calls in a batch.
    count: u32,
    batch: Batch,
}

impl Batches {
    /// Nothing to time yet. Variants of other cases than `only` are left out where it is named.
    #[must_use]
    pub fn new(device: &Device, only: Option<String>) -> Self {
        Self {
            context: device.context.clone(),
            variants: Vec::new(),
            only,
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
        if self.only.as_deref().is_some_and(|only| only != case) {
            return;
        }
        self.variants.push(Variant {
            case,
            way,
            count,
            batch,
        });
    }

    /// Times one batch of every variant, and gives each with its nanoseconds per launch. Every round has another order. Two
    /// batches of the same variant that are not timed come before each. The GPU is idle when a batch begins.
    ///
    /// # Errors
    /// Where a kernel fails.
    pub fn round(
        &mut self,
        mut timed: impl FnMut(&'static str, &'static str, f64),
    ) -> Result<(), DriverError> {
        // A new seed each time.
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

    /// Rounds until the time is over, and what was measured.
    ///
    /// # Errors
    /// Where a kernel fails.
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
        for Variant { case, way, .. } in &self.variants {
            writeln!(out, "variant\t{case}\t{way}")?;
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

/// Runs `batch` so many stack frames deeper.
#[inline(never)]
fn deeper(depth: u64, batch: &mut dyn FnMut() -> Duration) -> Duration {
    let frame = black_box([depth; 10]);
    match black_box(frame)[0] {
        0 => batch(),
        left => black_box(deeper(left - 1, batch)),
    }
}
