//! Checked parameters for CUDA kernels.
//!
//! A CUDA kernel takes its parameters as raw bytes, and nothing checks them: an argument of the wrong type, order, size or
//! alignment launches and computes garbage. With this crate a struct describes the parameters once. The struct is compared
//! with the kernel, at compile time with its PTX and at run time with the loaded function, and its fields are laid out as
//! the device lays them out.
//!
//! # A launch
//!
#![cfg_attr(feature = "cudarc", doc = "```no_run")]
#![cfg_attr(not(feature = "cudarc"), doc = "```ignore")]
//! use cudarc::driver::CudaSlice;
//! use kernel_args::{Kernel, KernelArgs, launch};
//!
//! /// `__global__ void saxpy(unsigned n, float alpha, float const* x, float* y)`
//! #[derive(KernelArgs)]
//! #[kernel_args(ptx = "ptx/saxpy.ptx", entry = "saxpy")] // optional: checks the fields at compile time
//! struct Saxpy<'a> {
//!     n: u32,
//!     alpha: f32,
//!     x: &'a CudaSlice<f32>,
//!     y: &'a mut CudaSlice<f32>,
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ctx = kernel_args::context(0)?;
//! let stream = ctx.default_stream();
//! let x = stream.clone_htod(&[1.0_f32; 1024])?;
//! let mut y = stream.alloc_zeros::<f32>(1024)?;
//!
//! let saxpy = Kernel::<Saxpy>::load(&ctx)?; // checks the fields against the loaded function, once
//! let args = Saxpy { n: 1024, alpha: 2.0, x: &x, y: &mut y };
//! // SAFETY: both slices have `n` elements, and the kernel accesses nothing else.
//! unsafe { launch!(saxpy, 4, 256, args)? }; // 4 blocks of 256 threads
//! # Ok(())
//! # }
//! ```
//!
//! If the field were `alpha: f64`, the compiler would report it at that field:
//!
//! ```text
//! error[E0080]: evaluation panicked: `alpha` does not match parameter 1 of kernel `saxpy`
//! ```
//!
//! A struct without `ptx = "…"` is checked when the kernel is loaded.
//!
#![cfg_attr(
    feature = "cudarc",
    doc = "# The life of a program

1. **Initialise.** [`context`] initialises the driver and retains the *primary context* of a device: the one that the CUDA runtime
   and its libraries share. Where there is no driver it is [`Error::NoDriver`]. [`create_context`] makes a context of the program's own
   beside it; most programs need none. A context is an `Arc` of cudarc's, which everything that is made in it holds: it is destroyed
   with the last of them.
2. **Load.** [`Module::load`] takes an image and compiles it for the context's GPU; [`Module::kernel`] verifies a struct. For several
   GPUs load once in each context: a [`Kernel`] belongs to one. [`versions`] tells what is on the machine; which driver takes which
   image, and what *minor-version compatibility* is, stands at [`RELEASES`](https://docs.rs/kernel-args-image).
3. **Allocate.** Memory and streams are cudarc's. What something else has made is passed as well: memory as a [`DevicePointer`], a
   stream as a [`BorrowedStream`] (a `cudaStream_t` is a `CUstream`), a `CUfunction` or `cudaFunction_t` as it is, and a `CUkernel` or
   `cudaKernel_t` by [`kernel_function`].
4. **Launch.** From any thread, without preparation: a launch makes the context of its kernel current, and leaves it so. What belongs
   to another context is refused before anything is enqueued, and the error names both. Memory of another GPU is accepted as
   [`PeerAccess::memory`]. A [`GreenContext`] keeps kernels on a part of the GPU.
5. **Beside others.** Calls of the CUDA runtime work in the context that is current on the thread: [`current_context`] tells it, and
   [`with_current`] changes it for a while. After a launch that is the kernel's: where this is a context of the program's own,
   `cudaStreamCreate` then makes a stream of it, until `cudaSetDevice` makes the primary one current. `cudaDeviceReset` ends everything that was made on the device, in every part of the
   program: a launch after it is [`Error::ContextDestroyed`], as long as the context was not made again; a program that goes on after
   a reset asks [`Kernel::require_loaded`].
6. **End.** Handles may be dropped in any order and on any thread.
"
)]
//! # Without cudarc
//!
//! Without the feature `cudarc` the crate is `no_std`. [`KernelArgs::with_kernel_params`] and [`KernelArgs::with_packed`]
//! produce what `cuLaunchKernel` takes as `kernelParams` and as `extra`, for any driver binding:
//!
//! ```
//! use kernel_args::{DevicePointer, DevicePointerMut, KernelArgs};
//!
//! #[derive(KernelArgs)]
//! struct Saxpy {
//!     n: u32,
//!     alpha: f32,
//!     x: DevicePointer<f32>,
//!     y: DevicePointerMut<f32>,
//! }
//!
//! let args = Saxpy { n: 4, alpha: 2.0, x: DevicePointer::NULL, y: DevicePointerMut::NULL };
//! args.with_packed(|buffer| assert_eq!(buffer.len(), 24));
//! ```
//!
//! # Where to look
//!
//! | for | see |
//! |---|---|
//! | the arguments of a kernel | [`derive@KernelArgs`] |
//! | structs and enums that a kernel takes by value | [`derive@DeviceType`] |
//! | CUDA's vector types | [`vector`] |
//! | a layout as a table | [`abi::LayoutTable`] |
#![cfg_attr(
    feature = "cudarc",
    doc = "| a compiled image with one or more kernels | [`Module`] |
