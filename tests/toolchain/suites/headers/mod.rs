//! Headers for C++, checked with compilers.
//!
//! g++ and NVRTC compile the headers of random structs (from `tests/build.rs`) and of every device type. The headers'
//! assertions compare the C++ layout with the Rust layout. The kernels that the headers declare are compiled with debug
//! information, which is compared with the Rust structs: they must be equal. Modified headers must not compile. Headers
//! are also written from this debug information, and compiled.
//!
//! Without CUDA's headers (`python3 ptx/toolchain.py nvcc`) the compilers use stand-ins with the same types.

mod compilers;
mod example;
mod images;
mod mutants;
mod random;
mod round_trip;
mod stand_ins;
mod types;

use compilers::Gxx;
use kernel_args_test_generator::tools::{GXX, trial};
use kernel_args_toolchain_tests::nvrtc::{self, HEADERS, NVRTC};
use libtest_mimic::{Arguments, Failed, Trial};
use random::Written;
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = vec![
        trial("headers_of_random_structs_compile_with_gxx", &[GXX, HEADERS.optional()], random_gxx),
        with_nvrtc("headers_of_random_structs_come_back_from_debug_information", round_trip::random),
        with_nvrtc("headers_of_device_types_compile_with_nvrtc", types::by_nvrtc),
        trial(
            "the_example_compiles_and_other_kernels_do_not",
            &[NVRTC, GXX, HEADERS.optional()],
            || -> Result<(), String> {
                println!("{}", example::by_nvrtc()?);
                Ok(())
            },
        ),
        with_nvrtc("headers_of_images_compile_with_nvrtc", images::by_nvrtc),
        trial("changed_headers_do_not_compile", &[GXX, HEADERS.optional()], changed),
        trial("refused_structs_are_those_that_cpp_cannot_declare", &[], random::check_refused),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A trial that needs NVRTC, and prints its result.
fn with_nvrtc(name: &str, run: fn() -> Result<String, String>) -> Trial {
    trial(name, &[NVRTC, HEADERS.optional()], move || -> Result<(), String> {
        println!("{}: {}", nvrtc::version(), run()?);
        Ok(())
    })
}

fn random_gxx() -> Result<(), Failed> {
    let gxx = Gxx::new()?;
    let written = random::all();
    let mut count = 0;
    for Written { name, text, .. } in &written {
        // In the headers of CUDA 13, tensor maps are always aligned to 128 bytes.
        let is_of_cuda_12 = text.contains("alignas(64) CUtensorMap_st");
        match gxx.compile(name, text) {
            Ok(()) if is_of_cuda_12 => {
                return Err(format!("{name}: no assertion failed\n{text}").into());
            }
            Err(message) if !is_of_cuda_12 => {
                return Err(format!("{name}: {message}\n{text}").into());
            }
            _ => count += 1,
        }
    }
    println!("{count} of {} headers", written.len());
    Ok(())
}

fn changed() -> Result<(), Failed> {
    println!("{}", mutants::check(&Gxx::new()?)?);
    Ok(())
}
