//! Contexts: created contexts, the current context, objects of a different context, resets, green contexts, streams and
//! kernels of the runtime.

mod borrowed;
mod current;
mod foreign;
mod green;
mod own;
mod reset;
mod saxpy;

use kernel_args_tests::driver::suite;
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    if let Some(code) = reset::child() {
        return code;
    }
    suite(
        "contexts",
        |driver| {
            let mut trials = own::trials();
            trials.extend(current::trials());
            trials.extend(foreign::trials());
            trials.extend(reset::trials());
            trials.extend(green::trials(driver));
            trials.extend(borrowed::trials());
            trials
        },
        |_| (),
    )
}
