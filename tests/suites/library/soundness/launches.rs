//! Launches that must be rejected, and launches that must work: contexts, failed waits, shared memory. On the test
//! driver, in separate processes.

use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, sys::CUcontext};
use kernel_args::{
    DevicePointer, DevicePointerMut, Error, Kernel, KernelArg, KernelArgs, Module,
    args::{Guard, LaunchStream},
    error::{ContextError, LaunchError},
    launch,
};
use kernel_args_stand_in::{Control, Settings, within};
use kernel_args_tests::saxpy::{Pointers, SAXPY, Saxpy};
use std::{
    sync::{Arc, Barrier},
    thread,
};

const KIB: u32 = 1024;

fn context(ordinal: usize) -> Arc<CudaContext> {
    kernel_args::context(ordinal).expect("the test driver has this device")
}

fn function(ctx: &Arc<CudaContext>) -> CudaFunction {
    let module = ctx.load_module(cudarc::nvrtc::Ptx::from_src(SAXPY)).expect("it loads");
    module.load_function("saxpy").expect("it is there")
}

/// Arguments of `saxpy` with 8 elements, with `x` and `y` in separate contexts.
struct Memory {
    x: CudaSlice<f32>,
    y: CudaSlice<f32>,
    // Without a second stream cudarc does not track memory.
    _streams: [Arc<CudaStream>; 2],
}

impl Memory {
    fn new(x: &Arc<CudaContext>, y: &Arc<CudaContext>) -> Self {
        let streams = [x, y].map(|ctx| ctx.new_stream().expect("a stream"));
        Self {
            x: streams[0].clone_htod(&[1.0; 8]).expect("memory"),
            y: streams[1].clone_htod(&[0.0; 8]).expect("memory"),
            _streams: streams,
        }
    }

    fn args(&mut self) -> Saxpy<'_> {
        Saxpy { n: 8, alpha: 1.0, x: &self.x, y: &mut self.y }
    }

    fn result(&self) -> Vec<f32> {
        let stream = self.y.stream();
        stream.clone_dtoh(&self.y).expect("memory")
    }
}

/// The three kinds of targets, each with and without a stream.
#[derive(Clone, Copy, Debug)]
enum Target {
    Kernel,
    Function,
    Raw,
}

const TARGETS: [(Target, bool); 6] = [
    (Target::Kernel, false),
    (Target::Kernel, true),
    (Target::Function, false),
    (Target::Function, true),
    (Target::Raw, false),
    (Target::Raw, true),
];

struct Launcher {
    kernel: Kernel<Saxpy<'static>>,
    function: CudaFunction,
    stream: Arc<CudaStream>,
}

impl Launcher {
    fn new(ctx: &Arc<CudaContext>) -> Self {
        Self {
            kernel: Kernel::load(ctx).expect("the struct fits"),
            function: function(ctx),
            stream: ctx.new_stream().expect("a stream"),
        }
    }

    #[expect(clippy::multiple_unsafe_ops_per_block, reason = "one of them runs, and all rest on the same promise")]
    fn launch(&self, (target, with_stream): (Target, bool), memory: &mut Memory, shared: u32) -> Result<(), Error> {
        let args = memory.args();
        let raw = self.function.cu_function();
        let stream = &self.stream;
        // SAFETY: both slices have `n` elements; the function is loaded.
        unsafe {
            match (target, with_stream) {
                (Target::Kernel, false) => launch!(self.kernel, 1, 8, args, shared = shared),
                (Target::Function, false) => launch!(self.function, 1, 8, args, shared = shared),
                (Target::Raw, false) => launch!(raw, 1, 8, args, shared = shared),
                (Target::Kernel, true) => {
                    launch!(self.kernel, 1, 8, args, shared = shared, stream = stream)
                }
                (Target::Function, true) => {
                    launch!(self.function, 1, 8, args, shared = shared, stream = stream)
                }
                (Target::Raw, true) => launch!(raw, 1, 8, args, shared = shared, stream = stream),
            }
        }
    }
}

/// The number of event waits, event records and kernels of a launch.
fn enqueued(driver: &Control) -> [u64; 3] {
    ["cuStreamWaitEvent", "cuEventRecord", "cuLaunchKernelEx"].map(|call| driver.calls(call))
}

