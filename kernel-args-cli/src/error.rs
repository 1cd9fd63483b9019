//! Errors, with the file and the position in it.

use crate::escape::terminal;
use std::{fmt, io};

/// A file or other input that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Error {
    /// The name of the file as the user wrote it, and the member of an archive: `lib.a(kernels.o)`.
    pub(crate) file: String,
    /// The byte offset of the unreadable part, from the start of the file.
    pub(crate) at: Option<u64>,
    /// The error text.
    pub(crate) what: String,
}

impl Error {
    pub(crate) fn new(file: impl Into<String>, what: impl Into<String>) -> Self {
        Self { file: file.into(), at: None, what: what.into() }
    }

    pub(crate) fn at(self, at: u64) -> Self {
        Self { at: Some(at), ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", terminal(&self.file))?;
        if let Some(at) = self.at {
            write!(f, "at byte {at}: ")?;
        }
        // Line breaks are part of the message. Control characters come from the file.
        let mut lines = self.what.lines();
        f.write_str(&terminal(lines.next().unwrap_or_default()))?;
        lines.try_for_each(|line| write!(f, "\n{}", terminal(line)))
    }
}

impl std::error::Error for Error {}

/// Why a command fails.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An input error.
    Input(Error),
    /// An error of standard output.
    Output(io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Input(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(error) => error.fmt(f),
            Self::Output(error) => write!(f, "standard output cannot be written: {error}"),
        }
    }
}

/// Prints an error to standard error.
pub(crate) fn print(error: &dyn fmt::Display) {
    say("error", error);
}

/// Prints a warning to standard error.
pub(crate) fn warn(warning: &dyn fmt::Display) {
    say("warning", warning);
}

fn say(kind: &str, what: &dyn fmt::Display) {
    use std::io::Write as _;
    // If standard error is closed, the text is discarded.
    _ = writeln!(io::stderr(), "kernel-args: {kind}: {what}");
}
