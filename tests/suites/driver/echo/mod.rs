//! Kernels that echo their parameters: every byte must be returned, in both forms, through a verified kernel and
//! through a raw function.

pub(crate) mod counts;
mod memory;
mod pointers;
mod spread;
mod structs;
mod values;
mod ways;

use kernel_args_tests::{driver::suite, tally};
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    suite(
        "echo",
        |_| {
            let mut trials = values::trials();
            trials.extend(memory::trials());
            trials.extend(structs::trials());
            trials.extend(pointers::trials());
            trials.extend(spread::trials());
            trials.extend(counts::trials());
            trials
        },
        |driver| tally::print("echo", driver),
    )
}
