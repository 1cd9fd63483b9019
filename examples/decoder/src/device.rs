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
use kernel_args::sequence::{Handle, Pool, PoolSlice, Run, RunCounts, RunMode, Sequence, Value, retire};
use std::{
    cell::{Cell, Ref, RefCell},
    ops::{Deref, DerefMut},
    rc::Rc,
    sync::Arc,
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

/// An element of a tensor.
pub trait Element: DeviceRepr + Send + 'static {}

impl<T: DeviceRepr + Send + 'static> Element for T {}

/// A GPU with the kernels, and one stream.
pub struct Device {
    pub stream: Arc<CudaStream>,
    pub kernels: Kernels,
    pub counts: Counts,
    blas: Option<Handle<Blas>>,
    /// Memory outside of runs; `None` for `cuMemAllocAsync`.
    pool: Option<Pool>,
    sequence: Option<RefCell<Sequence>>,
    /// The run that is recorded.
    run: RefCell<Option<Run>>,
    graph: RefCell<Option<CudaGraph>>,
    begin: CudaEvent,
    end: CudaEvent,
}

impl Device {
    /// With `blas`, matrices are multiplied by cuBLAS, otherwise by a kernel of this example.
    pub fn new(ctx: &Arc<CudaContext>, mode: Mode, blas: bool) -> Result<Rc<Self>> {
        let stream = ctx.new_stream()?;
        let timed = || ctx.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
        let mut sequence = (mode == Mode::Sequence).then(|| Sequence::new(&stream));
        if let Some(sequence) = &mut sequence {
            // SAFETY: a run uses the memory of tensors, on this stream only. `OfStream` retires what is dropped while a
            // run records.
            unsafe { sequence.assume_all_held()? };
        }
        Ok(Rc::new(Self {
            kernels: Kernels::load(ctx)?,
            counts: Counts::default(),
            blas: blas.then(|| Blas::new(&stream)).transpose()?,
            pool: matches!(mode, Mode::Pooled | Mode::Captured).then(|| Pool::new(&stream)),
            sequence: sequence.map(RefCell::new),
            run: RefCell::default(),
            graph: RefCell::default(),
            begin: timed()?,
            end: timed()?,
            stream,
        }))
    }

    /// Memory for `n` elements, which are not set: every operation writes its output before a later one reads it.
    pub fn alloc<T: Element>(&self, n: usize) -> Result<Memory<T>> {
        add(&self.counts.allocations, 1);
        Ok(match (&*self.run(), &self.pool) {
            // SAFETY: see above. After an error in a step, the tensors are not used again.
            (Some(run), _) => Memory::Pool(unsafe { run.alloc(n)? }),
            // SAFETY: see above.
            (None, Some(pool)) => Memory::Pool(unsafe { pool.alloc(n)? }),
            // SAFETY: see above.
            (None, None) => Memory::Stream(OfStream(Some(unsafe { self.stream.alloc(n)? }))),
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
            let worked = work();
            self.run.take();
            worked?;
            self.begin.record(&self.stream)?;
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
        Ok(self.end.record(&self.stream)?)
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

/// The memory of a tensor.
pub enum Memory<T: Element> {
    Stream(OfStream<T>),
    Pool(PoolSlice<T>),
}

/// Memory that cudarc frees.
pub struct OfStream<T: Element>(Option<CudaSlice<T>>);

impl<T: Element> Deref for Memory<T> {
    type Target = CudaSlice<T>;

    fn deref(&self) -> &CudaSlice<T> {
        match self {
            Self::Stream(slice) => slice.0.as_ref().expect("only its drop takes it"),
            Self::Pool(slice) => slice,
        }
    }
}

impl<T: Element> DerefMut for Memory<T> {
    fn deref_mut(&mut self) -> &mut CudaSlice<T> {
        match self {
            Self::Stream(slice) => slice.0.as_mut().expect("only its drop takes it"),
            Self::Pool(slice) => slice,
        }
    }
}

impl<T: Element> Drop for OfStream<T> {
    fn drop(&mut self) {
        // A run that is recorded uses it later than now.
        if let Some(slice) = self.0.take() {
            retire(slice);
        }
    }
}
