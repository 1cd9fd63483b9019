//! Tests that need a driver with configurable failures: waits and records, old drivers, failing calls, GPUs of
//! different generations, leaks. Each test runs on the test driver, in a separate process.

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, CudaView, LaunchConfig, PushKernelArg};
use kernel_args::{
    DevicePointer, DevicePointerMut, Error, Kernel, KernelArg, KernelArgs, Module, TensorMap,
    args::{Form, Guard, LaunchStream},
    error::VerifyError,
    image::Verification,
    launch,
};
use kernel_args_stand_in::{Control, LaunchForm, Settings, within};
use kernel_args_tests::saxpy::{SAXPY, Saxpy};
use std::sync::Arc;

const LAUNCH_COST: &str = include_str!("../../../ptx/launch_cost.ptx");
const STRUCTS: &str = include_str!("../../../ptx/echo_structs.ptx");

struct Setup {
    ctx: Arc<CudaContext>,
    kernel: Kernel<Saxpy<'static>>,
    x: CudaSlice<f32>,
    y: CudaSlice<f32>,
}

impl Setup {
    fn new() -> Self {
        let ctx = kernel_args::context(0).expect("the test driver has a device");
        let stream = ctx.default_stream();
        Self {
            kernel: Kernel::<Saxpy>::load(&ctx).expect("the struct fits"),
            x: stream.clone_htod(&[1.0; 8]).expect("memory"),
            y: stream.clone_htod(&[0.0; 8]).expect("memory"),
            ctx,
        }
    }

    fn args(&mut self) -> Saxpy<'_> {
        Saxpy { n: 8, alpha: 1.0, x: &self.x, y: &mut self.y }
    }

    fn launch(&mut self, stream: &CudaStream) -> Result<(), Error> {
        let kernel = self.kernel.clone();
        let args = self.args();
        // SAFETY: both slices have `n` elements.
        unsafe { launch!(kernel, 1, 8, args, stream = stream) }
    }
}

/// The number of driver calls for events, and for the current context, in one launch.
fn calls(driver: &Control, launch: impl FnOnce()) -> [u64; 3] {
    driver.reset_calls();
    launch();
    ["cuStreamWaitEvent", "cuEventRecord", "cuCtxGetCurrent"].map(|call| driver.calls(call))
}

#[test]
fn one_stream_waits_for_nothing() {
    within(&Settings::new(), |driver| {
        let mut setup = Setup::new();
        let stream = setup.ctx.default_stream();
        let calls = calls(driver, || setup.launch(&stream).expect("it launches"));
        assert_eq!(calls, [0, 0, 1], "waits, records, contexts looked up");
    });
}

/// A `&` slice waits for its writes and records a read; a `&mut` slice waits for reads and writes and records a write.
#[test]
fn several_streams_wait_and_record_as_cudarc_does() {
    within(&Settings::new(), |driver| {
        let mut setup = Setup::new();
        let _second = setup.ctx.new_stream().expect("a stream");
        // Slices that are created from now on have events.
        setup.x = setup.ctx.default_stream().clone_htod(&[1.0; 8]).expect("memory");
        setup.y = setup.ctx.default_stream().clone_htod(&[0.0; 8]).expect("memory");
        let third = setup.ctx.new_stream().expect("a stream");

        let ours = calls(driver, || setup.launch(&third).expect("it launches"));
        let module = setup.ctx.load_module(cudarc::nvrtc::Ptx::from_src(SAXPY)).expect("it loads");
        let function = module.load_function("saxpy").expect("it is there");
        let theirs = calls(driver, || {
            let mut builder = third.launch_builder(&function);
            builder.arg(&8_u32).arg(&1.0_f32).arg(&setup.x).arg(&mut setup.y);
            // SAFETY: both slices have 8 elements.
            unsafe { builder.launch(LaunchConfig::for_num_elems(8)) }.expect("it launches");
        });
        assert_eq!(ours[..2], [3, 2], "waits, records");
        assert_eq!(ours[..2], theirs[..2], "as cudarc's own builder");
    });
}

/// A result that was written on one stream is visible to a launch on a different stream.
#[test]
fn a_write_is_recorded_as_a_write() {
    within(&Settings::new(), |driver| {
        let mut setup = Setup::new();
        let (one, two) = (setup.ctx.new_stream().expect("a stream"), setup.ctx.new_stream().expect("a stream"));
        setup.x = one.clone_htod(&[1.0; 8]).expect("memory");
        setup.y = one.alloc_zeros(8).expect("memory");
        setup.launch(&one).expect("it launches");
        // Reading `x` waits only for its last write; reading `y` waits for the launch's write.
        let read = |slice: &CudaSlice<f32>| calls(driver, || drop(two.clone_dtoh(slice)))[0];
        assert_eq!((read(&setup.x), read(&setup.y)), (1, 1));
        assert_eq!(two.clone_dtoh(&setup.y).expect("memory"), [1.0; 8]);
    });
}