| a kernel that was loaded and checked | [`Kernel`] |
| a kernel whose arguments' types are known at run time only | [`Function`], [`Arguments`] |
| a launch and its options | [`launch!`], [`Launch`] |
| launches that are repeated as a graph | [`Graph`], [`GraphExec`], [`Node`], [`HostBuffer`] |
| contexts, and which one is current | [`context`], [`create_context`], [`current_context`], [`with_current`], [`ContextName`] |
| several GPUs, a part of one | [`PeerAccess`], [`GreenContext`] |
| streams and kernels of the CUDA runtime | [`BorrowedStream`], [`kernel_function`] |
| options of the driver's compiler | [`JitOptions`] |
| versions for a bug report | [`versions`] |"
)]
#![cfg_attr(
    feature = "nvrtc",
    doc = "| CUDA C++ compiled at run time | [`Module::compile`], [`CompileOptions`] |"
)]
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `cudarc` (default) | loading, checking and launching; cudarc's slices and views as fields |
//! | `header` | C++ headers of Rust types: the module `cpp`. Needs `alloc` |
//! | `nvrtc` | compiling at run time, `Module::compile`; what cudarc's `compile_ptx` returns as an image, and its error as an error |
//! | `half` | `half::f16` and `half::bf16` as fields, `Half2`, `BFloat162` |
//! | `float8` | `F8E4M3` and `F8E5M2` of `float8` 0.7 as fields: `__nv_fp8_e4m3`, `__nv_fp8_e5m2` |
//! | `num-complex` | `Complex<f32>` and `Complex<f64>` of `num-complex` 0.4: `cuFloatComplex`, `cuDoubleComplex` |
//! | `glam`, `glam-032` | vectors, quaternions and matrices of glam 0.33 to 0.34, and of glam 0.29.3 to 0.32 |
//! | `nalgebra` | static vectors, points, quaternions and matrices of nalgebra 0.33 to 0.35 |
//! | `mint` | vectors, points, quaternions and matrices of mint 0.5 |
//! | `zerocopy` | zerocopy's traits for the vector types and the objects; bytemuck's they always have |
//!
//! A vector, point or quaternion of another crate is CUDA's vector with its components (`float2` for `glam::Vec2`), and converts
//! to it with `.into()`. A matrix of glam is an array of columns, each of them a vector of CUDA's; one of nalgebra or mint is an
//! array of its elements in its own order. If the kernel declares it otherwise, write the field as that: `[f32; 16]`, `[Float4; 4]`,
//! or a struct with `#[derive(DeviceType)]`.
//! Where the host aligns such a type to less than the device (`glam::Vec2` to 4 bytes, `float2` to 8), a parameter lies right all
//! the same. A struct by value that the host lays out differently from the device for that reason does not compile.
//!
//! Only cudarc can implement its `DeviceRepr` for types of other crates. It does so for `half` and `float8`, and the features turn that
//! on. Of the other crates' types, copy the CUDA type to the device (`CudaSlice<Float3>` for `glam::Vec3`; `bytemuck::cast_slice`
//! converts a whole slice where both have one alignment on the host), or a `#[repr(transparent)]` struct around the type with
//! `#[derive(DeviceType)]`.
//!
//! The version of cudarc's bindings is the application's choice: a `cuda-NNNNN` feature of its own dependency on cudarc. If
//! nothing chooses one, cudarc takes the version that `nvcc` reports, and its newest bindings where there is no `nvcc`.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#[cfg(feature = "header")]
extern crate alloc;
#[cfg(feature = "cudarc")]
extern crate std;

