//! One kernel launched from many threads: the arguments of different threads never mix.

use crate::launch::results::Outcome;
use kernel_args::{DevicePointerMut, Kernel, KernelArgs, launch};
use kernel_args_tests::driver::{context, trial};
use libtest_mimic::Trial;
use std::thread;

const SCALARS: &str = include_str!("../../../../ptx/echo_scalars.ptx");

/// `echo_u64(out, char, u64, char)`.
#[derive(KernelArgs)]
struct Echo {
    out: DevicePointerMut<u8>,
    before: i8,
    value: u64,
    after: i8,
}

fn sixteen_threads_launch_one_kernel() -> Outcome {
    use cudarc::driver::DevicePtrMut;
    let ctx = context()?;
    let kernel: Kernel<Echo> = Kernel::from_image(&ctx, SCALARS, "echo_u64")?;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..16_u8)
            .map(|thread| {
                let (ctx, kernel) = (&ctx, &kernel);
                scope.spawn(move || -> Result<(), String> {
                    let text = |error: cudarc::driver::DriverError| error.to_string();
                    let stream = ctx.new_stream().map_err(text)?;
                    let mut out = stream.alloc_zeros::<u8>(10).map_err(text)?;
                    for round in 0..200_u64 {
                        let value = round << 8 | u64::from(thread);
                        let (before, after) = (thread.cast_signed(), !thread.cast_signed());
                        {
                            let (address, _guard) = out.device_ptr_mut(&stream);
                            let out = DevicePointerMut::from_raw(address);
                            let args = Echo { out, before, value, after };
                            // SAFETY: `out` has space for two chars and a `u64`.
                            unsafe { launch!(kernel, 1, 1, args, stream = &stream) }
                                .map_err(|error| error.to_string())?;
                        }
                        let echo = stream.clone_dtoh(&out).map_err(text)?;
                        let mut passed = vec![before.cast_unsigned()];
                        passed.extend(value.to_ne_bytes());
                        passed.push(after.cast_unsigned());
                        if echo != passed {
                            return Err(format!("thread {thread}, round {round}: {echo:?} for {passed:?}"));
                        }
                    }
                    Ok(())
                })
            })
            .collect();
        for thread in threads {
            thread.join().map_err(|_| "a thread panicked")??;
        }
        Ok(())
    })
}

/// Handles can be sent to other threads and shared between threads.
fn assert_send_and_sync<T: Send + Sync + Clone + 'static>() {}

pub(crate) fn trials() -> Vec<Trial> {
    assert_send_and_sync::<Kernel<crate::launch::results::Saxpy<'static>>>();
    vec![trial("sixteen_threads_launch_one_kernel", sixteen_threads_launch_one_kernel)]
}