#[test]
fn no_target_is_launched_after_a_failed_wait() {
    within(&Settings::new(), |driver| {
        let ctx = context(0);
        let launcher = Launcher::new(&ctx);
        let mut memory = Memory::new(&ctx, &ctx);
        for target in TARGETS {
            let count = driver.launches();
            for spared in 0..3 {
                driver.fail_after("cuStreamWaitEvent", 999, spared);
                let error = launcher.launch(target, &mut memory, 0).expect_err("a wait failed").to_string();
                assert!(error.contains("cuStreamWaitEvent"), "{target:?}: {error}");
                assert_eq!(driver.launches(), count, "{target:?}: nothing ran");
            }
            launcher
                .launch(target, &mut memory, 0)
                .unwrap_or_else(|error| panic!("{target:?}: the next launch failed: {error}"));
        }
        let each_added_one = f32::from(u8::try_from(TARGETS.len()).expect("six"));
        assert_eq!(memory.result(), [each_added_one; 8]);
    });
}

/// If a use cannot be recorded, this launch returns the error, not the next one.
#[test]
fn a_use_that_is_not_recorded_is_an_error_of_its_own_launch() {
    within(&Settings::new(), |driver| {
        let ctx = context(0);
        let launcher = Launcher::new(&ctx);
        let mut memory = Memory::new(&ctx, &ctx);
        for target in TARGETS {
            let count = driver.launches();
            driver.fail_after("cuEventRecord", 999, 0);
            let error = launcher.launch(target, &mut memory, 0).expect_err("a record failed").to_string();
            for words in ["saxpy", "was launched", "cuEventRecord", "help: "] {
                assert!(error.contains(words), "{target:?}: {error}");
            }
            assert_eq!(driver.launches(), count + 1);
            launcher
                .launch(target, &mut memory, 0)
                .unwrap_or_else(|error| panic!("{target:?}: the next launch failed: {error}"));
        }
    });
}

#[test]
fn a_slice_of_another_context_is_found_before_anything_is_enqueued() {
    within(&Settings::new().devices(2), |driver| {
        let (ctx, other) = (context(0), context(1));
        let launcher = Launcher::new(&ctx);
        let mut own = Memory::new(&ctx, &ctx);
        for target in TARGETS {
            for (x, y, field) in [(&ctx, &other, "y"), (&other, &ctx, "x")] {
                let mut memory = Memory::new(x, y);
                ctx.bind_to_thread().expect("a context");
                driver.reset_calls();
                let error = launcher.launch(target, &mut memory, 0);
                let calls = driver.called();
                let Err(Error::Context(ContextError::OtherContextArgument { field: Some(found), .. })) = error else {
                    panic!("{target:?}: {error:?}");
                };
                assert_eq!(found, field, "{target:?}");
                assert_eq!(enqueued(driver), [0; 3], "{target:?}: {calls:?}");
                if let (Target::Kernel, _) = target {
                    assert!(calls.is_empty(), "the driver was not called: {calls:?}");
                }
                for ctx in [&ctx, &other] {
                    assert_eq!(ctx.check_err(), Ok(()), "{target:?}: no error is pending");
                }
                launcher
                    .launch(target, &mut own, 0)
                    .unwrap_or_else(|error| panic!("{target:?}: the next launch failed: {error}"));
            }
        }
    });
}

/// An argument whose type does not implement `check_context` is detected during its conversion, without side effects.
#[test]
fn a_slice_that_does_not_declare_its_context_is_found_before_the_launch() {
    struct Undeclared<'a>(&'a CudaSlice<f32>);

    impl KernelArg for Undeclared<'_> {
        type Device = DevicePointer<f32>;

        fn lower<'s>(&'s mut self, stream: &'s LaunchStream<'_>) -> (Self::Device, Guard<'s>) {
            self.0.lower(stream)
        }
    }

    #[derive(KernelArgs)]
    struct Args<'a> {
        n: u32,
        alpha: f32,
        x: Undeclared<'a>,
        y: DevicePointerMut<f32>,
    }
    within(&Settings::new().devices(2), |driver| {
        let (ctx, other) = (context(0), context(1));
        let kernel: Kernel<Args> = Kernel::from_image(&ctx, SAXPY, "saxpy").expect("it fits");
        let _second = ctx.new_stream().expect("a stream");
        let memory = Memory::new(&other, &other);
        let args = || Args { n: 0, alpha: 1.0, x: Undeclared(&memory.x), y: DevicePointerMut::NULL };
        // SAFETY: the kernel accesses no memory.
        let error = unsafe { launch!(kernel, 1, 8, args()) };
        assert!(
            matches!(
                error,
                Err(Error::Context(ContextError::OtherContextArgument {
                    field: Some(ref field),
                    ..
                })) if field == "x"
            ),
            "{error:?}"
        );
        assert_eq!(driver.launches(), 0);
        for ctx in [&ctx, &other] {
            assert_eq!(ctx.check_err(), Ok(()), "no error is pending");
        }
    });
}

