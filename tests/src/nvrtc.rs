//! NVRTC for suites that compile at run time.

use kernel_args_test_generator::tools::Tool;
use std::{
    env,
    path::PathBuf,
    process::{Command, ExitCode},
};

/// The variable with the library path.
const PATH: &str = if cfg!(windows) { "PATH" } else { "LD_LIBRARY_PATH" };
/// Set in the process that was started with NVRTC in its library path, and if NVRTC is not installed.
const LOOKED: &str = "KERNEL_ARGS_LOOKED_FOR_NVRTC";

/// The folder of the pinned NVRTC, if `ptx/toolchain.py` has downloaded it.
fn folder() -> Option<PathBuf> {
    let home = env::var_os("KERNEL_ARGS_TOOLCHAIN").map(PathBuf::from);
    let home = home.or_else(|| Some(crate::sources()?.join(".toolchain")));
    let folder = home?.join("nvrtc-13.0.88/nvidia/cu13").join(if cfg!(windows) { "bin/x86_64" } else { "lib" });
    folder.is_dir().then_some(folder)
}

/// Runs this program again with the pinned NVRTC at the end of the library path, and returns the exit code. Returns
/// `None` in the started process. Existing entries of the path have priority.
#[must_use]
pub fn reexec_with_nvrtc() -> Option<ExitCode> {
    if env::var_os(LOOKED).is_some() {
        return None;
    }
    let old = env::var_os(PATH).unwrap_or_default();
    let folders = env::split_paths(&old).filter(|folder| !folder.as_os_str().is_empty()).chain(folder());
    let path = env::join_paths(folders).ok()?;
    let program = env::current_exe().ok()?;
    let status = Command::new(program).args(env::args_os().skip(1)).env(PATH, path).env(LOOKED, "1").status().ok()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Some(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// NVRTC in the library path.
pub const NVRTC: Tool = Tool::new("libnvrtc", |name| {
    let found = kernel_args::context::versions().is_ok_and(|versions| versions.nvrtc.is_some());
    let why = "there is no NVRTC: `python3 ptx/toolchain.py nvrtc`, or add its folder to LD_LIBRARY_PATH";
    if found { Ok(name.into()) } else { Err(why.to_owned()) }
});
