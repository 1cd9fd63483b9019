//! What the suites share that run a compiler.

pub mod golden;
pub mod nvrtc;
pub mod rustc;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The repository's root.
#[must_use]
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .map_or_else(PathBuf::new, Path::to_owned)
}

/// Cargo's target folder, in which this program lies: `target/debug/deps/oracle-0123`.
///
/// # Errors
/// Where it lies elsewhere.
pub fn target() -> Result<PathBuf, String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let target = program.ancestors().nth(3).map(Path::to_owned);
    target.ok_or_else(|| format!("{}: not in cargo's target folder", program.display()))
}

/// A folder of a suite's own in cargo's target folder.
///
/// # Errors
/// Where it cannot be made.
pub fn folder(name: &str) -> Result<PathBuf, String> {
    let folder = target()?.join("tmp").join(name);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// Reads a text file.
///
/// # Errors
/// With the file's name.
pub fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes a file, unless it has these bytes already: cargo goes by its time.
///
/// # Errors
/// With the file's name.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), String> {
    if fs::read(path).is_ok_and(|old| old == bytes.as_ref()) {
        return Ok(());
    }
    fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}
