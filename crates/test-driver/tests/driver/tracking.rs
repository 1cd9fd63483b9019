//! cudarc's event tracking, observed in the driver: the number of waits and records of a launch, and the resulting
//! order of streams.

use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use kernel_args_test_driver::{Control, Settings, within};

const ONE_THREAD: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };

fn waits_and_records(driver: &Control) -> (u64, u64) {
    (driver.calls("cuStreamWaitEvent"), driver.calls("cuEventRecord"))
}

#[test]
fn one_stream_costs_no_events_and_two_cost_them_for_each_slice() {
    within(&Settings::new(), |driver| {
        let context = CudaContext::new(0).expect("a device");
        let text = crate::raw::ptx(&[("echo", ".u64, .u64, .u32")]);
        let module = context.load_module(cudarc::nvrtc::Ptx::from_src(text)).expect("right");
        let echo = module.load_function("echo").expect("it has this entry");
        let stream = context.default_stream();
        let run = |stream: &cudarc::driver::CudaStream, out: &mut _, read: &_| {
            driver.reset_calls();
            // SAFETY: the arguments match the kernel.
            unsafe { stream.launch_builder(&echo).arg(out).arg(read).arg(&7u32).launch(ONE_THREAD) }.expect("it runs");
            waits_and_records(driver)
        };
        let mut out = stream.alloc_zeros::<u8>(16).expect("memory");
        let read = stream.alloc_zeros::<f32>(4).expect("memory");
        assert_eq!(run(&stream, &mut out, &read), (0, 0));

        let second = context.new_stream().expect("a stream");
        let mut out = second.alloc_zeros::<u8>(16).expect("memory");
        let read = second.alloc_zeros::<f32>(4).expect("memory");
        // A written slice waits for reads and writes; a read slice waits for writes. Each has one record.
        assert_eq!(run(&second, &mut out, &read), (3, 2));
        assert_eq!(driver.calls("cuLaunchKernel"), 1);
        let echoed = second.clone_dtoh(&out).expect("memory");
        assert_eq!(echoed[8..12], 7u32.to_le_bytes());
    });
}

#[test]
fn nothing_is_left_behind() {
    within(&Settings::new(), |driver| {
        {
            let context = CudaContext::new(0).expect("a device");
            let stream = context.new_stream().expect("a stream");
            let module =
                context.load_module(cudarc::nvrtc::Ptx::from_src(crate::raw::ptx(&[("k", "")]))).expect("right");
            let slice = stream.clone_htod(&[1u8, 2, 3]).expect("memory");
            assert_eq!(driver.live_allocations(), (1, 3));
            assert_eq!((driver.live_events(), driver.live_modules()), (2, 1));
            drop((slice, module));
            assert_eq!((driver.live_allocations(), driver.live_events(), driver.live_modules()), ((0, 0), 0, 0));
        }
        assert_eq!(driver.calls("cuDevicePrimaryCtxRelease_v2"), 1);
    });
}

#[test]
fn sixteen_threads_launch_without_mixing() {
    within(&Settings::new(), |driver| {
        let context = CudaContext::new(0).expect("a device");
        let text = crate::raw::ptx(&[("echo", ".u64, .u64, .u8")]);
        let module = context.load_module(cudarc::nvrtc::Ptx::from_src(text)).expect("right");
        let echo = module.load_function("echo").expect("it has this entry");
        std::thread::scope(|scope| {
            for thread in 0..16u8 {
                let (context, echo) = (&context, &echo);
                scope.spawn(move || {
                    let stream = context.new_stream().expect("a stream");
                    let mut out = stream.alloc_zeros::<u8>(9).expect("memory");
                    for round in 0..50 {
                        let value = u64::from(thread) << 32 | round;
                        // SAFETY: the arguments match the kernel.
                        unsafe {
                            stream.launch_builder(echo).arg(&mut out).arg(&value).arg(&thread).launch(ONE_THREAD)
                        }
                        .expect("it runs");
                        let echoed = stream.clone_dtoh(&out).expect("memory");
                        assert_eq!(echoed, [&value.to_le_bytes()[..], &[thread]].concat());
                    }
                });
            }
        });
        assert_eq!(driver.launches(), 800);
    });
}
