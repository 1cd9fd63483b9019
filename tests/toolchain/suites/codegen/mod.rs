//! Structs that are generated from kernels match these kernels: each is compiled, compared with its kernel at compile time, and
//! compared again with all debug information.
//!
//! The kernels are random signatures (`tests/generator`), `kernels.cu` with common C++ parameters, `rare.cu` with rare ones,
//! and `headers.cu` with types from CUDA's headers, compiled by NVRTC with and without debug information; and the images of
//! this repository.
//!
//! | variable | meaning | default | with `KERNEL_ARGS_FULL=1` |
//! |---|---|---|---|
//! | `KERNEL_ARGS_CODEGEN_SIGNATURES` | the number of signatures | 100 | 1000 |
//! | `KERNEL_ARGS_CODEGEN_SEED` | the seed of the signatures | 1 | 1 |

mod structs;

use kernel_args_test_generator::{Shape, cpp, signatures, size};
use kernel_args_toolchain_tests::{folder, nvrtc, root};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = vec![
        Trial::ignorable_test("structs_of_random_kernels_fit_them", random_kernels),
        Trial::ignorable_test("structs_of_cpp_kernels_fit_them", cpp_kernels),
        Trial::test("structs_of_committed_images_fit_them", committed_images),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn number(variable: &str, default: usize) -> usize {
    let text = env::var(variable).ok();
    text.map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{variable}={text} is not a number"))
    })
}

/// Kernels of one source.
const BATCH: usize = 50;

fn random_kernels() -> Result<Completion, Failed> {
    if let Err(why) = nvrtc::version() {
        return Ok(Completion::ignored_with(why));
    }
    let count = number("KERNEL_ARGS_CODEGEN_SIGNATURES", size::choose(100, 1000));
    let seed = number("KERNEL_ARGS_CODEGEN_SEED", 1) as u64;
    let folder = folder("codegen/random")?;
    let mut images = Vec::new();
    for (i, batch) in signatures(seed, Shape::Plain, count)
        .chunks(BATCH)
        .enumerate()
    {
        let source = folder.join(format!("batch_{i}.cu"));
        fs::write(&source, cpp::source(batch, false))?;
        images.push(ptx(&folder, &source, &WITH_DEBUG_INFO)?);
        // Without names and members, kernels are very similar: one batch is enough.
        if i == 0 {
            images.push(ptx(&folder, &source, &OPTIMISED)?);
        }
    }
    structs::fit("codegen_random", &images)?;
    Ok(Completion::Completed)
}

fn cpp_kernels() -> Result<Completion, Failed> {
    if let Err(why) = nvrtc::version() {
        return Ok(Completion::ignored_with(why));
    }
    let folder = folder("codegen/cpp")?;
    let suite = root().join("tests/toolchain/suites/codegen");
    let mut images = compile(&folder, &suite.join("kernels.cu"), &[])?;
    let rare = suite.join("rare.cu");
    images.extend(compile_one(&folder, &rare, &[], &WITH_DEBUG_INFO)?);
    // CUDA's headers are installed with nvcc.
    if let Ok(headers) = nvrtc::headers() {
        images.extend(compile(&folder, &suite.join("headers.cu"), &[headers])?);
    } else {
        println!("CUDA's headers are not installed: their types are left out");
    }
    structs::fit("codegen_cpp", &images)?;
    Ok(Completion::Completed)
}

/// A name of a folder, and the options of NVRTC for the images in it.
type Build = (&'static str, &'static [&'static str]);

const WITH_DEBUG_INFO: Build = ("debug", &["--device-debug"]);

const OPTIMISED: Build = ("optimised", &[]);

/// PTX and cubins of a source, with and without debug information.
fn compile(folder: &Path, source: &Path, includes: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut images = compile_one(folder, source, includes, &WITH_DEBUG_INFO)?;
    images.extend(compile_one(folder, source, includes, &OPTIMISED)?);
    Ok(images)
}

/// PTX and a cubin of a source.
fn compile_one(
    folder: &Path,
    source: &Path,
    includes: &[PathBuf],
    build: &Build,
) -> Result<Vec<PathBuf>, String> {
    let stem = compile_for(folder, source, includes, build, "compute_75,sm_90")?;
    Ok(["ptx", "sm_90.cubin"]
        .map(|kind| stem.with_extension(kind))
        .into())
}

fn ptx(folder: &Path, source: &Path, build: &Build) -> Result<PathBuf, String> {
    let stem = compile_for(folder, source, &[], build, "compute_75")?;
    Ok(stem.with_extension("ptx"))
}

/// The path of the images of a source, without their extensions.
fn compile_for(
    folder: &Path,
    source: &Path,
    includes: &[PathBuf],
    (name, options): &Build,
    targets: &str,
) -> Result<PathBuf, String> {
    let folder = folder.join(name);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let sources = [source.to_owned()];
    nvrtc::compile_with(&folder, targets, includes, options, &sources)?;
    Ok(folder.join(source.file_stem().unwrap_or_default()))
}

fn committed_images() -> Result<(), Failed> {
    let mut images = Vec::new();
    for place in ["kernel-args-image/tests/data", "ptx", "tests/golden"] {
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
    structs::fit("codegen_committed", &images)?;
    Ok(())
}
