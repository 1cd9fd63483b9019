//! The program `kernel-args`, for suites that run it on the driver of the suite.

use kernel_args_test_generator::tools::Tool;
use std::{env, path::PathBuf};

/// The program of the same build, which cargo places next to the folder of the tests, or `KERNEL_ARGS_PROGRAM`.
#[must_use]
pub fn program() -> Option<PathBuf> {
    let name = format!("kernel-args{}", env::consts::EXE_SUFFIX);
    let built = || Some(env::current_exe().ok()?.parent()?.parent()?.join(name));
    let path = env::var_os("KERNEL_ARGS_PROGRAM").map(PathBuf::from).or_else(built)?;
    path.is_file().then_some(path)
}

/// The same for trials.
pub const PROGRAM: Tool = Tool::new("kernel-args", |_| {
    program().ok_or_else(|| "there is no program `kernel-args`: cargo build -p kernel-args-cli".to_owned())
});