/// A view that is passed with its guard or without it, as the test specifies.
struct Passed<'a> {
    view: CudaView<'a, f32>,
    keeps_guard: bool,
}

impl KernelArg for Passed<'_> {
    type Device = DevicePointer<f32>;

    fn lower<'s>(&'s mut self, stream: &'s LaunchStream<'_>) -> (Self::Device, Guard<'s>) {
        let (pointer, guard) = self.view.lower(stream);
        (pointer, if self.keeps_guard { guard } else { Guard::NONE })
    }
}

#[derive(KernelArgs)]
struct Views<'a> {
    x: Passed<'a>,
    y: CudaView<'a, f32>,
    out: &'a mut CudaSlice<f32>,
    n: i32,
    alpha: f32,
    beta: f32,
    stride: u32,
    seed: u64,
}

/// The number of waits and records of one launch that reads both halves of `buffer` and writes `out`.
fn launch_views(
    driver: &Control,
    stream: &CudaStream,
    buffer: &CudaSlice<f32>,
    out: &mut CudaSlice<f32>,
    keeps_guard: bool,
) -> [u64; 2] {
    let kernel: Kernel<Views> = Kernel::from_image(stream.context(), LAUNCH_COST, "slices").expect("the struct fits");
    let args = Views {
        x: Passed { view: buffer.slice(..4), keeps_guard },
        y: buffer.slice(4..),
        out,
        n: 8,
        alpha: 1.0,
        beta: 0.0,
        stride: 1,
        seed: 0,
    };
    let [waits, records, _] = calls(driver, || {
        // SAFETY: the kernel does nothing.
        unsafe { launch!(kernel, 1, 8, args, stream = stream) }.expect("it launches");
    });
    [waits, records]
}

/// The events of a buffer that is passed twice are recorded once; every use of it still waits.
#[test]
fn a_buffer_that_is_passed_twice_is_recorded_once() {
    within(&Settings::new(), |driver| {
        let ctx = kernel_args::context(0).expect("a device");
        let [one, two] = [(); 2].map(|()| ctx.new_stream().expect("a stream"));
        let buffer = one.clone_htod(&[1.0_f32; 8]).expect("memory");
        let mut out = one.alloc_zeros::<f32>(8).expect("memory");
        for _ in 0..2 {
            // For the writes of the buffer, twice, and for the reads and writes of `out`.
            let calls = launch_views(driver, &two, &buffer, &mut out, true);
            assert_eq!(calls, [4, 2], "waits, records");
        }
    });
}

/// A record before the launch does not replace a record after it: an argument that drops its guard too early does not
/// affect a different argument with the same buffer.
#[test]
fn a_guard_that_is_dropped_too_early_is_no_record_of_the_launch() {
    within(&Settings::new(), |driver| {
        let ctx = kernel_args::context(0).expect("a device");
        let stream = ctx.new_stream().expect("a stream");
        let buffer = stream.clone_htod(&[1.0_f32; 8]).expect("memory");
        let mut out = stream.alloc_zeros::<f32>(8).expect("memory");
        let [_, records] = launch_views(driver, &stream, &buffer, &mut out, false);
        assert_eq!(records, 3, "one too early, and one for each buffer");
    });
}

#[test]
fn a_wait_that_fails_stops_the_launch() {
    within(&Settings::new(), |driver| {
        let mut setup = Setup::new();
        let stream = setup.ctx.new_stream().expect("a stream");
        setup.x = stream.clone_htod(&[1.0; 8]).expect("memory");
        let launched = driver.launches();
        driver.fail("cuStreamWaitEvent", 999);
        let error = setup.launch(&stream);
        driver.clear_failures();
        assert!(matches!(error, Err(Error::Driver { .. })), "{error:?}");
        assert_eq!(driver.launches(), launched, "nothing was launched");
    });
}