#[test]
fn a_stream_of_another_context_is_found_before_anything_is_enqueued() {
    within(&Settings::new().devices(2), |driver| {
        let (ctx, other) = (context(0), context(1));
        let launcher = Launcher { stream: other.new_stream().expect("a stream"), ..Launcher::new(&ctx) };
        for target in [(Target::Kernel, true), (Target::Function, true)] {
            // All slices belong to the stream's context.
            let mut memory = Memory::new(&other, &other);
            driver.reset_calls();
            let error = launcher.launch(target, &mut memory, 0);
            assert!(
                matches!(error, Err(Error::Context(ContextError::OtherContextArgument { field: None, .. }))),
                "{target:?}: {error:?}"
            );
            assert_eq!(enqueued(driver), [0; 3], "{target:?}");
        }
    });
}

#[test]
fn two_handles_of_one_kernel_share_its_shared_memory() {
    within(&Settings::new(), |driver| {
        let ctx = context(0);
        let mut memory = Memory::new(&ctx, &ctx);
        let module = ctx.load_module(cudarc::nvrtc::Ptx::from_src(SAXPY)).expect("it loads");
        let handles: [Kernel<Saxpy>; 2] =
            std::array::from_fn(|_| Kernel::from_cudarc_module(&ctx, &module, "saxpy").expect("it fits"));
        // The second launch needs less than the opt-in of the first.
        for (handle, kib) in [(0, 64), (1, 50), (0, 64), (1, 72), (0, 70)] {
            let launched = unsafe {
                // SAFETY: both slices have `n` elements.
                launch!(handles[handle], 1, 8, memory.args(), shared = kib * KIB)
            };
            launched.unwrap_or_else(|error| panic!("handle {handle}, {kib} KiB: {error}"));
        }
        // The opt-in was increased twice: to 64 and to 72 KiB.
        assert_eq!(driver.calls("cuFuncSetAttribute"), 2);
    });
}

#[test]
fn threads_share_the_shared_memory_of_a_kernel() {
    within(&Settings::new(), |_| {
        let ctx = context(0);
        for _ in 0..50 {
            let module = Module::load(&ctx, SAXPY).expect("it loads");
            let start = Barrier::new(4);
            thread::scope(|scope| {
                for thread in 0..4 {
                    let (module, ctx, start) = (&module, &ctx, &start);
                    scope.spawn(move || {
                        let kernel: Kernel<Saxpy> = module.kernel("saxpy").expect("it fits");
                        let mut memory = Memory::new(ctx, ctx);
                        start.wait();
                        for kib in [50 + thread, 60 - thread, 70 + thread] {
                            let args = memory.args();
                            // SAFETY: both slices have `n` elements.
                            unsafe { launch!(kernel, 1, 8, args, shared = kib * KIB) }
                                .expect("the attribute only grows");
                        }
                    });
                }
            });
        }
    });
}

#[test]
fn every_target_gets_its_shared_memory() {
    within(&Settings::new(), |_| {
        let ctx = context(0);
        for target in TARGETS {
            let launcher = Launcher::new(&ctx);
            let mut memory = Memory::new(&ctx, &ctx);
            for kib in [64, 50, 64, 200] {
                launcher
                    .launch(target, &mut memory, kib * KIB)
                    .unwrap_or_else(|error| panic!("{target:?}, {kib} KiB: {error}"));
            }
            let error = launcher.launch(target, &mut memory, 300 * KIB);
            let Err(Error::Launch(LaunchError::Limit(limit))) = error else {
                panic!("{target:?}: {error:?}");
            };
            let error = limit.to_string();
            for words in ["saxpy", "307200 bytes", "help: "] {
                assert!(error.contains(words), "{target:?}: {error}");
            }
        }
    });
}

