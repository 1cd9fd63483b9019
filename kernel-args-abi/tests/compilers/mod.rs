//! Tests that want a compiler: without it they say so, and count as ignored.

use libtest_mimic::{Arguments, Trial};
use std::{
    env,
    ffi::{OsStr, OsString},
    process::{Command, ExitCode},
};

/// A test that wants a compiler.
pub(crate) struct Compiled {
    pub(crate) test: &'static str,
    /// Its name in `$PATH`.
    pub(crate) compiler: &'static str,
    /// The variable that says where else it is.
    pub(crate) variable: &'static str,
    pub(crate) run: fn(&OsStr),
}

/// The `main` of such tests.
pub(crate) fn run(tests: impl IntoIterator<Item = Compiled>) -> ExitCode {
    let arguments = Arguments::from_args();
    let trial = |wanted: Compiled| {
        let compiler =
            env::var_os(wanted.variable).unwrap_or_else(|| OsString::from(wanted.compiler));
        let missing = Command::new(&compiler).arg("--version").output().is_err();
        if missing && !arguments.list {
            println!(
                "skipped: no {0} on this machine (it is looked for in $PATH, or where ${1} says)",
                wanted.compiler, wanted.variable
            );
        }
        let run = wanted.run;
        Trial::test(wanted.test, move || {
            run(&compiler);
            Ok(())
        })
        .with_ignored_flag(missing)
    };
    let trials = tests.into_iter().map(trial).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}
