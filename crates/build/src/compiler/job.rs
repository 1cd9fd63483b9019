//! The input and output of one compiler run.

use super::options::{Options, Purpose};
use crate::sources::Source;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

pub(crate) struct Job<'a> {
    pub(crate) source: &'a Source,
    pub(crate) options: &'a Options,
    pub(crate) purpose: Purpose,
    /// Text to compile after the source.
    pub(crate) appended: Option<String>,
    /// The folder of the package. Relative paths start here.
    pub(crate) root: &'a Path,
    /// The folder for temporary files of the compiler.
    pub(crate) scratch: &'a Path,
}

#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) bytes: Vec<u8>,
    pub(crate) messages: String,
    /// The source and its headers, if the compiler reports them.
    pub(crate) files: BTreeSet<PathBuf>,
}
