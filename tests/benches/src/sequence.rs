//! Runs of many launches of kernels that do nothing: as a sequence, as plain launches, as a graph whose changed nodes a
//! C program updates, and as a graph that cudarc has captured.

use crate::{
    graph::{Bare, Eight},
    launch::{CONFIG, Device, Slices, done},
};
use core::{error::Error, hint::black_box, ops::DerefMut};
use cudarc::driver::{
    CudaFunction, CudaGraph, CudaSlice, CudaStream, PushKernelArg,
    sys::{CUgraphInstantiate_flags, CUstreamCaptureMode},
};
use kernel_args::{Kernel, args::AsStream, launch, sequence::Sequence};
use std::sync::Arc;

/// The arguments of each launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// Eight parameters of 8 bytes.
    Scalars,
    /// Three slices and five scalars. All launches write the same slice.
    Slices,
    /// Three slices and five scalars. The launches write eight slices in turn.
    Outputs,
}

/// A program that repeats its launches.
pub struct Program {
    /// The number of launches of a run.
    pub launches: u32,
    /// How many of 100 launches have other arguments in each run.
    pub changed: u32,
    arguments: Arguments,
    eight: Kernel<Eight>,
    slices: Kernel<Slices<'static>>,
    function: CudaFunction,
    inputs: [CudaSlice<f32>; 2],
    outputs: Vec<CudaSlice<f32>>,
    stream: Arc<CudaStream>,
    sequence: Sequence,
    parallel: Sequence,
    /// Whether `parallel` runs.
    is_parallel: bool,
    bare: Bare,
    graph: Option<CudaGraph>,
    run: u64,
}

/// One block with one warp.
impl Program {
    /// Prepares everything on a device.
    ///
    /// # Errors
    /// If the kernels do not match, or the driver returns an error.
    pub fn new(device: &Device, arguments: Arguments, launches: u32, changed: u32) -> Result<Self, Box<dyn Error>> {
        let kernel = |name| device.module.load_function(name);
        let function = kernel("words_8")?;
        let eight = Kernel::from_function(&device.context, function.clone())?;
        // The default stream cannot be captured. With a stream of its own, cudarc tracks the use of the slices with
        // events.
        let stream = device.context.new_stream()?;
        let memory = || stream.alloc_zeros(1024);
        let outputs = match arguments {
            Arguments::Outputs => 8,
            _ => 1,
        };
        Ok(Self {
            launches,
            changed,
            arguments,
            bare: Bare::new(eight.cu_function(), launches)?,
            eight,
            slices: Kernel::from_function(&device.context, kernel("slices")?)?,
            function,
            inputs: [memory()?, memory()?],
            outputs: (0..outputs).map(|_| memory()).collect::<Result<_, _>>()?,
            sequence: Sequence::new(&stream),
            // SAFETY: the kernels access no memory.
            parallel: unsafe { Sequence::new(&stream).parallel() },
            is_parallel: false,
            stream,
            graph: None,
            run: 0,
        })
    }

    /// Waits for all launches.
    ///
    /// # Errors
    /// The driver's error.
    pub fn wait(&self) -> Result<(), Box<dyn Error>> {
        Ok(self.stream.synchronize()?)
    }

    /// `launch!`.
    pub fn plain(&mut self) {
        let of = self.next();
        let Self { eight, slices, inputs, outputs, stream, .. } = self;
        done(&match self.arguments {
            Arguments::Scalars => of.launch_eight(eight, &**stream),
            Arguments::Slices | Arguments::Outputs => {
                let mut outputs: Vec<_> = outputs.iter_mut().collect();
                of.launch_slices(slices, inputs.each_ref(), &mut outputs, &**stream)
            }
        });
    }

    /// A [`Sequence`].
    pub fn sequence(&mut self) {
        let of = self.next();
        let Self { arguments, eight, slices, inputs, outputs, sequence, parallel, is_parallel, .. } = self;
        let sequence = if *is_parallel { parallel } else { sequence };
        let [x, y] = inputs;
        done(&match arguments {
            Arguments::Scalars => sequence.run(|s| of.launch_eight(eight, s)),
            Arguments::Slices => sequence.run(|s| {
                let inputs = [s.hold(&*x)?, s.hold(&*y)?];
                of.launch_slices(slices, inputs, &mut [s.hold(&mut outputs[0])?], s)
            }),
            Arguments::Outputs => sequence.run(|s| {
                let inputs = [s.hold(&*x)?, s.hold(&*y)?];
                let outputs: Result<Vec<_>, _> = outputs.iter_mut().map(|out| s.hold(out)).collect();
                of.launch_slices(slices, inputs, &mut outputs?, s)
            }),
        });
    }

