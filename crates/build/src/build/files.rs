//! Checks whether the result of an earlier build is still valid, and lists the files that cargo watches.

use super::record::{Record, hash, stamp};
use crate::{
    compiler::{Compiler, headers::Headers},
    environment::Environment,
    sources::entries,
    texts,
};
use kernel_args_nvrtc::{read_file, write_file};
use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    fs,
    path::{Component, Path, PathBuf},
    time::{Duration, SystemTime},
};

/// The files that images are made from, each read once.
pub(super) struct Files<'a> {
    root: &'a Path,
    /// `OUT_DIR`. Its files are not part of the package, even if the package's folder contains it.
    out: &'a Path,
    /// The variables that `nvcc` reads: `NVCC_CCBIN=clang`.
    variables: Vec<String>,
    hashes: RefCell<HashMap<PathBuf, Option<u64>>>,
}

const NVCC: [&str; 3] = ["NVCC_APPEND_FLAGS", "NVCC_CCBIN", "NVCC_PREPEND_FLAGS"];

impl<'a> Files<'a> {
    pub(super) fn new(root: &'a Path, out: &'a Path, environment: &Environment) -> Self {
        let variable = |name| {
            let value = environment.get(name)?;
            Some(format!("{name}={:?}", value.to_string_lossy()))
        };
        Self { root, out, variables: NVCC.into_iter().filter_map(variable).collect(), hashes: RefCell::default() }
    }

