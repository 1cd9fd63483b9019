//! Several suites in one program, to link only once. Each suite has its own `main` and runs in its own process.

use kernel_args::context::versions;
use std::{
    env,
    io::{self, Write as _},
    process::{Command, ExitCode, Output, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// A suite: the name of its module, and its `main`.
pub type Suite = (&'static str, fn() -> ExitCode);

/// The variable that names the suite for the started process, and for its child processes.
const VARIABLE: &str = "KERNEL_ARGS_SUITE";

/// The `main` of a program of suites.
///
/// The argument `graphs::` runs the suite `graphs`; `graphs::capture` runs its trials whose names contain `capture`;
/// several such arguments are allowed. Without such an argument, all suites run. Each suite gets all remaining
/// arguments.
///
/// Suites without a GPU run in parallel, and each prints its output when it has ended. With `--nocapture` or
/// `--test-threads=1` they run one after another.
#[must_use]
pub fn main(suites: &'static [Suite]) -> ExitCode {
    let wanted = env::var_os(VARIABLE);
    // A suite of another program can have started this one.
    if let Some((_, main)) = suites.iter().find(|(name, _)| wanted.as_deref() == Some(name.as_ref())) {
        return main();
    }
    let Selection { runs, options } = Selection::new(suites, env::args().skip(1));
    let list = options.iter().any(|option| option == "--list");
    let alone = options.iter().any(|option| option == "--nocapture")
        || options.join(" ").contains("--test-threads=1")
        || options.join(" ").contains("--test-threads 1");
    let outcome = if list {
        runs.iter().try_fold(0, |failed, run| run.list(&options).map(|()| failed))
    } else if alone || has_gpu() {
        runs.iter().try_fold(0, |failed, run| {
            let status = run.command(&options).status()?;
            Ok(failed + usize::from(!status.success()))
        })
    } else {
        side_by_side(&runs, &options)
    };
    match outcome {
        Ok(0) => ExitCode::SUCCESS,
        Ok(failed) => {
            eprintln!("{failed} of {} suites failed", runs.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("a suite cannot be started: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a suite of this program in a process of its own.
#[must_use]
pub fn command(suite: &str) -> Command {
    let mut command = Command::new(env::current_exe().unwrap_or_default());
    command.env(VARIABLE, suite);
    command
}

/// With one GPU, suites must not run in parallel.
fn has_gpu() -> bool {
    versions().is_ok()
}

/// A suite and a filter for its trials.
#[derive(Debug, PartialEq)]
pub struct Run {
    /// The name of the suite.
    pub suite: &'static str,
    /// A part of the names of its trials; empty for all trials.
    pub filter: String,
}

/// What the arguments of a program of suites select.
pub struct Selection {
    /// The suites to run.
    pub runs: Vec<Run>,
    /// The arguments for every suite.
    pub options: Vec<String>,
}

impl Selection {
    /// The arguments that name suites, and the remaining arguments.
    pub fn new(suites: &'static [Suite], arguments: impl Iterator<Item = String>) -> Self {
        let (mut runs, mut options) = (Vec::new(), Vec::new());
        for argument in arguments {
            let (name, filter) = argument.split_once("::").unwrap_or((&argument, ""));
            match suites.iter().find(|(suite, _)| *suite == name) {
                Some((suite, _)) => runs.push(Run { suite, filter: filter.to_owned() }),
                None => options.push(argument),
            }
        }
        if runs.is_empty() {
            let all = suites.iter().map(|(suite, _)| Run { suite, filter: String::new() });
            runs.extend(all);
        }
        Self { runs, options }
    }
}

impl Run {
    fn command(&self, options: &[String]) -> Command {
        // If the path is unknown, the command cannot be started, which results in an error.
        let mut command = Command::new(env::current_exe().unwrap_or_default());
        let filter = Some(&self.filter).filter(|filter| !filter.is_empty());
        command.env(VARIABLE, self.suite).args(options).args(filter);
        command
    }

    /// Lists the trials as `SUITE::TRIAL: test`, as the standard harness does.
    fn list(&self, options: &[String]) -> io::Result<()> {
        let output = self.command(options).stderr(Stdio::inherit()).output()?;
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            if line.ends_with(": test") {
                println!("{}::{line}", self.suite);
            }
        }
        Ok(())
    }
}

/// Runs as many suites at once as there are processors, and returns the number of failures.
fn side_by_side(runs: &[Run], options: &[String]) -> io::Result<usize> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (next, failed, printing) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(()));
    thread::scope(|scope| {
        let work = || -> io::Result<()> {
            while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let output = run.command(options).stdin(Stdio::null()).output()?;
                let _one = printing.lock().unwrap_or_else(PoisonError::into_inner);
                print(run.suite, &output)?;
                if !output.status.success() {
                    failed.fetch_add(1, Ordering::Relaxed);
                }
            }
            Ok(())
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut ends = workers.into_iter().map(thread::ScopedJoinHandle::join);
        ends.try_for_each(|end| end.unwrap_or_else(|_| Err(io::Error::other("a thread panicked"))))
    })?;
    Ok(failed.into_inner())
}

fn print(suite: &str, output: &Output) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "\nsuite {suite}:")?;
    out.write_all(&output.stdout)?;
    out.flush()?;
    io::stderr().lock().write_all(&output.stderr)?;
    if output.status.code().is_none() {
        writeln!(out, "suite {suite}: {}", output.status)?;
    }
    Ok(())
}
