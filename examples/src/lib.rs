//! Small programs as a starting point for users: see the files next to `Cargo.toml`.

pub mod cudart;

use cudarc::driver::CudaContext;
use kernel_args::Error;
use kernel_args_test_driver::{Settings, interpret_without_gpu};
use std::sync::Arc;

/// The context of the first GPU. On a machine without one, the program is run again on the test driver, which
/// interprets its kernels.
///
/// # Errors
/// If there is a driver that fails.
///
/// # Panics
/// If the test driver does not start.
pub fn context() -> Result<Arc<CudaContext>, Error> {
    interpret_without_gpu(&Settings::new()).expect("the test driver starts");
    kernel_args::context(0)
}