    /// Returns the relative path of a file of the package, with `/`.
    fn in_package(&self, path: &Path) -> Option<String> {
        let inside = path.strip_prefix(self.root).unwrap_or(path);
        if path.starts_with(self.out) || inside.is_absolute() {
            return None;
        }
        let parts = inside.components().filter(|part| *part != Component::CurDir);
        Some(parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/"))
    }

    fn hash(&self, path: &Path) -> Option<u64> {
        let mut hashes = self.hashes.borrow_mut();
        *hashes.entry(path.to_owned()).or_insert_with(|| read(&self.root.join(path)).map(|bytes| hash(&bytes)))
    }

    /// Files in `OUT_DIR` are compared by content, because each run of a build script writes them with a new time.
    fn state(&self, path: &str) -> String {
        let path = self.root.join(path);
        let state =
            if path.starts_with(self.out) { self.hash(&path).map(|hash| format!("{hash:016x}")) } else { stamp(&path) };
        state.unwrap_or_else(|| "-".into())
    }

    /// Inputs other than the contents of files: the compiler's variables, and which headers exist, because a new
    /// header can hide an old one. `None` if this cannot be known.
    pub(super) fn decided(&self, headers: &Headers, compiler: &Compiler) -> Option<Vec<String>> {
        let line = |what: &str, paths: &BTreeSet<PathBuf>| {
            let paths: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
            format!("{what} {:016x}", hash(paths.join("\n").as_bytes()))
        };
        let mut lines = self.variables.clone();
        lines.push(line("headers", &headers.files));
        if let Some(folders) = &headers.folders {
            // The compiler reports which of these files it has read. A new file can hide each of them.
            let all = compiler.reports_files().then(|| self.list(folders));
            lines.push(line("folders", &all??));
        }
        Some(lines)
    }

    /// `None` if there are too many.
    fn list(&self, folders: &BTreeSet<PathBuf>) -> Option<BTreeSet<PathBuf>> {
        const MOST: usize = 1 << 16;
        let mut found = BTreeSet::new();
        let mut left: Vec<PathBuf> = folders.iter().map(|path| self.root.join(path)).collect();
        while let Some(folder) = left.pop() {
            // Cargo's own files change with each build.
            for path in entries(&folder, is_shown).filter(|path| !self.out.starts_with(path)) {
                if path.is_dir() {
                    left.push(path.clone());
                }
                found.insert(path);
                if found.len() > MOST {
                    return None;
                }
            }
        }
        Some(found)
    }

    pub(super) fn describe(&self, record: &mut Record, lines: &[String], files: &BTreeSet<PathBuf>, compiler: &Path) {
        record.options = lines.to_vec();
        for path in files.iter().map(PathBuf::as_path).chain([compiler]) {
            match self.in_package(path) {
                Some(name) if path != compiler => {
                    if let Some(hash) = self.hash(path) {
                        record.sources.insert(name, hash);
                    }
                }
                _ => {
                    let path = path.to_string_lossy().into_owned();
                    let state = self.state(&path);
                    record.outside.insert(path, state);
                }
            }
        }
    }

    pub(super) fn differences(&self, record: &Record, options: &[String]) -> Vec<String> {
        let mut differences = Vec::new();
        for (path, hash) in &record.sources {
            match self.hash(Path::new(path)) {
                Some(now) if now == *hash => {}
                Some(_) => differences.push(texts::changed(path)),
                None => differences.push(texts::gone(path)),
            }
        }
        let missing = |these: &[String], those: &[String]| -> Vec<String> {
            these.iter().filter(|line| !those.contains(line)).cloned().collect()
        };
        if record.options != options {
            let (then, now) = (missing(&record.options, options), missing(options, &record.options));
            differences.push(texts::other_settings(&then, &now));
        }
        differences
    }

    pub(super) fn is_fresh(&self, record: &Record, lines: &[String], decided: &[String], compiler: &Path) -> bool {
        let unchanged = |(path, then): (&String, &String)| self.state(path) == *then;
        record.outside.contains_key(&*compiler.to_string_lossy())
            && record.outside.iter().all(unchanged)
            && record.state == decided
            && self.differences(record, lines).is_empty()
    }

    /// Returns whether a file may be newer than the text that was compiled: it was written after `start`, or shortly
    /// before.
    pub(super) fn any_since(&self, files: &BTreeSet<PathBuf>, start: SystemTime) -> bool {
        /// The coarsest resolution of file times among common file systems.
        const COARSE: Duration = Duration::from_secs(2);
        let modified = |path| fs::metadata(self.root.join(path)).and_then(|found| found.modified());
        let own = files.iter().filter(|path| !path.starts_with(self.out));
        own.filter_map(|path| modified(path).ok()).any(|modified| modified + COARSE >= start)
    }

    /// The folder is in the package and does not contain cargo's output.
    pub(super) fn is_watchable(&self, folder: &Path) -> bool {
        let folder = self.root.join(folder);
        folder.is_dir() && folder.starts_with(self.root) && !self.out.starts_with(&folder)
    }

    /// Files that the build script writes are left out, because they would run it each time.
    pub(super) fn watched(&self, files: &BTreeSet<PathBuf>, headers: Option<&Headers>) -> BTreeSet<PathBuf> {
        let mut watched = files.clone();
        for header in headers.iter().flat_map(|headers| &headers.absent) {
            // If a watched file does not exist, cargo runs the script each time.
            let folder = header.ancestors().skip(1).find(|folder| self.root.join(folder).is_dir());
            watched.extend(folder.filter(|folder| self.is_watchable(folder)).map(named));
        }
        for folder in headers.iter().filter_map(|headers| headers.folders.as_ref()).flatten() {
            if self.is_watchable(folder) {
                watched.insert(named(folder));
            } else if self.root.join(folder).starts_with(self.root) {
                // The folder contains cargo's output, so its other entries are watched one by one.
                let entries = entries(&self.root.join(folder), is_shown).filter(|path| !self.out.starts_with(path));
                watched.extend(entries.map(|path| path.strip_prefix(self.root).unwrap_or(&path).to_owned()));
            }
        }
        watched.retain(|path| !path.starts_with(self.out));
        watched
    }
}

/// Returns a path in the form that cargo accepts: the package's own folder is an empty path, which becomes `.`.
fn named(path: &Path) -> PathBuf {
    if path.as_os_str().is_empty() { ".".into() } else { path.to_owned() }
}

fn is_shown(name: &str) -> bool {
    !name.starts_with('.')
}

/// Returns only a regular file: reading a pipe could block.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    read_file(path, usize::MAX).ok()?
}

/// Writes a file, unless it already has these bytes: the steps that depend on it compare its time.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if read(path).is_some_and(|old| old == bytes) {
        return Ok(());
    }
    write_file(path, bytes).map_err(|error| texts::cannot_write(path, &error))
}
