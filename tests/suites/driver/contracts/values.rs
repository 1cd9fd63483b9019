//! What contracts compute reaches the kernel: dynamic shared memory, and numbers of another type.

use super::{Outcome, refused};
use cudarc::driver::CudaSlice;
use kernel_args::{Kernel, KernelArgs, Launch, graph::Graph, launch};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::{Driver, context, trial};
use libtest_mimic::Trial;

/// It uses 4 bytes of dynamic shared memory for each thread, so a launch without `shared` is an error.
#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/reduce.ptx", entry = "reduce_sum")]
#[kernel_args(shared = "block.x * 4", block_multiple_of = 32, stream = required)]
struct Reduce<'a> {
    #[kernel_args(name = "in", len = "n")]
    input: &'a CudaSlice<f32>,
    #[kernel_args(len = 1)]
    out: &'a mut CudaSlice<f32>,
    #[kernel_args(as = u32)]
    n: usize,
}

/// The numbers of this kernel are checked at compile time in their narrow form.
#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy.ptx", entry = "saxpy", grid_covers = "n")]
struct Saxpy<'a> {
    #[kernel_args(as = u32)]
    n: i64,
    alpha: f32,
    #[kernel_args(len = "n")]
    x: &'a CudaSlice<f32>,
    #[kernel_args(len = "n")]
    y: &'a mut CudaSlice<f32>,
}

/// The dynamic shared memory of the last launch on the test driver.
fn shared() -> Option<u32> {
    Some(Control::attach()?.last_launch()?.shared)
}

fn shared_memory_is_computed(is_real: bool) -> Outcome {
    let ctx = context()?;
    let stream = ctx.default_stream();
    let kernel = Kernel::<Reduce>::load(&ctx)?;
    let input = stream.clone_htod(&[1.0_f32; 1000])?;
    let mut out = stream.alloc_zeros::<f32>(1)?;
    let mut go = |block: u32, given: Option<u32>| {
        let args = Reduce { input: &input, out: &mut out, n: 1000 };
        let launch = Launch::new(4, block).stream(&stream);
        let launch = given.map_or(launch, |bytes| launch.shared(bytes));
        // SAFETY: the contracts check the lengths, and the shared memory is sufficient.
        unsafe { kernel_args::launch(&kernel, launch, args) }
    };
    for block in [64, 256] {
        go(block, None)?;
        assert!(is_real || shared() == Some(4 * block));
    }
    go(64, Some(1024))?;
    assert!(is_real || shared() == Some(1024));
    refused(
        go(256, Some(1000)),
        "the launch specifies 1000 bytes of dynamic shared memory, but `shared = \"block.x * 4\"` on `Reduce` requires 1024\n  \
         block.x = 256\n\
         help: omit `shared` from the launch, so the contract computes it",
    );
    let sums = stream.clone_dtoh(&out)?;
    assert!((sums[0] - 3000.0).abs() < 1e-3, "{sums:?}");
    Ok(())
}

/// A launch that `launch!` did not make: its stream is not known at compile time.
fn a_stream_is_required() -> Outcome {
    let ctx = context()?;
    let stream = ctx.default_stream();
    let kernel = Kernel::<Reduce>::load(&ctx)?;
    let input = stream.alloc_zeros::<f32>(10)?;
    let mut out = stream.alloc_zeros::<f32>(1)?;
    let mut args = Reduce { input: &input, out: &mut out, n: 10 };
    // SAFETY: the contracts check the lengths.
    let result = unsafe { kernel_args::launch(&kernel, Launch::new(1, 32), &mut args) };
    refused(
        result,
        "it names no stream, but `stream = required` on `Reduce` requires one\n\
         help: add `stream = &stream`",
    );
    // SAFETY: the contracts check the lengths.
    unsafe { launch!(kernel, 1, 32, &mut args, stream = &stream)? };
    // A node has no stream.
    // SAFETY: the graph is dropped before the slices.
    unsafe { Graph::new(&ctx)?.add_kernel_unretained(&kernel, Launch::new(1, 32), &mut args, &[])? };
    Ok(())
}

fn a_narrow_number_arrives() -> Outcome {
    let ctx = context()?;
    let stream = ctx.default_stream();
    let kernel = Kernel::<Saxpy>::load(&ctx)?;
    let x = stream.clone_htod(&[1.0_f32; 64])?;
    let mut y = stream.alloc_zeros::<f32>(64)?;
    let mut go = |grid: u32, n| {
        let args = Saxpy { n, alpha: 2.0, x: &x, y: &mut y };
        // SAFETY: the contracts check the lengths.
        unsafe { launch!(kernel, grid, 32, args) }
    };
    go(2, 50)?;
    refused(
        go(2, 65),
        "`x` of `Saxpy` has 64 elements, but `len = \"n\"` requires 65\n\
         help: pass memory of at least 65 elements, or correct the values that the contract uses",
    );
    refused(
        go(1, 50),
        "grid (1, 1, 1) and block (32, 1, 1) are 32 threads, but `grid_covers = \"n\"` on `Saxpy` requires 50\n\
         help: use a grid of at least 2 blocks",
    );
    let values = stream.clone_dtoh(&y)?;
    let written = values.iter().filter(|value| (**value - 2.0).abs() < 1e-6);
    assert_eq!(written.count(), 50, "{values:?}");
    if let Some(last) = Control::attach().and_then(|control| control.last_launch()) {
        assert_eq!(last.bank[..4], 50_u32.to_le_bytes());
    }
    Ok(())
}

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let is_real = driver.is_real();
    vec![
        trial("shared_memory_is_computed", move || shared_memory_is_computed(is_real)),
        trial("a_stream_is_required", a_stream_is_required),
        trial("a_narrow_number_arrives", a_narrow_number_arrives),
    ]
}
