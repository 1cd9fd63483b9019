//! Launches without `node` on a stream that is being captured, with arguments whose memory the graph does not keep.

use crate::graphs::saxpy::{N, Outcome, Owned, Pointers, SAXPY, Saxpy, World};
use cudarc::driver::{
    CudaFunction, CudaSlice, CudaStream, DevicePtr,
    sys::{CUgraphInstantiate_flags, CUstreamCaptureMode},
};
use kernel_args::{
    ArgList, DevicePointer, DevicePointerMut, Error, Kernel, KernelArgs, Retained,
    error::LaunchError,
    graph::{Graph, run_now},
    launch,
    sequence::Sequence,
};
use kernel_args_tests::driver::trial;
use libtest_mimic::Trial;
use std::{sync::Arc, thread};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("borrowed_memory_in_a_capture_with_tracking", || refused(true)),
        trial("borrowed_memory_in_a_capture_without_tracking", || refused(false)),
        trial("borrowed_memory_in_a_capture_of_another_thread", other_thread),
        trial("borrowed_memory_on_a_stream_that_joins_a_capture", joined),
        trial("borrowed_memory_that_is_promised", promised),
        trial("other_streams_during_a_capture", other_streams),
        trial("runs_in_a_capture", runs),
        trial("a_capture_that_the_crate_has_not_begun", of_cudarc),
    ]
}

#[derive(KernelArgs)]
struct Optional<'a> {
    n: u32,
    alpha: f32,
    x: DevicePointer<f32>,
    y: Option<&'a mut CudaSlice<f32>>,
}

/// Functions of each kind. They are loaded and verified before a capture, which does not allow it.
struct Functions {
    saxpy: Kernel<Saxpy<'static>>,
    owned: Kernel<Owned>,
    optional: Kernel<Optional<'static>>,
    addresses: Kernel<Pointers>,
    cudarc: CudaFunction,
}

const ALPHA: f32 = 2.0;

struct Memory {
    x: Arc<CudaSlice<f32>>,
    y: CudaSlice<f32>,
    z: Arc<CudaSlice<f32>>,
    /// The addresses of `x` and `y`.
    addresses: [u64; 2],
}

impl Memory {
    fn new(world: &World) -> Outcome<Self> {
        let slice = |value| world.stream.clone_htod(&[value; N]);
        let (x, y, z) = (slice(1.0)?, slice(0.0)?, slice(0.0)?);
        let addresses = [x.device_ptr(&world.stream).0, y.device_ptr(&world.stream).0];
        world.ctx.synchronize()?;
        Ok(Self { x: Arc::new(x), y, z: Arc::new(z), addresses })
    }
}

impl Functions {
    fn new(world: &World) -> Outcome<Self> {
        let functions = Self {
            saxpy: Kernel::from_image(&world.ctx, SAXPY, "saxpy")?,
            owned: Kernel::from_image(&world.ctx, SAXPY, "saxpy")?,
            optional: Kernel::from_image(&world.ctx, SAXPY, "saxpy")?,
            addresses: Kernel::from_image(&world.ctx, SAXPY, "saxpy")?,
            cudarc: world.ctx.load_module(cudarc::nvrtc::Ptx::from_src(SAXPY))?.load_function("saxpy")?,
        };
        let mut memory = Memory::new(world)?;
        functions.launch(&mut memory, &world.stream).into_iter().collect::<Result<Vec<()>, _>>()?;
        world.ctx.synchronize()?;
        Ok(functions)
    }

    /// `y += 2 x` with each kind of function and argument; the last one is `z += 2 x`.
    fn launch(&self, memory: &mut Memory, stream: &CudaStream) -> Vec<Result<(), Error>> {
        let Memory { x, y, z, addresses } = memory;
        let (n, alpha, x_address) = (N as u32, ALPHA, addresses[0]);
        let x_address = DevicePointer::from_raw(x_address);
        macro_rules! launched {
            ($function:expr, $args:expr) => {
                // SAFETY: all slices have `N` elements, and exist until the end of the trial.
                unsafe { launch!($function, 1, 32, $args, stream = stream) }
            };
        }
        let raw = self.saxpy.as_function().cu_function();
        let mut args = ArgList::new();
        args.push(n).push(alpha).push(&**x).push(&mut *y);
        vec![
            launched!(self.saxpy.as_function(), args),
            launched!(self.saxpy, Saxpy { n, alpha, x, y: &mut *y }),
            launched!(self.saxpy.as_function(), Saxpy { n, alpha, x, y: &mut *y }),
            launched!(self.cudarc, Saxpy { n, alpha, x, y: &mut *y }),
            launched!(raw, Saxpy { n, alpha, x, y: &mut *y }),
            launched!(self.optional, Optional { n, alpha, x: x_address, y: Some(&mut *y) }),
            launched!(self.owned, Owned { n, alpha, x: Retained::read(x), y: Retained::write(z) }),
        ]
    }

    /// The fields that the errors of [`launch`](Self::launch) name.
    const FIELDS: [&str; 7] = ["`2`", "`x`", "`x`", "`x`", "`x`", "`y`", "`x`"];
}

