//! Writes random echo kernels as a GPU suite needs them, on a machine that has neither a Rust nor a CUDA
//! compiler.
//!
//! ```text
//! cargo run -p kernel-args-test-generator --bin echo_corpus -- N SEED DIR [TARGET,...]
//! ```
//!
//! DIR gets `echo_K.cu` with 50 kernels each, what NVRTC makes of them for each TARGET (`compute_75` unless
//! told: `echo_K.ptx`; `sm_90` gives `echo_K.sm_90.cubin`), and `corpus.tsv`, a line for each kernel:
//!
//! | column | |
//! |---|---|
//! | 1 | the number of the kernel |
//! | 2 | its entry |
//! | 3 | the stem of its file: `echo_K` |
//! | 4 | 1 where a parameter is aligned above 16 bytes, so that packed offsets depend on the GPU, else 0 |
//! | 5 | the bytes of each parameter after `out` in hex, separated by commas: values of SEED, padding zero |
//!
//! The kernel must answer with the bytes of column 5, one after another. A raw launch passes a pointer to
//! each, after one to the address of `out`; or all of them at the offsets that `cuFuncGetParamInfo` tells.

use kernel_args_test_generator::{cpp, echo};
use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// Kernels of one source: a driver compiles each PTX on one thread.
const BATCH: usize = 50;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (count, seed) = match arguments.as_slice() {
        [count, seed, _] | [count, seed, _, _] => (count.parse(), seed.parse()),
        _ => {
            eprintln!("usage: echo_corpus N SEED DIR [TARGET,...]");
            return ExitCode::from(2);
        }
    };
    let (Ok(count), Ok(seed)) = (count, seed) else {
        eprintln!("echo_corpus: N and SEED are numbers");
        return ExitCode::from(2);
    };
    let targets = arguments.get(3).map_or("compute_75", String::as_str);
    match write(count, seed, Path::new(&arguments[2]), targets) {
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
    let mut table = String::new();
    let mut bytes = 0;
    for (batch, some) in kernels.chunks(BATCH).enumerate() {
        let stem = format!("echo_{batch}");
        let place = folder.join(format!("{stem}.cu"));
        fs::write(&place, cpp::source(some, false)).map_err(failed)?;
        sources.push(place);
        for (i, kernel) in some.iter().enumerate() {
            let index = batch * BATCH + i;
            let values = echo::expected(kernel, seed, index);
            bytes += values.iter().map(Vec::len).sum::<usize>();
            let values: Vec<String> = values.iter().map(|value| hex(value)).collect();
            let wide = u8::from(kernel.is_over_aligned());
            let _ = writeln!(
                table,
                "{index}\t{}\t{stem}\t{wide}\t{}",
                kernel.name,
                values.join(",")
            );
        }
    }
    fs::write(folder.join("corpus.tsv"), table).map_err(failed)?;
    compile(folder, targets, &sources)?;
    println!(
        "{count} echo kernels of seed {seed} for {targets}, {bytes} bytes of parameters, in {}",
        folder.display()
    );
    Ok(())
}

fn compile(folder: &Path, targets: &str, sources: &[PathBuf]) -> Result<(), String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../suites/oracle/compile.py");
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

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
