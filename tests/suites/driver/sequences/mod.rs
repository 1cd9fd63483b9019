//! Sequences: launches that are recorded, and enqueued as one graph.

mod addresses;
mod allocated;
mod attack;
mod captured;
mod copies;
mod engine;
mod exchanged;
mod external;
mod held;
mod kept;
mod libraries;
mod modes;
mod parallel;
mod random;
mod refused;
mod retired;
mod sizes;
mod stored;
pub(crate) mod world;

use kernel_args_tests::{driver::suite, tally};
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    suite(
        "sequences",
        |driver| {
            let mut trials = modes::trials(driver);
            trials.extend(held::trials(driver));
            trials.extend(parallel::trials(driver));
            trials.extend(addresses::trials(driver));
            trials.extend(attack::trials(driver));
            trials.extend(exchanged::trials(driver));
            trials.extend(refused::trials(driver));
            trials.extend(stored::trials(driver));
            trials.extend(external::trials(driver));
            trials.extend(libraries::trials(driver));
            trials.extend(allocated::trials(driver));
            trials.extend(sizes::trials(driver));
            trials.extend(copies::trials(driver));
            trials.extend(captured::trials(driver));
            trials.extend(kept::trials(driver));
            trials.extend(retired::trials(driver));
            trials.extend(engine::trials(driver));
            trials.extend(random::trials(driver));
            trials
        },
        |driver| tally::print("sequences", driver),
    )
}
