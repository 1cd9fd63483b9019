//! The suites that run compilers. Each has its own `main`.

mod bodies;
mod codegen;
mod compile_fail;
mod headers;
mod launchers;
mod mutants;
mod oracle;
mod packages;
mod pointees;
mod puns;
mod sanitizers;

use std::process::ExitCode;

fn main() -> ExitCode {
    kernel_args_tests::suites::main(&[
        // First, because it mostly waits for cargo: the other suites run at the same time.
        ("packages", packages::main),
        ("bodies", bodies::main),
        ("codegen", codegen::main),
        ("compile_fail", compile_fail::main),
        ("headers", headers::main),
        ("launchers", launchers::main),
        ("mutants", mutants::main),
        ("oracle", oracle::main),
        ("pointees", pointees::main),
        ("puns", puns::main),
        ("sanitizers", sanitizers::main),
    ])
}