    /// A sequence whose launches may run at the same time.
    pub fn parallel(&mut self) {
        self.is_parallel = true;
        self.sequence();
        self.is_parallel = false;
    }

    /// `cuGraphExecKernelNodeSetParams` for each launch that has changed, then `cuGraphLaunch`. Its scalars stand for
    /// addresses.
    pub fn bare(&mut self) {
        let of = self.next();
        let function = self.eight.cu_function();
        for (i, &node) in (0..).zip(&self.bare.nodes) {
            if of.is_changed(i) {
                self.bare.update(node, function, Eight::of(of.value(i)));
            }
        }
        self.bare.launch(&self.stream);
    }

    /// A graph that cudarc has captured. If launches have changed, it is captured again.
    pub fn captured(&mut self) {
        let of = self.next();
        if self.graph.is_none() || of.changed > 0 {
            let captured = self.capture(of);
            done(&captured);
            self.graph = captured.ok().flatten();
        }
        if let Some(graph) = &self.graph {
            done(&graph.launch());
        }
    }

    fn capture(&self, of: Run) -> Result<Option<CudaGraph>, cudarc::driver::DriverError> {
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        self.stream.begin_capture(mode)?;
        for i in 0..of.launches {
            let args = Eight::of(of.value(i));
            let mut builder = self.stream.launch_builder(&self.function);
            builder.arg(&args.a).arg(&args.b).arg(&args.c).arg(&args.d);
            builder.arg(&args.e).arg(&args.f).arg(&args.g).arg(&args.h);
            // SAFETY: the kernel takes eight words, and accesses no memory.
            unsafe { builder.launch(CONFIG) }?;
        }
        self.stream.end_capture(CUgraphInstantiate_flags(0))
    }

    fn next(&mut self) -> Run {
        self.run += 1;
        Run { launches: black_box(self.launches), changed: black_box(self.changed), number: black_box(self.run) }
    }
}

/// One run.
#[derive(Clone, Copy)]
struct Run {
    launches: u32,
    changed: u32,
    number: u64,
}

impl Run {
    /// The changed launches are spread over the run.
    #[inline(always)]
    fn is_changed(self, launch: u32) -> bool {
        launch * 37 % 100 < self.changed
    }

    #[inline(always)]
    fn value(self, launch: u32) -> u64 {
        if self.is_changed(launch) { self.number + u64::from(launch) } else { u64::from(launch) }
    }

    #[inline(always)]
    fn launch_eight(self, kernel: &Kernel<Eight>, on: &impl AsStream) -> Result<(), kernel_args::Error> {
        for i in 0..self.launches {
            let args = Eight::of(self.value(i));
            // SAFETY: the kernel accesses no memory.
            unsafe { launch!(kernel, 1, 32, args, stream = on)? };
        }
        Ok(())
    }

    #[inline(always)]
    fn launch_slices(
        self,
        kernel: &Kernel<Slices<'static>>,
        [x, y]: [&CudaSlice<f32>; 2],
        outputs: &mut [impl DerefMut<Target = CudaSlice<f32>>],
        on: &impl AsStream,
    ) -> Result<(), kernel_args::Error> {
        let mut at = 0;
        for i in 0..self.launches {
            let args =
                Slices { x, y, out: &mut outputs[at], n: 1024, alpha: 1.0, beta: 2.0, stride: 4, seed: self.value(i) };
            // SAFETY: the kernel accesses no memory.
            unsafe { launch!(kernel, 1, 32, args, stream = on)? };
            at = if at + 1 == outputs.len() { 0 } else { at + 1 };
        }
        Ok(())
    }
}

/// A way to run the launches, and its name.
pub type Way = (&'static str, fn(&mut Program));

/// All ways. The first is the way that each way is compared with.
pub const WAYS: [Way; 5] = [
    ("`launch!`", Program::plain),
    ("sequence", Program::sequence),
    ("sequence, parallel", Program::parallel),
    ("nodes updated by hand", Program::bare),
    ("captured by cudarc", Program::captured),
];
