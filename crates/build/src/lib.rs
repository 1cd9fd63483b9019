//! Compiles CUDA kernels in a build script and describes their parameters. `kernel_args::kernels!` then checks every
//! kernel against the names, types and members in its source.
//!
//! `build.rs`:
//!
//! ```no_run
//! fn main() -> Result<(), kernel_args_build::Error> {
//!     kernel_args_build::Kernels::new().file("src/saxpy.cu").generate().build()
//! }
//! ```
//!
//! `src/main.rs`, which then has a module `saxpy` with the image, its kernels, and a struct for the arguments of each
//! kernel:
//!
//! ```ignore
//! kernel_args::include_kernels!();
//! ```
//!
//! Each `.cu` file is compiled twice: into the image, and with debug information. Only the description of the
//! parameters is kept from the second result. See [`Kernels`] for the settings and the output.
//!
//! # The compiler
//!
//! Both NVIDIA compilers work: the program `nvcc`, which needs a C++ compiler for the host, and the library NVRTC,
//! which does not, but has no C and C++ headers. The crate uses the first of these places that has a compiler. If a
//! place has both, it uses `nvcc`:
//!
//! 1. [`Kernels::compiler`]
//! 2. the variable `NVCC`: the program
//! 3. the variables `CUDA_HOME`, `CUDA_PATH`, `CUDA_ROOT` and `CUDA_TOOLKIT_ROOT_DIR`: the folder of a toolkit
//! 4. `PATH`: `nvcc`
//! 5. the usual folders, such as `/usr/local/cuda` and `/opt/cuda`
//! 6. NVRTC, where the system searches for libraries
//!
//! [`Kernels::fallback`] and [`Kernels::optional`] are for machines without a compiler.
//!
//! # When the build script runs again
//!
//! Cargo runs the build script again when a source changes, a header that it includes, the compiler, a variable of the
//! list above, or a variable that `nvcc` reads; and when a header appears in a folder of the package that the compiler
//! searches. A change of `PATH` counts only if no compiler was found. Only the affected sources are compiled again.
//!
//! `nvcc` reports the headers that it reads. NVRTC does not, so this crate searches the sources for `#include`. If the
//! name in an `#include` or `__has_include` is a macro, cargo watches all include folders, and NVRTC compiles the
//! source each time the script runs.
//!
//! Cargo cannot watch a folder that contains its own output for new files. If `target` is in the package's folder, a
//! new header directly in that folder that hides an existing one is noticed the next time the script runs for another
//! reason.
#![deny(unsafe_code)]

mod build;
mod compiler;
mod constants;
mod directives;
mod environment;
mod error;
mod identifier;
mod jobserver;
mod kernels;
mod modules;
mod output;
mod parallel;
mod sources;
mod texts;

pub use error::Error;
pub use kernels::Kernels;
pub use output::{Cudart, Output};

/// Compiles the code of the package's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
