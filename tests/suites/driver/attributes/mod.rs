//! Launch attributes and queries of a kernel: the effect of each attribute on a GPU, the attributes of a captured node,
//! and errors before the driver is called. On the test driver only the observable parts run.

mod effects;
mod info;
mod kept;
pub(crate) mod kernels;
mod refused;
mod refused_grids;

use kernel_args_tests::driver::suite;
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    suite(
        "attributes",
        |driver| {
            let mut trials = effects::trials(driver);
            trials.extend(kept::trials());
            trials.extend(refused::trials(driver));
            trials.extend(refused_grids::trials());
            trials.extend(info::trials());
            trials
        },
        |_| (),
    )
}
