//! The ways to launch a kernel, and the comparison of the echo.

use cudarc::driver::{CudaContext, DevicePtrMut};
use kernel_args::{DevicePointerMut, DeviceType, Kernel, KernelArgs, Module, args::Form, launch};
use kernel_args_tests::{
    driver::context,
    tally,
    values::{Bytes, Draw, Source},
};
use std::{error::Error, sync::Arc};

pub(crate) type Outcome = Result<(), Box<dyn Error>>;

/// The number of random values for each kernel and way.
pub(crate) const ROUNDS: u64 = 4;

/// A value between two chars.
#[derive(KernelArgs)]
pub(crate) struct Between<T> {
    out: DevicePointerMut<u8>,
    before: i8,
    value: T,
    after: i8,
}

/// A kernel under test.
pub(crate) struct Echo<'k, A: KernelArgs> {
    ctx: Arc<CudaContext>,
    kernel: Kernel<A>,
    entry: &'k str,
}

impl<'k, A: KernelArgs> Echo<'k, A> {
    pub(crate) fn load(ptx: &str, entry: &'k str) -> Result<Self, Box<dyn Error>> {
        let ctx = context()?;
        let kernel = Module::load(&ctx, ptx)?.kernel::<A>(entry)?.require_verified()?;
        Ok(Self { ctx, kernel, entry })
    }

    /// Launches in every way with the same values, and compares the echo with `passed`.
    pub(crate) fn check(&self, passed: &[u8], args: impl Fn(DevicePointerMut<u8>) -> A) -> Outcome {
        let stream = self.ctx.default_stream();
        let raw = self.kernel.cu_function();
        let run = |way: &str, launch: &dyn Fn(A) -> Result<(), kernel_args::Error>| -> Outcome {
            let mut out = stream.clone_htod(&vec![0xa5_u8; passed.len().max(1)])?;
            let (address, guard) = out.device_ptr_mut(&stream);
            launch(args(DevicePointerMut::from_raw(address)))?;
            drop(guard);
            let echo = stream.clone_dtoh(&out)?;
            Ok(tally::compare(self.entry, way, &echo[..passed.len()], passed)?)
        };
        for form in [Form::KernelParams, Form::Packed] {
            // SAFETY: `out` has space for the echo, and echo kernels write no other memory.
            run(&format!("{form:?}, verified"), &|args| unsafe { launch!(self.kernel, 1, 1, args, form = form) })?;
            // SAFETY: `out` has space for the echo, and echo kernels write no other memory.
            run(&format!("{form:?}, raw handle"), &|args| unsafe {
                launch!(raw, 1, 1, args, stream = &stream, form = form)
            })?;
        }
        Ok(())
    }
}

/// Echoes random values of `T` between two chars.
pub(crate) fn echo_between<T: Bytes + DeviceType>(ptx: &str, entry: &str) -> Outcome {
    let echo = Echo::<Between<T>>::load(ptx, entry)?;
    for seed in 0..ROUNDS {
        let mut from = Source::new(seed);
        let (before, value, after) = (i8::draw(&mut from), T::draw(&mut from), i8::draw(&mut from));
        let passed = [before.bytes(), value.bytes(), after.bytes()].concat();
        echo.check(&passed, |out| Between { out, before, value, after })?;
    }
    Ok(())
}
