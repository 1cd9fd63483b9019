//! A build with validated settings.

use super::{files::Files, unit::Unit};
use crate::{kernels::Kernels, sources::Source};
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    Everything,
    /// Only descriptions: another crate compiles the images.
    Descriptions,
}

pub(super) struct Build<'a> {
    pub(super) kernels: &'a Kernels,
    pub(super) what: What,
    /// Whether images may be missing if there is no compiler.
    pub(super) is_optional: bool,
    pub(super) units: Vec<Unit>,
    pub(super) extension: &'static str,
    pub(super) files: Files<'a>,
    pub(super) root: &'a Path,
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
