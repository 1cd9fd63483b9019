//! `kernel-args show`: every kernel with its parameters.

mod columns;
mod globals;
mod inferred;
pub(crate) mod json;
pub(crate) mod list;
mod map;
mod summary;
mod text;
pub(crate) mod types;

use crate::{
    error::Failure,
    output::{Output, Status},
    report,
    select::Select,
};
use std::{io::Write as _, path::PathBuf};

/// The output format of `show`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// A table and a byte map per kernel.
    Text,
    /// One line per kernel, for `check`.
    List,
    /// The number of kernels per file.
    Summary,
    Json,
}

/// The options of `show`.
pub(crate) struct Show {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) select: Select,
    pub(crate) format: Format,
    pub(crate) demangle: bool,
}

pub(crate) fn run(show: &Show, output: &mut Output) -> Result<Status, Failure> {
    let has_bodies = matches!(show.format, Format::Text | Format::Json);
    let wanted = |symbol: &str| has_bodies && show.select.wants(symbol);
    let (mut files, names, status) = report::read(&show.files, &wanted);
    show.select.apply(&mut files, &names)?;
    match show.format {
        Format::Text => {
            text::write(&files.read.kernels, show.demangle, output)?;
            // A selection is of kernels.
            if show.select.patterns.is_empty() {
                globals::write(&files.read.globals, show.demangle, output)?;
            }
        }
        Format::List => list::write(&files.read.kernels, &mut output.to)?,
        Format::Summary => summary::write(&files, output)?,
        Format::Json => json::write(&files, &mut output.to)?,
    }
    output.to.flush()?;
    Ok(status)
}
