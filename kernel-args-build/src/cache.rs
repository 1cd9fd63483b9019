//! Whether what was made before is still right.

use crate::{
    compiler::Dependencies,
    environment::Environment,
    includes,
    record::{Record, hash, stamp},
    run::Unit,
    texts,
};
use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

/// The files that images are made from, each read once.
pub(crate) struct Files<'a> {
    /// The folder of the package.
    root: &'a Path,
    /// `OUT_DIR`: what lies there is not of the package, although it may lie in its folder.
    out: &'a Path,
    /// Those that `nvcc` reads: `NVCC_CCBIN=clang`.
    variables: Vec<String>,
    hashes: Mutex<HashMap<PathBuf, Option<u64>>>,
}

/// The variables that change what `nvcc` does.
const NVCC: [&str; 3] = ["NVCC_APPEND_FLAGS", "NVCC_CCBIN", "NVCC_PREPEND_FLAGS"];

/// To whom a file belongs.
enum Owner {
    /// The package: its path from there, with `/`.
    Package(String),
    Other,
}

impl<'a> Files<'a> {
    pub(crate) fn new(root: &'a Path, out: &'a Path, environment: &Environment) -> Self {
        let variable = |name| {
            let value = environment.get(name)?;
            Some(format!("{name}={:?}", value.to_string_lossy()))
        };
        Self {
            root,
            out,
            variables: NVCC.into_iter().filter_map(variable).collect(),
            hashes: Mutex::default(),
        }
    }

    fn owner(&self, path: &Path) -> Owner {
        let inside = path.strip_prefix(self.root).unwrap_or(path);
        if path.starts_with(self.out) || inside.is_absolute() {
            return Owner::Other;
        }
        let parts = inside
            .components()
            .filter(|part| *part != std::path::Component::CurDir);
        let parts: Vec<_> = parts
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        Owner::Package(parts.join("/"))
    }

    fn hash(&self, path: &Path) -> Option<u64> {
        let mut hashes = self.hashes.lock().unwrap_or_else(PoisonError::into_inner);
        *hashes.entry(path.to_owned()).or_insert_with(|| {
            fs::read(self.root.join(path))
                .ok()
                .map(|bytes| hash(&bytes))
        })
    }

    /// The state of a file that is not of the package. What a build script writes into `OUT_DIR` has a new time in each run.
    fn state(&self, path: &str) -> String {
        let path = self.root.join(path);
        let state = if path.starts_with(self.out) {
            self.hash(&path).map(|hash| format!("{hash:016x}"))
        } else {
            stamp(&path)
        };
        state.unwrap_or_else(|| "-".into())
    }

    /// What decides beside files: the compiler's variables, and where the headers are that a source names, for one that appears
    /// takes the place of another one.
    fn decided(&self, unit: &Unit) -> Vec<String> {
        let folders = &unit.options.includes;
        let found = includes::dependencies(self.root, &unit.source.path, folders).files;
        let found: Vec<_> = found.iter().map(|path| path.to_string_lossy()).collect();
        let headers = format!("headers {:016x}", hash(found.join("\n").as_bytes()));
        self.variables.iter().cloned().chain([headers]).collect()
    }

    /// What an image was made from.
    pub(crate) fn describe(
        &self,
        record: &mut Record,
        unit: &Unit,
        dependencies: &Dependencies,
        compiler: &Path,
    ) {
        record.options.clone_from(&unit.lines);
        record.state = self.decided(unit);
        for path in dependencies
            .files
            .iter()
            .map(PathBuf::as_path)
            .chain([compiler])
        {
            match self.owner(path) {
                Owner::Package(name) if path != compiler => {
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

    /// How the files of the package differ from what a record says of them, and the settings.
    pub(crate) fn differences(&self, record: &Record, options: &[String]) -> Vec<String> {
        let mut differences = Vec::new();
        for (path, hash) in &record.sources {
            match self.hash(Path::new(path)) {
                Some(now) if now == *hash => {}
                Some(_) => differences.push(texts::changed(path)),
                None => differences.push(texts::gone(path)),
            }
        }
        let missing = |these: &[String], those: &[String]| -> Vec<String> {
            these
                .iter()
                .filter(|line| !those.contains(line))
                .cloned()
                .collect()
        };
        let then = missing(&record.options, options);
        let now = missing(options, &record.options);
        if record.options != options {
            differences.push(texts::other_settings(&then, &now));
        }
        differences
    }

    /// Whether what a record tells of was made by this compiler from the files as they are now.
    pub(crate) fn is_fresh(&self, record: &Record, unit: &Unit, compiler: &Path) -> bool {
        let unchanged = |(path, then): (&String, &String)| self.state(path) == *then;
        record.outside.contains_key(&*compiler.to_string_lossy())
            && record.outside.iter().all(unchanged)
            && record.state == self.decided(unit)
            && self.differences(record, &unit.lines).is_empty()
    }

    /// Whether a file was written after `start`, or so shortly before that its time does not tell: it may be newer than what was
    /// compiled.
    pub(crate) fn any_since(&self, dependencies: &Dependencies, start: SystemTime) -> bool {
        /// As coarse as the times of files are, on the file systems that there are.
        const COARSE: Duration = Duration::from_secs(2);
        let written = |path: &&PathBuf| path.starts_with(self.out);
        dependencies
            .files
            .iter()
            .filter(|path| !written(path))
            .any(|path| {
                let found = fs::metadata(self.root.join(path));
                let modified = found.and_then(|found| found.modified());
                modified.is_ok_and(|modified| modified + COARSE >= start)
            })
    }

    /// The files that cargo watches. What a build script itself writes is none of them: it would run again each time.
    pub(crate) fn watched<'d>(
        &self,
        dependencies: &'d Dependencies,
    ) -> impl Iterator<Item = &'d PathBuf> {
        let out = self.out;
        let all = dependencies.files.iter().chain(&dependencies.folders);
        all.filter(move |path| !path.starts_with(out))
    }
}

/// Writes a file, unless it has these bytes already: what depends on it goes by its time.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), crate::Error> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    fs::write(path, bytes).map_err(|error| crate::Error::new(texts::cannot_write(path, &error)))
}
