//! Structs that are generated from kernels match these kernels: each is compiled, compared with its kernel at compile
//! time, and compared again with all debug information.
//!
//! The kernels are random signatures (`tests/support/generator`), `kernels.cu` with common C++ parameters, `rare.cu`
//! with rare ones, and `headers.cu` with types from CUDA's headers, compiled by NVRTC with and without debug
//! information; and the images of this repository, of which a third is the default.
//!
//! | variable | meaning | default | with `KERNEL_ARGS_FULL=1` |
//! |---|---|---|---|
//! | `KERNEL_ARGS_CODEGEN_SIGNATURES` | the number of signatures | 100 | 1000 |
//! | `KERNEL_ARGS_CODEGEN_SEED` | the seed of the signatures | 1 | 1 |

mod structs;

use kernel_args_test_generator::tools::{self as tools, trial};
use kernel_args_test_generator::{Shape, cpp, signatures, size};
use kernel_args_toolchain_tests::{
    folder,
    nvrtc::{self, HEADERS, NVRTC},
    root,
};
use libtest_mimic::{Arguments, Failed};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = vec![
        trial("structs_of_random_kernels_fit_them", &[NVRTC], random_kernels),
        trial("structs_of_cpp_kernels_fit_them", &[NVRTC, HEADERS.optional()], cpp_kernels),
        trial("structs_of_committed_images_fit_them", &[], committed_images),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn number(variable: &str, default: usize) -> usize {
    let text = env::var(variable).ok();
    text.map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}

/// Kernels of one source.
const BATCH: usize = 50;

fn random_kernels() -> Result<(), Failed> {
    let count = number("KERNEL_ARGS_CODEGEN_SIGNATURES", size::choose(100, 1000));
    let seed = number("KERNEL_ARGS_CODEGEN_SEED", 1) as u64;
    let folder = folder("codegen/random")?;
    let mut images = Vec::new();
    for (i, batch) in signatures(seed, Shape::Plain, count).chunks(BATCH).enumerate() {
        let source = folder.join(format!("batch_{i}.cu"));
        fs::write(&source, cpp::source(batch, false))?;
        let mut compiled = compile(&folder, &source, &[])?;
        // Without names and members, kernels are very similar: one batch is enough.
        compiled.retain(|image| image.extension().is_some_and(|extension| extension == "ptx"));
        compiled.truncate(if i == 0 { 2 } else { 1 });
        images.extend(compiled);
    }
    structs::fit("codegen_random", &images)?;
    Ok(())
}

fn cpp_kernels() -> Result<(), Failed> {
    let folder = folder("codegen/cpp")?;
    let suite = root().join("tests/toolchain/suites/codegen");
    let mut images = compile(&folder, &suite.join("kernels.cu"), &[])?;
    let rare = compile(&folder, &suite.join("rare.cu"), &[])?;
    images.extend(rare.into_iter().filter(|image| has_debug_info(image)));
    // CUDA's headers are installed with nvcc.
    if tools::has(HEADERS) {
        images.extend(compile(&folder, &suite.join("headers.cu"), &[tools::path(HEADERS)])?);
    } else {
        println!("CUDA's headers are not installed: their types are left out");
    }
    structs::fit("codegen_cpp", &images)?;
    Ok(())
}

/// Whether an image has debug information.
fn has_debug_info(image: &Path) -> bool {
    image.components().any(|part| part.as_os_str() == DEBUG)
}

/// The folder of images with debug information.
const DEBUG: &str = "debug";

/// PTX and cubins of a source, with and without debug information.
fn compile(folder: &Path, source: &Path, includes: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let stem = source.file_stem().unwrap_or_default().to_string_lossy();
    let mut images = Vec::new();
    for (kind, options) in [(DEBUG, &["--device-debug"][..]), ("optimised", &[])] {
        let folder = folder.join(kind);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let sources = [source.to_owned()];
        nvrtc::compile_with(&folder, "compute_75,sm_90", includes, options, &sources)?;
        images.push(folder.join(format!("{stem}.ptx")));
        images.push(folder.join(format!("{stem}.sm_90.cubin")));
    }
    Ok(images)
}

fn committed_images() -> Result<(), Failed> {
    let mut images = Vec::new();
    for place in ["crates/image/tests/data", "ptx", "tests/golden"] {
        for entry in fs::read_dir(root().join(place))? {
            let path = entry?.path();
            let is_image = |extension| extension == "ptx" || extension == "cubin";
            // Thousands of similar kernels.
            let is_large = fs::metadata(&path)?.len() > 2 << 20;
            if path.extension().is_some_and(is_image) && !is_large {
                images.push(path);
            }
        }
    }
    images.sort();
    // Some of each kind and folder.
    let images: Vec<_> = images.into_iter().step_by(size::choose(3, 1)).collect();
    structs::fit("codegen_committed", &images)?;
    Ok(())
}
