//! Checked parameters for CUDA kernels.
//!
//! A struct describes the parameters of a kernel, and is compared with the compiled kernel: by rustc, when the kernel
//! is loaded, and at each launch, on machines with a GPU and without one.
//!
#![doc = include_str!("../guide/pictures/comparison.svg")]
//!
//! ```sh
//! cargo add kernel-args && cargo add cudarc --no-default-features -F cuda-13000
//! ```
//!
#![cfg_attr(not(feature = "cudarc"), doc = "```ignore")]
#![cfg_attr(feature = "cudarc", doc = "```no_run")]
//! # use cudarc::driver::CudaSlice;
//! # use kernel_args::{Kernel, KernelArgs, launch};
//! #[derive(KernelArgs)]
//! #[kernel_args(ptx = "ptx/saxpy.ptx", entry = "saxpy")] // optional: compile-time checks
//! struct Saxpy<'a> {
//!     n: u32,
//!     alpha: f32,
//!     x: &'a CudaSlice<f32>,
//!     y: &'a mut CudaSlice<f32>,
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (ctx, n) = (kernel_args::context(0)?, 1024);
//! # let stream = ctx.default_stream();
//! # let (x, mut y) = (stream.alloc_zeros::<f32>(1024)?, stream.alloc_zeros::<f32>(1024)?);
//! let saxpy = Kernel::<Saxpy>::load(&ctx)?; // checks once more, with the loaded function
//! let args = Saxpy { n, alpha: 2.0, x: &x, y: &mut y };
//! // SAFETY: both slices have `n` elements, and the kernel accesses nothing else.
//! unsafe { launch!(saxpy, n.div_ceil(256), 256, args)? };
//! # Ok(())
//! # }
//! ```
//!
//! The [whole program](guide::launches) is a chapter of the guide. With `alpha: f64`, the compiler reports:
//!
//! ```text
//! error[E0080]: evaluation panicked: `alpha` does not match parameter 1 of kernel `saxpy`
//!                 host    f64                        8 bytes, aligned to 8
//!                 kernel  .param .f32 saxpy_param_1  4 bytes, aligned to 4
//!                 help: C's `float` is f32: declare `alpha: f32`; where the type is inferred, write `2.0f32`
//! ```
//!
//! # Without a GPU
//!
//! The [test driver](guide::testing) replaces `libcuda` by an interpreter of PTX: programs and tests run on a laptop, and
//! it names the thread, the line and the argument where a kernel goes wrong. This one reads behind the end of `x`:
//!
//! ```c++
//! extern "C" __global__ void mean(float const* x, float* y, int n) {
//!     int i = blockIdx.x * blockDim.x + threadIdx.x;
//!     if (i < n) {
//!         float sum = x[i] + x[i + 1] + x[i + 2];
//!         y[i] = sum / 3;
//!     }
//! }
//! ```
//!
//! ```sh
//! cargo install kernel-args-test-driver
//! kernel-args-test-driver cargo test   # KERNEL_ARGS_TEST_DRIVER_MEMCHECK=1: and races
//! ```
//!
//! ```text
//! the kernel `mean` fails: it reads 4 bytes of global memory at 0x55cb0a6bda00, where it has no memory:
//! 0 bytes behind the end of allocation 1, 1024 bytes at 0x55cb0a6bd600; parameter 0 points to it
//!   at `ld.global.f32`, line 46 of the PTX (mean.cu:4), function `mean`, block [0, 0, 0], thread [255, 0, 0]
//! ```
//!
//! # Guide
//!
//! - **Start**: [coming from cudarc](guide::cudarc), [kernels from a build](guide::build), [the life of a program](guide::contexts), [without a GPU](guide::testing), [features](guide::features), [versions](guide::versions), [glossary](guide::glossary)
//! - **Arguments**: [fields](guide::fields), [pointers](guide::pointers), [structs](guide::structs), [parts](guide::parts), [textures](guide::textures), [lists](guide::lists), [other bindings](guide::bindings)
//! - **Kernels**: [what is checked](guide::checks), [items and generated structs](guide::kernels), [host functions](guide::launchers), [compiled at run time](guide::compile), [element types](guide::dtypes), [global variables](guide::globals), [C++ headers](guide::headers)
//! - **Launch**: [options and attributes](guide::launches), [contracts](guide::contracts)
//! - **Repeat**: [sequences](guide::sequences), [graphs](guide::graphs)
//! - **Debug**: [observing, faults, recordings](guide::observe), [thirty real bugs](guide::real_bugs)
//!
//! # Items
//!
//! | for | see |
//! |---|---|
//! | the arguments of a kernel | [`derive@KernelArgs`] |
//! | structs and enums that a kernel takes by value | [`derive@DeviceType`] |
//! | CUDA's vector types | [`vector`] |
//! | the kernels of a compiled image as items, generated structs | [`kernels!`] |
//! | host functions that launch kernels | [`macro@launchers`], [`launcher`] |
//! | kernels that a build script compiles | [`include_kernels!`], the crate [`kernel-args-build`](https://docs.rs/kernel-args-build) |
#![cfg_attr(
    feature = "cudarc",
    doc = "| a launch and its options | [`launch!`], [`Launch`] |
