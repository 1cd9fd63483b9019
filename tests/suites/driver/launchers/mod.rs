//! Launchers: functions of the host that launch kernels, called by `launch!` with a struct that names them.

mod echo;
mod functions;
mod launched;
mod refused;
mod sequences;
mod watched;

use kernel_args_tests::driver::suite;
use std::process::ExitCode;

pub(crate) use kernel_args_tests::saxpy::Outcome;

pub(crate) fn main() -> ExitCode {
    suite(
        "launchers",
        |driver| {
            let mut trials = echo::trials();
            trials.extend(launched::trials(driver));
            trials.extend(refused::trials());
            trials.extend(sequences::trials());
            trials.extend(watched::trials());
            trials
        },
        |_| (),
    )
}
