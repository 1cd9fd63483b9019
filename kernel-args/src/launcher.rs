//! Host functions that launch kernels: `extern "C"` functions of a static library, which contain `<<<…>>>`.
//!
//! [`launchers`](macro@crate::launchers) compares a block of declarations with the library.

use kernel_args_abi::compiled::CompiledKernel;

/// A function that was compared with its library: a type with the name of the function, next to its declaration.
///
/// ```ignore
/// #[kernel_args::launchers(library = "liblaunchers.a")]
/// unsafe extern "C" {
///     fn scale(x: *mut f32, n: i32, stream: cudaStream_t) -> u32;
/// }
/// assert!(<scale as kernel_args::launcher::Launcher>::TAKES_STREAM);
/// ```
pub trait Launcher {
    /// The symbol.
    const SYMBOL: &'static str;
    /// Its parameters without the stream, as a kernel of a table.
    const KERNEL: CompiledKernel;
    /// Whether exactly one of its parameters is a `cudaStream_t` or `CUstream`.
    const TAKES_STREAM: bool;
    /// What it returns.
    const RETURNS: Returns;
}

/// What a function returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Returns {
    /// `void`.
    Nothing,
    /// `cudaError_t`.
    CudaError,
    /// `CUresult`.
    DriverResult,
    /// Another value.
    Value,
}

/// `cudaStream_t` and `CUstream` in generated declarations: cudarc's handle with the feature `cudarc`.
#[cfg(feature = "cudarc")]
pub type Stream = cudarc::driver::sys::CUstream;
/// `cudaStream_t` and `CUstream` in generated declarations: cudarc's handle with the feature `cudarc`.
#[cfg(not(feature = "cudarc"))]
pub type Stream = *mut core::ffi::c_void;
