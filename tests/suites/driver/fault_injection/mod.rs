//! Every driver call fails once, in turn: an error names it, nothing leaks, and the next launch works. If an old driver
//! lacks an entry point, the result is an error or a fallback. Runs on the test driver.

mod inject;
mod missing;
mod stages;
mod world;

use kernel_args_stand_in::{Control, Settings, is_active, reexec_with_stand_in};
use libtest_mimic::Arguments;
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    if let Some(code) = missing::child() {
        return code;
    }
    if !is_active() {
        return match reexec_with_stand_in(&Settings::new().devices(2)) {
            Ok(Some(code)) => code,
            other => {
                eprintln!("fault_injection: there is no test driver: {other:?}");
                ExitCode::FAILURE
            }
        };
    }
    let mut arguments = Arguments::from_args();
    // The requested failures and the counts apply to the whole process.
    arguments.test_threads = Some(1);
    let trials = inject::trials().into_iter().chain(missing::trials());
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    if !arguments.list {
        inject::print();
    }
    conclusion.exit_code()
}

fn driver() -> Control {
    Control::attach().expect("this process runs on the test driver")
}
