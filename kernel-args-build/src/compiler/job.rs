//! What a compiler is asked to do, and what it returns.

use super::options::Options;
use crate::sources::Source;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// What is compiled.
pub(crate) struct Job<'a> {
    pub(crate) source: &'a Source,
    pub(crate) options: &'a Options,
    pub(crate) purpose: Purpose,
    /// The folder of the package: relative paths are from there.
    pub(crate) root: &'a Path,
    /// The folder for the files of the compiler.
    pub(crate) scratch: &'a Path,
}

/// What it is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// For the program.
    Image,
    /// PTX with debug information.
    Description,
}

/// What a compiler wrote.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) bytes: Vec<u8>,
    /// Warnings.
    pub(crate) messages: String,
    /// The source and its headers, if the compiler reports them.
    pub(crate) files: BTreeSet<PathBuf>,
}
