//! Trials in separate processes: the suite's binary is started again.

use crate::driver::trial;
use libtest_mimic::Trial;
use std::{
    env,
    error::Error,
    process::{Command, ExitCode},
};

/// The result of such a process.
pub type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

/// The work of a process.
pub type Case = fn() -> Outcome;

/// The variable that names the trial for the started process.
const VARIABLE: &str = "KERNEL_ARGS_TRIAL";

/// The trial for this process; `None` in the suite itself.
#[must_use]
pub fn wanted() -> Option<String> {
    env::var(VARIABLE).ok()
}

/// One trial per case. Each trial runs its case in a process.
#[must_use]
pub fn trials(group: &str, cases: &'static [(&'static str, Case)]) -> Vec<Trial> {
    cases.iter().map(|(name, _)| trial(format!("{group}/{name}"), move || run(name))).collect()
}

/// Runs the requested case in a started process. Returns `None` in the suite itself.
#[must_use]
pub fn child(cases: &[(&str, Case)]) -> Option<ExitCode> {
    let name = wanted()?;
    let (_, case) = cases.iter().find(|(known, _)| *known == name)?;
    Some(exit_code(case()))
}

/// The exit code of the process. An error is written to standard error.
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

/// Runs the trial `name` in a process and waits for its end.
///
/// # Errors
/// If the process fails. The error contains its output.
pub fn run(name: &str) -> Outcome {
    let output = Command::new(env::current_exe()?).env(VARIABLE, name).output()?;
    print!("{}", String::from_utf8_lossy(&output.stdout));
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{}: {said}", output.status).into())
}
