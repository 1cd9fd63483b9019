//! Work of a library that enqueues on a stream itself, in a sequence. A small library with its own kernels and calls of
//! the driver takes the place of cuBLAS.

#![allow(clippy::multiple_unsafe_ops_per_block, reason = "the closures of external work call the library")]

use crate::sequences::{
    stored,
    world::{N, Outcome, SAXPY, World, external, new_sequence, says, trial},
};
use cudarc::{
    driver::{
        CudaFunction, CudaSlice, CudaStream, CudaViewMut, DevicePtr, DevicePtrMut, DriverError, LaunchConfig,
        PushKernelArg, sys::CUstreamCaptureStatus,
    },
    nvrtc::Ptx,
};
use kernel_args::{
    Error, Launch,
    context::{ContextFlags, create_context},
    launch,
    sequence::{Handle, Run, RunMode, Value, WhyPlain},
};
use kernel_args_tests::driver::Driver;
use libtest_mimic::Trial;
use std::{
    cell::RefCell,
    ffi::c_void,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![
        trial("external_work_is_captured_once", once),
        trial("other_arguments_of_external_work_are_updates", updates),
        trial("external_work_in_the_order_of_the_launches", in_order),
        trial("memsets_and_copies_of_external_work", memory),
        trial("each_kind_of_argument_is_compared", kinds),
        trial("equal_work_is_compared_once", compared_once),
        trial("a_comparison_that_records", comparison_that_records),
        trial("a_handle_lives_as_long_as_its_steps", handles),
        trial("a_handle_that_is_dropped_while_work_is_captured", dropped_in_a_capture),
        trial("external_work_that_captures_variables", variables),
        trial("external_work_in_plain_runs", plain),
        trial("external_work_at_the_same_time", parallel),
        trial("external_work_of_a_created_context", created_context),
        trial("an_error_or_a_panic_of_external_work", failing),
        trial("external_work_that_cannot_be_captured", refused),
        trial("external_work_with_memory_that_is_no_argument", through_a_static),
        trial("external_work_of_memory_that_is_not_held", not_held),
        trial("external_work_in_external_work", nested),
        trial("a_capture_that_another_thread_ends", other_thread),
        trial("external_work_that_calls_the_host", host_function),
    ]
}

/// What cuBLAS is in an engine: kernels that are chosen by the size, on the stream of the handle, with memory of its
/// own.
pub(crate) struct Library {
    saxpy: CudaFunction,
    add: CudaFunction,
    stream: Arc<CudaStream>,
    workspace: Mutex<CudaSlice<f32>>,
    calls: AtomicUsize,
    is_alive: Arc<()>,
}

impl Library {
    pub(crate) fn new(world: &World) -> Outcome<Handle<Self>> {
        let load = |ptx: &str, name| world.ctx.load_module(Ptx::from_src(ptx))?.load_function(name);
        let library = Self {
            saxpy: load(SAXPY, "saxpy")?,
            add: load(include_str!("../../../../ptx/vector_add.ptx"), "vector_add")?,
            stream: world.stream.clone(),
            workspace: Mutex::new(world.slice(0.0)?),
            calls: AtomicUsize::new(0),
            is_alive: Arc::new(()),
        };
        // SAFETY: it owns its workspace.
        Ok(unsafe { Handle::new(library) })
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// `y = alpha * x + y` for `n` elements: one kernel; for more than half of the elements of a slice, a memset and
    /// two kernels.
    ///
    /// # Safety
    /// `x` and `y` have `n` elements.
    pub(crate) unsafe fn axpy(
        &self,
        n: u32,
        alpha: f32,
        x: &impl DevicePtr<f32>,
        y: &mut impl DevicePtrMut<f32>,
    ) -> Result<(), DriverError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let stream = &self.stream;
        let ((x, _x), (y, _y)) = (x.device_ptr(stream), y.device_ptr_mut(stream));
        let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (N, 1, 1), shared_mem_bytes: 0 };
        if n <= N / 2 {
            let mut builder = stream.launch_builder(&self.saxpy);
            builder.arg(&n).arg(&alpha).arg(&x).arg(&y);
            // SAFETY: the caller guarantees it.
            return unsafe { builder.launch(config) }.map(drop);
        }
        // The workspace has no events: the work of a handle is in order.
        let workspace = self.workspace.lock().expect("no panic");
        let workspace = workspace.device_ptr(&workspace.stream().context().default_stream()).0;
        // SAFETY: the workspace has `N` elements.
        unsafe { cudarc::driver::result::memset_d8_async(workspace, 0, 4 * N as usize, stream.cu_stream()) }?;
        let mut scale = stream.launch_builder(&self.saxpy);
        scale.arg(&n).arg(&alpha).arg(&x).arg(&workspace);
        // SAFETY: the caller guarantees it.
        unsafe { scale.launch(config) }?;
        let mut add = stream.launch_builder(&self.add);
        add.arg(&workspace).arg(&y).arg(&y).arg(&n);
        // SAFETY: the caller guarantees it.
        unsafe { add.launch(config) }.map(drop)
    }
}

