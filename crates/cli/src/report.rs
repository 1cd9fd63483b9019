//! Reads the files of a command, and reports files that cannot be read.

use crate::{
    error::{self, Error},
    output::Status,
    read::{self, Files, Skipped, Wanted},
    style::{count, joined},
};
use std::path::PathBuf;

/// Returns also the names of the files as one text, and whether everything was read. `wanted` selects the code that is
/// analysed. `None` reads host functions instead of kernels.
pub(crate) fn read(paths: &[PathBuf], wanted: Option<&Wanted<'_>>) -> (Files, String, Status) {
    let files = wanted.map_or_else(|| read::launchers(paths), |wanted| read::read(paths, wanted));
    let names = joined(paths.iter().map(|path| path.to_string_lossy()), ", ");
    let mut status = if files.errors.is_empty() { Status::Success } else { Status::Error };
    for warning in &files.warnings {
        error::warn(warning);
    }
    for error in &files.errors {
        error::print(error);
    }
    let Skipped { foreign, unreadable, examples, .. } = &files.skipped;
    for example in examples {
        error::warn(example);
    }
    if *unreadable > examples.len() {
        let files = count(unreadable - examples.len(), "more file");
        error::warn(&format_args!("{files} in directories cannot be opened"));
    }
    if status == Status::Success && files.kernels.is_empty() {
        let what = if wanted.is_none() {
            format!(
                "no launchers: {} that {} no library of host functions",
                count(*foreign, "file"),
                if *foreign == 1 { "is" } else { "are" }
            )
        } else if files.places.is_empty() {
            format!("no kernels: {} without device code", count(*foreign, "file"))
        } else {
            "no kernels: the PTX and cubins define no kernels".to_owned()
        };
        error::print(&Error::new(&names, what));
        status = Status::Error;
    }
    (files, names, status)
}
