//! Graphs: created explicitly or captured, updated in both forms, enabled and disabled, and the memory that they keep
//! allocated.

mod borrowed;
mod capture;
mod chain;
mod child;
mod combined;
pub(crate) mod conditions;
mod device_update;
mod echo;
pub(crate) mod errors;
mod events;
mod exit;
mod found;
mod host;
mod memory;
mod outside;
mod programs;
mod random;
mod random_nodes;
mod removed;
mod replaced;
mod retained;
pub(crate) mod saxpy;

use kernel_args_tests::{driver::suite, tally};
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    if let Some(code) = exit::child() {
        return code;
    }
    suite(
        "graphs",
        |driver| {
            let mut trials = echo::trials(driver);
            trials.extend(random::trials());
            trials.extend(random_nodes::trials());
            trials.extend(chain::trials());
            trials.extend(capture::trials());
            trials.extend(borrowed::trials());
            trials.extend(found::trials(driver));
            trials.extend(memory::trials());
            trials.extend(combined::trials());
            trials.extend(removed::trials());
            trials.extend(replaced::trials());
            trials.extend(outside::trials());
            trials.extend(programs::trials());
            trials.extend(retained::trials(driver));
            trials.extend(exit::trials());
            trials.extend(host::trials(driver));
            trials.extend(events::trials());
            trials.extend(child::trials());
            trials.extend(conditions::trials(driver));
            trials.extend(errors::trials(driver));
            trials.extend(device_update::trials());
            trials.push(replaced::last_trial(driver));
            trials
        },
        |driver| tally::print("graphs", driver),
    )
}
