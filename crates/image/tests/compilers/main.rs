//! Tests that need a compiler or a demangler. Without it, they are reported as ignored.

#[cfg(feature = "header")]
#[allow(dead_code, reason = "the suite of headers uses the rest")]
#[path = "../header/evil.rs"]
mod evil;
mod foreign;
#[cfg(feature = "generate")]
mod formatted;
mod mangled;
#[cfg(feature = "generate")]
#[allow(dead_code, reason = "the suite of generated texts uses the rest")]
#[path = "../generate/model.rs"]
mod model;
#[cfg(feature = "header")]
#[allow(dead_code, reason = "the suite of headers uses the rest")]
#[path = "../header/parameters.rs"]
mod parameters;
mod ptxas;
#[path = "../image/spelling.rs"]
mod spelling;
#[cfg(feature = "generate")]
#[path = "../generate/texts.rs"]
mod texts;

use kernel_args_test_generator::tools::{GXX, Tool, trial};
use libtest_mimic::Arguments;
use std::process::ExitCode;

pub(crate) const NVCC: Tool = Tool::program("nvcc");
/// Earlier ones make more mistakes of their own.
pub(crate) const CXXFILT: Tool = Tool::program("llvm-cxxfilt-19");
pub(crate) const PTXAS: Tool = Tool::program("ptxas");

fn main() -> ExitCode {
    let mut trials = vec![
        trial(
            "random_signatures_compiled_by_gxx_are_read_back",
            &[GXX],
            mangled::random_signatures_compiled_by_gxx_are_read_back,
        ),
        trial(
            "random_kernels_compiled_by_nvcc_are_read_back",
            &[NVCC],
            mangled::random_kernels_compiled_by_nvcc_are_read_back,
        ),
        trial(
            "foreign_symbols_are_read_as_by_llvm_cxxfilt",
            &[CXXFILT],
            foreign::foreign_symbols_are_read_as_by_llvm_cxxfilt,
        ),
        trial("ptxas_reads_the_same_parameters", &[PTXAS], ptxas::ptxas_reads_the_same_parameters),
    ];
    #[cfg(feature = "header")]
    trials.push(trial("a_compiler_reads_the_same_code_for_any_name", &[GXX], evil::a_compiler_reads_the_same_code));
    #[cfg(feature = "generate")]
    trials.push(trial("rustfmt_leaves_the_text_as_it_is", &[formatted::RUSTFMT], formatted::rustfmt_leaves_the_text));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
