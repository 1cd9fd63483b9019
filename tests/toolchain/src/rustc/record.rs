//! Caches rustc's output for a crate until one of its inputs changes.

use super::{Compiler, Crate, LIBRARIES};
use std::{
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::PathBuf,
    process::Command,
    sync::OnceLock,
};

pub(super) struct Record {
    /// The last run: a line with a hash of all inputs, then the output.
    said: PathBuf,
    /// The files that rustc read in the last run, in the format of `make`.
    dependencies: PathBuf,
    /// The folder for relative paths in this list.
    folder: PathBuf,
    /// A hash of the command, the compiler and the libraries.
    command: u64,
}

impl Record {
    pub(super) fn new(compiler: &Compiler<'_>, one: &Crate, command: &Command) -> Result<Self, String> {
        let file = |kind: &str| compiler.output.join(format!("{}.{kind}", one.name));
        let mut hasher = DefaultHasher::new();
        (format!("{command:?}"), compiler.inputs, surroundings()?).hash(&mut hasher);
        Ok(Self {
            said: file("said"),
            dependencies: file("d"),
            folder: compiler.folder.to_owned(),
            command: hasher.finish(),
        })
    }

    /// The cached output, if all inputs are unchanged.
    pub(super) fn read(&self) -> Option<String> {
        let text = fs::read_to_string(&self.said).ok()?;
        let (key, said) = text.split_once('\n')?;
        (key == self.key()?).then(|| said.to_owned())
    }

    /// Removes the last run: for some errors rustc does not write the list of files.
    pub(super) fn clear(&self) {
        let _ = fs::remove_file(&self.said);
        let _ = fs::remove_file(&self.dependencies);
    }

    /// Stores rustc's output.
    pub(super) fn write(&self, said: &str) -> Result<(), String> {
        let Some(key) = self.key() else {
            return Ok(());
        };
        fs::write(&self.said, format!("{key}\n{said}")).map_err(|error| format!("{}: {error}", self.said.display()))
    }

    /// A hash of all inputs; `None` if they are not known.
    fn key(&self) -> Option<String> {
        let list = fs::read_to_string(&self.dependencies).ok()?;
        let mut hasher = DefaultHasher::new();
        self.command.hash(&mut hasher);
        // The list has a rule without dependencies for each file.
        for line in list.lines().filter(|line| !line.starts_with('#')) {
            if let Some(file) = line.strip_suffix(':') {
                let file = self.folder.join(file.replace("\\ ", " "));
                fs::read(file).ok()?.hash(&mut hasher);
            }
        }
        Some(format!("{:016x}", hasher.finish()))
    }
}

/// A hash of the compiler's version and of the time and length of each library. cargo writes a library again if one of
/// its dependencies changes.
fn surroundings() -> Result<u64, String> {
    static HASH: OnceLock<Result<u64, String>> = OnceLock::new();
    HASH.get_or_init(|| {
        let version = Command::new(super::program())
            .arg("-vV")
            .output()
            .map_err(|error| format!("rustc cannot be started: {error}"))?;
        let mut hasher = DefaultHasher::new();
        version.stdout.hash(&mut hasher);
        let libraries = LIBRARIES.chunks_exact(2).filter(|pair| pair[0] == "--extern");
        for (_, path) in libraries.filter_map(|pair| pair[1].split_once('=')) {
            let status = fs::metadata(path).map_err(|error| format!("{path}: {error}"))?;
            (status.len(), status.modified().ok()).hash(&mut hasher);
        }
        Ok(hasher.finish())
    })
    .clone()
}