fn are_refused(launches: &[Result<(), Error>]) -> Outcome {
    assert_eq!(launches.len(), Functions::FIELDS.len());
    for (launch, field) in launches.iter().zip(Functions::FIELDS) {
        let Err(error @ Error::Launch(LaunchError::NotKept { .. })) = launch else {
            return Err(format!("{field}: {launch:?}").into());
        };
        let text = error.to_string();
        for part in [
            "kernel `saxpy` was not captured",
            field,
            "node, stream = &stream)`",
            "Retained",
            "Graph::capture_unretained(",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
    Ok(())
}

/// Without cudarc's events, which a capture cannot wait for.
fn untracked<T>(world: &World, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    // SAFETY: everything is on one stream, or waits for the device.
    unsafe { world.ctx.disable_event_tracking() };
    let outcome = work();
    // SAFETY: the same.
    unsafe { world.ctx.enable_event_tracking() };
    outcome
}

/// The capture goes on, and what is refused is no node.
fn refused(is_tracking: bool) -> Outcome {
    let world = World::new()?;
    let functions = Functions::new(&world)?;
    let work = || {
        let (mut memory, mut refused) = (Memory::new(&world)?, Vec::new());
        let graph = Graph::capture(&world.stream, || -> Result<(), Error> {
            refused = functions.launch(&mut memory, &world.stream);
            refused.extend(run_now(|| functions.launch(&mut memory, &world.stream)));
            // SAFETY: both slices have `N` elements, and the graph keeps them.
            unsafe { launch!(world.kernel, 1, 32, world.args(1.0), node, stream = &world.stream) }.map(drop)
        });
        assert_eq!(graph?.nodes()?.len(), 1);
        let (captured, now) = refused.split_at(Functions::FIELDS.len());
        are_refused(captured)?;
        are_refused(now)?;
        // Afterwards they run.
        let after: Result<Vec<()>, _> = functions.launch(&mut memory, &world.stream).into_iter().collect();
        after?;
        world.ctx.synchronize()?;
        assert_eq!(world.stream.clone_dtoh(&memory.y)?, [6.0 * ALPHA; N]);
        assert_eq!(world.stream.clone_dtoh(&*memory.z)?, [ALPHA; N]);
        Ok(())
    };
    if is_tracking { work() } else { untracked(&world, work) }
}

fn other_thread() -> Outcome {
    let world = World::new()?;
    let functions = Functions::new(&world)?;
    untracked(&world, || {
        let (mut memory, mut refused) = (Memory::new(&world)?, Vec::new());
        let graph = Graph::capture(&world.stream, || -> Result<(), Error> {
            let launch = || functions.launch(&mut memory, &world.stream);
            refused = thread::scope(|scope| scope.spawn(launch).join()).map_err(|_| Error::NoDriver)?;
            Ok(())
        })?;
        are_refused(&refused)?;
        assert_eq!(graph.nodes()?.len(), 0);
        Ok(())
    })
}

fn joined() -> Outcome {
    let world = World::new()?;
    let (functions, other) = (Functions::new(&world)?, world.ctx.new_stream()?);
    untracked(&world, || {
        let (mut memory, mut refused) = (Memory::new(&world)?, Vec::new());
        let graph = Graph::capture(&world.stream, || -> Result<(), Error> {
            let join = |from: &Arc<CudaStream>, to: &Arc<CudaStream>| to.wait(&from.record_event(None)?);
            join(&world.stream, &other)?;
            refused = functions.launch(&mut memory, &other);
            Ok(join(&other, &world.stream)?)
        })?;
        are_refused(&refused)?;
        // The wait of one stream for the other is no node.
        assert_eq!(graph.nodes()?.len(), 0);
        Ok(())
    })
}

/// The caller promises the memory, also for launches of other threads. The graph has the effect of the launches.
fn promised() -> Outcome {
    let world = World::new()?;
    let functions = Functions::new(&world)?;
    untracked(&world, || {
        let (mut memory, mut launched) = (Memory::new(&world)?, Vec::new());
        let work = || -> Result<(), Error> {
            launched = functions.launch(&mut memory, &world.stream);
            let launch = || functions.launch(&mut memory, &world.stream);
            launched.extend(thread::scope(|scope| scope.spawn(launch).join()).map_err(|_| Error::NoDriver)?);
            Ok(())
        };
        // SAFETY: the memory exists until the end of the trial.
        let graph = unsafe { Graph::capture_unretained(&world.stream, work) }?;
        launched.into_iter().collect::<Result<Vec<()>, _>>()?;
        assert_eq!(graph.nodes()?.len(), 14);
        let mut exec = graph.instantiate()?;
        for _ in 0..2 {
            // SAFETY: the memory exists, and nothing else uses it.
            unsafe { exec.launch(&world.stream) }?;
        }
        assert_eq!(world.stream.clone_dtoh(&memory.y)?, [24.0 * ALPHA; N]);
        assert_eq!(world.stream.clone_dtoh(&*memory.z)?, [4.0 * ALPHA; N]);
        Ok(())
    })
}

/// Launches of other threads on other streams.
fn other_streams() -> Outcome {
    let world = World::new()?;
    let (functions, other) = (Functions::new(&world)?, world.ctx.new_stream()?);
    let (mut memory, mut launched) = (Memory::new(&world)?, Vec::new());
    Graph::capture(&world.stream, || -> Result<(), Error> {
        let launch = || functions.launch(&mut memory, &other);
        launched = thread::scope(|scope| scope.spawn(launch).join()).map_err(|_| Error::NoDriver)?;
        Ok(())
    })?;
    launched.into_iter().collect::<Result<Vec<()>, _>>()?;
    world.ctx.synchronize()?;
    assert_eq!(world.stream.clone_dtoh(&memory.y)?, [6.0 * ALPHA; N]);
    Ok(())
}

/// A run whose memory is held or kept until it has run.
fn runs() -> Outcome {
    let world = World::new()?;
    let functions = Functions::new(&world)?;
    untracked(&world, || {
        let mut memory = Memory::new(&world)?;
        let (x, z) = (memory.x.clone(), memory.z.clone());
        let [x_address, y_address] = memory.addresses;
        let (n, alpha) = (N as u32, ALPHA);
        let (mut sequence, mut refused) = (Sequence::new(&world.stream), Vec::new());
        sequence.run(|s| s.memset_zeros(&mut *s.hold(&mut memory.y)?))?;
        world.ctx.synchronize()?;
        let graph = Graph::capture(&world.stream, || -> Result<(), Error> {
            refused.push(sequence.run(|s| {
                let (x, mut y) = (s.hold(&*x)?, s.hold(&mut memory.y)?);
                // SAFETY: both slices have `N` elements.
                unsafe { launch!(functions.saxpy, 1, 32, Saxpy { n, alpha, x, y: &mut y }, stream = s) }
            }));
            refused.push(sequence.run(|s| s.memset_zeros(&mut *s.hold(&mut memory.y)?)));
            refused.push(sequence.run(|s| s.memcpy_dtod(s.hold(&*x)?, &mut *s.hold(&mut memory.y)?)));
            refused.push(sequence.run(|s| {
                let args = Owned { n, alpha, x: Retained::read(&x), y: Retained::write(&z) };
                // SAFETY: both slices have `N` elements.
                unsafe { launch!(functions.owned, 1, 32, args, stream = s) }
            }));
            sequence.run(|s| {
                let (x, y) = (DevicePointer::from_raw(x_address), DevicePointerMut::from_raw(y_address));
                // SAFETY: both addresses are of `N` elements, and allocated until the end of the trial.
                unsafe { launch!(functions.addresses, 1, 32, Pointers { n, alpha, x, y }, stream = s) }
            })
        })?;
        for run in refused {
            let text = run.map_or_else(|error| error.to_string(), |()| "a run".into());
            assert!(text.starts_with("the run of a sequence was not captured: the graph does not keep"), "{text}");
            assert!(text.contains("help: promise that the memory stays allocated"), "{text}");
        }
        assert_eq!(graph.nodes()?.len(), 1);
        Ok(())
    })?;
    // With tracking, holding a slice waits for its earlier uses, which ends the capture.
    let (mut memory, mut sequence) = (Memory::new(&world)?, Sequence::new(&world.stream));
    let mut run = || sequence.run(|s| s.memset_zeros(&mut *s.hold(&mut memory.y)?));
    run()?;
    world.ctx.synchronize()?;
    let mut refused = Ok(());
    let graph = Graph::capture(&world.stream, || -> Result<(), Error> {
        refused = run();
        Ok(())
    });
    assert!(refused.is_err() && graph.is_err(), "{refused:?}");
    let _ = world.ctx.check_err();
    run().map_err(Into::into)
}

/// The crate does not notice such a capture: the caller of the launch promises the memory for each launch of the graph.
/// A run notices it.
fn of_cudarc() -> Outcome {
    let world = World::new()?;
    let functions = Functions::new(&world)?;
    let other = world.ctx.new_stream()?;
    untracked(&world, || {
        let (mut memory, mut sequence) = (Memory::new(&world)?, Sequence::new(&world.stream));
        world.stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
        let mut launched = functions.launch(&mut memory, &world.stream);
        let run = sequence.run(|s| s.memset_zeros(&mut *s.hold(&mut memory.y)?));
        // The same while the crate captures another stream.
        Graph::capture(&other, || -> Result<(), Error> {
            let launch = || functions.launch(&mut memory, &world.stream);
            launched.extend(thread::scope(|scope| scope.spawn(launch).join()).map_err(|_| Error::NoDriver)?);
            Ok(())
        })?;
        let graph = world.stream.end_capture(CUgraphInstantiate_flags(0))?.ok_or("nothing was captured")?;
        launched.into_iter().collect::<Result<Vec<()>, _>>()?;
        assert!(matches!(run, Err(Error::Launch(LaunchError::NotKept { .. }))), "{run:?}");
        graph.launch()?;
        assert_eq!(world.stream.clone_dtoh(&memory.y)?, [12.0 * ALPHA; N]);
        Ok(())
    })
}