/// [`Library::axpy`] in a run.
pub(crate) fn axpy(
    run: &Run,
    library: &Handle<Library>,
    n: u32,
    alpha: f32,
    x: &CudaSlice<f32>,
    y: &mut CudaSlice<f32>,
) -> Result<(), Error> {
    external(run, (library, n, alpha, x, y), |_, (library, n, alpha, x, mut y)| {
        // SAFETY: the trials pass slices with `n` elements.
        Ok(unsafe { library.axpy(n, alpha, &x, &mut y) }?)
    })
}

/// The number of elements for which the library launches one kernel.
pub(crate) const FEW: u32 = N / 2;

/// A slice whose first elements are `first`, and the rest `rest`.
fn are(world: &World, slice: &CudaSlice<f32>, first: f32, rest: f32) -> Outcome {
    let values = world.stream.clone_dtoh(slice)?;
    let (low, high) = values.split_at(FEW as usize);
    assert!(low.iter().all(|value| *value == first) && high.iter().all(|value| *value == rest), "{values:?}");
    Ok(())
}

fn once() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let library = Library::new(&world)?;
    for run in 1..5 {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            axpy(s, &library, FEW, 1.0, x, &mut y)?;
            axpy(s, &library, N, 2.0, x, &mut y)
        })?;
        assert_eq!((library.calls(), sequence.longest_chain()), (2, 4));
        assert_eq!(*sequence.mode(), if run == 1 { RunMode::Built } else { RunMode::Updated(0) });
        are(&world, &y, 3.0 * run as f32, 2.0 * run as f32)?;
    }
    Ok(())
}

fn updates() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let (library, mut z, mut expected) = (Library::new(&world)?, world.slice(0.0)?, [0.0; 2]);
    for (n, alpha, mode, calls) in [
        (N, 1.0, RunMode::Built, 1),
        (N, 2.0, RunMode::Updated(1), 2),
        (N, 2.0, RunMode::Updated(0), 2),
        // Known from the first run.
        (N, 1.0, RunMode::Updated(1), 2),
        (FEW, 1.0, RunMode::Built, 3),
        (FEW, 4.0, RunMode::Updated(1), 4),
        (N, 1.0, RunMode::Updated(0), 4),
        (FEW, 1.0, RunMode::Updated(1), 4),
    ] {
        sequence.run(|s| axpy(s, &library, n, alpha, s.hold(&x)?, &mut *s.hold(&mut y)?))?;
        assert_eq!((sequence.mode(), library.calls()), (&mode, calls), "{n}, {alpha}");
        expected[0] += alpha;
        expected[1] += if n == N { alpha } else { 0.0 };
        are(&world, &y, expected[0], expected[1])?;
    }
    // Another slice.
    sequence.run(|s| axpy(s, &library, FEW, 1.0, s.hold(&x)?, &mut *s.hold(&mut z)?))?;
    assert_eq!((sequence.mode(), library.calls()), (&RunMode::Updated(1), 5));
    are(&world, &z, 1.0, 0.0)
}

