//! Runs of many launches of kernels that do nothing: as a sequence, as plain launches, as a graph whose changed nodes a C program
//! updates, and as a graph that cudarc has captured.

use crate::{
    graph::{Bare, Eight},
    launch::{CONFIG, Device, Slices, done},
};
use core::{error::Error, hint::black_box};
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
    /// Three slices and five scalars.
    Slices,
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
    memory: [CudaSlice<f32>; 3],
    stream: Arc<CudaStream>,
    sequence: Sequence,
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
    pub fn new(
        device: &Device,
        arguments: Arguments,
        launches: u32,
        changed: u32,
    ) -> Result<Self, Box<dyn Error>> {
        let kernel = |name| device.module.load_function(name);
        let function = kernel("words_8")?;
        let eight = Kernel::from_function(&device.context, function.clone())?;
        // The default stream cannot be captured. With a stream of its own, cudarc tracks the use of the slices with events.
        let stream = device.context.new_stream()?;
        let memory = [(); 3].map(|()| stream.alloc_zeros(1024));
        let [x, y, out] = memory;
        Ok(Self {
            launches,
            changed,
            arguments,
            bare: Bare::new(eight.cu_function(), launches)?,
            eight,
            slices: Kernel::from_function(&device.context, kernel("slices")?)?,
            function,
            memory: [x?, y?, out?],
            sequence: Sequence::new(&stream),
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
        let Self {
            eight,
            slices,
            memory,
            stream,
            ..
        } = self;
        let [x, y, out] = memory;
        done(&match self.arguments {
            Arguments::Scalars => of.launch_eight(eight, &**stream),
            Arguments::Slices => of.launch_slices(slices, x, y, out, &**stream),
        });
    }

    /// A [`Sequence`].
    pub fn sequence(&mut self) {
        let of = self.next();
        let Self {
            eight,
            slices,
            memory,
            sequence,
            ..
        } = self;
        let [x, y, out] = memory;
        done(&match self.arguments {
            Arguments::Scalars => sequence.run(|s| of.launch_eight(eight, s)),
            Arguments::Slices => sequence.run(|s| {
                let (x, y, mut out) = (s.hold(&*x)?, s.hold(&*y)?, s.hold(out)?);
                of.launch_slices(slices, x, y, &mut out, s)
            }),
        });
    }

    /// `cuGraphExecKernelNodeSetParams` for each launch that has changed, then `cuGraphLaunch`. Its scalars stand for addresses.
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
        Run {
            launches: black_box(self.launches),
            changed: black_box(self.changed),
            number: black_box(self.run),
        }
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
        if self.is_changed(launch) {
            self.number + u64::from(launch)
        } else {
            u64::from(launch)
        }
    }

    #[inline(always)]
    fn launch_eight(
        self,
        kernel: &Kernel<Eight>,
        on: &impl AsStream,
    ) -> Result<(), kernel_args::Error> {
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
        x: &CudaSlice<f32>,
        y: &CudaSlice<f32>,
        out: &mut CudaSlice<f32>,
        on: &impl AsStream,
    ) -> Result<(), kernel_args::Error> {
        for i in 0..self.launches {
            let args = Slices {
                x,
                y,
                out: &mut *out,
                n: 1024,
                alpha: 1.0,
                beta: 2.0,
                stride: 4,
                seed: self.value(i),
            };
            // SAFETY: the kernel accesses no memory.
            unsafe { launch!(kernel, 1, 32, args, stream = on)? };
        }
        Ok(())
    }
}

/// A way to run the launches, and its name.
pub type Way = (&'static str, fn(&mut Program));

/// All ways. The first is the way that each way is compared with.
pub const WAYS: [Way; 4] = [
    ("`launch!`", Program::plain),
    ("sequence", Program::sequence),
    ("nodes updated by hand", Program::bare),
    ("captured by cudarc", Program::captured),
];
