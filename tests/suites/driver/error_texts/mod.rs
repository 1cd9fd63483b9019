//! What the driver's errors say: each that a program can provoke is provoked, and its text compared with a golden file.
//!
//! The texts of `tests/golden/errors.txt` come from the GPU and driver of its first line. On another one, and on the stand-in driver,
//! a provoked error must be explained, but its numbers may differ. `KERNEL_ARGS_BLESS=1` on a GPU writes the file, into the
//! current folder where there is no `tests/golden`.

mod codes;
mod golden;
mod provoke;

use kernel_args_tests::driver::suite;
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    if let Some(code) = provoke::child() {
        return code;
    }
    suite(
        "error_texts",
        |driver| {
            let mut trials = provoke::trials(driver);
            trials.extend(codes::trials(driver));
            trials
        },
        golden::close,
    )
}
