//! Tests that need a compiler or a demangler. Without it, they are reported as ignored.

mod foreign;
mod mangled;
mod ptxas;
#[path = "../image/spelling.rs"]
mod spelling;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::{
    env,
    ffi::{OsStr, OsString},
    process::{Command, ExitCode},
};

/// A test that needs a compiler or a demangler.
struct Compiled {
    test: &'static str,
    /// The compiler's name in `$PATH`.
    compiler: &'static str,
    /// The environment variable with an alternative path.
    variable: &'static str,
    run: fn(&OsStr),
}

const TESTS: [Compiled; 4] = [
    Compiled {
        test: "random_signatures_compiled_by_gxx_are_read_back",
        compiler: "g++",
        variable: "GXX",
        run: mangled::random_signatures_compiled_by_gxx_are_read_back,
    },
    Compiled {
        test: "random_kernels_compiled_by_nvcc_are_read_back",
        compiler: "nvcc",
        variable: "NVCC",
        run: mangled::random_kernels_compiled_by_nvcc_are_read_back,
    },
    Compiled {
        // Earlier ones make more mistakes of their own.
        test: "foreign_symbols_are_read_as_by_llvm_cxxfilt",
        compiler: "llvm-cxxfilt-19",
        variable: "LLVM_CXXFILT",
        run: foreign::foreign_symbols_are_read_as_by_llvm_cxxfilt,
    },
    Compiled {
        test: "ptxas_reads_the_same_parameters",
        compiler: "ptxas",
        variable: "PTXAS",
        run: ptxas::ptxas_reads_the_same_parameters,
    },
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trial = |wanted: Compiled| {
        let compiler = env::var_os(wanted.variable).unwrap_or_else(|| OsString::from(wanted.compiler));
        let missing = Command::new(&compiler).arg("--version").output().is_err();
        Trial::ignorable_test(wanted.test, move || -> Result<Completion, Failed> {
            if missing {
                let Compiled { compiler, variable, .. } = wanted;
                let why = format!("there is no {compiler}: it is looked for in $PATH, or where ${variable} says");
                return Ok(Completion::ignored_with(why));
            }
            (wanted.run)(&compiler);
            Ok(Completion::Completed)
        })
    };
    let trials = TESTS.into_iter().map(trial).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}