#[test]
fn an_old_driver_verifies_by_the_image_alone() {
    #[derive(KernelArgs)]
    struct Wrong {
        n: u64,
    }
    within(&Settings::new().old(), |_| {
        let ctx = kernel_args::context(0).expect("a device");
        let kernel: Kernel<Saxpy> = Kernel::from_image(&ctx, SAXPY, "saxpy").expect("it fits");
        let actual = format!("{:?}", kernel.verification());
        assert_eq!(actual, "Verified { driver: false, image: true, debug_info: None, not_compared: [] }");
        kernel.require_verified().expect("the image is enough");

        let wrong = Kernel::<Wrong>::from_image(&ctx, SAXPY, "saxpy");
        assert!(matches!(wrong, Err(Error::Verify(VerifyError::Mismatch(_)))), "{wrong:?}");

        // cudarc keeps no image: the types cannot be verified, and the error reports this.
        let module = ctx.load_module(cudarc::nvrtc::Ptx::from_src(SAXPY)).expect("it loads");
        let function = module.load_function("saxpy").expect("it is there");
        let kernel: Kernel<Saxpy> = Kernel::from_function(&ctx, function).expect("it loads");
        assert!(matches!(kernel.verification(), Verification::Unverified(_)));
        let refused = kernel.require_verified().expect_err("it was not verified");
        assert!(refused.to_string().contains("12.4"), "{refused}");
    });
}

#[test]
fn a_failed_launch_is_explained() {
    for (code, words) in [
        (1, "exceeds a limit"),
        (201, "no context is current"),
        (209, "no code for this GPU"),
        (400, "another context"),
        (700, "EARLIER"),
        (701, "differs from the kernel's"),
        (710, "`assert`"),
        (716, "EARLIER"),
        (719, "EARLIER"),
        (803, "different versions"),
        (999, "reports no details"),
    ] {
        within(&Settings::new(), |driver| {
            let mut setup = Setup::new();
            let stream = setup.ctx.default_stream();
            driver.fail("cuLaunchKernelEx", code);
            let error = setup.launch(&stream).expect_err("the driver fails").to_string();
            driver.clear_failures();
            for words in ["saxpy", "grid (1, 1, 1)", "block (8, 1, 1)", "alpha", "= 1.0", &code.to_string(), words] {
                assert!(error.contains(words), "`{words}` is not in\n{error}");
            }
            // Not if the kernel is not the cause, nor if its context or handle may be invalid.
            let needs = error.contains("the kernel uses 32 registers and 0 bytes of local memory");
            assert_eq!(needs, matches!(code, 1 | 209 | 701 | 720 | 803 | 999), "{code}: {error}");
        });
    }
}

/// Offsets of over-aligned parameters on each generation.
#[test]
fn over_aligned_parameters_are_verified_on_every_generation() {
    #[derive(KernelArgs)]
    struct First {
        out: DevicePointerMut<u8>,
        map: TensorMap,
        data: DevicePointerMut<f32>,
    }
    for sm in [75, 80, 89, 90, 100, 120] {
        within(&Settings::new().sm(sm), |driver| {
            let ctx = kernel_args::context(0).expect("a device");
            let kernel: Kernel<First> =
                Kernel::from_image(&ctx, STRUCTS, "echo_tensor_map_first").expect("it fits on every GPU");
            let stream = ctx.default_stream();
            let out = stream.alloc_zeros::<u8>(136).expect("memory");
            let address = {
                let (address, _guard) = cudarc::driver::DevicePtr::device_ptr(&out, &stream);
                DevicePointerMut::from_raw(address)
            };
            let args = First { out: address, map: TensorMap([7; 16]), data: DevicePointerMut::from_raw(9) };
            // The packed form was requested, but its offsets depend on the GPU.
            // SAFETY: `out` has space for the parameters after it.
            unsafe { launch!(kernel, 1, 1, args, form = Form::Packed) }.expect("it launches");
            let launched = driver.last_launch().expect("a launch");
            assert_eq!(launched.form, LaunchForm::KernelParams);
            let echo = stream.clone_dtoh(&out).expect("memory");
            assert_eq!(echo[..128], [[7_u64; 16].map(u64::to_ne_bytes)].as_flattened().concat());
        });
    }
}

/// A driver older than 11.8: launches use `cuLaunchKernel`, in the same form, and attributes are rejected.
#[test]
fn a_driver_without_cu_launch_kernel_ex_launches_all_the_same() {
    let old = Settings::new().without("cuLaunchKernelEx");
    within(&old, |driver| {
        let mut setup = Setup::new();
        let stream = setup.ctx.default_stream();
        setup.launch(&stream).expect("it launches");
        assert_eq!(driver.calls("cuLaunchKernel"), 1);
        let launched = driver.last_launch().expect("a launch");
        assert_eq!(launched.form, LaunchForm::Extra);
        assert_eq!((launched.grid, launched.block), ([1, 1, 1], [8, 1, 1]));

        let kernel: Kernel<Saxpy<'_>> = Kernel::load(&setup.ctx).expect("it fits");
        let args = setup.args();
        // SAFETY: the launch is rejected.
        let error = unsafe { launch!(kernel, 1, 8, args, priority = 0) };
        let error = error.expect_err("the driver has no attributes").to_string();
        for words in ["`priority` needs a driver of CUDA 11.8", "has no `cuLaunchKernelEx`"] {
            assert!(error.contains(words), "{error}");
        }
    });
}

