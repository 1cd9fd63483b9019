//! Shared code of the suites that run a compiler.

pub mod golden;
pub mod hints;
pub mod nvrtc;
pub mod rustc;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The repository's root.
#[must_use]
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map_or_else(PathBuf::new, Path::to_owned)
}

/// Cargo's target folder, which contains this program: `target/debug/deps/oracle-0123`.
///
/// # Errors
/// If the program is in a different folder.
pub fn target() -> Result<PathBuf, String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let target = program.ancestors().nth(3).map(Path::to_owned);
    target.ok_or_else(|| format!("{}: not in cargo's target folder", program.display()))
}

/// A suite's own folder in cargo's target folder.
///
/// # Errors
/// If it cannot be created.
pub fn folder(name: &str) -> Result<PathBuf, String> {
    let folder = target()?.join("tmp").join(name);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// Reads a text file.
///
/// # Errors
/// The name of the file.
pub fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes a file, unless it already has these bytes, because cargo compares its time.
///
/// # Errors
/// The name of the file.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), String> {
    if fs::read(path).is_ok_and(|old| old == bytes.as_ref()) {
        return Ok(());
    }
    fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}
