//! Observers: each event, each field of a launch, random launches compared with what was observed; what observers may
//! do.

mod events;
mod fields;
mod installed;
mod random;
#[cfg(target_os = "linux")]
mod ranges;
mod seen;
mod spans;

use kernel_args_tests::{driver::suite, nvrtc, tally};
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    if let Some(code) = nvrtc::reexec_with_nvrtc() {
        return code;
    }
    #[cfg(target_os = "linux")]
    if let Some(code) = ranges::child() {
        return code;
    }
    suite(
        "observe",
        |_| {
            let mut trials = fields::trials();
            trials.extend(events::trials());
            trials.extend(installed::trials());
            trials.extend(random::trials());
            #[cfg(target_os = "linux")]
            trials.extend(ranges::trials());
            trials.extend(spans::trials());
            trials
        },
        |driver| tally::print("observe", driver),
    )
}
