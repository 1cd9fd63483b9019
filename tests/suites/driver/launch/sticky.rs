//! An illegal access is sticky: the next launch fails, and the error names an earlier kernel as the cause.
//!
//! The context is lost, so this runs in a separate process.

use crate::launch::results::{Outcome, Saxpy};
use cudarc::driver::sys::CUresult;
use kernel_args::{DevicePointer, DevicePointerMut, Error, Kernel, error::LaunchError, launch};
use kernel_args_tests::{
    driver::{context, trial},
    saxpy::Pointers,
};
use libtest_mimic::Trial;
use std::{
    env,
    process::{Command, ExitCode},
};

const VARIABLE: &str = "KERNEL_ARGS_ILLEGAL_ADDRESS";

/// The child's part: `None` in the suite itself.
pub(crate) fn child() -> Option<ExitCode> {
    env::var_os(VARIABLE)?;
    Some(match illegal_address() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    })
}

fn illegal_address() -> Outcome {
    let ctx = context()?;
    let checked = Kernel::<Saxpy>::load(&ctx)?;
    let kernel: Kernel<Pointers> = Kernel::from_image(&ctx, crate::launch::results::SAXPY, "saxpy")?;
    let (x, y) = (DevicePointer::from_raw(0x10), DevicePointerMut::from_raw(0x20));
    // SAFETY: this is not sound, which is the purpose of the test. The process ends after it.
    unsafe {
        launch!(kernel, 1, 32, Pointers { n: 32, alpha: 1.0, x, y })?;
    };
    let _ = ctx.synchronize();
    // SAFETY: no kernel runs any more.
    let error = unsafe { launch!(kernel, 1, 32, Pointers { n: 32, alpha: 1.0, x, y }) };
    drop(checked);
    let code = match &error {
        Err(Error::Launch(LaunchError::Failed(error))) => error.status,
        Err(Error::Driver { status, .. }) => *status,
        other => return Err(format!("no error: {other:?}").into()),
    };
    assert_eq!(code, CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
    let text = error.map_err(|error| error.to_string()).expect_err("it is an error");
    assert!(text.contains("EARLIER"), "{text}");
    Ok(())
}

fn an_illegal_address_is_blamed_on_the_earlier_kernel() -> Outcome {
    let output = Command::new(env::current_exe()?).env(VARIABLE, "1").output()?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned().into()) }
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial(
        "an_illegal_address_is_blamed_on_the_earlier_kernel",
        an_illegal_address_is_blamed_on_the_earlier_kernel,
    )]
}
