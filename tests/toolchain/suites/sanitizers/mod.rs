//! The suites under Miri, with both of its borrow models, and under AddressSanitizer.
//!
//! Both need a nightly toolchain: `rustup toolchain install nightly --component miri,rust-src`. Without it, the trials
//! count as ignored.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `KERNEL_ARGS_NIGHTLY` | the name of the toolchain | `nightly` |
//! | `KERNEL_ARGS_FULL` | `1`: every suite that can run there; otherwise only fast suites, and only Miri | `0` |

mod nightly;
mod outcome;

use kernel_args_test_generator::size;
use kernel_args_test_generator::tools::trial;
use libtest_mimic::{Arguments, Completion, Failed};
use nightly::{ADDRESS_SANITIZER, MIRI, Nightly, Program, Toolchain};
use outcome::Outcome;
use std::{process::ExitCode, time::Instant};

/// The program that Miri runs in seconds.
const MARSHALLING: Program = Program { package: "kernel-args-marshalling-tests", target: &["--test", "marshalling"] };
/// The unit tests of the runtime.
const RUNTIME: Program = Program { package: "kernel-args", target: &["--lib", "--features", "graphs"] };
/// The programs with cudarc and the test driver.
const LIBRARY: Program = Program { package: "kernel-args-tests", target: &["--test", "library"] };
const DRIVER: Program = Program { package: "kernel-args-tests", target: &["--test", "driver"] };

/// A program and parts of its tests' names; without parts, all tests run.
type Run = (Program, &'static [&'static str]);

pub(crate) fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Runs one after another: each run uses all processors, and later runs reuse its build.
    arguments.test_threads = Some(1);
    let trials = vec![
        trial("miri_finds_nothing_with_stacked_borrows", &[MIRI], || miri("")),
        trial("miri_finds_nothing_with_tree_borrows", &[MIRI], || miri("-Zmiri-tree-borrows")),
        trial("miri_finds_nothing_in_recorded_launches", &[MIRI], recorded),
        trial("miri_finds_nothing_in_held_slices", &[MIRI], held),
        trial("address_sanitizer_finds_nothing", &[ADDRESS_SANITIZER], address_sanitizer),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn miri(model: &str) -> Result<Completion, Failed> {
    let runs: &[Run] = if size::is_full() {
        &[(MARSHALLING, &[]), (LIBRARY, &["arguments::", "hygiene::", "random_structs::"])]
    } else {
        // Panics, and memory that is borrowed or freed at the same time.
        let seconds = &["panics::", "lifetimes::", "after_the_derive::", "forms::"];
        &[(MARSHALLING, seconds)]
    };
    miri_on(&format!("-Zmiri-strict-provenance {model}"), runs)
}

/// A recorded launch contains the address of its function.
fn recorded() -> Result<Completion, Failed> {
    if !size::is_full() {
        return Ok(Completion::ignored_with(only_full()));
    }
    miri_on("-Zmiri-permissive-provenance", &[(RUNTIME, &["log::", "dependencies::"])])
}

/// Slices that a run of a sequence holds: exchanged, replaced, moved, leaked. Some of them are leaked for good. The
/// lock of a run.
fn held() -> Result<Completion, Failed> {
    miri_on("-Zmiri-strict-provenance -Zmiri-ignore-leaks", &[(RUNTIME, &["held::", "thread_lock::"])])
}

fn only_full() -> String {
    format!("it runs with {}=1", size::FULL)
}

fn miri_on(flags: &str, runs: &[Run]) -> Result<Completion, Failed> {
    let miri = Toolchain::with_miri()?.miri(flags)?;
    report(&miri, &format!("Miri {flags}"), runs)
}

fn address_sanitizer() -> Result<Completion, Failed> {
    if !size::is_full() {
        return Ok(Completion::ignored_with(only_full()));
    }
    let address = Toolchain::with_address_sanitizer()?.address_sanitizer()?;
    let library =
        &["arguments::", "hygiene::", "misbehaving_driver::", "random_structs::", "run_time::", "soundness::"];
    let driver = &["echo::", "fault_injection::", "launch::"];
    report(&address, "AddressSanitizer", &[(MARSHALLING, &[]), (LIBRARY, library), (DRIVER, driver)])
}

/// Runs tests, and returns an error if a program runs none.
fn report(command: &Nightly, tool: &str, runs: &[Run]) -> Result<Completion, Failed> {
    let begin = Instant::now();
    let mut all = Outcome::default();
    for (program, filter) in runs {
        let outcome = command.test(program, filter)?;
        if outcome.passed == 0 {
            return Err(format!("{tool} ran no test of `{}`", program.package).into());
        }
        all += outcome;
    }
    println!("{tool}: {all}, {} s", begin.elapsed().as_secs());
    Ok(Completion::Completed)
}