| a loaded image, a kernel that was checked | [`Module`], [`Kernel`] |
| a kernel whose arguments' types are known at run time only | [`Function`], [`ArgList`] |
| contexts, several GPUs, streams of the CUDA runtime, versions for a bug report | [`context()`], [`mod@context`] |
| what an error contains | [`Error`], [`error`] |
| options of the driver's compiler | [`image::JitOptions`] |"
)]
#![cfg_attr(
    feature = "graphs",
    doc = "| launches that are repeated, as a graph | [`sequence`]; with explicit nodes [`graph`] |"
)]
#![cfg_attr(feature = "textures", doc = "| textures and surfaces | [`texture`] |")]
#![cfg_attr(feature = "nvrtc", doc = "| CUDA C++ compiled at run time | [`Module::compile`], [`compile`] |")]
#![cfg_attr(feature = "header", doc = "| C++ headers of Rust types | [`cpp`] |")]
//! | a layout as a table | [`abi::LayoutTable`] |
//! | the kernels of any file, on the command line | `cargo install kernel-args-cli` |
//!
//! # What is checked, and when
//!
#![doc = include_str!("../guide/tables/checks.md")]
//!
//! # What a field can be
//!
#![doc = include_str!("../guide/tables/fields.md")]
//!
//! # Features
//!
#![doc = include_str!("../guide/tables/features.md")]
//!
//! The application chooses the version of the cudarc bindings: it enables a `cuda-NNNNN` feature in its own dependency
//! on cudarc.
//!
#![doc = include_str!("../guide/style.html")]
#![cfg_attr(not(feature = "cudarc"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// docs.rs and the job `docs` build the documentation with all features, which checks these links.
#![cfg_attr(
    not(all(feature = "graphs", feature = "record", feature = "textures")),
    allow(rustdoc::broken_intra_doc_links)
)]
#[cfg(all(feature = "nvtx", not(target_os = "linux")))]
compile_error!(
    "the feature `nvtx` of `kernel-args` works on Linux only: enable it in `[target.'cfg(target_os = \"linux\")'.dependencies]`"
);

#[cfg(feature = "header")]
extern crate alloc;

/// `Debug` of a type that shows these values.
#[cfg(feature = "cudarc")]
macro_rules! debug {
    ($([$($generics:tt)*])? $ty:ident$(<$argument:tt>)?, $this:ident => $($name:ident: $value:expr),*) => {
        impl$(<$($generics)*>)? core::fmt::Debug for $ty$(<$argument>)? {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let $this = self;
                f.debug_struct(stringify!($ty))$(.field(stringify!($name), &$value))*.finish_non_exhaustive()
            }
        }
    };
}

/// `Display` of a type.
macro_rules! display {
    ($ty:ty, |$this:ident, $f:ident| $text:expr) => {
        impl core::fmt::Display for $ty {
            fn fmt(&self, $f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let $this = self;
                $text
            }
        }
    };
}

