//! No uninitialized byte reaches a driver: valgrind's memcheck observes a driver that reads every byte.
//!
//! The suite runs its own binary under valgrind. Without valgrind its trials count as ignored.

mod planted;
mod sink;

use kernel_args_test_generator::tools::{self as tools, Tool};
use libtest_mimic::{Arguments, Failed, Trial};
use std::{
    env,
    process::{ExitCode, Output},
};

const VALGRIND: Tool = Tool::program("valgrind");

/// The exit code of memcheck after an error; nothing else here returns it.
const FOUND: i32 = 9;

pub(crate) fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    if arguments.next().as_deref() == Some("sink") {
        return sink::run(&arguments.next().unwrap_or_default());
    }
    let arguments = Arguments::from_args();
    let trials = vec![
        trial("every_byte_of_both_forms_is_initialised", || {
            let output = memcheck("forms")?;
            expect(&output, 0)?;
            print!("memcheck: {}", String::from_utf8_lossy(&output.stdout));
            Ok(())
        }),
        trial("an_uninitialised_byte_behind_a_pointer_is_found", || expect(&memcheck("planted-params")?, FOUND)),
        trial("an_uninitialised_byte_of_the_packed_form_is_found", || expect(&memcheck("planted-packed")?, FOUND)),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(name: &str, run: fn() -> Result<(), Failed>) -> Trial {
    tools::trial(name, &[VALGRIND], run)
}

/// Runs this binary's sink under memcheck.
fn memcheck(mode: &str) -> Result<Output, Failed> {
    let this = env::current_exe()?;
    let output = tools::command(VALGRIND)
        .args(["--tool=memcheck", "--quiet", "--leak-check=no"])
        .arg(format!("--error-exitcode={FOUND}"))
        .arg(this)
        .args(["sink", mode])
        .output()?;
    Ok(output)
}

fn expect(output: &Output, code: i32) -> Result<(), Failed> {
    if output.status.code() == Some(code) {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(format!("{} in place of {code}\n{errors}", output.status).into())
}
