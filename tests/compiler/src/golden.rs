//! The committed answers of NVIDIA's compiler in `tests/golden`.

use crate::{read, root};
use std::{fs, path::PathBuf};

/// The command that writes every golden file of the repository again.
pub const COMMAND: &str = "KERNEL_ARGS_BLESS=1 cargo test --workspace";

/// Where a golden file is.
#[must_use]
pub fn place(name: &str) -> PathBuf {
    root().join("tests/golden").join(name)
}

/// Whether the golden files are to be written.
#[must_use]
pub fn bless() -> bool {
    std::env::var_os("KERNEL_ARGS_BLESS").is_some()
}

/// Writes a golden file where `KERNEL_ARGS_BLESS` is set, else compares it with `text`.
///
/// # Errors
/// With the first line that differs, and the command.
pub fn check(name: &str, text: &str) -> Result<(), String> {
    let place = place(name);
    if bless() {
        return fs::write(&place, text).map_err(|error| format!("{}: {error}", place.display()));
    }
    let old = read(&place)?;
    if old == text {
        return Ok(());
    }
    let differs = old.lines().zip(text.lines()).find(|(old, new)| old != new);
    Err(format!(
        "{} is not what the compiler says now; {}. Run `{COMMAND}`",
        place.display(),
        differs.map_or("a line more or less".to_owned(), |(old, new)| format!(
            "first\n  {old}\nnow\n  {new}\n"
        ))
    ))
}
