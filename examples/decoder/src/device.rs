//! The device of the tensor library: where memory comes from, where launches and cuBLAS calls are enqueued, and what a
//! step is.
//!
//! The model and the operations are the same in all modes. Only this file knows the mode.

use crate::{
    Result,
    blas::Blas,
    kernels::{GemmShape, Kernels},
};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaGraph, CudaSlice, CudaStream, DeviceRepr,
    sys::{CUevent_flags, CUgraphInstantiate_flags, CUstreamCaptureMode},
};
use half::bf16;
use kernel_args::sequence::{Handle, Memory, Pool, Run, RunCounts, RunMode, Sequence, Value};
use std::{
    cell::{Cell, Ref, RefCell},
    rc::Rc,
    sync::Arc,
    time::{Duration, Instant},
};

/// How a step is enqueued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Launch by launch; memory from `cuMemAllocAsync`.
    Plain,
    /// Launch by launch; memory from a [`Pool`].
    Pooled,
    /// As a run of a sequence, with its memory.
    Sequence,
    /// The same, in segments that are enqueued while the step is recorded.
    Segments,
    /// Captured once and launched again, with memory from a [`Pool`]: always the same position and length, so the
    /// tokens are wrong.
    Captured,
}

/// What was enqueued.
#[derive(Default)]
pub struct Counts {
    pub launches: Cell<usize>,
    pub external: Cell<usize>,
    pub allocations: Cell<usize>,
}

impl Counts {
    pub fn all(&self) -> [&Cell<usize>; 3] {
        [&self.launches, &self.external, &self.allocations]
    }

    pub fn clear(&self) {
        self.all().into_iter().for_each(|number| number.set(0));
    }
}

pub fn add(number: &Cell<usize>, more: usize) {
    number.set(number.get() + more);
}

/// The steps of a segment.
const STEPS: usize = 64;

/// An element of a tensor.
pub trait Element: DeviceRepr + Send + 'static {}

impl<T: DeviceRepr + Send + 'static> Element for T {}

/// A GPU with the kernels, and one stream.
pub struct Device {
    pub stream: Arc<CudaStream>,
    pub kernels: Kernels,
    pub counts: Counts,
    mode: Mode,
    blas: Option<Handle<Blas>>,
    /// Memory outside of runs; `None` for `cuMemAllocAsync`.
    pool: Option<Pool>,
    sequence: Option<RefCell<Sequence>>,
    /// The run that is recorded.
    run: RefCell<Option<Run>>,
    graph: RefCell<Option<CudaGraph>>,
    begin: CudaEvent,
    end: CudaEvent,
    first: First,
}

/// When the first kernel of a step is enqueued. It is measured in steps of its own, because it takes time.
#[derive(Default)]
struct First {
    /// The begin of the step, and how many graphs were launched before.
    begin: Cell<Option<(Instant, u64)>>,
    sum: Cell<Duration>,
}

impl Device {
    /// With `blas`, matrices are multiplied by cuBLAS, otherwise by a kernel of this example.
    pub fn new(ctx: &Arc<CudaContext>, mode: Mode, blas: bool) -> Result<Rc<Self>> {
        let stream = ctx.new_stream()?;
        let timed = || ctx.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
        let mut sequence = match mode {
            Mode::Sequence => Some(Sequence::new(&stream)),
            Mode::Segments => Some(Sequence::new(&stream).segments(STEPS)),
            _ => None,
        };
        if let Some(sequence) = &mut sequence {
            // SAFETY: a run uses the memory of tensors, on this stream only. `Memory` retires what is dropped while a
            // run records.
            unsafe { sequence.assume_all_held()? };
        }
        Ok(Rc::new(Self {
            kernels: Kernels::load(ctx)?,
            counts: Counts::default(),
            mode,
            blas: blas.then(|| Blas::new(&stream)).transpose()?,
            pool: matches!(mode, Mode::Pooled | Mode::Captured).then(|| Pool::new(&stream)),
            sequence: sequence.map(RefCell::new),
            run: RefCell::default(),
            graph: RefCell::default(),
            begin: timed()?,
            end: timed()?,
            first: First::default(),
            stream,
        }))
    }

