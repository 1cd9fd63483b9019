//! A cache of compiled sources in a folder.

use super::{
    entry::{decode, encode},
    source::{CacheUse, Compiled},
};
use kernel_args_nvrtc::{read_file, write_file};
use std::{format, fs, io, path::Path};

/// The maximum size of an entry that is read, in bytes.
const LARGEST: usize = 1 << 30;

pub(super) fn read(folder: &Path, name: &str) -> Option<Compiled> {
    decode(name, &read_file(&folder.join(name), LARGEST).ok()??)
}

/// Stores the entry with this name atomically: other processes see the complete entry or no entry.
pub(super) fn write(folder: &Path, name: &str, compiled: &Compiled) -> CacheUse {
    let store = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        write_file(&folder.join(name), &encode(name, compiled))
    };
    match store() {
        Ok(()) => CacheUse::Stored,
        Err(error) => CacheUse::Failed(format!("{}: {}", folder.display(), error)),
    }
}
