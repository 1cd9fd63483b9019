//! Runs NVRTC through `tests/toolchain/compile.py`.

use crate::root;
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
    thread,
};

fn command(folder: &Path, targets: &str) -> Command {
    let mut command = Command::new("python3");
    command.arg(root().join("tests/toolchain/compile.py")).arg(folder).arg(targets).stdin(Stdio::null());
    command
}

/// The output of `compile.py` about the toolchain, or the reason why it cannot be used here.
fn probe() -> Result<String, String> {
    static PROBE: OnceLock<Result<String, String>> = OnceLock::new();
    PROBE
        .get_or_init(|| {
            let output = command(Path::new("."), "compute_75")
                .output()
                .map_err(|error| format!("python3 cannot be started: {error}"))?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
            if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
        })
        .clone()
}

/// NVRTC's name and version, or the reason why it cannot be used here.
///
/// # Errors
/// If it is not installed: the command that installs it.
pub fn version() -> Result<String, String> {
    Ok(probe()?.lines().next().unwrap_or("NVRTC").to_owned())
}

/// The folder of the CUDA headers, which are installed with the pinned nvcc.
///
/// # Errors
/// If they are not installed: the command that installs them.
pub fn headers() -> Result<PathBuf, String> {
    let folder = probe()?.lines().nth(1).map(PathBuf::from);
    folder.ok_or_else(|| "CUDA's headers are not installed: run `python3 ptx/toolchain.py nvcc`".to_owned())
}

/// Compiles sources for `targets`, in as many processes as there are processors.
///
/// # Errors
/// The compiler's output.
pub fn compile(folder: &Path, targets: &str, includes: &[PathBuf], sources: &[PathBuf]) -> Result<(), String> {
    compile_with(folder, targets, includes, &[], sources)
}

/// Like [`compile`], with NVRTC options.
///
/// # Errors
/// The compiler's output.
pub fn compile_with(
    folder: &Path,
    targets: &str,
    includes: &[PathBuf],
    options: &[&str],
    sources: &[PathBuf],
) -> Result<(), String> {
    let processes = thread::available_parallelism().map_or(1, usize::from);
    let children: Vec<_> = (0..processes)
        .map(|first| sources.iter().skip(first).step_by(processes))
        .filter(|share| share.len() > 0)
        .map(|share| {
            let mut command = command(folder, targets);
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