fn in_order() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let (library, mut z, mut plain) = (Library::new(&world)?, world.slice(0.0)?, world.slice(0.0)?);
    let (other, mut plain_z) = (world.ctx.new_stream()?, world.slice(0.0)?);
    for run in 0..6 {
        let alpha = (run / 2) as f32;
        sequence.run(|s| {
            let (x, mut y, mut z) = (s.hold(&x)?, s.hold(&mut y)?, s.hold(&mut z)?);
            world.saxpy(alpha, x, &mut y, s)?;
            axpy(s, &library, N, 2.0, &y, &mut z)?;
            world.saxpy(0.5, &z, &mut y, s)?;
            axpy(s, &library, FEW, alpha, &y, &mut z)
        })?;
        world.saxpy(alpha, &x, &mut &mut plain, &world.stream)?;
        // SAFETY: each slice has `N` elements.
        unsafe { library.axpy(N, 2.0, &plain, &mut plain_z)? };
        world.saxpy(0.5, &plain_z, &mut &mut plain, &world.stream)?;
        // SAFETY: the same.
        unsafe { library.axpy(FEW, alpha, &plain, &mut plain_z)? };
        world.settle()?;
        // Another stream sees a run as one launch.
        let found = [other.clone_dtoh(&y)?, other.clone_dtoh(&z)?];
        assert_eq!(found, [world.stream.clone_dtoh(&plain)?, world.stream.clone_dtoh(&plain_z)?], "run {run}");
    }
    Ok(())
}

fn memory() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let mut words = world.stream.alloc_zeros::<u32>(8)?;
    for run in 1..4 {
        sequence.run(|s| {
            let (x, mut y, mut words) = (s.hold(&x)?, s.hold(&mut y)?, s.hold(&mut words)?);
            external(s, (x, y.slice_mut(..FEW as usize), &mut *words), |stream, (x, mut y, mut words)| {
                stream.memcpy_dtod(&x.slice(..FEW as usize), &mut y)?;
                let (address, _sync) = words.device_ptr_mut(stream);
                // SAFETY: the slice has eight words.
                unsafe { cudarc::driver::sys::cuMemsetD32Async(address, 0x0102_0304, 8, stream.cu_stream()).result()? };
                // SAFETY: the same.
                unsafe { cudarc::driver::sys::cuMemsetD16Async(address, 7, 2, stream.cu_stream()).result()? };
                Ok::<_, Error>(())
            })?;
            world.saxpy(1.0, x, &mut y, s)
        })?;
        are(&world, &y, 2.0, run as f32)?;
        let mut expected = [0x0102_0304; 8];
        expected[0] = 0x0007_0007;
        assert_eq!(world.stream.clone_dtoh(&words)?, expected);
    }
    assert_eq!(*sequence.mode(), RunMode::Updated(0));
    Ok(())
}

fn kinds() -> Outcome {
    static CALLS: AtomicUsize = AtomicUsize::new(0);

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Operation {
        Zero,
        Copy,
    }

    let (_world, x, mut y, mut sequence) = World::begin()?;
    let handle = [Arc::new(1), Arc::new(1)];
    let mut calls = 0;
    let mut run = |handle: &Arc<i32>, operation, flag: bool, float: f64, len: usize, is_new: bool| -> Outcome {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            let args = (handle, Value(operation), flag, float, x.slice(..len), &x.slice(len..), y.slice_mut(..len));
            external(s, args, |stream, (handle, operation, flag, float, x, _, mut y)| {
                CALLS.fetch_add(1, Ordering::Relaxed);
                assert!(**handle == 1 && x.len() == y.len() && (flag || float.is_nan() || float == 0.0));
                match operation {
                    Operation::Zero => stream.memset_zeros(&mut y)?,
                    Operation::Copy => stream.memcpy_dtod(&x, &mut y)?,
                }
                Ok::<_, Error>(())
            })
        })?;
        calls += usize::from(is_new);
        assert_eq!(CALLS.load(Ordering::Relaxed), calls);
        Ok(())
    };
    let [first, second] = &handle;
    for is_new in [true, false] {
        run(first, Operation::Zero, true, 1.0, 4, is_new)?;
        run(second, Operation::Zero, true, 1.0, 4, is_new)?;
        run(first, Operation::Copy, true, 1.0, 4, is_new)?;
        run(first, Operation::Copy, false, 0.0, 4, is_new)?;
        run(first, Operation::Copy, false, -0.0, 4, is_new)?;
        run(first, Operation::Copy, false, f64::NAN, 4, is_new)?;
        run(first, Operation::Copy, false, f64::NAN, 5, is_new)?;
    }
    Ok(())
}

