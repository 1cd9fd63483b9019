//! Build scripts with each compiler, and crates that cargo builds. It is one program: the compilers run while cargo
//! waits.

mod compilers;
mod downstream;
mod support;

use libtest_mimic::Arguments;
use std::{env, process::ExitCode, thread};

fn main() -> ExitCode {
    if let Ok(name) = env::var(compilers::SCRIPT) {
        return match compilers::script(&name) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                // The output when a build script returns the error from `main`.
                eprintln!("Error: {error:?}");
                ExitCode::FAILURE
            }
        };
    }
    let mut arguments = Arguments::from_args();
    // Trials that start cargo wait for each other, because cargo locks its target folder.
    let threads = thread::available_parallelism().map_or(1, usize::from) + 1;
    arguments.test_threads.get_or_insert(threads);
    let mut trials = Vec::new();
    let mut compilers = compilers::trials().into_iter();
    for trial in downstream::trials() {
        trials.push(trial.with_kind("cargo"));
        trials.extend(compilers.by_ref().take(3));
    }
    trials.extend(compilers);
    let conclusion = libtest_mimic::run(&arguments, trials);
    compilers::clean();
    conclusion.exit_code()
}
