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
//! Cargo runs the build script again when a source changes, or a header that was included, the compiler, or a variable of the list
//! above other than `PATH`, or one that `nvcc` reads; and when a header appears in a folder of the package that
//! [`Kernels::include`] names. Only the sources are compiled again that this concerns.
//!
//! With `nvcc` the headers are those that it reports. NVRTC reports none: the sources are searched for `#include`. Where the name
//! behind it is a macro, whole folders are watched.
#![deny(unsafe_code)]

mod arch;
mod cache;
mod compile;
mod compiler;
mod directives;
mod environment;
mod error;
mod fallback;
mod find;
mod includes;
mod jobserver;
mod kernels;
mod modules;
mod nvcc;
mod nvrtc;
mod options;
mod output;
mod parallel;
mod record;
mod run;
mod sources;
mod texts;
mod write;

pub use error::Error;
pub use kernels::Kernels;
pub use output::Output;

/// The code of the package's README, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
