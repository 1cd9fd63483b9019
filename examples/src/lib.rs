//! Small programs as a starting point for users: see the files next to `Cargo.toml`.

pub mod cudart;

use cudarc::driver::CudaContext;
use kernel_args::Error;
use std::sync::Arc;

/// The context of the first GPU. Without a driver or a GPU it prints that nothing was launched.
///
/// # Errors
/// If the driver is there and fails.
pub fn context() -> Result<Option<Arc<CudaContext>>, Error> {
    match kernel_args::context(0) {
        Ok(ctx) => Ok(Some(ctx)),
        Err(error @ (Error::NoDriver | Error::Driver { .. })) => {
            println!("Nothing was launched: {error}.");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