/// A value whose comparison calls code of the program.
#[derive(Clone)]
struct Compared(u32, fn());

impl PartialEq for Compared {
    fn eq(&self, other: &Self) -> bool {
        (self.1)();
        self.0 == other.0
    }
}

impl Eq for Compared {}

fn compared(run: &Run, value: Compared, x: &CudaSlice<f32>, y: &mut CudaSlice<f32>) -> Result<(), Error> {
    external(run, (Value(value), x, y), |stream, (_, x, mut y)| Ok(stream.memcpy_dtod(&x, &mut y)?))
}

/// Each work of a run has the same memory. The work of the run before with the same position is compared first.
fn compared_once() -> Outcome {
    static COUNT: AtomicUsize = AtomicUsize::new(0);

    let (world, x, mut y, mut sequence) = World::begin()?;
    let (x, steps) = (Arc::new(x), 100);
    for run in 0..4 {
        let recorder = sequence.begin()?;
        recorder.keep(x.clone())?;
        // SAFETY: the slice outlives the sequence.
        unsafe { recorder.assume_held(stored::memory(&y))? };
        for step in 0..steps {
            let count = || {
                COUNT.fetch_add(1, Ordering::Relaxed);
            };
            let value = Compared(step, count);
            compared(&recorder, value, &x, &mut y)?;
        }
        recorder.finish()?;
        let count = COUNT.swap(0, Ordering::Relaxed);
        assert!(run == 0 || count == steps as usize, "{count} comparisons");
        assert_eq!((world.value(&y)?, sequence.counts().captures), (1.0, steps.into()));
    }
    Ok(())
}

fn comparison_that_records() -> Outcome {
    thread_local! {
        static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
        static FOUND: RefCell<Vec<Result<(), Error>>> = const { RefCell::new(Vec::new()) };
    }

    let (world, x, mut y, mut sequence) = World::begin()?;
    let x = Arc::new(x);
    let record = || {
        RUN.with_borrow(|run| {
            if let Some(run) = run {
                let found = external(run, (7_u32,), |_, _| Ok(()));
                FOUND.with_borrow_mut(|all| all.push(found));
            }
        });
    };
    for _ in 0..3 {
        let recorder = sequence.begin()?;
        recorder.keep(x.clone())?;
        // SAFETY: the slice outlives the sequence.
        unsafe { recorder.assume_held(stored::memory(&y))? };
        RUN.set(Some(recorder.clone()));
        compared(&recorder, Compared(1, record), &x, &mut y)?;
        RUN.set(None);
        recorder.finish()?;
        assert_eq!(world.value(&y)?, 1.0);
    }
    let found = FOUND.take();
    assert_eq!(found.len(), 2);
    for found in found {
        says(found, &["external work", "compares the arguments", "record nothing in the function `eq`"])?;
    }
    Ok(())
}

/// A handle that could be freed under its steps, and another handle at its address.
fn handles() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let mut seen = Vec::new();
    for run in 1..20 {
        let library = Library::new(&world)?;
        sequence.run(|s| axpy(s, &library, N, 1.0, s.hold(&x)?, &mut *s.hold(&mut y)?))?;
        assert_eq!(library.calls(), 1, "a new handle is another argument");
        seen.push(Arc::downgrade(&library.is_alive));
        drop(library);
        assert_eq!(seen[run - 1].strong_count(), 1, "the steps use its workspace");
        assert_eq!(world.value(&y)?, run as f32);
    }
    for _ in 0..200 {
        sequence.run(|s| s.memset_zeros(&mut *s.hold(&mut y)?))?;
    }
    drop(sequence);
    world.ctx.synchronize()?;
    kernel_args::graph::Graph::wait_until_released();
    assert!(seen.iter().all(|handle| handle.strong_count() == 0));
    Ok(())
}

