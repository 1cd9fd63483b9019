//! The driver for a suite: a real driver if there is a GPU, else the test driver.

use kernel_args_stand_in::{Settings, is_active, reexec_with_stand_in};
use libtest_mimic::{Arguments, Completion, Trial};
use std::{env, fmt, process::ExitCode, sync::Arc};

/// The driver that this process runs on.
#[derive(Clone, Debug)]
pub enum Driver {
    /// NVIDIA's, with a GPU of this name.
    Real(String),
    /// The test driver of this workspace, which interprets kernels.
    Test,
}

impl Driver {
    /// Whether it is NVIDIA's.
    #[must_use]
    pub fn is_real(&self) -> bool {
        matches!(self, Self::Real(_))
    }

    fn find() -> Option<Self> {
        if is_active() {
            return Some(Self::Test);
        }
        let ctx = context().ok()?;
        Some(Self::Real(ctx.name().ok()?))
    }
}

impl fmt::Display for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Real(gpu) => write!(f, "NVIDIA's driver on {gpu}"),
            Self::Test => f.write_str("the test driver (no GPU on this machine)"),
        }
    }
}

/// The `main` of a suite: finds a driver, runs `trials` one after another, and calls `close`.
///
/// Without a GPU the suite runs on the test driver, with one additional ignored trial that reports the missing GPU.
#[must_use]
pub fn suite(name: &str, trials: fn(&Driver) -> Vec<Trial>, close: fn(&Driver)) -> ExitCode {
    suite_on(name, device() + 1, trials, close)
}

/// Like [`suite`], with this number of devices on the test driver.
#[must_use]
pub fn suite_on(name: &str, devices: usize, trials: fn(&Driver) -> Vec<Trial>, close: fn(&Driver)) -> ExitCode {
    let Some(driver) = Driver::find() else {
        return match reexec_with_stand_in(&Settings::new().devices(devices)) {
            Ok(Some(code)) => code,
            other => {
                eprintln!("{name}: there is neither a GPU nor the test driver: {other:?}");
                ExitCode::FAILURE
            }
        };
    };
    let mut arguments = Arguments::from_args();
    // Trials run one after another: with one GPU, the result of a trial must not depend on a concurrent trial.
    arguments.test_threads = Some(1);
    let mut trials = trials(&driver);
    if !driver.is_real() {
        trials.push(Trial::ignorable_test("on_a_real_gpu", || {
            Ok(Completion::ignored_with("there is no GPU on this machine"))
        }));
    }
    let listing = arguments.list;
    if !listing {
        println!("{name}: on {driver}");
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !listing {
        close(&driver);
    }
    // At the end of the process, values that no thread has dropped yet are leaked, which AddressSanitizer reports.
    kernel_args::graph::Graph::wait_until_released();
    conclusion.exit_code()
}

/// A trial from a function that may fail with any error.
pub fn trial<E: fmt::Display>(name: impl Into<String>, run: impl FnOnce() -> Result<(), E> + Send + 'static) -> Trial {
    Trial::test(name, move || run().map_err(|error| error.to_string().into()))
}

/// A trial. If there is a reason why it cannot run, it counts as ignored, with this reason.
pub fn trial_unless<E: fmt::Display>(
    why: Option<&'static str>,
    name: impl Into<String>,
    run: impl FnOnce() -> Result<(), E> + Send + 'static,
) -> Trial {
    Trial::ignorable_test(name, move || {
        if let Some(why) = why {
            return Ok(Completion::ignored_with(why));
        }
        run().map_err(|error| error.to_string())?;
        Ok(Completion::Completed)
    })
}

/// The device for the suites: `KERNEL_ARGS_DEVICE`, else the first device.
///
/// # Panics
/// If the variable does not contain a number.
#[must_use]
pub fn device() -> usize {
    env::var("KERNEL_ARGS_DEVICE")
        .map_or(0, |device| device.parse().expect("KERNEL_ARGS_DEVICE is the number of a device"))
}

/// The primary context of [`device`], on a GPU or on the test driver.
///
/// # Errors
/// If there is no driver.
pub fn context() -> Result<Arc<cudarc::driver::CudaContext>, kernel_args::Error> {
    kernel_args::context(device())
}
