//! What is passed over.

use crate::error::Error;
use std::io;

/// What is passed over.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Skipped {
    /// Files of directories that hold no device code.
    pub(crate) foreign: usize,
    /// Files of directories that cannot be opened.
    pub(crate) unreadable: usize,
    /// The first of these, and why.
    pub(crate) examples: Vec<Error>,
    /// Members of fat binaries that are neither PTX nor cubins.
    pub(crate) members: usize,
}

impl Skipped {
    pub(super) fn cannot_open(&mut self, name: &str, error: &io::Error) {
        /// Of more only the number is told.
        const MOST: usize = 8;
        self.unreadable += 1;
        if self.examples.len() < MOST {
            self.examples.push(Error::new(name, error.to_string()));
        }
    }
}
