//! A build with validated settings.

use super::{files::Files, unit::Unit};
use crate::{kernels::Kernels, sources::Source};
use std::path::{Path, PathBuf};

/// What a build produces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    Everything,
    /// Only descriptions: another crate compiles the images.
    Descriptions,
}

/// A build with validated settings.
pub(super) struct Build<'a> {
    pub(super) kernels: &'a Kernels,
    pub(super) what: What,
    /// Whether images may be missing if there is no compiler.
    pub(super) is_optional: bool,
    pub(super) units: Vec<Unit>,
    /// The kind of the images.
    pub(super) extension: &'static str,
    pub(super) files: Files<'a>,
    /// The folder of the package.
    pub(super) root: &'a Path,
    /// `OUT_DIR`.
    pub(super) out: &'a Path,
}

impl Build<'_> {
    /// The path in `OUT_DIR` of a source's file.
    pub(super) fn place(&self, source: &Source, extension: &str) -> PathBuf {
        self.out.join(format!("{}.{extension}", source.name))
    }

    /// The extension of the images that are written; `None` if another crate compiles them.
    pub(super) fn made(&self) -> Option<&'static str> {
        (self.what == What::Everything).then_some(self.extension)
    }
}
