//! What the steps of an engine cost the host in a run that is equal to the run before: launches, external work,
//! allocations.

use crate::{
    graph::Eight,
    launch::{Device, Slices, done},
};
use core::error::Error;
use cudarc::driver::{CudaSlice, CudaStream};
use kernel_args::{
    Kernel, launch,
    sequence::{Handle, Pool, PoolSlice, Run, Sequence},
};
use std::sync::Arc;

/// The kernels and the memory. cudarc tracks no events, as in an engine that is fast.
pub struct Engine {
    eight: Kernel<Eight>,
    slices: Kernel<Slices<'static>>,
    inputs: [Arc<CudaSlice<f32>>; 2],
    output: PoolSlice<f32>,
    handle: Handle<()>,
    pool: Pool,
    stream: Arc<CudaStream>,
    sequence: Sequence,
}

impl Engine {
    /// # Errors
    /// If the kernels do not match, or the driver returns an error.
    pub fn new(device: &Device) -> Result<Self, Box<dyn Error>> {
        let stream = device.context.new_stream()?;
        // SAFETY: everything is on this stream.
        unsafe { device.context.disable_event_tracking() };
        let memory = || stream.alloc_zeros(1024).map(Arc::new);
        let mut sequence = Sequence::new(&stream);
        let run = sequence.begin()?;
        let output = run.alloc_zeros(1024)?;
        run.finish()?;
        Ok(Self {
            eight: Kernel::from_function(&device.context, device.module.load_function("words_8")?)?,
            slices: Kernel::from_function(&device.context, device.module.load_function("slices")?)?,
            inputs: [memory()?, memory()?],
            output,
            // SAFETY: it has no memory.
            handle: unsafe { Handle::new(()) },
            pool: Pool::new(&stream),
            stream,
            sequence,
        })
    }

    /// Waits for all work.
    ///
    /// # Errors
    /// The driver's error.
    pub fn wait(&self) -> Result<(), Box<dyn Error>> {
        Ok(self.stream.synchronize()?)
    }

    /// A run of this many steps.
    fn run(&mut self, count: u32, step: impl Fn(&mut Self, &Run) -> Result<(), kernel_args::Error>) {
        let outcome = self.sequence.begin().and_then(|run| {
            for input in &self.inputs {
                run.keep(input.clone())?;
            }
            for _ in 0..count {
                step(self, &run)?;
            }
            run.finish().map(drop)
        });
        done(&outcome);
    }

    /// Launches of a kernel with eight scalars.
    pub fn launches(&mut self, count: u32) {
        self.run(count, |this, run| {
            // SAFETY: the kernel accesses no memory.
            unsafe { launch!(this.eight, 1, 32, Eight::of(7), stream = run) }
        });
    }

    /// Launches of a kernel with three slices: two that the run keeps, and one of the sequence.
    pub fn kept(&mut self, count: u32) {
        self.run(count, |this, run| {
            let [x, y] = this.inputs.each_ref().map(|input| &**input);
            let args = Slices { x, y, out: &mut this.output, n: 1024, alpha: 1.0, beta: 2.0, stride: 4, seed: 7 };
            // SAFETY: the kernel accesses no memory.
            unsafe { launch!(this.slices, 1, 32, args, stream = run) }
        });
    }

    /// External work with a handle, three slices and two numbers.
    pub fn external(&mut self, count: u32) {
        self.run(count, |this, run| {
            let [x, y] = this.inputs.each_ref().map(|input| &**input);
            let args = (&this.handle, 1024_usize, 1.0_f32, x, y, &mut *this.output);
            // SAFETY: the work uses the memory of the arguments.
            unsafe {
                run.external(args, |stream, ((), n, _, x, _, mut out)| Ok(stream.memcpy_dtod(&x.slice(..n), &mut out)?))
            }
        });
    }

    /// Allocations that are dropped, in a run.
    pub fn allocations(&mut self, count: u32) {
        self.run(count, |_, run| {
            // SAFETY: nothing reads it.
            unsafe { run.alloc::<f32>(1024) }.map(drop)
        });
    }

    /// Allocations of a pool that are dropped, without a run.
    pub fn pool(&mut self, count: u32) {
        for _ in 0..count {
            // SAFETY: nothing reads it.
            done(&unsafe { self.pool.alloc::<f32>(1024) }.map(drop));
        }
    }

    /// `cuMemAllocAsync` and `cuMemFreeAsync`, by cudarc.
    pub fn driver(&mut self, count: u32) {
        for _ in 0..count {
            // SAFETY: nothing reads it.
            done(&unsafe { self.stream.alloc::<f32>(1024) }.map(drop));
        }
    }
}

/// A kind of step, its name, and how many nanoseconds it may take at most.
pub type Part = (&'static str, f64, fn(&mut Engine, u32));

/// All kinds.
pub const PARTS: [Part; 6] = [
    ("an equal launch", 30.0, Engine::launches),
    ("an equal launch with kept memory", 60.0, Engine::kept),
    ("an equal external step", 60.0, Engine::external),
    ("an allocation and its free in a run", 40.0, Engine::allocations),
    ("an allocation and its free in a `Pool`", 100.0, Engine::pool),
    ("`cuMemAllocAsync` and `cuMemFreeAsync`", f64::INFINITY, Engine::driver),
];
