//! The committed output of the NVIDIA compiler in `tests/golden`.

use crate::{read, root, write};
use std::path::{Path, PathBuf};

/// The command that writes every golden file of the repository.
pub const COMMAND: &str = "KERNEL_ARGS_BLESS=1 cargo test --workspace";

/// The path of a golden file.
#[must_use]
pub fn place(name: &str) -> PathBuf {
    root().join("tests/golden").join(name)
}

/// Whether the golden files are written.
#[must_use]
pub fn bless() -> bool {
    std::env::var_os("KERNEL_ARGS_BLESS").is_some()
}

/// Writes a golden file of `tests/golden` if `KERNEL_ARGS_BLESS` is set, else compares it with `text`.
///
/// # Errors
/// The error of [`compare`].
pub fn check(name: &str, text: &str) -> Result<(), String> {
    compare(&place(name), text)
}

/// Writes a golden file if `KERNEL_ARGS_BLESS` is set, else compares it with `text`.
///
/// # Errors
/// The lines that differ, and the command.
pub fn compare(place: &Path, text: &str) -> Result<(), String> {
    if bless() {
        return write(place, text);
    }
    let old = read(place)?;
    if old == text {
        return Ok(());
    }
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), text.lines().collect());
    let equal = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(old, new)| old == new).count();
    let start = equal(&mut old.iter().zip(&new));
    let end = equal(&mut old[start..].iter().rev().zip(new[start..].iter().rev()));
    let lines = |sign: &str, lines: &[&str]| {
        let lines = lines[start..lines.len() - end].iter().take(40);
        lines.fold(String::new(), |text, line| format!("{text}{sign} {line}\n"))
    };
    Err(format!(
        "{}:{} is not what the compiler says now. Run `{COMMAND}`\n{}{}",
        place.display(),
        start + 1,
        lines("-", &old),
        lines("+", &new)
    ))
}
