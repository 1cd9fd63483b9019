//! `kernel-args diff`: reports the changes in the interface of each kernel.

mod change;
mod enumerators;
mod limits;
mod members;
mod pairs;
mod parameters;
mod text;
mod versions;

use crate::{
    error::Failure,
    escape,
    output::{Output, Status},
    read::Files,
    report,
    select::Select,
};
use change::Changed;
use std::{collections::BTreeSet, io::Write as _, path::PathBuf};

/// The options of `diff`.
pub(crate) struct Diff {
    pub(crate) old: PathBuf,
    pub(crate) new: PathBuf,
    pub(crate) select: Select,
    pub(crate) json: bool,
    pub(crate) demangle: bool,
}

pub(crate) fn run(diff: &Diff, output: &mut Output) -> Result<Status, Failure> {
    let mut sides = Vec::new();
    let mut missing = Vec::new();
    for path in [&diff.old, &diff.new] {
        let (mut files, name, status) = report::read(std::slice::from_ref(path), &|_| false);
        if status == Status::Error {
            return Ok(status);
        }
        missing.extend(diff.select.apply(&mut files, &name).err());
        sides.push(files);
    }
    // If a pattern matches only one side, the kernel was added or removed.
    if missing.len() == 2
        && let Some(error) = missing.pop()
    {
        return Err(error.into());
    }
    let [old, new]: &[Files; 2] = match sides.first_chunk() {
        Some(sides) => sides,
        None => return Ok(Status::Error),
    };
    let changed = pairs::changes(&old.read.kernels, &new.read.kernels);
    let breaks = changed.iter().any(Changed::breaks);
    if diff.json {
        let json = escape::json(&change::json(&changed, breaks));
        writeln!(output.to, "{json}")?;
    } else {
        let symbols = old.read.kernels.iter().map(|kernel| &kernel.symbol);
        let count = symbols.collect::<BTreeSet<_>>().len();
        text::write(&changed, count, diff.demangle, output)?;
    }
    output.to.flush()?;
    Ok(if breaks { Status::Different } else { Status::Success })
}

impl Changed<'_> {
    /// The symbol that callers use.
    pub(crate) fn symbol(&self) -> &str {
        match self {
            Self::Removed(kernel) | Self::Added(kernel) | Self::Kept { old: kernel, .. } => &kernel.symbol,
        }
    }

    /// Whether arguments or a launch that are valid for the old kernel are invalid for the new kernel.
    pub(crate) fn breaks(&self) -> bool {
        match self {
            Self::Removed(_) => true,
            Self::Added(_) => false,
            Self::Kept { changes, .. } => changes.iter().any(|change| change.breaks),
        }
    }
}
