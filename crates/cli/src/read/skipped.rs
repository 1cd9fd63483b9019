//! Files and members that are skipped.

use crate::error::Error;
use std::io;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Skipped {
    /// Files in directories without device code.
    pub(crate) foreign: usize,
    /// Files in directories that cannot be opened.
    pub(crate) unreadable: usize,
    /// The first of these files, and the error.
    pub(crate) examples: Vec<Error>,
    /// Members of fat binaries other than PTX and cubins.
    pub(crate) members: usize,
}

impl Skipped {
    pub(super) fn cannot_open(&mut self, name: &str, error: &io::Error) {
        /// The maximum number of names in a message. Further files are only counted.
        const MOST: usize = 8;
        self.unreadable += 1;
        if self.examples.len() < MOST {
            self.examples.push(Error::new(name, error.to_string()));
        }
    }
}