fn current() -> Option<CUcontext> {
    cudarc::driver::result::ctx::get_current().expect("a current context")
}

#[test]
fn a_function_of_another_context_is_refused() {
    within(&Settings::new().devices(2), |_| {
        let (ctx, other) = (context(0), context(1));
        let module = other.load_module(cudarc::nvrtc::Ptx::from_src(SAXPY)).expect("it loads");
        let foreign = module.load_function("saxpy").expect("it is there");
        for caller in [&ctx, &other] {
            caller.bind_to_thread().expect("a context");
            for refused in [
                Kernel::<Saxpy>::from_function(&ctx, foreign.clone()),
                Kernel::<Saxpy>::from_cudarc_module(&ctx, &module, "saxpy"),
            ] {
                let error = refused.expect_err("it is another context's").to_string();
                for words in ["saxpy", "device 1", "device 0", "help: "] {
                    assert!(error.contains(words), "`{words}` is not in\n{error}");
                }
                assert_eq!(current(), Some(caller.cu_ctx()), "the caller's is current");
            }
        }
        // A second `CudaContext` value for the same device is the same driver context.
        let mut memory = Memory::new(&other, &other);
        let kernel = Kernel::<Saxpy>::from_function(&context(1), foreign).expect("its own context");
        // SAFETY: both slices have `n` elements.
        unsafe { launch!(kernel, 1, 8, memory.args()) }.expect("it launches");
    });
}

#[test]
fn a_function_is_launched_from_a_thread_without_a_context() {
    within(&Settings::new().devices(2), |driver| {
        let ctx = context(1);
        let launcher = Launcher::new(&ctx);
        for target in TARGETS {
            for current in [None, Some(context(0))] {
                // A raw function without a stream runs in the caller's context.
                if matches!(target, (Target::Raw, false)) && current.is_some() {
                    continue;
                }
                let mut memory = Memory::new(&ctx, &ctx);
                let (count, launcher) = (driver.launches(), &launcher);
                thread::scope(|scope| {
                    let run = || {
                        if let Some(current) = &current {
                            current.bind_to_thread().expect("a context");
                        }
                        launcher.launch(target, &mut memory, 0)
                    };
                    let result = scope.spawn(run).join().expect("nothing panics");
                    result.unwrap_or_else(|error| panic!("{target:?}: {error}"));
                });
                assert_eq!(driver.launches(), count + 1);
            }
        }
    });
}

/// cudarc knows the context of its function: the context is made current before the function is verified.
#[test]
fn a_function_is_verified_and_launched_in_its_own_context() {
    within(&Settings::new().devices(2), |driver| {
        let ctx = context(1);
        let function = function(&ctx);
        for caller in [None, Some(context(0))] {
            let count = driver.launches();
            let function = &function;
            thread::scope(|scope| {
                let run = || {
                    if let Some(caller) = &caller {
                        caller.bind_to_thread().expect("a context");
                    }
                    // SAFETY: the kernel accesses no memory.
                    let result = unsafe { launch!(function, 1, 1, Pointers::NONE) };
                    (result, current().map(<*mut _>::addr))
                };
                let (result, current) = scope.spawn(run).join().expect("nothing panics");
                result.expect("it launches");
                assert_eq!(current, Some(ctx.cu_ctx().addr()));
            });
            assert_eq!(driver.launches(), count + 1);
        }
    });
}

/// The context of a raw function is unknown.
#[test]
fn a_raw_function_without_any_context_is_refused() {
    within(&Settings::new(), |driver| {
        let ctx = context(0);
        let raw = function(&ctx).cu_function().addr();
        thread::spawn(move || {
            let raw: cudarc::driver::sys::CUfunction = std::ptr::with_exposed_provenance_mut(raw);
            // SAFETY: the kernel accesses no memory.
            let error = unsafe { launch!(raw, 1, 1, Pointers::NONE) }.expect_err("no context is current").to_string();
            for words in ["no context is current", "help: "] {
                assert!(error.contains(words), "{error}");
            }
        })
        .join()
        .expect("nothing panics");
        assert_eq!(driver.calls("cuFuncGetParamInfo"), 0, "nor verified");
    });
}
