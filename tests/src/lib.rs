//! What the suites share.

pub mod driver;
pub mod echo_corpus;
pub mod exported;
pub mod nvrtc;
pub mod process;
pub mod suites;
pub mod tally;

/// Random kernel signatures as `#[derive(KernelArgs)]` structs, by-value structs and enums included.
///
/// They are the generator's first [`echo::derived`](kernel_args_test_generator::echo::derived) echo kernels of
/// [`echo::SEED`](kernel_args_test_generator::echo::SEED) at the time of the build: number `i` here is kernel `i`
/// there. The bytes that a kernel must see are [`echo::expected`](kernel_args_test_generator::echo::expected) of the
/// same seed.
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
pub mod derived {
    include!(concat!(env!("OUT_DIR"), "/derived.rs"));
}
