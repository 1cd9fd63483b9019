//! Headers for C++, checked with compilers.
//!
//! g++ and NVRTC compile the headers of random structs (from `tests/build.rs`) and of every device type. The headers'
//! assertions compare the C++ layout with the Rust layout. The kernels that the headers declare are compiled with debug
//! information, which is compared with the Rust structs: they must be equal. Modified headers must not compile. Headers are
//! also written from this debug information, and compiled.
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
use kernel_args_toolchain_tests::nvrtc;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use random::Written;
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = vec![
        Trial::ignorable_test("headers_of_random_structs_compile_with_gxx", random_gxx),
        Trial::ignorable_test("headers_of_random_structs_come_back_from_debug_information", || {
            with_nvrtc(round_trip::random)
        }),
        Trial::ignorable_test("headers_of_device_types_compile_with_nvrtc", || with_nvrtc(types::by_nvrtc)),
        Trial::ignorable_test("the_example_compiles_and_other_kernels_do_not", || with_nvrtc(example::by_nvrtc)),
        Trial::ignorable_test("headers_of_images_compile_with_nvrtc", || with_nvrtc(images::by_nvrtc)),
        Trial::ignorable_test("changed_headers_do_not_compile", changed),
        Trial::test("refused_structs_are_those_that_cpp_cannot_declare", || Ok(random::check_refused()?)),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Runs a trial that needs NVRTC, and prints its result.
fn with_nvrtc(trial: fn() -> Result<String, String>) -> Result<Completion, Failed> {
    match nvrtc::version() {
        Ok(version) => println!("{version}: {}", trial()?),
        Err(why) => return Ok(Completion::ignored_with(why)),
    }
    Ok(Completion::Completed)
}

fn random_gxx() -> Result<Completion, Failed> {
    let gxx = match Gxx::new() {
        Ok(gxx) => gxx,
        Err(why) => return Ok(Completion::ignored_with(why)),
    };
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
    Ok(Completion::Completed)
}

fn changed() -> Result<Completion, Failed> {
    match Gxx::new() {
        Ok(gxx) => println!("{}", mutants::check(&gxx)?),
        Err(why) => return Ok(Completion::ignored_with(why)),
    }
    Ok(Completion::Completed)
}
