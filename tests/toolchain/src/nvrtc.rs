//! Runs NVRTC through `tests/toolchain/compile.py`.

use crate::root;
use kernel_args_test_generator::tools::{self as tools, PYTHON, Tool};
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
    thread,
};

/// NVRTC: the script that runs it.
pub const NVRTC: Tool = Tool::new("NVRTC", |_| probe().map(|_| script()));
/// CUDA's headers, which are installed with the pinned nvcc: their folder.
pub const HEADERS: Tool = Tool::new("CUDA's headers", |_| {
    let folder = probe()?.lines().nth(1).map(PathBuf::from);
    folder.ok_or_else(|| "CUDA's headers are not installed: run `python3 ptx/toolchain.py nvcc`".to_owned())
});

fn script() -> PathBuf {
    root().join("tests/toolchain/compile.py")
}

/// The output of `compile.py` about the toolchain, or the reason why it cannot be used here.
fn probe() -> Result<String, String> {
    static PROBE: OnceLock<Result<String, String>> = OnceLock::new();
    PROBE
        .get_or_init(|| {
            let output = Command::new(PYTHON.found()?)
                .arg(script())
                .args([".", "compute_75"])
                .stdin(Stdio::null())
                .output()
                .map_err(|error| format!("python3 cannot be started: {error}"))?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
            if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
        })
        .clone()
}

/// NVRTC's name and version.
///
/// # Panics
/// In a trial that has not declared [`NVRTC`].
#[must_use]
pub fn version() -> String {
    let _ = tools::path(NVRTC);
    probe().ok().and_then(|text| text.lines().next().map(str::to_owned)).unwrap_or_else(|| "NVRTC".to_owned())
}

/// Compiles sources for `targets`, in as many processes as there are processors.
///
/// # Errors
/// The compiler's output.
///
/// # Panics
/// In a trial that has not declared [`NVRTC`].
pub fn compile(folder: &Path, targets: &str, includes: &[PathBuf], sources: &[PathBuf]) -> Result<(), String> {
    compile_with(folder, targets, includes, &[], sources)
}

/// Like [`compile`], with NVRTC options.
///
/// # Errors
/// The compiler's output.
///
/// # Panics
/// As [`compile`].
pub fn compile_with(
    folder: &Path,
    targets: &str,
    includes: &[PathBuf],
    options: &[&str],
    sources: &[PathBuf],
) -> Result<(), String> {
    if !tools::has(NVRTC) {
        return NVRTC.found().map(drop);
    }
    let (script, python) = (script(), PYTHON.found()?);
    let processes = thread::available_parallelism().map_or(1, usize::from);
    let children: Vec<_> = (0..processes)
        .map(|first| sources.iter().skip(first).step_by(processes))
        .filter(|share| share.len() > 0)
        .map(|share| {
            let mut command = Command::new(&python);
            command.arg(&script).arg(folder).arg(targets).stdin(Stdio::null());
            for include in includes {
                command.arg("-I").arg(include);
            }
            for option in options {
                command.arg(format!("--option={option}"));
            }
            command
                .args(share)
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .map_err(|error| format!("python3 cannot be started: {error}"))
        })
        .collect::<Result<_, _>>()?;
    for child in children {
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
    }
    Ok(())
}
