//! A build whose settings are right.

use super::{files::Files, unit::Unit};
use crate::{kernels::Kernels, sources::Source};
use std::path::{Path, PathBuf};

/// What is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    Everything,
    /// Another crate makes the images.
    Descriptions,
}

/// A build whose settings are right.
pub(super) struct Build<'a> {
    pub(super) kernels: &'a Kernels,
    pub(super) what: What,
    pub(super) units: Vec<Unit>,
    /// Of the images.
    pub(super) extension: &'static str,
    pub(super) files: Files<'a>,
    /// The folder of the package.
    pub(super) root: &'a Path,
    /// `OUT_DIR`.
    pub(super) out: &'a Path,
}

impl Build<'_> {
    /// The file in `OUT_DIR` of a source.
    pub(super) fn place(&self, source: &Source, extension: &str) -> PathBuf {
        self.out.join(format!("{}.{extension}", source.name))
    }

    /// The extension of the images that are made; `None` if another crate makes them.
    pub(super) fn made(&self) -> Option<&'static str> {
        (self.what == What::Everything).then_some(self.extension)
    }
}
