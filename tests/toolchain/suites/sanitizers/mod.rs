//! The suites under Miri, with both of its borrow models, and under AddressSanitizer.
//!
//! Both need a nightly toolchain: `rustup toolchain install nightly --component miri,rust-src`. Without it, the trials count as
//! ignored.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `KERNEL_ARGS_NIGHTLY` | the name of the toolchain | `nightly` |
//! | `KERNEL_ARGS_FULL` | `1`: every suite that can run there; otherwise only fast suites, and only Miri | `0` |

mod nightly;
mod outcome;

use kernel_args_test_generator::size;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use nightly::{Nightly, Toolchain};
use outcome::Outcome;
use std::{process::ExitCode, time::Instant};

/// The package that Miri tests in seconds.
const MARSHALLING: &str = "kernel-args-marshalling-tests";
/// The package with cudarc and the stand-in driver.
const TESTS: &str = "kernel-args-tests";

pub(crate) fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Runs one after another: each run uses all processors, and later runs reuse its build.
    arguments.test_threads = Some(1);
    let trials = vec![
        Trial::ignorable_test("miri_finds_nothing_with_stacked_borrows", || miri("")),
        Trial::ignorable_test("miri_finds_nothing_with_tree_borrows", || {
            miri("-Zmiri-tree-borrows")
        }),
        Trial::ignorable_test("address_sanitizer_finds_nothing", address_sanitizer),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn miri(model: &str) -> Result<Completion, Failed> {
    let toolchain = match Toolchain::with_miri() {
        Ok(toolchain) => toolchain,
        Err(why) => return Ok(Completion::ignored_with(why)),
    };
    let flags = format!("-Zmiri-strict-provenance {model}");
    let miri = toolchain.miri(&flags)?;
    // Panics, and memory that is borrowed or freed at the same time.
    let seconds: &[&str] = &["panics::", "lifetimes::", "after_the_derive::", "forms::"];
    let filter = if size::is_full() { &[] } else { seconds };
    let mut suites = vec![(MARSHALLING, &["marshalling"][..])];
    if size::is_full() {
        suites.push((TESTS, &["arguments", "hygiene", "random_structs"]));
    }
    report(&miri, &format!("Miri {flags}"), &suites, filter)
}

fn address_sanitizer() -> Result<Completion, Failed> {
    if !size::is_full() {
        let why = format!("it runs with {}=1", size::FULL);
        return Ok(Completion::ignored_with(why));
    }
    let toolchain = match Toolchain::with_address_sanitizer() {
        Ok(toolchain) => toolchain,
        Err(why) => return Ok(Completion::ignored_with(why)),
    };
    let address = toolchain.address_sanitizer()?;
    let suites = [
        "arguments",
        "driver",
        "echo",
        "faults",
        "hygiene",
        "launch",
        "random_structs",
        "run_time",
        "soundness",
    ];
    let suites = [(MARSHALLING, &["marshalling"][..]), (TESTS, &suites)];
    report(&address, "AddressSanitizer", &suites, &[])
}

/// Runs suites, with one cargo call per package, and returns the number of tests.
fn report(
    command: &Nightly,
    tool: &str,
    suites: &[(&str, &[&str])],
    filter: &[&str],
) -> Result<Completion, Failed> {
    let begin = Instant::now();
    let mut all = Outcome::default();
    for (package, suites) in suites {
        all += command.test(package, suites, filter)?;
    }
    println!("{tool}: {all}, {} s", begin.elapsed().as_secs());
    if all.passed == 0 {
        return Err(format!("{tool} ran no test").into());
    }
    Ok(Completion::Completed)
}
