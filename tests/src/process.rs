//! Trials that run in a process of their own: the suite's binary, started again.

use std::{
    env,
    error::Error,
    process::{Command, ExitCode},
};

/// How such a process ends.
pub type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

/// Names the trial to the process that runs it.
const VARIABLE: &str = "KERNEL_ARGS_TRIAL";

/// The trial that this process is to run; `None` in the suite itself.
#[must_use]
pub fn wanted() -> Option<String> {
    env::var(VARIABLE).ok()
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
