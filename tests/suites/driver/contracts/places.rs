//! Contracts apply at each place that launches a struct, or makes it the arguments of a node.

use super::{Outcome, refused};
use cudarc::driver::{CudaSlice, CudaStream, LaunchConfig, sys::CUstreamCaptureMode};
use kernel_args::{
    DevicePointerMut, Error, Kernel, KernelArgs, Launch, Module, Retained, args::Form, graph::Graph, launch,
    sequence::Sequence,
};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::{context, trial};
use libtest_mimic::Trial;
use std::sync::Arc;

const PTX: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry work(.param .u64 y, .param .u32 n) { ret; }
";

const N: usize = 100;

/// The arguments of a launch.
#[derive(KernelArgs)]
#[kernel_args(block_multiple_of = 32, grid_covers = "n", shared = "block.x * 4 + 16")]
struct Work<'a> {
    #[kernel_args(len = "n")]
    y: &'a mut CudaSlice<f32>,
    #[kernel_args(as = u32)]
    n: usize,
}

/// The arguments of a node, and of all threads.
#[derive(KernelArgs)]
#[kernel_args(block_multiple_of = 32, grid_covers = "n", shared = "block.x * 4 + 16")]
struct Owned {
    #[kernel_args(len = "n")]
    y: Retained<DevicePointerMut<f32>>,
    #[kernel_args(as = u32)]
    n: usize,
}

const TOO_SHORT: &str = "has 100 elements, but `len = \"n\"` requires 101\n\
     help: pass memory of at least 101 elements, or correct the values that the contract uses";

fn too_short(name: &str) -> String {
    format!("`y` of `{name}` {TOO_SHORT}")
}

/// Whether the last launch on the test driver had this block, and what the contracts compute from it.
fn launched(block: u32, n: u32) {
    let Some(last) = Control::attach().and_then(|control| control.last_launch()) else {
        return;
    };
    assert_eq!((last.block, last.shared), ([block, 1, 1], block * 4 + 16));
    assert_eq!(last.bank[8..12], n.to_le_bytes());
}

/// Launches with wrong and right arguments: the number of elements, and the block.
fn each(mut launch: impl FnMut(usize, u32) -> Result<(), Error>, name: &str) -> Outcome {
    refused(launch(N + 1, 128), &too_short(name));
    refused(
        launch(N, 33),
        &format!(
            "the block is (33, 1, 1), 33 threads, but `block_multiple_of = 32` on `{name}` requires a multiple of 32\n\
             help: use a multiple, such as 32 or 64 threads"
        ),
    );
    launch(N, 128)?;
    launched(128, 100);
    launch(N - 1, 256)?;
    launched(256, 99);
    Ok(())
}

struct World {
    module: Arc<Module>,
    stream: Arc<CudaStream>,
    y: CudaSlice<f32>,
}

fn world() -> Outcome<World> {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    Ok(World { module: Module::load(&ctx, PTX)?, y: stream.alloc_zeros(N)?, stream })
}

/// A call of `launch!` with the kernel as this expression.
macro_rules! launches {
    ($func:expr, $world:ident $(, $option:ident = $value:expr)*) => {
        each(
            |n, block| {
                let y = &mut $world.y;
                // SAFETY: the kernel accesses no memory.
                unsafe { launch!($func, 1, block, Work { y, n } $(, $option = $value)*) }
            },
            "Work",
        )
    };
}

fn kernels_in_each_form() -> Outcome {
    let mut world = world()?;
    let kernel = world.module.kernel::<Work>("work")?;
    let stream = world.stream.clone();
    launches!(kernel, world)?;
    launches!(kernel, world, form = Form::KernelParams)?;
    launches!(kernel, world, form = Form::Packed, stream = &stream)?;
    launches!(&kernel, world, priority = 0)?;
    launches!(Arc::new(kernel.clone()), world)
}

fn functions() -> Outcome {
    let mut world = world()?;
    let function = world.module.function("work")?;
    launches!(function, world)?;
    launches!(function, world, form = Form::KernelParams)
}

/// Functions that this crate did not load.
fn raw_functions() -> Outcome {
    let mut world = world()?;
    let kernel = world.module.kernel::<Work>("work")?;
    let ptx = cudarc::nvrtc::Ptx::from_src(PTX);
    let function = context()?.load_module(ptx)?.load_function("work")?;
    let stream = world.stream.clone();
    launches!(function, world)?;
    launches!(function, world, stream = &stream)?;
    launches!(kernel.cu_function(), world)?;
    launches!(kernel.cu_function(), world, stream = &stream)
}

/// A grid and a block by name, in each order; a borrowed struct; cudarc's configuration.
fn other_calls() -> Outcome {
    let mut world = world()?;
    let kernel = world.module.kernel::<Work>("work")?;
    let stream = world.stream.clone();
    let y = &mut world.y;
    each(
        |n, block| {
            // SAFETY: the kernel accesses no memory.
            unsafe { launch!(kernel, grid = 1, block = block, Work { y, n }) }
        },
        "Work",
    )?;
    each(
        |n, block| {
            let args = Work { y, n };
            // SAFETY: the kernel accesses no memory.
            unsafe { launch!(kernel, block = block, grid = 1, args, stream = &stream) }
        },
        "Work",
    )?;
    each(
        |n, block| {
            let args = Work { y, n };
            // SAFETY: the kernel accesses no memory.
            unsafe { launch!(kernel, args, grid = 1, block = block, stream = &stream) }
        },
        "Work",
    )?;
    each(
        |n, block| {
            // SAFETY: the kernel accesses no memory.
            unsafe { launch!(kernel, &mut Work { y, n }, block = block, grid = 1,) }
        },
        "Work",
    )?;
    each(
        |n, block| {
            let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (block, 1, 1), shared_mem_bytes: 0 };
            // SAFETY: the kernel accesses no memory.
            unsafe { launch!(kernel, config, Work { y, n }) }
        },
        "Work",
    )?;
    // SAFETY: the kernel accesses no memory.
    let exchanged = unsafe { launch!(kernel, grid = 64, block = 2, Work { y, n: N }) };
    refused(
        exchanged,
        "the block is (2, 1, 1), 2 threads, but `block_multiple_of = 32` on `Work` requires a multiple of 32\n\
         help: the grid would be a valid block: if the two are exchanged, name them: `grid = …, block = …`",
    );
    Ok(())
}

