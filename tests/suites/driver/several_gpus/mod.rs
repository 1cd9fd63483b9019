//! Two GPUs: kernels, contexts and streams of each, arguments of the wrong GPU, peer access, launches from many
//! threads.
//!
//! The test driver has two devices here. On a machine with one GPU the trials count as ignored.

mod each;
mod peers;
mod pointers;
mod threads;
mod world;

use kernel_args_stand_in::is_active;
use kernel_args_tests::{driver::suite_on, process};
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    if let Some(code) = process::child(pointers::CASES) {
        return code;
    }
    if let Some(code) = peers::child() {
        return code;
    }
    suite_on(
        "several_gpus",
        2,
        |_| {
            let why = world::missing();
            if let (Some(why), false) = (why, is_active()) {
                println!("several_gpus: {why}");
            }
            let mut trials = each::trials(why);
            trials.extend(peers::trials(why));
            trials.extend(threads::trials(why));
            if why.is_none() {
                trials.extend(process::trials("pointers", pointers::CASES));
            }
            trials
        },
        |_| world::print(),
    )
}