    /// Memory for `n` elements, which are not set: every operation writes its output before a later one reads it.
    pub fn alloc<T: Element>(&self, n: usize) -> Result<Memory<T>> {
        add(&self.counts.allocations, 1);
        Ok(match (&*self.run(), &self.pool) {
            // SAFETY: see above. After an error in a step, the tensors are not used again.
            (Some(run), _) => unsafe { run.alloc(n)? }.into(),
            // SAFETY: see above.
            (None, Some(pool)) => unsafe { pool.alloc(n)? }.into(),
            // SAFETY: see above.
            (None, None) => unsafe { self.stream.alloc(n)? }.into(),
        })
    }

    /// The run that is recorded, which is then the stream of launches.
    pub fn run(&self) -> Ref<'_, Option<Run>> {
        self.run.borrow()
    }

    /// Whether cuBLAS has multiplied the matrices; without cuBLAS the caller launches a kernel.
    ///
    /// # Safety
    /// The slices have the lengths of the shape.
    #[expect(clippy::multiple_unsafe_ops_per_block, reason = "the closure is part of the external work")]
    pub unsafe fn gemm(
        &self,
        shape: GemmShape,
        x: &CudaSlice<bf16>,
        w: &CudaSlice<bf16>,
        out: &mut CudaSlice<bf16>,
    ) -> Result<bool> {
        let Some(blas) = &self.blas else { return Ok(false) };
        add(&self.counts.external, 1);
        match &*self.run() {
            // SAFETY: the caller guarantees the lengths. The product uses the slices and the workspace of the handle.
            Some(run) => unsafe {
                run.external((blas, Value(shape), x, w, out), |_, (blas, shape, x, w, mut out)| {
                    blas.product(shape, &x, &w, &mut out)
                })?;
            },
            // SAFETY: the caller guarantees the lengths.
            None => unsafe { blas.product(shape, x, w, out)? },
        }
        Ok(true)
    }

    /// One step: what `work` enqueues, or its graph.
    pub fn step(&self, work: impl FnOnce() -> Result) -> Result {
        if let Some(sequence) = &self.sequence {
            let run = sequence.borrow_mut().begin()?;
            self.run.replace(Some(run.clone()));
            if self.mode == Mode::Segments {
                self.begin.record(&self.stream)?;
            }
            let worked = work();
            self.run.take();
            worked?;
            if self.mode == Mode::Sequence {
                self.begin.record(&self.stream)?;
            }
            if let RunMode::Plain(why) = run.finish()? {
                return Err(format!("the step was not launched as a graph: {why}").into());
            }
        } else {
            self.begin.record(&self.stream)?;
            match &*self.graph.borrow() {
                Some(graph) => graph.launch()?,
                None => work()?,
            }
        }
        self.enqueued();
        Ok(self.end.record(&self.stream)?)
    }

    /// The mean time until the first kernel of such steps is enqueued, in milliseconds.
    pub fn until_first(&self, steps: u32, mut step: impl FnMut() -> Result) -> Result<f64> {
        for _ in 0..steps {
            self.first.begin.set(Some((Instant::now(), self.runs().segments)));
            step()?;
        }
        Ok(1e3 * self.first.sum.take().as_secs_f64() / f64::from(steps))
    }

    /// Something was launched or recorded.
    pub fn launched(&self) {
        let before = self.first.begin.get().map(|(_, graphs)| graphs);
        if before.is_some_and(|graphs| self.sequence.is_none() || self.runs().segments > graphs) {
            self.enqueued();
        }
    }

    fn enqueued(&self) {
        if let Some((begin, _)) = self.first.begin.take() {
            self.first.sum.set(self.first.sum.get() + begin.elapsed());
        }
    }

    /// What the sequence has done.
    pub fn runs(&self) -> RunCounts {
        self.sequence.as_ref().map(|sequence| sequence.borrow().counts()).unwrap_or_default()
    }

    /// Captures a step, which [`step`](Self::step) launches from then on.
    pub fn capture(&self, work: impl FnOnce() -> Result) -> Result {
        self.stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
        let worked = work();
        let graph = self.stream.end_capture(CUgraphInstantiate_flags(0));
        worked?;
        *self.graph.borrow_mut() = Some(graph?.ok_or("the captured step is empty")?);
        Ok(())
    }

    /// Milliseconds from the begin to the end of the last step on the GPU. Waits for its end.
    pub fn gpu_time(&self) -> Result<f64> {
        Ok(self.begin.elapsed_ms(&self.end)?.into())
    }
}
