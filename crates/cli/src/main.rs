//! `kernel-args` on the command line: shows and compares the parameters of CUDA kernels.

#![deny(unsafe_code)]

mod check;
mod cli;
mod diff;
mod error;
mod escape;
mod findings;
mod global;
mod kernel;
mod limits;
mod man;
mod options;
mod output;
mod place;
mod progress;
mod read;
#[cfg(feature = "replay")]
mod replay;
mod report;
mod select;
mod show;
mod style;
#[cfg_attr(not(unix), expect(dead_code, reason = "programs are traced on Linux only"))]
mod trace;
mod write;

use clap::{
    ArgMatches, ColorChoice,
    error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion},
};
use error::Error;
use options::Options;
use output::{Output, Status};
use std::{
    io::{self, Write as _},
    process::ExitCode,
};

fn main() -> ExitCode {
    let matches = match cli::command().try_get_matches_from(cli::arguments(std::env::args_os())) {
        Ok(matches) => matches,
        Err(error)
            if matches!(error.kind(), DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand | DisplayVersion) =>
        {
            error.exit()
        }
        Err(error) => {
            error::print(&Error::usage(&error));
            return Status::Error.into();
        }
    };
    match run(&matches).map_err(io::Error::downcast::<Error>) {
        Ok(status) => return status.into(),
        Err(Ok(error)) => error::print(&error),
        // The reader has closed the pipe, as `head` does.
        Err(Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
        Err(Err(error)) => error::print(&format_args!("standard output cannot be written: {error}")),
    }
    Status::Error.into()
}

/// Runs a command. An error that is not an [`Error`] is of standard output.
fn run(matches: &ArgMatches) -> io::Result<Status> {
    let Some((command, matches)) = matches.subcommand() else {
        return Ok(Status::Error);
    };
    let options = Options(matches);
    let color = matches.try_get_one::<ColorChoice>("color");
    let color = color.ok().flatten().copied().unwrap_or(ColorChoice::Never);
    let output = &mut Output::new(color);
    let status = match command {
        "show" => show::run(options, output)?,
        "diff" => diff::run(options, output)?,
        "check" => check::run(options, output)?,
        "rust" => write::rust(options, output)?,
        "header" => write::header(options, output)?,
        "trace" => trace::run(options, color)?,
        #[cfg(feature = "replay")]
        "replay" => replay::run(options, output)?,
        "completions" => {
            if let Some(shell) = options.value::<clap_complete::Shell>("shell") {
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut cli::command(), cli::NAME, &mut script);
                output.to.write_all(&script)?;
            }
            Status::Success
        }
        _ => {
            man::write(&mut output.to)?;
            Status::Success
        }
    };
    output.to.flush()?;
    Ok(status)
}
