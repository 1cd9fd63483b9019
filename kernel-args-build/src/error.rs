//! The error of a build.

use std::fmt;

/// Why kernels were not built: what the compiler said, or what to change.
///
/// `Debug` is the text as well, so that a build script that returns it from `main` shows it as it is.
pub struct Error(String);

impl Error {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// All of them, one below the other.
    pub(crate) fn all(errors: Vec<Self>) -> Result<(), Self> {
        let texts: Vec<String> = errors.into_iter().map(|Self(text)| text).collect();
        if texts.is_empty() {
            Ok(())
        } else {
            Err(Self(texts.join("\n\n")))
        }
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
