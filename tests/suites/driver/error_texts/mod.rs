//! The driver's errors: each error that a program can cause is caused, and its text is compared with a golden file.
//!
//! The texts of `tests/golden/errors.txt` are from the GPU and driver in its first line. On a different GPU, and on the
//! test driver, an error must have an explanation, but its numbers may differ. `KERNEL_ARGS_BLESS=1` on a GPU writes
//! the file. If `tests/golden` does not exist, it is written into the current folder.

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
