//! The random echo kernels that NVIDIA's compiler has compiled:
//! `cargo run -p kernel-args-test-generator --bin echo_corpus`.

use crate::derived::ENTRIES;
use kernel_args_test_generator::{corpus, echo};
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The folder of the corpus: next to the suite in a bundle, or in cargo's target folder.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let exe = env::current_exe().ok()?;
    let folder = exe.parent()?;
    // The binary of a suite is in `target/PROFILE/deps`.
    [folder.join("echo-corpus"), folder.join("../../echo-corpus")]
        .into_iter()
        .find(|folder| folder.join(corpus::FILE).is_file())
}

/// The instruction if there is no corpus.
#[must_use]
pub fn missing() -> String {
    let command = corpus::command(ENTRIES.len());
    format!("the corpus does not exist: run `python3 ptx/toolchain.py nvrtc`, then `{command}`")
}

/// Whether the corpus contains the kernels of the derived structs.
///
/// # Errors
/// If it does not.
pub fn check(folder: &Path) -> Result<(), String> {
    let text = fs::read_to_string(folder.join(corpus::FILE)).map_err(|error| error.to_string())?;
    corpus::check(&text, echo::SEED, ENTRIES.len())
}

/// The number of the file that contains kernel `index`.
#[must_use]
pub fn file_of(index: usize) -> usize {
    index / corpus::BATCH
}

/// A PTX or cubin file of the corpus.
#[must_use]
pub fn path(folder: &Path, file: usize, kind: &str) -> PathBuf {
    folder.join(format!("echo_{file}.{kind}"))
}
