//! The loop of the engine, with its clock.

#![allow(clippy::cast_precision_loss, reason = "small numbers")]

use crate::{
    Result,
    device::{Device, Mode},
    model::{Config, Model},
    options::Options,
};
use cudarc::driver::{CudaContext, PinnedHostSlice};
use std::{
    fmt,
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

/// A mode, with or without cudarc's events of each slice.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub mode: Mode,
    pub tracking: bool,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mode = match self.mode {
            Mode::Plain => "plain",
            Mode::Pooled => "pooled",
            Mode::Sequence => "sequence",
            Mode::Segments => "segments",
            Mode::Captured => "captured",
        };
        write!(f, "{mode}{}", if self.tracking { "+tracking" } else { "" })
    }
}

/// What was measured. Times and numbers are the mean of a token.
pub struct Measured {
    pub run: Run,
    /// All tokens, also those before the measurement.
    pub tokens: Vec<u32>,
    pub per_second: f64,
    /// Until the first kernel is enqueued, in milliseconds.
    pub first: f64,
    /// Until everything is enqueued, in milliseconds.
    pub host: f64,
    /// From the begin of the step to its end on the GPU, in milliseconds.
    pub gpu: f64,
    /// Launches, calls of cuBLAS, allocations.
    pub counts: [f64; 3],
    /// Calls of cuBLAS that were captured, nodes that were updated.
    pub changes: [f64; 2],
    /// The graphs that were created in the measured steps.
    pub graphs: u64,
}

impl Measured {
    pub const HEADER: &str = "mode             tokens/s first_ms  host_ms  gpu_ms  launches  external  allocations  captures  updates  graphs";
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            run,
            per_second,
            first,
            host,
            gpu,
            counts: [launches, external, allocations],
            changes: [captures, updates],
            graphs,
            ..
        } = self;
        let run = run.to_string();
        write!(
            f,
            "{run:<16} {per_second:>8.1} {first:>8.3} {host:>8.3} {gpu:>7.3} {launches:>9.1} {external:>8.1} {allocations:>12.1} {captures:>9.1} {updates:>8.1} {graphs:>7}"
        )
    }
}

/// An engine that generates tokens, with its clock.
struct Engine {
    device: Rc<Device>,
    model: Model,
    /// Where the last token is copied.
    token: PinnedHostSlice<u32>,
    tokens: Vec<u32>,
    host: Duration,
    gpu: f64,
}

impl Engine {
    fn new(device: Rc<Device>, config: Config) -> Result<Self> {
        let model = Model::random(&device, config)?;
        // SAFETY: it is read after a copy to it.
        let token = unsafe { device.stream.context().alloc_pinned_with_flags(1, 0)? };
        Ok(Self { device, model, token, tokens: Vec::new(), host: Duration::ZERO, gpu: 0.0 })
    }

    fn generate(&mut self, tokens: usize) -> Result {
        (self.host, self.gpu) = (Duration::ZERO, 0.0);
        for _ in 0..tokens {
            let started = Instant::now();
            self.device.step(|| self.model.step(&self.device))?;
            self.device.stream.memcpy_dtoh(&**self.model.token.memory(), &mut self.token)?;
            self.host += started.elapsed();
            self.device.stream.synchronize()?;
            self.gpu += self.device.gpu_time()?;
            self.tokens.push(self.token.as_slice()?[0]);
        }
        Ok(())
    }
}

/// Generates tokens in one mode.
pub fn measure(ctx: &Arc<CudaContext>, config: Config, run: Run, blas: bool, options: &Options) -> Result<Measured> {
    if run.tracking {
        // SAFETY: no slice without events exists.
        unsafe { ctx.enable_event_tracking() };
    } else {
        // SAFETY: all work is on one stream.
        unsafe { ctx.disable_event_tracking() };
    }
    let device = Device::new(ctx, run.mode, blas)?;
    let mut engine = Engine::new(device.clone(), config)?;
    engine.generate(options.warm_up)?;
    let counted = if run.mode == Mode::Captured {
        // The mean length of the measured steps, without a step that needs larger memory than the step before.
        engine.generate(options.tokens / 16 * 8)?;
        device.counts.clear();
        device.capture(|| engine.model.step(&device))?;
        1
    } else {
        device.counts.clear();
        options.tokens
    };
    let (before, started) = (device.runs(), Instant::now());
    engine.generate(options.tokens)?;
    let seconds = started.elapsed().as_secs_f64();
    let (host, gpu) = (engine.host, engine.gpu);
    let mean = |sum: f64| sum / options.tokens as f64;
    let after = device.runs();
    let tokens = engine.tokens.clone();
    let first = device.until_first(8, || engine.generate(1))?;
    Ok(Measured {
        run,
        tokens,
        per_second: options.tokens as f64 / seconds,
        first,
        host: mean(1e3 * host.as_secs_f64()),
        gpu: mean(gpu),
        counts: device.counts.all().map(|number| number.get() as f64 / counted as f64),
        changes: [after.captures - before.captures, after.updated_nodes - before.updated_nodes].map(|n| mean(n as f64)),
        graphs: after.built - before.built,
    })
}
