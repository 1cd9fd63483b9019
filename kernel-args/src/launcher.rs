//! Host functions that launch kernels: `extern "C"` functions of a static library, which contain `<<<…>>>`.
//!
//! [`launchers`](macro@crate::launchers) compares a block of declarations with the library.

use kernel_args_abi::compiled::CompiledKernel;

/// A function that was compared with its library: a type with the name of the function, next to its declaration.
///
/// A struct with `#[kernel_args(launcher = scale)]` has its fields compared with it.
pub trait Launcher {
    /// Its parameters without the stream, as a kernel of a table. The name is the function's symbol.
    const KERNEL: CompiledKernel;
}

/// `cudaStream_t` and `CUstream` in generated declarations: cudarc's handle with the feature `cudarc`.
#[cfg(feature = "cudarc")]
pub type Stream = cudarc::driver::sys::CUstream;
/// `cudaStream_t` and `CUstream` in generated declarations: cudarc's handle with the feature `cudarc`.
#[cfg(not(feature = "cudarc"))]
pub type Stream = *mut core::ffi::c_void;
