//! Runs a command on the test driver: `kernel-args-test-driver cargo test`.

use std::process::ExitCode;

// `const LIBRARY`: the library, or `None` if it is next to the program.
include!(concat!(env!("OUT_DIR"), "/library.rs"));

const USAGE: &str = "\
Runs a command with a replacement of libcuda, for machines without a GPU. It executes kernels in PTX.

Usage: kernel-args-test-driver COMMAND [ARGUMENTS]

  kernel-args-test-driver cargo test
  kernel-args-test-driver cargo run --example saxpy

These variables change the simulated machine:
";

const MORE: &str = "
What it simulates, and what it does not: https://docs.rs/kernel-args-test-driver
";

/// What happens when a kernel is launched that the driver does not execute.
#[cfg(any(target_os = "linux", windows))]
const NOT_EXECUTED: &str = "KERNEL_ARGS_TEST_DRIVER_NOT_EXECUTED";

#[cfg(any(target_os = "linux", windows))]
fn usage() -> String {
    format!("{USAGE}{}{MORE}", kernel_args_test_driver::variables())
}

#[cfg(any(target_os = "linux", windows))]
fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let Some(program) = words.next() else {
        eprint!("{}", usage());
        return ExitCode::from(2);
    };
    if program == "-h" || program == "--help" {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    }
    if program == "-V" || program == "--version" {
        println!("kernel-args-test-driver {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    match run(program.as_ref(), words) {
        Ok(code) => ExitCode::from(code),
        Err((code, why)) => {
            eprintln!("error: {why}");
            ExitCode::from(code)
        }
    }
}

/// Runs the command. Returns its exit code, or 128 plus the number of the signal that ended it.
#[cfg(any(target_os = "linux", windows))]
fn run(program: &std::path::Path, arguments: impl Iterator<Item = std::ffi::OsString>) -> Result<u8, (u8, String)> {
    use kernel_args_test_driver::{Session, Settings};

    let settings = Settings::new();
    let session = match LIBRARY {
        Some(library) => Session::of_library(library, &settings),
        None => Session::start(&settings),
    };
    let session = session.map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidInput => (2, error.to_string()),
        _ => (127, format!("no test driver: {error}")),
    })?;
    let mut command = session.outer_command(program);
    if std::env::var_os(NOT_EXECUTED).is_none() {
        command.env(NOT_EXECUTED, "say");
    }
    let status = command
        .args(arguments)
        .status()
        .map_err(|error| (127, format!("`{}` cannot be started: {error}", program.display())))?;
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status).map(|signal| 128 + signal);
    #[cfg(not(unix))]
    let signal = None;
    let code = status.code().or(signal).unwrap_or(1);
    Ok(u8::try_from(code).unwrap_or(1))
}

#[cfg(not(any(target_os = "linux", windows)))]
fn main() -> ExitCode {
    eprint!("{USAGE}{MORE}\nerror: it runs on Linux and Windows only\n");
    let _: Option<&[u8]> = LIBRARY;
    ExitCode::FAILURE
}
