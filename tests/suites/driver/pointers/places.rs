//! Where pointers are checked.

use super::kernels::{ALIGNMENTS, N, Outcome, Pointers, SAXPY, Two, World, refused};
use cudarc::driver::CudaSlice;
use kernel_args::{
    ArgList, DevicePointer, DevicePointerMut, Error, Kernel, KernelArgs, Module, Retained, error::PointerProblem,
    graph::Graph, launch, sequence::Sequence,
};
use kernel_args_tests::driver::trial;
use libtest_mimic::Trial;
use std::sync::Arc;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("lists", lists),
        trial("functions_and_handles", functions_and_handles),
        trial("flattened_and_spread_fields", parts),
        trial("contracts_of_pointers", contracts),
        trial("null_with_a_contract", null_with_a_contract),
        trial("captured_launches", captured),
        trial("nodes", nodes),
        trial("sequences", sequences),
    ]
}

fn lists() -> Outcome {
    let world = World::new()?;
    let function = Module::load(&world.ctx, SAXPY)?.function("saxpy")?;
    let Pointers { n, alpha, x, y } = world.saxpy();
    for (x, refuses) in [(x, false), (DevicePointer::from_raw(16), true)] {
        let mut list = ArgList::new();
        list.push(n).push(alpha).push(x).push(y);
        // SAFETY: both slices have more than `N` elements, or the launch is refused.
        let launched = unsafe { launch!(function, 1, N, list) };
        if refuses {
            assert_eq!(refused(launched).field, "2");
        } else {
            launched?;
        }
    }
    // The length of a slice in a list.
    let memory = world.stream.clone_htod(&[1.0_f32; 100])?;
    // SAFETY: the launch is refused, and `leak` prevents that the memory is freed.
    let long = unsafe { world.stream.upgrade_device_ptr::<f32>(world.address(&memory), 101) };
    let mut list = ArgList::new();
    list.push(n).push(alpha).push(&long).push(y);
    // SAFETY: the launch is refused.
    let bad = refused(unsafe { launch!(function, 1, N, list) });
    assert!(matches!(bad.problem, PointerProblem::TooLong { elements: 101, .. }), "{bad}");
    long.leak();
    world.finish()
}

fn functions_and_handles() -> Outcome {
    let world = World::new()?;
    let function = Module::load(&world.ctx, SAXPY)?.function("saxpy")?;
    let of_cudarc = world.ctx.load_module(cudarc::nvrtc::Ptx::from_src(SAXPY))?.load_function("saxpy")?;
    let bad = Pointers { x: DevicePointer::from_raw(16), ..world.saxpy() };
    // SAFETY: the launches are refused, here and below.
    assert_eq!(refused(unsafe { launch!(function, 1, N, bad) }).field, "x");
    // SAFETY: see above.
    assert_eq!(refused(unsafe { launch!(of_cudarc, 1, N, bad) }).field, "x");
    let raw = function.cu_function();
    // SAFETY: see above.
    assert_eq!(refused(unsafe { launch!(raw, 1, N, bad) }).field, "x");
    let good = world.saxpy();
    // SAFETY: both slices have more than `N` elements, here and below.
    unsafe { launch!(function, 1, N, good) }?;
    // SAFETY: see above.
    unsafe { launch!(of_cudarc, 1, N, good) }?;
    // SAFETY: see above.
    unsafe { launch!(raw, 1, N, good) }?;
    world.finish()
}

