//! Loading, verifying and launching: correct programs, and the error for each mistake.

mod errors;
mod functions;
mod limits;
mod load;
mod no_driver;
mod order;
mod results;
mod sticky;
mod threads;
mod verification;

use kernel_args_tests::driver::suite;
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    if let Some(code) = sticky::child().or_else(no_driver::child) {
        return code;
    }
    suite(
        "launch",
        |driver| {
            let mut trials = results::trials(driver);
            trials.extend(load::trials(driver));
            trials.extend(verification::trials());
            trials.extend(functions::trials());
            trials.extend(limits::trials());
            trials.extend(order::trials());
            trials.extend(errors::trials(driver));
            trials.extend(threads::trials());
            trials.extend(sticky::trials());
            trials.extend(no_driver::trials(driver));
            trials
        },
        |_| (),
    )
}
