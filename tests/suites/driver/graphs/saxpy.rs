//! The kernel of most trials, and its memory.

use cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use kernel_args::{DevicePointer, DevicePointerMut, Kernel, KernelArgs, Retained};
use kernel_args_tests::driver::context;
use std::{
    error::Error,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

pub(crate) const SAXPY: &str = include_str!("../../../../ptx/saxpy.ptx");

pub(crate) const N: usize = 32;

/// Arguments that the graph retains.
#[derive(KernelArgs)]
pub(crate) struct Saxpy {
    pub(crate) n: u32,
    pub(crate) alpha: f32,
    pub(crate) x: Retained<DevicePointer<f32>>,
    pub(crate) y: Retained<DevicePointerMut<f32>>,
}

/// Borrowed arguments.
#[derive(KernelArgs)]
pub(crate) struct Borrowed<'a> {
    pub(crate) n: u32,
    pub(crate) alpha: f32,
    pub(crate) x: &'a CudaSlice<f32>,
    pub(crate) y: &'a mut CudaSlice<f32>,
}

/// Raw pointers.
#[derive(KernelArgs)]
pub(crate) struct Raw {
    pub(crate) n: u32,
    pub(crate) alpha: f32,
    pub(crate) x: DevicePointer<f32>,
    pub(crate) y: DevicePointerMut<f32>,
}

/// `y` becomes `alpha * x + y`. `x` contains ones.
pub(crate) struct World {
    pub(crate) ctx: Arc<CudaContext>,
    pub(crate) stream: Arc<CudaStream>,
    pub(crate) kernel: Kernel<Saxpy>,
    pub(crate) x: Arc<CudaSlice<f32>>,
    pub(crate) y: Arc<CudaSlice<f32>>,
}

impl World {
    pub(crate) fn new() -> Outcome<Self> {
        let ctx = context()?;
        let stream = ctx.new_stream()?;
        let world = Self {
            kernel: Kernel::from_image(&ctx, SAXPY, "saxpy")?,
            x: Arc::new(stream.clone_htod(&[1.0; N])?),
            y: Arc::new(stream.clone_htod(&[0.0; N])?),
            stream,
            ctx,
        };
        // cudarc's events do not order the following work.
        world.ctx.synchronize()?;
        Ok(world)
    }

    pub(crate) fn args(&self, alpha: f32) -> Saxpy {
        Saxpy { n: N as u32, alpha, x: Retained::read(&self.x), y: Retained::write(&self.y) }
    }

    pub(crate) fn raw(&self, alpha: f32) -> Raw {
        Raw { n: N as u32, alpha, x: Retained::read(&self.x).pointer(), y: Retained::write(&self.y).pointer() }
    }

    /// Whether all of `y` has this value.
    pub(crate) fn y_is(&self, value: f32) -> Outcome {
        let y = self.stream.clone_dtoh(&*self.y)?;
        if y.iter().any(|y| (y - value).abs() > 1e-6) {
            return Err(format!("{y:?}, and not {value}").into());
        }
        Ok(())
    }
}

/// Waits until the condition is true: the objects that a graph retains are released on a different thread, after its launches
/// have completed.
pub(crate) fn soon(what: &str, mut is_so: impl FnMut() -> bool) -> Outcome {
    let start = Instant::now();
    while !is_so() {
        if start.elapsed() > Duration::from_secs(20) {
            return Err(format!("{what} has not happened").into());
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// A delay in which immediate work on a different thread would have happened.
pub(crate) fn a_while() {
    thread::sleep(Duration::from_millis(30));
}
