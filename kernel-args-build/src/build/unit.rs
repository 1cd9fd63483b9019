//! A source on its way through a build.

use super::record::Record;
use crate::{
    compiler::{headers::Headers, options::Options},
    sources::Source,
};
use std::{collections::BTreeSet, path::PathBuf};

/// A source, and how it is compiled.
pub(super) struct Unit {
    pub(super) source: Source,
    pub(super) options: Options,
    /// The options as a record has them.
    pub(super) lines: Vec<String>,
}

/// What was made of a source.
pub(super) struct Made {
    /// `None` if another crate makes it.
    pub(super) image: Option<Vec<u8>>,
    pub(super) description: Vec<u8>,
    pub(super) record: Record,
}

/// A source that is done.
pub(super) struct Done {
    pub(super) made: Made,
    /// The files that it was made from.
    pub(super) files: BTreeSet<PathBuf>,
    /// `None` for what was committed.
    pub(super) headers: Option<Headers>,
    /// Whether all that decides is known, so that it need not be made each time.
    pub(super) is_known: bool,
}
