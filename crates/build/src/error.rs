//! The error type of a build.

use std::fmt;

/// Why the kernels were not built: the compiler's output, or what to change.
///
/// `Debug` prints the text too: it is shown if `main` of a build script returns the error.
pub struct Error(pub(crate) String);

/// Joins several errors, separated by an empty line.
pub(crate) fn all(errors: &[String]) -> Result<(), String> {
    if errors.is_empty() { Ok(()) } else { Err(errors.join("\n\n")) }
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
