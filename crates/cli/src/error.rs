//! Everything on standard error has one form. The exit code of an error is 2, unless a traced program goes on: then it
//! is the program's own.
//!
//! ```text
//! error: kernels.so: at byte 12: what is wrong
//!   details
//! help: what to do
//! ```

use crate::escape::terminal;
use std::{fmt, io};

#[derive(Debug)]
pub(crate) struct Error {
    /// As the user wrote it, with the member of an archive: `lib.a(kernels.o)`. Empty for an error without a file.
    pub(crate) file: String,
    /// In bytes from the start of the file.
    pub(crate) at: Option<u64>,
    pub(crate) what: String,
}

impl Error {
    #[expect(clippy::needless_pass_by_value, reason = "texts, and what can be shown")]
    pub(crate) fn new(file: impl ToString, what: impl ToString) -> Self {
        Self { file: file.to_string(), at: None, what: what.to_string() }
    }

    pub(crate) fn usage(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        let mut what = String::new();
        for line in text.lines() {
            if let Some(message) = line.strip_prefix("error: ") {
                what += message;
            } else if let Some(usage) = line.strip_prefix("Usage: ") {
                what.extend(["\nhelp: usage: ", usage]);
            } else if let Some(tip) = line.strip_prefix("  tip: ") {
                what.extend(["\nhelp: ", tip]);
            } else if line.starts_with(' ') {
                what.extend(["\n", line]);
            }
        }
        Self::new("", what.replace('\'', "`"))
    }

    pub(crate) fn at(self, at: u64) -> Self {
        Self { at: Some(at), ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}: ", terminal(&self.file))?;
        }
        if let Some(at) = self.at {
            write!(f, "at byte {at}: ")?;
        }
        // Line breaks are part of the message. Control characters come from the file.
        let mut lines = self.what.lines();
        f.write_str(&terminal(lines.next().unwrap_or_default()))?;
        lines.filter(|line| !line.is_empty()).try_for_each(|line| {
            let is_help = line.trim_start().starts_with("help: ");
            let line = if is_help { line.trim_start() } else { line };
            let indent = if is_help || line.starts_with(' ') { "" } else { "  " };
            write!(f, "\n{indent}{}", terminal(line))
        })
    }
}

impl std::error::Error for Error {}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        Self::other(error)
    }
}

pub(crate) fn print(error: &dyn fmt::Display) {
    say("error", error);
}

pub(crate) fn warn(warning: &dyn fmt::Display) {
    say("warning", warning);
}

fn say(kind: &str, what: &dyn fmt::Display) {
    use std::io::Write as _;
    // If standard error is closed, the text is discarded.
    _ = writeln!(io::stderr(), "{kind}: {what}");
}
