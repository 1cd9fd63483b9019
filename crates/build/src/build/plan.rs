//! A build with validated settings, its sources and their results.

use super::{files::Files, record::Record};
use crate::{
    compiler::{headers::Headers, options::Options},
    constants::Constant,
    kernels::Kernels,
    sources::Source,
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

pub(super) struct Build<'a> {
    pub(super) kernels: &'a Kernels,
    /// The extension of the images.
    pub(super) extension: &'static str,
    /// The extension of the descriptions.
    pub(super) description: &'static str,
    /// The name of the library, if its objects are made instead of images.
    pub(super) library: Option<&'a str>,
    pub(super) fallback: Option<PathBuf>,
    /// The modules of libraries.
    pub(super) libraries: String,
    /// The extension of the images that are written; `None` if another crate compiles them.
    pub(super) made: Option<&'static str>,
    /// Whether images may be missing if there is no compiler.
    pub(super) is_optional: bool,
    pub(super) units: Vec<Unit<'a>>,
    pub(super) files: Files<'a>,
    pub(super) root: &'a Path,
    pub(super) out: &'a Path,
}

impl Build<'_> {
    pub(super) fn place(&self, source: &Source, extension: &str) -> PathBuf {
        self.out.join(format!("{}.{extension}", source.name))
    }
}

pub(super) struct Unit<'a> {
    pub(super) source: Source,
    pub(super) options: Options<'a>,
    pub(super) constants: Vec<Constant>,
    /// The options in the form of a record.
    pub(super) lines: Vec<String>,
    /// The options of the description, in the same form.
    pub(super) lines_with_debug: Vec<String>,
}

pub(super) struct Made {
    /// `None` if another crate compiles it.
    pub(super) image: Option<Vec<u8>>,
    pub(super) description: Vec<u8>,
    pub(super) record: Record,
}

pub(super) struct Described {
    pub(super) text: Vec<u8>,
    pub(super) files: BTreeSet<PathBuf>,
    pub(super) warnings: Vec<String>,
}

pub(super) struct Done {
    pub(super) made: Made,
    /// The inputs of the description alone. `None` if nothing was compiled.
    pub(super) described: Option<Record>,
    pub(super) files: BTreeSet<PathBuf>,
    /// `None` for committed files.
    pub(super) headers: Option<Headers>,
    /// Whether all inputs are known. If not, the source is compiled in every build.
    pub(super) is_known: bool,
    /// Whether no image was made: nothing can be loaded.
    pub(super) is_absent: bool,
}

impl Done {
    pub(super) const fn new(made: Made, files: BTreeSet<PathBuf>) -> Self {
        Self { made, described: None, files, headers: None, is_known: true, is_absent: false }
    }

    /// Returns a source without a compiler, and without a committed description.
    pub(super) fn unknown(unit: &Unit<'_>) -> Self {
        let description = b"// No compiler was found.\n.version 7.0\n.target sm_52\n.address_size 64\n";
        let made = Made { image: None, description: description.to_vec(), record: Record::default() };
        Self { is_known: false, is_absent: true, ..Self::new(made, [unit.source.path.clone()].into()) }
    }
}