/// A different thread drops the handle of the sequence before. Its memory is freed on the stream, which is being
/// captured.
fn dropped_in_a_capture() -> Outcome {
    let (world, x, mut y, _) = World::begin()?;
    for _ in 0..20 {
        let (library, mut sequence) = (Library::new(&world)?, new_sequence(&world.stream));
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            external(s, (&library, x, &mut *y), |_, (library, x, mut y)| {
                thread::sleep(Duration::from_millis(2));
                // SAFETY: both slices have `N` elements.
                Ok::<_, Error>(unsafe { library.axpy(N, 1.0, &x, &mut y) }?)
            })
        })?;
    }
    assert_eq!(world.value(&y)?, 20.0);
    Ok(())
}

fn variables() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let library = Library::new(&world)?;
    let mut always = 0;
    for run in 1..5 {
        let alpha = run as f32;
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            let (with, unsafe_library) = (&library, &library);
            // SAFETY: the handle is the same in each run, and `alpha` does not change the result of the memset.
            unsafe {
                s.external_with((&mut *y,), |stream, (mut y,)| {
                    let _ = (with, alpha);
                    Ok::<_, Error>(stream.memset_zeros(&mut y)?)
                })?;
            }
            // SAFETY: the library's workspace is allocated.
            unsafe {
                s.external_always((x, &mut *y), |_, (x, mut y)| {
                    always += 1;
                    Ok::<_, Error>(unsafe_library.axpy(FEW, alpha, &x, &mut y)?)
                })
            }
        })?;
        assert_eq!(always, run);
        are(&world, &y, alpha, 0.0)?;
        assert_eq!(*sequence.mode(), if run == 1 { RunMode::Built } else { RunMode::Updated(1) });
    }
    Ok(())
}

fn plain() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let (library, event) = (Library::new(&world)?, world.ctx.new_event(None)?);
    for run in 1..4 {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            axpy(s, &library, N, 1.0, x, &mut y)?;
            let args = crate::sequences::world::Saxpy { n: N, alpha: 2.0, x, y: &mut y };
            let launch = Launch::new(1, N).stream(s).launch_completion_event(&event);
            // SAFETY: each slice has `N` elements, and the event exists until the run is over.
            unsafe { kernel_args::launch(&world.saxpy, launch, args) }
        })?;
        assert_eq!(*sequence.mode(), RunMode::Plain(WhyPlain::Attribute("launch_completion_event")));
        assert_eq!((world.value(&y)?, library.calls()), (3.0 * run as f32, 1));
    }
    Ok(())
}

fn parallel() -> Outcome {
    let world = World::new()?;
    let libraries = [Library::new(&world)?, Library::new(&world)?];
    let x = world.slice(1.0)?;
    let mut all = Vec::new();
    for _ in 0..6 {
        all.push(world.slice(0.0)?);
    }
    // SAFETY: the kernels use only the memory of their arguments and their handle.
    let mut sequence = unsafe { new_sequence(&world.stream).parallel() };
    for run in 1..4 {
        sequence.run(|s| {
            let x = s.hold(&x)?;
            for (index, y) in all.iter_mut().enumerate() {
                let mut y = s.hold(y)?;
                axpy(s, &libraries[index % 2], N, 1.0 + index as f32, x, &mut y)?;
                world.saxpy(1.0, x, &mut y, s)?;
            }
            Ok(())
        })?;
        // Three times three steps of each handle, and the last launch.
        assert_eq!((sequence.longest_chain(), libraries[0].calls()), (10, 3));
        for (index, y) in all.iter().enumerate() {
            assert_eq!(world.value(y)?, run as f32 * (2.0 + index as f32));
        }
    }
    Ok(())
}

fn created_context() -> Outcome {
    let world = World::in_context(create_context(kernel_args_tests::driver::device(), ContextFlags::new())?)?;
    let (library, x, mut y) = (Library::new(&world)?, world.slice(1.0)?, world.slice(0.0)?);
    let mut sequence = new_sequence(&world.stream);
    for _ in 0..3 {
        sequence.run(|s| axpy(s, &library, N, 1.0, s.hold(&x)?, &mut *s.hold(&mut y)?))?;
    }
    assert_eq!((world.value(&y)?, library.calls()), (3.0, 1));
    Ok(())
}

fn is_capturing(world: &World) -> bool {
    world.stream.capture_status().ok() != Some(CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE)
}