/// `Debug` of a type that shows the text of `Display`.
macro_rules! debug_as_display {
    ($ty:ty) => {
        impl core::fmt::Debug for $ty {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// The layout and the types of a kernel's parameters: the types of the constants that the derives implement.
pub mod abi {
    pub use kernel_args_abi::{
        Alignment, Class, CppBase, CppType, Layout, LayoutError, LayoutTable, Members, Opaque, ParamLayout, Parameter,
        Signature, Sm, Variant,
    };
}

mod contract;
#[cfg(feature = "cudarc")]
mod coverage;
#[cfg(feature = "header")]
pub mod cpp;
mod device;
#[cfg(feature = "cudarc")]
mod driver;
#[cfg(all(any(doc, doctest), feature = "cudarc"))]
pub mod guide;
mod interop;
pub mod launcher;
#[cfg(feature = "cudarc")]
mod lock;
mod marshal;
mod memory;

pub use device::{
    ConditionalHandle, DevicePointer, DevicePointerMut, DeviceType, SurfaceObject, TensorMap, TensorMapA64,
    TextureObject, ZeroBits,
};
#[cfg(feature = "cudarc")]
pub use driver::{
    config::Launch,
    context::context,
    error::Error,
    function::Function,
    image::Image,
    launch::launch,
    module::{Kernel, Module},
};
#[cfg(feature = "derive")]
pub use kernel_args_derive::{DeviceType, KernelArgs, kernels, launchers};
#[cfg(feature = "cudarc")]
pub use marshal::{ArgList, Retained, SliceArg};
pub use marshal::{KernelArg, KernelArgs, PointerArg};

/// CUDA's vector types: `float4` is [`Float4`](vector::Float4).
pub mod vector {
    pub use crate::device::vector::*;
    #[cfg(feature = "half")]
    pub use crate::interop::{BFloat162, Half2};
}

/// The arguments of a launch in detail: their two forms, the types that a launch accepts, arguments decoded from bytes.
pub mod args {
    pub use crate::contract::{Elements, Geometry};
    pub use crate::device::Pointee;
    #[cfg(feature = "cudarc")]
    pub use crate::driver::{
        config::{AsStream, Form, IntoDim, IntoLaunch},
        function::BlockSuggestion,
        launch::{LaunchArgs, LaunchOptions, Launchable},
    };
    pub use crate::marshal::{
        DecodedArgs, Fields, Guard, LaunchStream, LauncherArgs, LauncherStatus, NamesKernel, OwnedArgs, Source, Value,
        Values, offset_of,
    };
}

/// Launch attributes: `CUlaunchAttribute`.
#[cfg(feature = "cudarc")]
pub mod attribute {
    pub use crate::driver::config::{
        AccessPolicyWindow, AccessProperty, ClusterSchedulingPolicy, DeviceNode, MemorySyncDomain, MemorySyncDomainMap,
        PortableClusterMode, ProgrammaticEvent, SharedMemoryMode,
    };
}

/// Compiling CUDA C++ at run time, with NVRTC.
#[cfg(feature = "nvrtc")]
pub mod compile {
    pub use crate::driver::compile::{CacheUse, CompileOptions, CompiledSource, CppStandard};
}

/// Contexts: create one, make one current, access the memory of another GPU, use part of a GPU; versions of the driver.
#[cfg(feature = "cudarc")]
pub mod context {
    pub use crate::{
        driver::context::{
            BorrowedStream, ContextFlags, Gpu, GreenContext, GreenStream, Peer, PeerAccess, Scheduling, Versions,
            create_context, current_context, is_available, kernel_function, versions, with_current,
        },
        memory::ContextName,
    };
}

/// What an [`Error`] contains.
pub mod error {
    pub use crate::contract::ContractError;
    #[cfg(feature = "graphs")]
    pub use crate::driver::error::GraphError;
    #[cfg(feature = "record")]
    pub use crate::driver::error::RecordingError;
    #[cfg(feature = "textures")]
    pub use crate::driver::error::TextureError;
    #[cfg(feature = "observe")]
    pub use crate::driver::error::{AlignedBy, BadPointer, PointerProblem};
    #[cfg(feature = "nvrtc")]
    pub use crate::driver::error::{CompileError, NvrtcError};
    #[cfg(feature = "cudarc")]
    pub use crate::driver::{
        api::Status,
        error::{
            BrokenContract, ContextError, ContextMismatch, DriverCall, Elsewhere, FailedLaunch, FailedLauncher,
            GlobalError, GlobalMismatch, GreenError, ImageError, IncompatibleImage, LaunchError, Limit, LoadError,
            LostContext, MismatchError, OutsideOf, RunError, UnsupportedAttribute, Unverified, VerifyError,
        },
    };
    pub use crate::marshal::PackError;
}

/// Global variables of modules: `__device__`, `__constant__`, `__managed__`.
#[cfg(feature = "cudarc")]
pub mod global {
    pub use crate::{
        driver::module::{Global, GlobalInfo, GlobalSpace, GlobalType, PendingRead},
        marshal::GlobalName,
    };
}

/// Graphs of launches: `CUgraph`.
#[cfg(feature = "graphs")]
pub mod graph {
    pub use crate::driver::{
        graph::{
            AnyNode, Body, Condition, Dependencies, Graph, GraphExec, GraphMemory, GraphMemoryUse, GraphUpdateError,
            HostBuffer, HostNode, InBody, Node, NodeArgs, NodeKind, NodeMemory, NodeMemoryMut,
        },
        launch::run_now,
    };
}

/// Sequences of launches that are repeated: each run is one launch of a graph.
#[cfg(feature = "graphs")]
pub mod sequence {
    pub use crate::{
        driver::sequence::{
            HostCopy, Memory, Pool, Recorder, Run, RunCounts, RunMode, Sequence, WhyPlain, current, is_recording,
            retire,
        },
        memory::{
            DeviceMemory, DeviceMemoryMut, ExternalArg, ExternalArgs, Handle, Held, Hold, Keep, KeptMemory, MemoryUse,
            PoolSlice, Value,
        },
    };
}

/// Images of kernels: options of the driver's compiler, images that were read at compile time, and how a kernel was
/// verified.
pub mod image {
    #[cfg(feature = "cudarc")]
    pub use crate::{
        coverage::Coverage,
        driver::{
            config::{CacheMode, Fallback, JitOptions, JitTarget, OptimizationLevel},
            image::{DebugInfo, IntoImage},
            verify::{NotCompared, Verification},
        },
    };
    #[cfg(feature = "cudarc")]
    pub use kernel_args_abi::check::NotComparedReason;
    pub use kernel_args_abi::compiled::{CompiledImage, CompiledKernel, CompiledKernels};
}

/// The crates whose types generated structs use, for example the structs of [`kernels!`].
///
/// Each requires the feature with its name: `cudarc`, `half`, `float8`.
pub mod external {
    #[cfg(feature = "cudarc")]
    pub use cudarc;
    #[cfg(feature = "float8")]
    pub use float8;
    #[cfg(feature = "half")]
    pub use half;
}

/// Launches, graph launches, loads and compilations, as a program observes them.
///
/// The chapter [`guide::observe`] shows what a program can do with it.
#[cfg(feature = "observe")]
pub mod observe {
    #[cfg(all(feature = "nvtx", target_os = "linux"))]
    pub use crate::driver::observe::Nvtx;
    #[cfg(feature = "tracing")]
    pub use crate::driver::observe::Tracing;
    #[cfg(feature = "record")]
    pub use crate::driver::observe::{FileRecording, record_to_file};
    pub use crate::driver::{
        error::{ContextFault, PointsTo, RecordedArgument, RunningLaunch},
        observe::{
            Argument, CompileEvent, Event, GraphEvent, Installed, LaunchEvent, LauncherEvent, LoadEvent, Observer,
            SequenceEvent, check_pointers, context_fault, install, record_launches,
        },
    };
}

/// Launches that were recorded in a file, launched again without their program.
///
/// The chapter [`guide::observe`] shows a recording and its replay.
#[cfg(feature = "record")]
pub mod replay {
    pub use crate::driver::{
        api::ReplayPromise,
        replay::{Difference, Recording, Replay, ReplayOptions, ReplayedMemory},
    };
    pub use kernel_args_image::recording::{
        Attribute, ElementType, Error as ReadError, Machine, Manifest, Memory, Parameter, Pointer,
    };
}

/// Textures and surfaces: [`Array`](texture::Array), [`Texture`](texture::Texture), [`Surface`](texture::Surface).
///
/// The chapter [`guide::textures`] shows a program.
#[cfg(feature = "textures")]
pub mod texture {
    pub use crate::driver::textures::{
        AddressMode, Array, ArrayShape, FilterMode, ReadMode, Surface, Texel, TexelFormat, Texture, TextureOptions,
    };
}

/// Includes the modules that the build script wrote with [`kernel-args-build`](https://docs.rs/kernel-args-build): one
/// for each `.cu` file, with the items that [`kernels!`] generates.
///
/// ```ignore
/// kernel_args::include_kernels!();
/// ```
///
/// It is short for `include!(concat!(env!("OUT_DIR"), "/kernels.rs"))`. If a build script writes several files, name
/// the file: `include_kernels!("hopper.rs")`.
#[macro_export]
macro_rules! include_kernels {
    () => {
        $crate::include_kernels!("kernels.rs");
    };
    ($file:literal) => {
        $crate::__private::core::include!($crate::__private::core::concat!(
            $crate::__private::core::env!(
                "OUT_DIR",
                "this package has no build script that compiles kernels\nhelp: write a `build.rs` with the crate `kernel-args-build`"
            ),
            "/",
            $file
        ));
    };
}

/// Selects items by a feature of this crate: a build script does not know the features.
macro_rules! if_feature {
    ($d:tt $($name:ident $feature:literal)*) => {$(
        #[cfg(feature = $feature)]
        #[doc(hidden)]
        #[macro_export]
        macro_rules! $name {
            ({ $d($d with:tt)* } else { $d($d without:tt)* }) => { $d($d with)* };
        }

        #[cfg(not(feature = $feature))]
        #[doc(hidden)]
        #[macro_export]
        macro_rules! $name {
            ({ $d($d with:tt)* } else { $d($d without:tt)* }) => { $d($d without)* };
        }
    )*};
}

if_feature! { $ __if_half "half" __if_float8 "float8" __if_textures "textures" }

#[doc(hidden)]
pub mod __private;

/// The examples of the package's README.
#[cfg(all(doctest, feature = "graphs"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// The example of generated structs. It cannot be a documentation test of `kernel-args-derive`: in a workspace build,
/// the macro has features that its own dev-dependency lacks.
#[cfg(all(doctest, feature = "cudarc"))]
#[doc = concat!("```\n", include_str!("../../kernel-args-derive/src/kernels/generated.example"), "```")]
struct Generated;