fn sequences() -> Outcome {
    let mut world = world()?;
    let ctx = context()?;
    let kernel = world.module.kernel::<Work>("work")?;
    let ptx = cudarc::nvrtc::Ptx::from_src(PTX);
    let function = ctx.load_module(ptx)?.load_function("work")?;
    let mut sequence = Sequence::new(&world.stream);
    let (mut run, y) = (0, &mut world.y);
    each(
        |n, block| {
            run += 1;
            sequence.run(|s| {
                let mut y = s.hold(&mut *y)?;
                let args = Work { y: &mut y, n };
                if run % 2 == 0 {
                    // SAFETY: the kernel accesses no memory.
                    unsafe { launch!(kernel, 1, block, args, stream = s) }
                } else {
                    // SAFETY: the kernel accesses no memory.
                    unsafe { launch!(function, 1, block, args, stream = s) }
                }
            })?;
            Ok(())
        },
        "Work",
    )
}

/// Nodes that are added and updated.
fn nodes() -> Outcome {
    let world = world()?;
    let ctx = context()?;
    let kernel = world.module.kernel::<Owned>("work")?;
    let y = Arc::new(world.y);
    ctx.synchronize()?;
    let owned = |n| Owned { y: Retained::write(&y), n };
    let stream = &world.stream;
    let run = |graph: Graph| -> Result<(), Error> {
        let mut exec = graph.instantiate()?;
        // SAFETY: the kernel accesses no memory.
        unsafe { exec.launch(stream) }
    };
    each(
        |n, block| {
            let mut graph = Graph::new(&ctx)?;
            graph.add_kernel(&kernel, 1, block, owned(n), &[])?;
            run(graph)
        },
        "Owned",
    )?;
    each(
        |n, block| {
            let mut graph = Graph::new(&ctx)?;
            let launch = Launch::new(1, block);
            // SAFETY: `y` is alive.
            unsafe { graph.add_kernel_unretained(&kernel, launch, owned(n), &[])? };
            run(graph)
        },
        "Owned",
    )?;
    let mut graph = Graph::new(&ctx)?;
    let node = graph.add_kernel(&kernel, 1, 128, owned(N), &[])?;
    let mut exec = graph.instantiate()?;
    for way in 0..4 {
        each(
            |n, block| {
                let (launch, args) = (Launch::new(1, block), owned(n));
                match way {
                    0 => exec.update(&node, 1, block, args)?,
                    1 => exec.update_launch(&node, launch, args)?,
                    2 => exec.update_all([(&node, launch, args)])?,
                    // SAFETY: `y` is alive.
                    _ => unsafe { exec.update_unretained(&node, launch, args)? },
                }
                // SAFETY: the kernel accesses no memory.
                unsafe { exec.launch(stream) }
            },
            "Owned",
        )?;
    }
    Ok(())
}

/// Captured launches, and updates of their nodes.
fn captured_nodes() -> Outcome {
    let world = world()?;
    let kernel = world.module.kernel::<Owned>("work")?;
    let (y, stream) = (Arc::new(world.y), &world.stream);
    context()?.synchronize()?;
    let owned = |n| Owned { y: Retained::write(&y), n };
    each(
        |n, block| {
            let mut node = None;
            let graph = Graph::capture(stream, || -> Result<(), Error> {
                let args = owned(n);
                // SAFETY: the kernel accesses no memory.
                node = Some(unsafe { launch!(kernel, grid = 1, block = block, args, node, stream = stream)? });
                Ok(())
            })?;
            let node = node.expect("a node");
            let mut exec = graph.instantiate()?;
            refused(exec.update(&node, 1, block, owned(N + 1)), &too_short("Owned"));
            // SAFETY: the kernel accesses no memory.
            unsafe { exec.launch(stream) }
        },
        "Owned",
    )
}

/// A launch on a stream that foreign code captures.
fn launches_in_a_foreign_capture() -> Outcome {
    let world = world()?;
    let kernel: Kernel<Owned> = world.module.kernel("work")?;
    let (y, stream) = (Arc::new(world.y), &world.stream);
    context()?.synchronize()?;
    let args = Owned { y: Retained::write(&y), n: N + 1 };
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    // SAFETY: the kernel accesses no memory.
    let result = unsafe { launch!(kernel, 1, 128, args, stream = stream) };
    stream.end_capture(cudarc::driver::sys::CUgraphInstantiate_flags(0))?;
    refused(result, &too_short("Owned"));
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("kernels_in_each_form", kernels_in_each_form),
        trial("functions", functions),
        trial("raw_functions", raw_functions),
        trial("other_calls", other_calls),
        trial("sequences", sequences),
        trial("nodes", nodes),
        trial("captured_nodes", captured_nodes),
        trial("launches_in_a_foreign_capture", launches_in_a_foreign_capture),
    ]
}