fn failing() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let is_tracking = world.ctx.is_event_tracking();
    let library = Library::new(&world)?;
    for run in 1..4 {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            world.saxpy(1.0, x, &mut y, s)?;
            let failed = external(s, (x, &mut *y), |stream, (x, mut y)| {
                stream.memcpy_dtod(&x, &mut y)?;
                Err(Error::NoDriver)
            });
            assert!(matches!(failed, Err(Error::NoDriver)) && !is_capturing(&world));
            let caught = catch_unwind(AssertUnwindSafe(|| {
                external(s, (x, &mut *y), |stream, (x, mut y)| -> Result<(), Error> {
                    stream.memcpy_dtod(&x, &mut y)?;
                    panic!("on purpose")
                })
            }));
            assert!(caught.is_err() && !is_capturing(&world));
            assert_eq!(world.ctx.is_event_tracking(), is_tracking);
            axpy(s, &library, FEW, 1.0, x, &mut y)
        })?;
        are(&world, &y, 2.0 * run as f32, run as f32)?;
    }
    assert_eq!(library.calls(), 1);
    Ok(())
}

fn refused() -> Outcome {
    type Record<'r> = &'r dyn Fn(&Run, &CudaSlice<f32>, &mut CudaSlice<f32>) -> Result<(), Error>;
    let (world, x, mut y, mut sequence) = World::begin()?;
    let mut run = |record: Record<'_>, words: &[&str]| -> Outcome {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            says(record(s, x, &mut y), &[&["the external work was not recorded", "help: "], words].concat())
                .expect("the reason");
            assert!(!is_capturing(&world) && world.ctx.check_err().is_ok());
            world.saxpy(1.0, x, &mut y, s)
        })?;
        Ok(())
    };
    run(
        &|s, _, y| {
            external(s, (y,), |stream, (mut y,)| {
                let _ = stream.synchronize();
                let _ = stream.memset_zeros(&mut y);
                Ok(())
            })
        },
        &["CAPTURE", "must not synchronize"],
    )?;
    run(
        &|s, _, y| {
            external(s, (y,), |stream, (mut y,)| {
                let own = stream.alloc_zeros::<f32>(N as usize)?;
                Ok(stream.memcpy_dtod(&own, &mut y)?)
            })
        },
        &["allocates memory", "cublasSetWorkspace"],
    )?;
    run(
        &|s, _, y| external(s, (y,), |stream, (mut y,)| Ok(stream.memcpy_htod(&[7.0; N as usize], &mut y)?)),
        &["memory of the host", "memcpy_htod"],
    )?;
    run(&|s, _, y| external(s, (y,), |_, (_,)| Ok(())), &["has enqueued nothing", "run.stream()"])?;
    run(
        &|s, x, y| {
            // What is read is not written.
            external(s, (x, y), |stream, (x, _)| {
                let (address, _sync) = x.device_ptr(stream);
                // SAFETY: the slice has `N` elements.
                Ok(unsafe { cudarc::driver::result::memset_d8_async(address, 0, 4, stream.cu_stream()) }?)
            })
        },
        &["writes memory that is not an argument"],
    )?;
    run(
        &|s, _, y| {
            external(s, (y,), |stream, (mut y,)| {
                stream.memset_zeros(&mut y)?;
                // SAFETY: the stream is captured, and the capture is ended as the driver documents it.
                Ok(unsafe { cudarc::driver::result::stream::end_capture(stream.cu_stream()) }.map(drop)?)
            })
        },
        &["ILLEGAL_STATE", "must not synchronize"],
    )?;
    assert_eq!(world.value(&y)?, 6.0);
    let default = world.ctx.default_stream();
    let mut sequence = new_sequence(&default);
    let outcome = sequence.run(|s| {
        external(s, (&mut *s.hold(&mut y)?,), |stream, (mut y,)| Ok::<_, Error>(stream.memset_zeros(&mut y)?))
    });
    says(outcome, &["legacy default stream", "ctx.new_stream()"])?;
    Ok(())
}

type Hidden = Mutex<Option<CudaSlice<f32>>>;

/// A value that contains memory.
#[derive(Clone)]
struct Shared(Arc<Hidden>);

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Shared {}