fn parts() -> Outcome {
    #[derive(KernelArgs)]
    struct Pair {
        x: DevicePointer<f32>,
        y: DevicePointerMut<f32>,
    }
    #[derive(KernelArgs)]
    struct Flattened {
        n: u32,
        alpha: f32,
        #[kernel_args(flatten)]
        pointers: Pair,
    }
    #[derive(KernelArgs)]
    struct Spread {
        #[kernel_args(spread)]
        pointers: [DevicePointerMut<f32>; 2],
        n: u32,
    }
    let world = World::new()?;
    let Pointers { n, alpha, x, y } = world.saxpy();
    let kernel = Kernel::<Flattened>::from_image(&world.ctx, SAXPY, "saxpy")?;
    let args = |y| Flattened { n, alpha, pointers: Pair { x, y } };
    // SAFETY: the launch is refused.
    let bad = refused(unsafe { launch!(kernel, 1, N, args(DevicePointerMut::from_raw(16))) });
    assert!(bad.field.ends_with('y'), "{bad}");
    // SAFETY: both slices have more than `N` elements.
    unsafe { launch!(kernel, 1, N, args(y)) }?;
    let kernel = Kernel::<Spread>::from_image(&world.ctx, ALIGNMENTS, "tests_the_address")?;
    let args = |second| Spread { pointers: [y, second], n: 1 };
    // SAFETY: the launch is refused.
    let bad = refused(unsafe { launch!(kernel, 1, 1, args(DevicePointerMut::from_raw(16))) });
    assert!(bad.field.contains('1'), "{bad}");
    // SAFETY: one thread accesses 16 bytes of `y`.
    unsafe { launch!(kernel, 1, 1, args(y)) }?;
    world.finish()
}

/// A pointer without a length, whose contract `len` contains the number of elements that the kernel accesses.
fn contracts() -> Outcome {
    #[derive(KernelArgs)]
    struct Inner {
        #[kernel_args(len = "4 * n", capacity = "elements")]
        p: DevicePointerMut<f32>,
        out: DevicePointerMut<f32>,
        n: u32,
        #[kernel_args(skip)]
        elements: usize,
    }
    #[derive(KernelArgs)]
    struct Outer {
        #[kernel_args(flatten)]
        inner: Inner,
    }
    let world = World::new()?;
    let module = Module::load(&world.ctx, ALIGNMENTS)?;
    let (plain, flat) = (module.kernel::<Inner>("tests_the_address")?, module.kernel::<Outer>("tests_the_address")?);
    let args = |n| Inner {
        p: DevicePointerMut::from_raw(world.address(&world.x)),
        out: DevicePointerMut::from_raw(world.address(&world.y)),
        n,
        elements: 1000,
    };
    // SAFETY: each thread accesses 4 elements of `x` and one of `y`, or the launch is refused, here and below.
    unsafe { launch!(plain, 1, N, args(N)) }?;
    // SAFETY: see above.
    unsafe { launch!(flat, 1, N, Outer { inner: args(N) }) }?;
    // SAFETY: see above.
    let plain = refused(unsafe { launch!(plain, 1, N, args(N + 1)) });
    // SAFETY: see above.
    let flat = refused(unsafe { launch!(flat, 1, N, Outer { inner: args(N + 1) }) });
    for bad in [plain, flat] {
        assert!(bad.field.ends_with('p'), "{bad}");
        let PointerProblem::TooLong { elements, available, .. } = bad.problem else { panic!("{bad}") };
        assert_eq!((elements, available), (4 * (N as usize + 1), 16 * u64::from(N)));
    }
    world.finish()
}

/// A pointer without a length can be null, whatever its contract requires.
fn null_with_a_contract() -> Outcome {
    #[derive(KernelArgs)]
    struct Null {
        n: u32,
        alpha: f32,
        #[kernel_args(len = "n + 1", capacity = "elements")]
        x: DevicePointer<f32>,
        y: DevicePointerMut<f32>,
        #[kernel_args(skip)]
        elements: usize,
    }
    let world = World::new()?;
    let kernel = Kernel::<Null>::from_image(&world.ctx, SAXPY, "saxpy")?;
    let Pointers { alpha, y, .. } = world.saxpy();
    let args = Null { n: 0, alpha, x: DevicePointer::NULL, y, elements: 1 };
    // SAFETY: the kernel accesses nothing for `n == 0`.
    unsafe { launch!(kernel, 1, N, args) }?;
    world.finish()
}

