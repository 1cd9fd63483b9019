//! Lists launched on the test driver.

use crate::arguments::{heap::allocations, lists::List};
use cudarc::driver::{CudaContext, CudaSlice, DevicePtr, LaunchConfig};
use kernel_args::{ArgList, DevicePointerMut, Error, Function, Module, args::Form, launch};
use kernel_args_stand_in::{Control, LaunchForm, Settings, within};
use kernel_args_tests::saxpy::{SAXPY, Saxpy};
use std::sync::Arc;

pub(crate) struct Setup {
    pub(crate) ctx: Arc<CudaContext>,
    pub(crate) function: Function,
    pub(crate) x: CudaSlice<f32>,
    pub(crate) y: CudaSlice<f32>,
}

impl Setup {
    pub(crate) fn new() -> Self {
        let ctx = kernel_args::context(0).expect("the test driver has a device");
        let module = Module::load(&ctx, SAXPY).expect("it loads");
        let stream = ctx.default_stream();
        Self {
            function: module.function("saxpy").expect("it is there"),
            x: stream.clone_htod(&[1.0; 8]).expect("memory"),
            y: stream.clone_htod(&[0.0; 8]).expect("memory"),
            ctx,
        }
    }

    fn result(&self) -> Vec<f32> {
        self.y.stream().clone_dtoh(&self.y).expect("memory")
    }
}

/// The parameters in the bank, at the offsets where the driver's kernel reads them.
fn launched(driver: &Control) -> (LaunchForm, Vec<u8>) {
    let launch = driver.last_launch().expect("a launch");
    (launch.form, launch.bank)
}

#[test]
fn a_list_of_slices_and_numbers_is_launched_with_every_option() {
    within(&Settings::new(), |driver| {
        let mut setup = Setup::new();
        let stream = setup.ctx.new_stream().expect("a stream");
        let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (8, 1, 1), shared_mem_bytes: 16 };
        for form in [Form::KernelParams, Form::Packed] {
            let mut arguments = ArgList::new();
            arguments.push(8_u32).push(1.0_f32).push(&setup.x).push(&mut setup.y);
            // SAFETY: both slices have 8 elements.
            unsafe { launch!(setup.function, 1, 8, &mut arguments) }.expect("it launches");
            // SAFETY: as above.
            unsafe { launch!(&setup.function, config, &mut arguments, stream = &stream, form = form) }
                .expect("it launches");
            let last = driver.last_launch().expect("a launch");
            assert_eq!((last.shared, last.stream), (16, stream.cu_stream().addr()));
            // SAFETY: as above.
            unsafe { launch!(setup.function.clone(), 1, 8, arguments, form = form, shared = 64) }.expect("it launches");
        }
        setup.ctx.synchronize().expect("it ran");
        assert_eq!(setup.result(), [6.0; 8]);
    });
}

/// The waits and records are the same as for a struct with the same slices.
#[test]
fn slices_in_a_list_are_tracked_like_slices_in_a_struct() {
    within(&Settings::new(), |driver| {
        let mut setup = Setup::new();
        let home = setup.ctx.new_stream().expect("a stream");
        setup.x = home.clone_htod(&[1.0; 8]).expect("memory");
        setup.y = home.clone_htod(&[0.0; 8]).expect("memory");
        let other = setup.ctx.new_stream().expect("a stream");
        let calls = |launch: &mut dyn FnMut() -> Result<(), Error>| {
            driver.reset_calls();
            launch().expect("it launches");
            ["cuStreamWaitEvent", "cuEventRecord"].map(|call| driver.calls(call))
        };
        let Setup { function, x, y, .. } = &mut setup;
        let function = &*function;
        let of_struct = calls(&mut || {
            let args = Saxpy { n: 8, alpha: 1.0, x, y };
            // SAFETY: both slices have 8 elements.
            unsafe { launch!(function, 1, 8, args, stream = &other) }
        });
        let of_list = calls(&mut || {
            let mut arguments = ArgList::new();
            arguments.push(8_u32).push(1.0_f32).push(&*x).push(&mut *y);
            // SAFETY: as above.
            unsafe { launch!(function, 1, 8, arguments, stream = &other) }
        });
        assert_eq!(of_list, of_struct);
        assert_eq!(of_list, [3, 2], "waits, records");
    });
}