/// Reads or writes memory that is no argument.
fn misuse(
    kind: u32,
    stream: &Arc<CudaStream>,
    hidden: &mut Option<CudaSlice<f32>>,
    y: &mut CudaViewMut<'_, f32>,
) -> Result<(), Error> {
    let hidden = hidden.as_mut().expect("a slice");
    match kind {
        0 => stream.memcpy_dtod(hidden, y)?,
        1 => stream.memcpy_dtod(&*y, hidden)?,
        _ => stream.memset_zeros(hidden)?,
    }
    Ok(())
}

/// A closure without variables that uses memory of a `static`, of the thread, or in a shared argument.
fn through_a_static() -> Outcome {
    static MEMORY: Hidden = Mutex::new(None);
    thread_local! {
        static OF_THREAD: RefCell<Option<CudaSlice<f32>>> = const { RefCell::new(None) };
    }

    let (world, x, mut y, mut sequence) = World::begin()?;
    // Otherwise the events of the slice end the capture.
    // SAFETY: everything is on one stream.
    unsafe { world.ctx.disable_event_tracking() };
    *MEMORY.lock()? = Some(world.slice(5.0)?);
    OF_THREAD.set(Some(world.slice(5.0)?));
    let shared = Shared(Arc::new(Mutex::new(Some(world.slice(5.0)?))));
    world.ctx.synchronize()?;
    for kind in 0..3_u32 {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            let refused = [
                external(s, (&mut *y, kind), |stream, (mut y, kind)| {
                    misuse(kind, stream, &mut MEMORY.lock().expect("no panic"), &mut y)
                }),
                external(s, (&mut *y, kind), |stream, (mut y, kind)| {
                    OF_THREAD.with_borrow_mut(|hidden| misuse(kind, stream, hidden, &mut y))
                }),
                external(s, (&mut *y, kind, &shared.0), |stream, (mut y, kind, hidden)| {
                    misuse(kind, stream, &mut hidden.lock().expect("no panic"), &mut y)
                }),
                external(s, (&mut *y, kind, Value(shared.clone())), |stream, (mut y, kind, hidden)| {
                    misuse(kind, stream, &mut hidden.0.lock().expect("no panic"), &mut y)
                }),
            ];
            for refused in refused {
                let verb = if kind == 0 { "reads" } else { "writes" };
                says(refused, &["the external work was not recorded", verb, "memory that is not an argument"])
                    .expect("the reason");
            }
            world.saxpy(1.0, x, &mut y, s)
        })?;
    }
    assert_eq!(world.value(&y)?, 3.0);
    let of_shared = shared.0.lock().expect("no panic").take();
    for hidden in [MEMORY.lock()?.take(), OF_THREAD.take(), of_shared] {
        assert_eq!(world.value(&hidden.ok_or("a slice")?)?, 5.0);
    }
    drop(x);
    // SAFETY: the same.
    unsafe { world.ctx.enable_event_tracking() };
    Ok(())
}

fn not_held() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    let library = Library::new(&world)?;
    let outcome = sequence.run(|s| axpy(s, &library, N, 1.0, &x, &mut *s.hold(&mut y)?));
    says(outcome, &["external work", "element 3 of the tuple", "neither holds nor owns"])?;
    let x = Arc::new(x);
    for _ in 0..2 {
        let run = sequence.begin()?;
        says(axpy(&run, &library, N, 1.0, &x, &mut y), &["element 3 of the tuple"])?;
        run.keep(x.clone())?;
        says(axpy(&run, &library, N, 1.0, &x, &mut y), &["element 4 of the tuple"])?;
        // SAFETY: the slice outlives the run.
        unsafe { run.assume_all_held()? };
        axpy(&run, &library, N, 1.0, &x, &mut y)?;
        let stale = run.clone();
        run.finish()?;
        says(axpy(&stale, &library, N, 1.0, &x, &mut y), &["external work was not recorded", "is over"])?;
    }
    assert_eq!((world.value(&y)?, library.calls()), (2.0, 1));
    Ok(())
}

