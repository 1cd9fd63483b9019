//! Launch attributes and what a kernel can be asked: the effect of each attribute on a GPU, what a captured node keeps of it,
//! and what is refused before the driver is called. On the stand-in driver as far as that has an effect to show.

mod effects;
mod info;
mod kept;
mod kernels;
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