#[test]
fn a_launch_of_a_list_that_was_seen_asks_the_driver_for_nothing_else() {
    within(&Settings::new(), |driver| {
        let mut setup = Setup::new();
        let mut launch = || {
            let Setup { function, x, y, .. } = &mut setup;
            let (function, mut arguments) = (&*function, ArgList::new());
            arguments.push(8_u32).push(1.0_f32).push(&*x).push(&mut *y);
            // SAFETY: both slices have 8 elements.
            unsafe { launch!(function, 1, 8, &mut arguments) }.expect("it launches");
        };
        launch();
        driver.reset_calls();
        let (heap, ()) = allocations(&mut launch);
        let calls = driver.called();
        let names: Vec<_> = calls.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        assert_eq!(names, [("cuCtxGetCurrent", 1), ("cuLaunchKernelEx", 1)]);
        assert_eq!(heap, 0, "allocations");
    });
}

/// Random lists, echoed from the driver's bank, whose offsets differ from C's rule above an alignment of 16 bytes.
#[test]
fn random_lists_arrive_byte_for_byte() {
    within(&Settings::new(), |driver| {
        let ctx = kernel_args::context(0).expect("a device");
        let stream = ctx.default_stream();
        for seed in 0..60 {
            let len = usize::try_from(seed).expect("small") * 2 % 100 + 1;
            let over_aligned = seed % 3 == 0;
            let mut list = List::random(seed, len, over_aligned);
            let module = Module::load(&ctx, list.ptx("kernel")).expect("it loads");
            let function = module.function("kernel").expect("it is there");
            let function = function.require_verified().expect("the image was read");
            for form in [None, Some(Form::KernelParams), Some(Form::Packed)] {
                let arguments = &mut list.arguments;
                let result = match form {
                    // SAFETY: the kernel accesses no memory.
                    None => unsafe { launch!(function, 1, 1, arguments, stream = &stream) },
                    // SAFETY: the kernel accesses no memory.
                    Some(form) => unsafe { launch!(function, 1, 1, arguments, form = form) },
                };
                result.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                let (used, bank) = launched(driver);
                if list.is_over_aligned() {
                    assert_eq!(used, LaunchForm::KernelParams);
                    let mut rest = &bank[..];
                    for (index, value) in list.values.iter().enumerate() {
                        let at = rest.windows(value.len()).position(|window| window == &value[..]);
                        let at = at.unwrap_or_else(|| panic!("seed {seed}: parameter {index} is not there"));
                        assert!(rest[..at].iter().all(|byte| *byte == 0), "seed {seed}: between");
                        rest = &rest[at + value.len()..];
                    }
                } else {
                    let expected = match form {
                        Some(Form::KernelParams) => LaunchForm::KernelParams,
                        None if len == 0 => LaunchForm::KernelParams,
                        Some(Form::Packed) | None => LaunchForm::Extra,
                    };
                    assert_eq!((used, bank), (expected, list.block()), "seed {seed}");
                }
            }
        }
    });
}

/// The kernel copies its parameters to `out`, byte by byte.
#[test]
fn a_list_is_echoed_by_a_kernel() {
    within(&Settings::new(), |_| {
        let ctx = kernel_args::context(0).expect("a device");
        let stream = ctx.default_stream();
        let out = stream.alloc_zeros::<u8>(13).expect("memory");
        let ptx = ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry echo_list(.param .u64 out, .param .u32 a, \
                   .param .u8 b, .param .f64 c)\n{\n    .reg .b64 %rd<2>;\n    .reg .b16 %rs<14>;\n    ld.param.u64 %rd1, [out];\n"
            .to_owned();
        let copies = (0..13).map(|byte| {
            let (parameter, at) = match byte {
                0..4 => ("a", byte),
                4 => ("b", 0),
                _ => ("c", byte - 5),
            };
            format!("    ld.param.u8 %rs{byte}, [{parameter}+{at}];\n    st.global.u8 [%rd1+{byte}], %rs{byte};\n")
        });
        let ptx = &format!("{ptx}{}    ret;\n}}\n", copies.collect::<String>());
        let function = Module::load(&ctx, ptx).expect("it loads").function("echo_list").expect("it is there");
        let address = DevicePointerMut::<u8>::from_raw(out.device_ptr(&stream).0);
        let mut arguments = ArgList::new();
        arguments.push(address).push(0x0403_0201_u32).push(5_u8).push(1.0_f64);
        // SAFETY: `out` has space for the 13 bytes.
        unsafe { launch!(function, 1, 1, &mut arguments) }.expect("it launches");
        let echo = stream.clone_dtoh(&out).expect("memory");
        assert_eq!(echo, [&[1, 2, 3, 4, 5][..], &1.0_f64.to_le_bytes()].concat());
    });
}
