//! Checked pointers: each check fires and has a neighbour that passes, at each place that launches; random kernels; no
//! false alarm in other suites.

mod alarms;
mod checks;
mod kernels;
mod places;
mod random;

use kernel_args::observe::check_pointers;
use kernel_args_tests::driver::suite;
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    check_pointers(true);
    suite(
        "pointers",
        |driver| {
            let mut trials = checks::trials();
            trials.extend(places::trials());
            trials.extend(random::trials(driver));
            trials.extend(alarms::trials());
            trials
        },
        |_| (),
    )
}
