//! The error type of a build.

use std::fmt;

/// Why the kernels were not built: the compiler's output, or what to change.
///
/// `Debug` prints the text too, because a build script that returns the error from `main` shows it with `Debug`.
pub struct Error(String);

impl Error {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(crate) fn all(errors: Vec<Self>) -> Result<(), Self> {
        let texts: Vec<String> = errors.into_iter().map(|Self(text)| text).collect();
        if texts.is_empty() { Ok(()) } else { Err(Self(texts.join("\n\n"))) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
