//! The files that a command line names directly or through directories.

use super::{input::Input, skipped::Skipped};
use crate::error::Error;
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

pub(super) struct Named {
    /// The name for messages. Invalid UTF-8 is replaced.
    pub(super) name: Arc<str>,
    pub(super) origin: Origin,
    /// The size in bytes, if it is known.
    pub(super) size: u64,
    /// Whether the command line names the file itself rather than its directory.
    pub(super) is_direct: bool,
}

pub(super) enum Origin {
    Path(PathBuf),
    File(File),
    StandardInput,
}

impl Named {
    pub(super) fn open(&self) -> io::Result<Input> {
        match &self.origin {
            Origin::Path(path) => Input::open(path, self.is_direct),
            Origin::File(file) => Input::of_file(file.try_clone()?),
            Origin::StandardInput => Input::stdin(),
        }
    }
}

/// Returns the files of these paths in order. The files of a directory are sorted by name. Links to directories are not
/// followed.
pub(super) fn files(paths: &[PathBuf], skipped: &mut Skipped) -> (Vec<Named>, Vec<Error>) {
    let mut found = Vec::new();
    let mut errors = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            found.push(Named {
                name: "standard input".into(),
                origin: Origin::StandardInput,
                size: 0,
                is_direct: true,
            });
            continue;
        }
        match fs::metadata(path) {
            Err(error) => errors.push(Error::new(path.to_string_lossy(), error.to_string())),
            Ok(metadata) if metadata.is_dir() => {
                let before = found.len();
                if let Err(error) = directory(path, skipped, &mut found) {
                    errors.push(Error::new(path.to_string_lossy(), error.to_string()));
                } else if found.len() == before {
                    errors.push(Error::new(path.to_string_lossy(), "a directory without files"));
                }
            }
            Ok(metadata) => found.push(named(path, metadata.len(), true)),
        }
    }
    (found, errors)
}

fn named(path: &Path, size: u64, is_direct: bool) -> Named {
    Named { name: path.to_string_lossy().into(), origin: Origin::Path(path.to_owned()), size, is_direct }
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
            // Skips devices and pipes, which may be endless, and links to directories, which may form cycles.
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
