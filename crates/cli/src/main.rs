//! `kernel-args` on the command line: shows and compares the parameters of CUDA kernels.

#![deny(unsafe_code)]

mod check;
mod cli;
mod command;
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

use std::process::ExitCode;

fn main() -> ExitCode {
    let matches = match cli::command().try_get_matches_from(cli::arguments(std::env::args_os())) {
        Ok(matches) => matches,
        Err(error) if cli::is_help(&error) => error.exit(),
        Err(error) => {
            error::print(&error::Error::usage(&error));
            return output::Status::Error.into();
        }
    };
    match command::run(&matches) {
        Ok(status) => status.into(),
        // The reader has closed the pipe, as `head` does.
        Err(error::Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            error::print(&failure);
            output::Status::Error.into()
        }
    }
}