fn nested() -> Outcome {
    let (world, x, mut y, mut sequence) = World::begin()?;
    sequence.run(|s| {
        let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
        // SAFETY: the arguments are the whole work.
        let nested = unsafe {
            s.external_with((&mut *y,), |stream, (mut y,)| {
                let inner = external(s, (x,), |_, (_,)| Ok::<_, Error>(()));
                says(inner, &["the external work was not recorded"]).expect("the reason");
                let finished = (**s).clone().finish();
                says(finished, &["in a launch of the run"]).expect("the reason");
                let outside =
                    world.saxpy(1.0, x, &mut &mut world.slice(0.0).expect("memory"), &world.ctx.default_stream());
                says(outside, &["was not launched"]).expect("the reason");
                Ok::<_, Error>(stream.memset_zeros(&mut y)?)
            })
        };
        // Allocating a slice on the captured stream.
        says(nested, &["allocates memory"]).expect("the reason");
        let args = crate::sequences::world::Saxpy { n: N, alpha: 1.0, x, y: &mut y };
        // SAFETY: each slice has `N` elements.
        unsafe { launch!(world.saxpy, 1, N, args, stream = s) }
    })?;
    assert_eq!(world.value(&y)?, 1.0);
    Ok(())
}

fn other_thread() -> Outcome {
    let (world, _, mut y, mut sequence) = World::begin()?;
    sequence.run(|s| {
        let mut y = s.hold(&mut y)?;
        // SAFETY: the arguments are the whole work.
        let broken = unsafe {
            s.external_with((&mut *y,), |stream, (mut y,)| {
                stream.memset_zeros(&mut y)?;
                let synchronized = thread::scope(|scope| scope.spawn(|| stream.synchronize()).join());
                assert!(synchronized.expect("no panic").is_err());
                Ok::<_, Error>(())
            })
        };
        says(broken, &["the external work was not recorded", "another thread uses the stream"]).expect("the reason");
        external(s, (&mut *y,), |stream, (mut y,)| Ok::<_, Error>(stream.memset_zeros(&mut y)?))
    })?;
    assert_eq!(world.value(&y)?, 0.0);
    Ok(())
}

/// A node that is no launch, copy or memset: the work is a child graph.
fn host_function() -> Outcome {
    unsafe extern "C" fn count(data: *mut c_void) {
        // SAFETY: the trial passes a counter that outlives the runs.
        unsafe { &*data.cast::<AtomicUsize>() }.fetch_add(1, Ordering::Relaxed);
    }

    let (world, x, mut y, mut sequence) = World::begin()?;
    let (library, event) = (Library::new(&world)?, world.ctx.new_event(None)?);
    let calls = AtomicUsize::new(0);
    for (run, is_plain) in (1..).zip([false, false, true, false, true]) {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            let refused = external(s, (&mut *y,), |stream, (_,)| {
                // SAFETY: the function is never called.
                unsafe {
                    cudarc::driver::result::stream::launch_host_function(stream.cu_stream(), count, ptr::null_mut())
                }?;
                Ok::<_, Error>(())
            });
            says(refused, &["a call of a host function", "external_with"]).expect("the reason");
            world.saxpy(1.0, x, &mut y, s)?;
            // SAFETY: the counter outlives the runs, and the library's workspace is allocated.
            unsafe {
                s.external_with((x, &mut *y), |stream, (x, mut y)| {
                    library.axpy(N, 2.0, &x, &mut y)?;
                    let data = ptr::from_ref(&calls).cast_mut().cast();
                    Ok::<_, Error>(cudarc::driver::result::stream::launch_host_function(
                        stream.cu_stream(),
                        count,
                        data,
                    )?)
                })?;
            }
            let args = crate::sequences::world::Saxpy { n: N, alpha: 1.0, x, y: &mut y };
            let launch = Launch::new(1, N).stream(s);
            let launch = if is_plain { launch.launch_completion_event(&event) } else { launch };
            // SAFETY: each slice has `N` elements, and the event exists until the run is over.
            unsafe { kernel_args::launch(&world.saxpy, launch, args) }
        })?;
        assert_eq!(world.value(&y)?, 4.0 * run as f32);
        assert_eq!((calls.load(Ordering::Relaxed), library.calls()), (run, 1));
        let is_graph = matches!(sequence.mode(), RunMode::Built | RunMode::Updated(0));
        assert_eq!(is_graph, !is_plain, "{:?}", sequence.mode());
    }
    Ok(())
}
