//! Sequences: launches that are recorded, and enqueued as one graph.

mod addresses;
mod allocated;
mod attack;
mod captured;
mod checked;
mod copies;
mod engine;
mod exchanged;
mod external;
mod held;
mod kept;
mod libraries;
mod modes;
mod moved;
mod parallel;
mod random;
mod refused;
mod retired;
mod segments;
mod sizes;
mod stored;
pub(crate) mod world;

use kernel_args_tests::{driver::suite, tally};
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    suite(
        "sequences",
        |driver| {
            let all = || {
                let modules = [
                    modes::trials,
                    held::trials,
                    parallel::trials,
                    addresses::trials,
                    attack::trials,
                    exchanged::trials,
                    refused::trials,
                    stored::trials,
                    external::trials,
                    moved::trials,
                    libraries::trials,
                    allocated::trials,
                    sizes::trials,
                    copies::trials,
                    captured::trials,
                    checked::trials,
                    kept::trials,
                    retired::trials,
                    segments::trials,
                    engine::trials,
                    random::trials,
                ];
                modules.iter().flat_map(|trials| trials(driver)).collect()
            };
            world::in_all_ways(all)
        },
        |driver| tally::print("sequences", driver),
    )
}
