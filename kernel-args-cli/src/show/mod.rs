//! `kernel-args show`: every kernel with its parameters.

mod columns;
pub(crate) mod json;
pub(crate) mod list;
mod map;
mod summary;
mod text;
pub(crate) mod types;

use crate::{
    error::{self, Error, Failure},
    output::{Output, Status},
    read::{self, Files, Skipped},
    select::Select,
    style::count,
};
use std::{io::Write as _, path::PathBuf};

/// What `show` writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// A table and a byte map of each kernel.
    Text,
    /// One line for each kernel, which `check` compares.
    List,
    /// How many kernels there are in which file.
    Summary,
    Json,
}

/// What `show` is asked for.
pub(crate) struct Show {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) select: Select,
    pub(crate) format: Format,
    pub(crate) demangle: bool,
}

pub(crate) fn run(show: &Show, output: &mut Output) -> Result<Status, Failure> {
    let mut files = read::read(&show.files);
    let names: Vec<_> = show
        .files
        .iter()
        .map(|path| path.to_string_lossy())
        .collect();
    let status = report(&files, &names.join(", "));
    show.select.apply(&mut files, &names.join(", "))?;
    match show.format {
        Format::Text => text::write(&files.read.kernels, show.demangle, output)?,
        Format::List => list::write(&files.read.kernels, &mut output.to)?,
        Format::Summary => summary::write(&files, output)?,
        Format::Json => json::write(&files, &mut output.to)?,
    }
    output.to.flush()?;
    Ok(status)
}

/// Tells on standard error what was not read.
pub(crate) fn report(files: &Files, names: &str) -> Status {
    for warning in &files.read.warnings {
        error::warn(warning);
    }
    for error in &files.read.errors {
        error::print(error);
    }
    let Skipped {
        foreign,
        unreadable,
        examples,
        ..
    } = &files.skipped;
    for example in examples {
        error::warn(example);
    }
    if *unreadable > examples.len() {
        let files = count((unreadable - examples.len()) as u64, "more file");
        error::warn(&format_args!("{files} of directories cannot be opened"));
    }
    if !files.read.errors.is_empty() {
        return Status::Error;
    }
    if files.read.kernels.is_empty() {
        let what = if files.read.places.is_empty() {
            let files = count(*foreign as u64, "file");
            format!("no kernels: {files} without device code")
        } else {
            "no kernels: its PTX and cubins define none".to_owned()
        };
        error::print(&Error::new(names, what));
        return Status::Error;
    }
    Status::Success
}
