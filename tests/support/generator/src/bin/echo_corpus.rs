//! Writes random echo kernels for a GPU suite that runs on a machine without a Rust or CUDA compiler.
//!
//! ```text
//! cargo run -p kernel-args-test-generator --bin echo_corpus [-- N SEED DIR [TARGET,...]]
//! ```
//!
//! By default it makes the kernels of the suites' derived structs (with `KERNEL_ARGS_FULL=1` the full set), for
//! `compute_75,sm_90`, in `echo-corpus` of the cargo target folder, where the suite `scale` finds them.
//!
//! DIR gets `echo_K.cu` with 50 kernels each, NVRTC's output for each TARGET (`compute_75` by default: `echo_K.ptx`;
//! `sm_90` gives `echo_K.sm_90.cubin`), and `corpus.tsv`: a line with N and SEED, then one line per kernel:
//!
//! | column | |
//! |---|---|
//! | 1 | the number of the kernel |
//! | 2 | its entry |
//! | 3 | the stem of its file: `echo_K` |
//! | 4 | 1 if a parameter is aligned above 16 bytes, which makes packed offsets depend on the GPU, else 0 |
//! | 5 | the bytes of each parameter after `out` in hex, separated by commas: values of SEED, padding zero |
//!
//! The kernel must answer with the bytes of column 5, one after another. A raw launch passes a pointer to the address
//! of `out`, and then a pointer to each parameter; or a buffer with all of them at the offsets that
//! `cuFuncGetParamInfo` returns.

use kernel_args_test_generator::{corpus, cpp, echo};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let standard = || {
        // `target/debug/echo_corpus`
        let target = env::current_exe().ok()?.parent()?.parent()?.to_owned();
        Some((echo::derived(), echo::SEED, target.join("echo-corpus"), "compute_75,sm_90"))
    };
    let given = || {
        let [count, seed, folder, targets @ ..] = arguments.as_slice() else {
            return None;
        };
        let targets = match targets {
            [] => "compute_75",
            [targets] => targets,
            _ => return None,
        };
        Some((count.parse().ok()?, seed.parse().ok()?, PathBuf::from(folder), targets))
    };
    let chosen = if arguments.is_empty() { standard() } else { given() };
    let Some((count, seed, folder, targets)) = chosen else {
        eprintln!("usage: echo_corpus [N SEED DIR [TARGET,...]]");
        return ExitCode::from(2);
    };
    match write(count, seed, &folder, targets) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("echo_corpus: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(count: usize, seed: u64, folder: &Path, targets: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let kernels = echo::signatures(seed, count);
    let mut sources = Vec::new();
    for (batch, some) in kernels.chunks(corpus::BATCH).enumerate() {
        let place = folder.join(format!("echo_{batch}.cu"));
        fs::write(&place, cpp::source(some, false)).map_err(failed)?;
        sources.push(place);
    }
    fs::write(folder.join(corpus::FILE), corpus::table(seed, &kernels)).map_err(failed)?;
    compile(folder, targets, &sources)?;
    println!("{count} echo kernels of seed {seed} for {targets} in {}", folder.display());
    Ok(())
}

fn compile(folder: &Path, targets: &str, sources: &[PathBuf]) -> Result<(), String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../toolchain/compile.py");
    let processes = std::thread::available_parallelism().map_or(1, usize::from);
    let children: Vec<_> = (0..processes.min(sources.len()))
        .map(|first| {
            Command::new("python3")
                .arg(&script)
                .arg(folder)
                .arg(targets)
                .args(sources.iter().skip(first).step_by(processes))
                .spawn()
        })
        .collect();
    for child in children {
        let mut child = child.map_err(|error| format!("python3 cannot be started: {error}"))?;
        let status = child.wait().map_err(|error| error.to_string())?;
        if !status.success() {
            return Err(format!("the compiler ended with {status}"));
        }
    }
    Ok(())
}
