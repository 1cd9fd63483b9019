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
    let mut trials: Vec<_> = downstream::trials().into_iter().map(|trial| trial.with_kind("cargo")).collect();
    // Trials that start cargo wait for each other, because cargo locks its target folder: each has a thread of its own.
    let threads = thread::available_parallelism().map_or(1, usize::from) + trials.len();
    arguments.test_threads.get_or_insert(threads);
    trials.extend(compilers::trials());
    let conclusion = libtest_mimic::run(&arguments, trials);
    compilers::clean();
    conclusion.exit_code()
}
