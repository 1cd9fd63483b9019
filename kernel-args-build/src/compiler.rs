//! What both compilers have in common.

use crate::{nvcc::Nvcc, nvrtc::Nvrtc, options::Options, sources::Source};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// One of NVIDIA's compilers.
#[derive(Debug)]
pub(crate) enum Compiler {
    Nvcc(Nvcc),
    Nvrtc(Nvrtc),
}

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
    pub(crate) dependencies: Dependencies,
}

/// What an image depends on.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Dependencies {
    /// The source and its headers.
    pub(crate) files: BTreeSet<PathBuf>,
    /// Where headers may lie that are not known by name.
    pub(crate) folders: BTreeSet<PathBuf>,
}

impl Compiler {
    /// Compiles a source; or what the compiler said.
    pub(crate) fn compile(&self, job: &Job<'_>) -> Result<Compiled, String> {
        match self {
            Self::Nvcc(nvcc) => nvcc.compile(job),
            Self::Nvrtc(nvrtc) => nvrtc.compile(job),
        }
    }

    /// The program or library.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Nvcc(nvcc) => nvcc.path(),
            Self::Nvrtc(nvrtc) => nvrtc.path(),
        }
    }

    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Nvcc(_) => "nvcc",
            Self::Nvrtc(_) => "NVRTC",
        }
    }
}
