//! The streams and the exit code of a command.

use crate::style::Paint;
use anstream::AutoStream;
use clap::ColorChoice;
use std::{
    io::{self, BufWriter, StdoutLock},
    process::ExitCode,
};

#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// 0
    Success,
    /// 1: `diff` found a change that breaks callers, `check` a difference.
    Different,
    /// 2: a file cannot be read, or contains no matching kernel.
    Error,
    /// The exit code of the program that `trace` has run.
    Program(u8),
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Success => 0,
            Status::Different => 1,
            Status::Error => 2,
            Status::Program(code) => code,
        })
    }
}

pub(crate) struct Output {
    pub(crate) to: BufWriter<StdoutLock<'static>>,
    pub(crate) paint: Paint,
}

impl Output {
    pub(crate) fn new(color: ColorChoice) -> Self {
        let is_on = match color {
            // Depends on the terminal, `NO_COLOR`, `CLICOLOR` and `CLICOLOR_FORCE`.
            ColorChoice::Auto => AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never,
            color => color == ColorChoice::Always,
        };
        Self { to: BufWriter::with_capacity(64 << 10, io::stdout().lock()), paint: Paint(is_on) }
    }
}
