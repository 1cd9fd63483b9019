//! The files that a command line names directly or through directories.

use super::input::{Input, label};
use crate::error::Error;
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Files and members that are skipped.
#[derive(Default)]
pub(crate) struct Skipped {
    /// Files in directories without device code.
    pub(crate) foreign: usize,
    /// Files in directories that cannot be opened.
    pub(crate) unreadable: usize,
    /// The first of these files, and the error.
    pub(crate) examples: Vec<Error>,
    /// Members of fat binaries other than PTX and cubins.
    pub(crate) members: usize,
}

impl Skipped {
    pub(super) fn cannot_open(&mut self, name: &str, error: &io::Error) {
        /// Further files are only counted.
        const MOST: usize = 8;
        self.unreadable += 1;
        if self.examples.len() < MOST {
            self.examples.push(Error::new(name, error));
        }
    }
}

pub(super) struct Named {
    pub(super) name: Arc<str>,
    pub(super) origin: Origin,
    /// The size in bytes, if it is known.
    pub(super) size: u64,
    /// Rather than its directory.
    pub(super) is_direct: bool,
}

pub(super) enum Origin {
    Path(PathBuf),
    File(File),
}

impl Named {
    pub(super) fn open(&self) -> io::Result<Input> {
        match &self.origin {
            Origin::Path(path) => Input::open(path, self.is_direct),
            Origin::File(file) => Input::of_file(file.try_clone()?),
        }
    }
}

/// The files of a directory are sorted by name. Links to directories are not followed.
pub(super) fn files(paths: &[PathBuf], skipped: &mut Skipped) -> (Vec<Named>, Vec<Error>) {
    let mut found = Vec::new();
    let mut errors = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            found.push(named(path, 0, true));
            continue;
        }
        let before = found.len();
        let read = fs::metadata(path).and_then(|metadata| {
            if metadata.is_dir() {
                return directory(path, skipped, &mut found);
            }
            found.push(named(path, metadata.len(), true));
            Ok(())
        });
        let what = read.map_or_else(|error| error.to_string(), |()| "a directory without files".to_owned());
        if found.len() == before {
            errors.push(Error::new(path.to_string_lossy(), what));
        }
    }
    (found, errors)
}

fn named(path: &Path, size: u64, is_direct: bool) -> Named {
    Named { name: label(path).into(), origin: Origin::Path(path.to_owned()), size, is_direct }
}

fn directory(path: &Path, skipped: &mut Skipped, found: &mut Vec<Named>) -> io::Result<()> {
    let mut entries: Vec<fs::DirEntry> = fs::read_dir(path)?.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let read = entry.file_type().and_then(|kind| {
            if kind.is_dir() {
                return directory(&path, skipped, found);
            }
            let metadata = fs::metadata(&path)?;
            // Devices and pipes may be endless, and links to directories may form cycles.
            if metadata.is_file() {
                found.push(named(&path, metadata.len(), false));
            }
            Ok(())
        });
        if let Err(error) = read {
            skipped.cannot_open(&path.to_string_lossy(), &error);
        }
    }
    Ok(())
}
