//! A primary context is reset during the program: the result is an error that reports the reset, and never a crash
//! where the driver can be asked.
//!
//! A reset ends everything on the device, so each trial runs in a separate process.

use crate::contexts::saxpy::{Counted, SAXPY, Saxpy};
use cudarc::{driver::sys, nvrtc::Ptx};
use kernel_args::{Error, Kernel, Module, context::ContextName, error::ContextError, launch};
use kernel_args_tests::{
    driver::{context, device},
    process::{self, Case, Outcome},
};
use libtest_mimic::Trial;
use std::{mem, process::ExitCode};

/// The actions between the launches before and after a reset.
const CASES: [(&str, Case); 4] = [
    ("a_launch_reports_the_reset", a_launch_reports_the_reset),
    ("a_launch_on_another_thread_reports_the_reset", a_launch_on_another_thread_reports_the_reset),
    ("a_new_context_is_not_mistaken", a_new_context_is_not_mistaken),
    ("everything_is_made_again", everything_is_made_again),
];

pub(crate) fn trials() -> Vec<Trial> {
    process::trials("reset", &CASES)
}

/// The part of the process: `None` in the suite itself.
pub(crate) fn child() -> Option<ExitCode> {
    process::child(&CASES)
}

/// The effect of `cudaDeviceReset` on the primary context.
fn reset() -> Outcome {
    let device = i32::try_from(device())?;
    // SAFETY: all objects of the context are used only in ways that are defined after a reset.
    unsafe { sys::cuDevicePrimaryCtxReset_v2(device) }.result()?;
    Ok(())
}

/// The error reports the reset and names the context.
fn reports_the_reset(result: Result<(), Error>) -> Outcome {
    let error = result.err().ok_or("it was launched after a reset")?;
    let text = error.to_string();
    eprintln!("{text}");
    let Error::Context(ContextError::Destroyed { kernel: Some(kernel), context, .. }) = &error else {
        return Err(format!("not about the reset: {text}").into());
    };
    assert_eq!(kernel, "saxpy");
    assert_eq!(context.device(), Some(device()));
    for part in [format!("the primary context of device {}", device()), "cudaDeviceReset".into(), "help: ".into()] {
        assert!(text.contains(&part), "no {part:?} in: {text}");
    }
    Ok(())
}

fn a_launch_reports_the_reset() -> Outcome {
    let ctx = context()?;
    let kernel = Kernel::<Saxpy>::load(&ctx)?;
    let mut counted = Counted::new(&ctx.default_stream())?;
    // SAFETY: both slices have `N` elements, here and below.
    unsafe { launch!(kernel, 8, 128, counted.args())? };
    counted.added(1)?;
    kernel.require_loaded()?;
    reset()?;
    // SAFETY: both slices have `N` elements.
    reports_the_reset(unsafe { launch!(kernel, 8, 128, counted.args()) })?;
    reports_the_reset(kernel.require_loaded())?;
    let error = Module::load(&ctx, SAXPY).err().ok_or("it was loaded")?;
    eprintln!("{error}");
    // Dropped while the context is not active: nothing is unloaded twice.
    drop(kernel);
    mem::forget(counted);
    Ok(())
}

/// With several streams, so a launch first waits for the slices.
fn a_launch_on_another_thread_reports_the_reset() -> Outcome {
    let ctx = context()?;
    let streams = [ctx.new_stream()?, ctx.new_stream()?];
    let kernel = Kernel::<Saxpy>::load(&ctx)?;
    let mut counted = Counted::new(&streams[0])?;
    reset()?;
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            // SAFETY: both slices have `N` elements.
            reports_the_reset(unsafe { launch!(kernel, 8, 128, counted.args()) })
        });
        thread.join().map_err(|_| "the thread panicked")?
    })?;
    mem::forget((counted, streams));
    Ok(())
}

/// The runtime's next call creates the context again, under the same handle.
fn a_new_context_is_not_mistaken() -> Outcome {
    let ctx = context()?;
    let kernel = Kernel::<Saxpy>::load(&ctx)?;
    let adopted = {
        let module = ctx.load_module(Ptx::from_src(SAXPY))?;
        Kernel::<Saxpy>::from_cudarc_module(&ctx, &module, "saxpy")?
    };
    reset()?;
    let again = context()?;
    assert_eq!(ContextName::of(&again), ContextName::of(&ctx));
    reports_the_reset(kernel.require_loaded())?;
    reports_the_reset(adopted.require_loaded())?;
    // cudarc unloads its module in any case; this crate does not.
    mem::forget(adopted);
    let new = Kernel::<Saxpy>::load(&again)?;
    drop(kernel);
    new.require_loaded()?;
    let mut counted = Counted::new(&again.default_stream())?;
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(new, 8, 128, counted.args())? };
    counted.added(1)
}

fn everything_is_made_again() -> Outcome {
    for _ in 0..3 {
        let ctx = context()?;
        let kernel = Kernel::<Saxpy>::load(&ctx)?;
        let mut counted = Counted::new(&ctx.default_stream())?;
        // SAFETY: both slices have `N` elements.
        unsafe { launch!(kernel, 8, 128, counted.args())? };
        counted.added(1)?;
        drop((kernel, counted));
        reset()?;
    }
    Ok(())
}
