//! Trials that run in a process of their own: the suite's binary, started again.

use crate::driver::trial;
use libtest_mimic::Trial;
use std::{
    env,
    error::Error,
    process::{Command, ExitCode},
};

/// How such a process ends.
pub type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

/// What a process does.
pub type Case = fn() -> Outcome;

/// Names the trial to the process that runs it.
const VARIABLE: &str = "KERNEL_ARGS_TRIAL";

/// The trial that this process is to run; `None` in the suite itself.
#[must_use]
pub fn wanted() -> Option<String> {
    env::var(VARIABLE).ok()
}

/// A trial for each case, which runs it in a process.
#[must_use]
pub fn trials(group: &str, cases: &'static [(&'static str, Case)]) -> Vec<Trial> {
    cases
        .iter()
        .map(|(name, _)| trial(format!("{group}/{name}"), move || run(name)))
        .collect()
}

/// The process's part: runs the case that is wanted. `None` in the suite itself.
#[must_use]
pub fn child(cases: &[(&str, Case)]) -> Option<ExitCode> {
    let name = wanted()?;
    let (_, case) = cases.iter().find(|(known, _)| *known == name)?;
    Some(exit_code(case()))
}

/// The process's exit code; an error is written to standard error.
#[must_use]
pub fn exit_code(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the trial `name` in a process, and waits for its end.
///
/// # Errors
/// With what the process wrote, where it does not succeed.
pub fn run(name: &str) -> Outcome {
    let output = Command::new(env::current_exe()?)
        .env(VARIABLE, name)
        .output()?;
    print!("{}", String::from_utf8_lossy(&output.stdout));
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{}: {said}", output.status).into())
}
