//! Shared code of the suites.

pub mod command_line;
pub mod driver;
pub mod echo_corpus;
pub mod exported;
pub mod nvrtc;
pub mod process;
pub mod saxpy;
pub mod suites;
pub mod tally;
pub mod values;
pub mod vectors;

// For the generated modules, which are also compiled in other crates.
extern crate self as kernel_args_tests;

pub use generated::{derived, parts};

use std::{env, path::PathBuf};

/// The folder of the repository, if cargo started this program. No path from compile time: programs also run on
/// machines without the sources.
#[must_use]
pub fn sources() -> Option<PathBuf> {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR")?);
    package.parent().map(PathBuf::from)
}

#[allow(
    missing_docs,
    missing_debug_implementations,
    non_camel_case_types,
    unreachable_pub,
    unused_imports,
    unused_variables,
    dead_code,
    clippy::pedantic,
    clippy::all
)]
mod generated {
    /// Random kernel signatures as `#[derive(KernelArgs)]` structs, with by-value structs and enums.
    ///
    /// They are the first [`echo::derived`](kernel_args_test_generator::echo::derived) echo kernels of the generator
    /// for [`echo::SEED`](kernel_args_test_generator::echo::SEED) at build time: number `i` here is kernel `i` there.
    /// The expected bytes are [`echo::expected`](kernel_args_test_generator::echo::expected) for the same seed.
    pub mod derived {
        include!(concat!(env!("OUT_DIR"), "/derived.rs"));
    }

    /// Structs that spread and flatten fields: [`parts::all`](kernel_args_test_generator::parts::all).
    pub mod parts {
        include!(concat!(env!("OUT_DIR"), "/parts.rs"));
    }
}
