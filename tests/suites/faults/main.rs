//! Every driver call fails once, in turn: an error names it, nothing leaks, and the next launch works. An entry point that
//! an old driver lacks is an error, or is done without. On the test driver.

mod inject;
mod missing;
mod stages;
mod world;

use kernel_args_test_driver::{Control, Settings, is_active, reexec_with_test_driver};
use libtest_mimic::Arguments;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = missing::child() {
        return code;
    }
    if !is_active() {
        return match reexec_with_test_driver(&Settings::new().devices(2)) {
            Ok(Some(code)) => code,
            other => {
                eprintln!("faults: there is no test driver: {other:?}");
                ExitCode::FAILURE
            }
        };
    }
    let mut arguments = Arguments::from_args();
    // The failures that are ordered, and the counts, are those of the whole process.
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