#[test]
fn attributes_reach_the_driver_and_nothing_else_does() {
    within(&Settings::new(), |driver| {
        let mut setup = Setup::new();
        let stream = setup.ctx.default_stream();
        setup.launch(&stream).expect("it launches");
        assert_eq!(driver.last_launch().expect("a launch").attributes, []);
        let kernel: Kernel<Saxpy<'_>> = Kernel::load(&setup.ctx).expect("it fits");
        let args = setup.args();
        // SAFETY: both slices have `n` elements.
        unsafe { launch!(kernel, 2, 8, args, priority = -2, cluster = 2) }.expect("it launches");
        let launched = driver.last_launch().expect("a launch");
        assert_eq!(launched.cluster, Some([2, 1, 1]));
        let [(4, cluster), (8, priority)] = launched.attributes[..] else {
            panic!("{:?}", launched.attributes);
        };
        assert_eq!(priority[..4], (-2_i32).to_ne_bytes());
        assert!(priority[4..].iter().all(|byte| *byte == 0));
        assert_eq!(cluster[..12], [2_u32, 1, 1].map(u32::to_ne_bytes).concat());
        assert!(cluster[12..].iter().all(|byte| *byte == 0));
    });
}

#[test]
fn the_form_is_packed_unless_that_copies_much() {
    macro_rules! of {
        ($($field:ident)*) => {{
            #[derive(KernelArgs)]
            struct Many { $($field: u32,)* }
            let _ = |many: Many| -> Vec<u32> { vec![$(many.$field),*] };
            Form::of::<Many>()
        }};
    }
    #[derive(KernelArgs)]
    struct Nothing;
    assert_eq!(Form::of::<Nothing>(), Form::KernelParams, "without parameters both are the same");
    assert_eq!(of!(a), Form::Packed);
    assert_eq!(of!(a b c d), Form::Packed);
}

#[test]
fn the_form_of_large_and_of_over_aligned_parameters() {
    #[derive(KernelArgs)]
    struct Large {
        table: [f32; 8000],
        n: u32,
    }
    #[derive(KernelArgs)]
    struct Medium {
        table: [f32; 1024],
        n: u32,
    }
    #[derive(KernelArgs)]
    struct OverAligned {
        map: TensorMap,
        n: u32,
    }
    let _ = |large: Large| (large.table, large.n);
    let _ = |medium: Medium| (medium.table, medium.n);
    let _ = |over_aligned: OverAligned| (over_aligned.map, over_aligned.n);
    assert_eq!(Form::of::<Large>(), Form::KernelParams);
    assert_eq!(Form::of::<Medium>(), Form::Packed);
    assert_eq!(Form::of::<OverAligned>(), Form::KernelParams);
}

#[test]
fn modules_are_unloaded_with_their_last_kernel() {
    within(&Settings::new(), |driver| {
        let ctx = kernel_args::context(0).expect("a device");
        let module = Module::load(&ctx, SAXPY).expect("it loads");
        let kernel: Kernel<Saxpy> = module.kernel("saxpy").expect("it fits");
        let clone = kernel.clone();
        drop((module, kernel));
        assert_eq!(driver.live_modules(), 1, "a kernel keeps its module");
        drop(clone);
        assert_eq!(driver.live_modules(), 0);
        assert!(Module::load(&ctx, "no PTX").is_err());
        assert_eq!(driver.live_modules(), 0);
    });
}

/// Arguments that panic while they are built: nothing is launched, nothing leaks.
#[test]
fn arguments_that_panic_launch_nothing() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("while the arguments are built");
        }
    }
    within(&Settings::new(), |driver| {
        let mut setup = Setup::new();
        let launched = driver.launches();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let args = Saxpy {
                n: {
                    drop(Bomb);
                    8
                },
                alpha: 1.0,
                x: &setup.x,
                y: &mut setup.y,
            };
            // SAFETY: not reached.
            unsafe { launch!(setup.kernel, 1, 8, args) }
        }));
        assert!(panicked.is_err());
        assert_eq!(driver.launches(), launched);
        let stream = setup.ctx.default_stream();
        setup.launch(&stream).expect("and the next launch works");
    });
}

#[test]
fn a_device_that_is_not_there_is_an_error() {
    within(&Settings::new().devices(0), |_| {
        let error = kernel_args::context(0).expect_err("there is no device");
        let Error::Driver { status, .. } = error else {
            panic!("{error:?}");
        };
        assert!([100, 101].contains(&status.0));
    });
}