/// Nodes that are added and updated, like captured launches.
fn nodes() -> Outcome {
    let world = World::new()?;
    let stream = world.ctx.new_stream()?;
    let kernel = Kernel::<Two>::from_image(&world.ctx, ALIGNMENTS, "tests_the_address")?;
    let (x, y) = (world.address(&world.x), world.address(&world.y));
    let args = |p: u64| Two { p: DevicePointerMut::from_raw(p), out: DevicePointerMut::from_raw(y), n: 1 };
    world.finish()?;
    let mut graph = Graph::new(&world.ctx)?;
    let bad = refused(graph.add_kernel(&kernel, 1, 1, args(x + 2), &[]));
    assert_eq!((&*bad.kernel, &*bad.field), ("tests_the_address", "p"));
    // Memory of the graph can be there when it runs.
    graph.add_kernel(&kernel, 1, 1, args(16), &[])?;
    let mut graph = Graph::new(&world.ctx)?;
    let node = graph.add_kernel(&kernel, 1, 1, args(x), &[])?;
    let mut exec = graph.instantiate()?;
    let bad = refused(exec.update(&node, 1, 1, args(x + 1)));
    assert!(matches!(bad.problem, PointerProblem::Misaligned { required: 4, .. }), "{bad}");
    exec.update(&node, 1, 1, args(x + 4))?;
    // SAFETY: both slices are alive, and one thread accesses 16 bytes of `x` and 4 of `y`.
    unsafe { exec.launch(&stream) }?;
    stream.synchronize()?;
    Ok(())
}

/// Memory of a graph is allocated when the graph runs, so an address that is not allocated is accepted.
fn captured() -> Outcome {
    #[derive(KernelArgs)]
    struct Owned {
        p: Retained<DevicePointerMut<f32>>,
        out: DevicePointerMut<f32>,
        n: u32,
    }
    let world = World::new()?;
    let stream = world.ctx.new_stream()?;
    let module = Module::load(&world.ctx, ALIGNMENTS)?;
    let kernel = module.kernel::<Two>("tests_the_address")?;
    let (x, y) = (world.address(&world.x), world.address(&world.y));
    world.finish()?;
    let capture = |p: u64| -> Result<Graph, Error> {
        Graph::capture(&stream, || {
            let args = Two { p: DevicePointerMut::from_raw(p), out: DevicePointerMut::from_raw(y), n: 1 };
            // SAFETY: a graph that is launched has the memory of `x` and `y`.
            unsafe { launch!(kernel, 1, 1, args, stream = &stream) }
        })
    };
    capture(16)?;
    let bad = refused(capture(x + 2));
    assert!(matches!(bad.problem, PointerProblem::Misaligned { required: 4, .. }), "{bad}");
    let mut exec = capture(x)?.instantiate()?;
    // SAFETY: both slices are alive.
    unsafe { exec.launch(&stream) }?;
    stream.synchronize()?;

    // With a node, and with memory that the graph retains.
    let kernel = module.kernel::<Owned>("tests_the_address")?;
    let memory: Arc<CudaSlice<f32>> = Arc::new(world.stream.clone_htod(&[1.0_f32; 4])?);
    world.finish()?;
    for (out, fits) in [(y, true), (y + 1, false)] {
        let captured = Graph::capture(&stream, || -> Result<(), Error> {
            let args = Owned { p: Retained::write(&memory), out: DevicePointerMut::from_raw(out), n: 1 };
            // SAFETY: one thread accesses 16 bytes of the memory, and 4 of `y`.
            unsafe { launch!(kernel, 1, 1, args, node, stream = &stream) }.map(drop)
        });
        if fits {
            captured?;
        } else {
            assert_eq!(refused(captured).field, "out");
        }
    }
    world.finish()
}

fn sequences() -> Outcome {
    let mut world = World::new()?;
    let args = world.saxpy();
    let kernel = Kernel::<super::kernels::Slices<'_>>::from_image(&world.ctx, SAXPY, "saxpy")?;
    let memory = world.stream.clone_htod(&[1.0_f32; 100])?;
    // SAFETY: the kernel accesses `N` elements, and `leak` prevents that the memory is freed.
    let long = unsafe { world.stream.upgrade_device_ptr::<f32>(world.address(&memory), 101) };
    let mut sequence = Sequence::new(&world.stream);
    for (x, fits) in [(&memory, true), (&long, false)] {
        let outcome = sequence.run(|s| {
            let (x, mut y) = (s.hold(x)?, s.hold(&mut world.y)?);
            let args = super::kernels::Slices { n: N, alpha: args.alpha, x: Some(x), y: &mut y };
            // SAFETY: both slices have `N` elements.
            unsafe { launch!(kernel, 1, N, args, stream = s) }
        });
        if fits {
            outcome?;
        } else {
            let bad = refused(outcome);
            assert_eq!(bad.field, "x");
        }
    }
    drop(sequence);
    long.leak();
    world.finish()
}