/// How the parameters of a kernel are laid out and described: what the derives implement, and what a program can ask for.
pub mod abi {
    pub use kernel_args_abi::{
        Alignment, Class, CppBase, CppType, Layout, LayoutError, LayoutTable, Members, Opaque,
        ParamLayout, Parameter, Signature, Sm, Variant,
    };
}

pub use kernel_args_abi::compiled::{CompiledImage, CompiledKernel, CompiledKernels};

#[cfg(feature = "header")]
pub mod cpp;
mod device;
#[cfg(feature = "cudarc")]
mod driver;
mod interop;
mod marshal;

pub use device::{
    DevicePointer, DevicePointerMut, DeviceType, Pointee, SurfaceObject, TensorMap, TensorMapA64,
    TextureObject, ZeroBits, vector, vector::*,
};
#[cfg(feature = "cudarc")]
pub use driver::{
    AccessPolicyWindow, AccessProperty, AnyNode, BlockSuggestion, BorrowedStream, CacheMode,
    ClusterSchedulingPolicy, ContextFlags, ContextMismatch, DebugInfo, DeviceNode, DriverCall,
    Error, Fallback, Form, Function, Gpu, Graph, GraphError, GraphExec, GreenContext, GreenStream,
    HostBuffer, Image, IncompatibleImage, IntoDim, IntoLaunch, JitOptions, JitTarget, Kernel,
    Launch, LaunchArguments, LaunchError, Launchable, Limit, MemorySyncDomain, MemorySyncDomainMap,
    MismatchError, Module, Node, OptimizationLevel, Peer, PeerAccess, ProgrammaticEvent,
    Scheduling, Status, UnsupportedAttribute, Unverified, Verification, Versions, context,
    create_context, current_context, is_available, kernel_function, launch, versions, with_current,
};
#[cfg(feature = "nvrtc")]
pub use driver::{CacheUse, CompileOptions, CompiledSource, CppStandard, NvrtcError};
#[cfg(feature = "cudarc")]
pub use interop::Retained;
#[cfg(feature = "half")]
pub use interop::{BFloat162, Half2};
pub use kernel_args_derive::{DeviceType, KernelArgs, kernels};
#[cfg(feature = "cudarc")]
pub use marshal::{Arguments, ContextName, SliceArg};
pub use marshal::{
    DecodedArguments, Guard, KernelArg, KernelArgs, LaunchStream, PackError, PointerArg, Source,
    offset_of,
};

/// The crates whose types are fields of the structs that [`kernels!`] and the other writers of structs generate.
///
/// Those of the features that are on: `cudarc`, `half`, `float8`.
pub mod external {
    #[cfg(feature = "cudarc")]
    pub use cudarc;
    #[cfg(feature = "float8")]
    pub use float8;
    #[cfg(feature = "half")]
    pub use half;
}

/// Includes the modules that the build script wrote with [`kernel-args-build`](https://docs.rs/kernel-args-build): one for each
/// `.cu` file, as [`kernels!`] makes it.
///
/// ```ignore
/// kernel_args::include_kernels!();
/// ```
///
/// It is short for `include!(concat!(env!("OUT_DIR"), "/kernels.rs"))`. A build script with several sets of kernels names the
/// file of each: `include_kernels!("hopper.rs")`.
#[macro_export]
macro_rules! include_kernels {
    () => {
        $crate::include_kernels!("kernels.rs");
    };
    ($file:literal) => {
        $crate::__private::core::include!($crate::__private::core::concat!(
            $crate::__private::core::env!(
                "OUT_DIR",
                "there is no build script that compiles kernels\nhelp: write one, `build.rs`, with the crate `kernel-args-build`"
            ),
            "/",
            $file
        ));
    };
}

#[doc(hidden)]
pub mod __private;

/// The code of the package's README, compiled.
#[cfg(all(doctest, feature = "cudarc"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// The example of generated structs, which the documentation tests of `kernel-args-derive` leave out: in a workspace the macro has
/// features that its own dev-dependency lacks.
#[cfg(all(doctest, feature = "cudarc"))]
#[doc = concat!("```\n", include_str!("../../kernel-args-derive/src/kernels/generated.example"), "```")]
struct Generated;
