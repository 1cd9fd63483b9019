//! Every entry point without a driver: an error value, and never cudarc's panic.
//!
//! It runs in a separate process without the test driver. It cannot run if a real driver is installed.

use crate::launch::results::Outcome;
use kernel_args::{Error, KernelArgs, launch};
use kernel_args_tests::driver::{Driver, trial_unless};
use libtest_mimic::Trial;
use std::{
    env,
    process::{Command, ExitCode},
};

const VARIABLE: &str = "KERNEL_ARGS_NO_DRIVER";

/// The child's part: `None` in the suite itself.
pub(crate) fn child() -> Option<ExitCode> {
    #[derive(KernelArgs)]
    struct Nothing;

    env::var_os(VARIABLE)?;
    assert!(!kernel_args::context::is_available());
    let error = kernel_args::context(0).expect_err("there is no driver");
    assert!(matches!(error, Error::NoDriver));
    assert!(error.to_string().contains("libcuda.so"), "{error}");

    let handle: cudarc::driver::sys::CUfunction = std::ptr::null_mut();
    // SAFETY: nothing is launched without a driver.
    let error = unsafe { launch!(handle, 1, 1, Nothing) };
    assert!(matches!(error, Err(Error::NoDriver)), "{error:?}");
    Some(ExitCode::SUCCESS)
}

fn without_a_driver_there_is_an_error() -> Outcome {
    let folders = if cfg!(windows) { "PATH" } else { "LD_LIBRARY_PATH" };
    let mut command = Command::new(env::current_exe()?);
    let output = command.env(VARIABLE, "1").env_remove(folders).output()?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned().into()) }
}

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    vec![trial_unless(
        driver.is_real().then_some("there is a driver on this machine"),
        "without_a_driver_there_is_an_error",
        without_a_driver_there_is_an_error,
    )]
}
