//! Asks NVRTC, through `compile.py`.

use crate::{
    answer::{Answer, SMS},
    read_cubin::Cubin,
    read_ptx,
};
use kernel_args_test_generator::{Signature, cpp};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
    thread,
};

/// How many kernels go in one source.
const BATCH: usize = 64;

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the member lies in the workspace")
        .to_owned()
}

/// A folder for the oracle's own files, in cargo's target folder.
pub(crate) fn folder(name: &str) -> Result<PathBuf, String> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("oracle")
        .join(name);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

fn command(folder: &Path, targets: &str) -> Command {
    let mut command = Command::new("python3");
    command
        .arg(root().join("tests/suites/oracle/compile.py"))
        .arg(folder)
        .arg(targets)
        .stdin(Stdio::null());
    command
}

/// What `compile.py` says of itself, or why it cannot be used here.
fn probe() -> Result<String, String> {
    static PROBE: OnceLock<Result<String, String>> = OnceLock::new();
    PROBE
        .get_or_init(|| {
            let output = command(Path::new("."), "compute_75")
                .output()
                .map_err(|error| format!("python3 cannot be started: {error}"))?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
            if output.status.success() {
                Ok(text(&output.stdout))
            } else {
                Err(text(&output.stderr))
            }
        })
        .clone()
}

/// NVRTC's name and version, or why it cannot be used here.
pub(crate) fn version() -> Result<String, String> {
    Ok(probe()?.lines().next().unwrap_or("NVRTC").to_owned())
}

/// The folder of CUDA's headers, which come with the pinned nvcc.
pub(crate) fn headers() -> Result<PathBuf, String> {
    let folder = probe()?.lines().nth(1).map(PathBuf::from);
    folder.ok_or_else(|| {
        "CUDA's headers are not installed: run `python3 ptx/toolchain.py nvcc`".to_owned()
    })
}

/// Compiles sources for `targets`, in as many processes as there are processors.
pub(crate) fn compile(
    folder: &Path,
    targets: &str,
    includes: &[PathBuf],
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
            command
                .args(share)
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .map_err(|error| format!("python3 cannot be started: {error}"))
        })
        .collect::<Result<_, _>>()?;
    for child in children {
        let output = child
            .wait_with_output()
            .map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
    }
    Ok(())
}

/// What NVRTC says of each signature. Their names must differ.
pub(crate) fn answers(name: &str, signatures: &[Signature]) -> Result<Vec<Answer>, String> {
    let folder = folder(name)?;
    let mut sources = Vec::new();
    for (i, batch) in signatures.chunks(BATCH).enumerate() {
        let place = folder.join(format!("batch_{i}.cu"));
        fs::write(&place, cpp::source(batch, true)).map_err(|error| error.to_string())?;
        sources.push(place);
    }
    let targets: Vec<String> = SMS.iter().map(|sm| format!("sm_{sm}")).collect();
    let targets = format!("compute_75,{}", targets.join(","));
    compile(&folder, &targets, &[], &sources)?;

    let mut answers = Vec::new();
    for (i, batch) in signatures.chunks(BATCH).enumerate() {
        let ptx = fs::read_to_string(folder.join(format!("batch_{i}.ptx")))
            .map_err(|error| error.to_string())?;
        let images = SMS
            .iter()
            .map(|sm| {
                let image = fs::read(folder.join(format!("batch_{i}.sm_{sm}.cubin")));
                Ok((*sm, image.map_err(|error| error.to_string())?))
            })
            .collect::<Result<Vec<_>, String>>()?;
        let cubins = images
            .iter()
            .map(|(sm, image)| Ok((*sm, Cubin::parse(image)?)))
            .collect::<Result<Vec<_>, String>>()?;
        for signature in batch {
            let name = &signature.name;
            let missing = |what: &str| format!("{name}: {what} cannot be read");
            let records = cubins
                .iter()
                .map(|(sm, cubin)| {
                    let records = cubin.records(name);
                    Ok((
                        *sm,
                        records.ok_or_else(|| missing(&format!("the cubin of sm_{sm}")))?,
                    ))
                })
                .collect::<Result<_, String>>()?;
            answers.push(Answer {
                facts: read_ptx::numbers(&ptx, &format!("facts_{name}"))
                    .ok_or_else(|| missing("its facts"))?,
                declared: read_ptx::parameters(&ptx, name).ok_or_else(|| missing("its PTX"))?,
                records,
            });
        }
    }
    Ok(answers)
}
