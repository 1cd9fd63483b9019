//! Compiles CUDA kernels in a build script, and describes their parameters, so that `kernel_args::kernels!` checks every kernel
//! by the names, types and members that stand in its source.
//!
//! `build.rs`:
//!
//! ```no_run
//! fn main() -> Result<(), kernel_args_build::Error> {
//!     kernel_args_build::Kernels::new().file("src/saxpy.cu").generate().build()
//! }
//! ```
//!
//! `src/main.rs`, which then has a module `saxpy` with the image, its kernels, and a struct for each kernel's arguments:
//!
//! ```ignore
//! kernel_args::include_kernels!();
//! ```
//!
//! Each `.cu` file is compiled twice: into the image, and with debug information, of which only the description of the parameters
//! is kept. See [`Kernels`] for the settings and for what is written.
//!
//! # The compiler
//!
//! Both of NVIDIA's compilers are used: the program `nvcc`, which needs a C++ compiler for the host, and the library NVRTC, which
//! needs none, but has no headers of C and C++ either. The first of these places that has one of them is taken; where a place has
//! both, `nvcc` is:
//!
//! 1. [`Kernels::compiler`]
//! 2. the variable `NVCC`: the program
//! 3. the variables `CUDA_HOME`, `CUDA_PATH`, `CUDA_ROOT` and `CUDA_TOOLKIT_ROOT_DIR`: the folder of a toolkit
//! 4. `PATH`: `nvcc`
//! 5. the usual folders, such as `/usr/local/cuda` and `/opt/cuda`
//! 6. NVRTC, where the system finds libraries
//!
//! [`Kernels::fallback`] is for machines without any.
//!
//! # When it runs again
//!
//! Cargo runs the build script again when a source changes, a header that it includes, the compiler, a variable of the list above
//! other than `PATH`, or a variable that `nvcc` reads; and when a header appears in a folder of the package where the compiler looks
//! for it. Only the sources that this concerns are compiled again.
//!
//! `nvcc` reports the headers that it reads. NVRTC does not: the sources are searched for `#include`. If a macro is the name behind
//! it, or in `__has_include`, everything in the folders where the compiler looks is watched, and NVRTC compiles the source each time
//! the script runs.
//!
//! A folder with cargo's output cannot be watched for new files: where `target` is in the package's folder, a header that appears
//! directly in that folder, and would be included instead of another one, is noticed when the script runs for another reason.
#![deny(unsafe_code)]

mod build;
mod compiler;
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
pub use output::Output;

/// The code of the package's README, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
