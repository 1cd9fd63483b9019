//! The device of the tensor library: where memory comes from, where launches and cuBLAS calls are enqueued, and what a step is.
//!
//! The model and the operations are the same in all modes. Only this file knows the mode.

use crate::{
    Result,
    blas::Blas,
    kernels::{GemmShape, Kernels},
};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaGraph, CudaSlice, CudaStream, DeviceRepr,
    sys::{CUdeviceptr, CUevent_flags, CUgraphInstantiate_flags, CUstreamCaptureMode},
};
use half::bf16;
use kernel_args::args::AsStream;
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    mem::ManuallyDrop,
    ops::{Deref, DerefMut},
    rc::Rc,
    sync::Arc,
};

/// How a step is enqueued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Launch by launch; memory from `cuMemAllocAsync`.
    Plain,
    /// Captured once and launched again: always the same position and length, so the tokens are wrong.
    Captured,
}

/// What was enqueued.
#[derive(Default)]
pub struct Counts {
    pub launches: Cell<u64>,
    pub foreign: Cell<u64>,
    pub allocations: Cell<u64>,
}

impl Counts {
    pub fn clear(&self) {
        for number in [&self.launches, &self.foreign, &self.allocations] {
            number.set(0);
        }
    }
}

/// One more.
pub fn count(number: &Cell<u64>) {
    number.set(number.get() + 1);
}

/// A GPU with the kernels, and one stream.
pub struct Device {
    pub stream: Arc<CudaStream>,
    pub kernels: Kernels,
    pub counts: Counts,
    blas: Option<Blas>,
    mode: Mode,
    /// Free memory for `Captured`, by size: a capture must not allocate.
    free: RefCell<HashMap<usize, Vec<CUdeviceptr>>>,
    graph: RefCell<Option<CudaGraph>>,
    begin: CudaEvent,
    end: CudaEvent,
}

impl Device {
    /// With `blas`, matrices are multiplied by cuBLAS, otherwise by a kernel of this example.
    pub fn new(ctx: &Arc<CudaContext>, mode: Mode, blas: bool) -> Result<Rc<Self>> {
        let stream = ctx.new_stream()?;
        let timed = || ctx.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
        Ok(Rc::new(Self {
            kernels: Kernels::load(ctx)?,
            counts: Counts::default(),
            blas: blas.then(|| Blas::new(&stream)).transpose()?,
            mode,
            free: RefCell::default(),
            graph: RefCell::default(),
            begin: timed()?,
            end: timed()?,
            stream,
        }))
    }

    /// Memory for `n` elements, which are not set.
    pub fn alloc<T: DeviceRepr>(self: &Rc<Self>, n: usize) -> Result<Memory<T>> {
        count(&self.counts.allocations);
        let bytes = (n * size_of::<T>()).next_power_of_two().max(256);
        let slice = if self.mode == Mode::Captured {
            let reused = self.free.borrow_mut().get_mut(&bytes).and_then(Vec::pop);
            let address = match reused {
                Some(address) => address,
                // SAFETY: every operation writes its output before a later one reads it.
                None => unsafe { self.stream.alloc::<u8>(bytes)? }.leak(),
            };
            // SAFETY: the memory has this size, and `Memory` gave it up: all its uses are earlier on the same stream.
            unsafe { self.stream.upgrade_device_ptr(address, n) }
        } else {
            // SAFETY: every operation writes its output before a later one reads it.
            unsafe { self.stream.alloc(n)? }
        };
        Ok(Memory { slice: ManuallyDrop::new(slice), bytes, device: self.clone() })
    }

    /// Where a launch is enqueued.
    pub fn on(&self) -> &impl AsStream {
        &self.stream
    }

    /// Whether cuBLAS has multiplied the matrices; without cuBLAS the caller launches a kernel.
    ///
    /// # Safety
    /// The slices have the lengths of the shape.
    pub unsafe fn gemm(
        &self,
        shape: GemmShape,
        x: &CudaSlice<bf16>,
        w: &CudaSlice<bf16>,
        out: &mut CudaSlice<bf16>,
    ) -> Result<bool> {
        let Some(blas) = &self.blas else { return Ok(false) };
        count(&self.counts.foreign);
        // SAFETY: the caller guarantees the lengths.
        unsafe { blas.product(shape, x, w, out)? };
        Ok(true)
    }

    /// One step: what `work` enqueues, or its graph.
    pub fn step(&self, work: impl FnOnce() -> Result) -> Result {
        self.begin.record(&self.stream)?;
        match &*self.graph.borrow() {
            Some(graph) => graph.launch()?,
            None => work()?,
        }
        Ok(self.end.record(&self.stream)?)
    }

    /// Captures a step, which [`step`](Self::step) launches from then on.
    pub fn capture(&self, work: impl FnOnce() -> Result) -> Result {
        self.stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
        let worked = work();
        let graph = self.stream.end_capture(CUgraphInstantiate_flags(0));
        worked?;
        *self.graph.borrow_mut() = graph?;
        Ok(())
    }

    /// Milliseconds from the begin to the end of the last step on the GPU. Waits for its end.
    pub fn gpu_time(&self) -> Result<f64> {
        Ok(self.begin.elapsed_ms(&self.end)?.into())
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        for (bytes, addresses) in self.free.take() {
            for address in addresses {
                // SAFETY: `Memory` gave up this memory, which has this size.
                drop(unsafe { self.stream.upgrade_device_ptr::<u8>(address, bytes) });
            }
        }
    }
}

/// The memory of a tensor.
pub struct Memory<T> {
    slice: ManuallyDrop<CudaSlice<T>>,
    bytes: usize,
    device: Rc<Device>,
}

impl<T> Deref for Memory<T> {
    type Target = CudaSlice<T>;

    fn deref(&self) -> &CudaSlice<T> {
        &self.slice
    }
}

impl<T> DerefMut for Memory<T> {
    fn deref_mut(&mut self) -> &mut CudaSlice<T> {
        &mut self.slice
    }
}

impl<T> Drop for Memory<T> {
    fn drop(&mut self) {
        // SAFETY: nothing uses the field after this.
        let slice = unsafe { ManuallyDrop::take(&mut self.slice) };
        if self.device.mode == Mode::Captured {
            self.device.free.borrow_mut().entry(self.bytes).or_default().push(slice.leak());
        }
    }
}
