//! The kernel of most trials, and its memory.

use cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use kernel_args::{
    Error, Kernel, Launch, Retained,
    graph::{Graph, GraphExec, Node},
    launch,
};
use kernel_args_tests::driver::context;
use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

pub(crate) use kernel_args_tests::saxpy::{Outcome, Owned, Pointers, SAXPY, Saxpy};

pub(crate) const N: usize = 32;

pub(crate) const LAUNCH: fn() -> Launch<'static> = || Launch::new(1, 32);

pub(crate) type Memory = Arc<CudaSlice<f32>>;

/// `y` becomes `alpha * x + y`. `x` contains ones.
pub(crate) struct World {
    pub(crate) ctx: Arc<CudaContext>,
    pub(crate) stream: Arc<CudaStream>,
    pub(crate) kernel: Kernel<Owned>,
    pub(crate) x: Memory,
    pub(crate) y: Memory,
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

    pub(crate) fn args(&self, alpha: f32) -> Owned {
        Owned { n: N as u32, alpha, x: Retained::read(&self.x), y: Retained::write(&self.y) }
    }

    pub(crate) fn raw(&self, alpha: f32) -> Pointers {
        Pointers { n: N as u32, alpha, x: Retained::read(&self.x).pointer(), y: Retained::write(&self.y).pointer() }
    }

    /// Memory that contains ones.
    pub(crate) fn memory(&self) -> Outcome<Memory> {
        let memory = self.stream.clone_htod(&[1.0; N])?;
        self.ctx.synchronize()?;
        Ok(Arc::new(memory))
    }

    pub(crate) fn with_x(&self, x: &Memory) -> Owned {
        Owned { x: Retained::read(x), ..self.args(1.0) }
    }

    /// A captured launch, and its node.
    pub(crate) fn captured(&self, args: Owned) -> Outcome<(Graph, Node<Owned>)> {
        let mut node = None;
        let graph = Graph::capture(&self.stream, || -> Result<(), Error> {
            // SAFETY: both slices have `N` elements, on one stream.
            node = Some(unsafe { launch!(self.kernel, 1, 32, args, node, stream = &self.stream) }?);
            Ok(())
        })?;
        Ok((graph, node.ok_or("nothing was captured")?))
    }

    /// Launches a graph of this suite.
    pub(crate) fn run(&self, exec: &mut GraphExec) -> Result<(), Error> {
        // SAFETY: the memory of all nodes has the elements that they access, outlives the launch, and is used on this
        // stream, or on a stream that waits for it.
        unsafe { exec.launch(&self.stream) }
    }

    /// Launches a graph, after which all of `y` has this value.
    pub(crate) fn launch(&self, exec: &mut GraphExec, y: f32) -> Outcome {
        self.run(exec)?;
        self.y_is(y)
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

/// Waits until the condition is true: the objects that a graph retains are released on a different thread, after its
/// launches have completed.
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
