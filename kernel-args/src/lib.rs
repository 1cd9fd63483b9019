//! Checked parameters for CUDA kernels.
//!
//! A CUDA kernel takes its parameters as raw bytes, and nothing checks them: if a type, the order, a size or an
//! alignment is wrong, the kernel still launches and computes garbage. With this crate, a struct describes the
//! parameters once. It is compared with the compiled kernel when the program is built, and with the loaded function
//! when it runs.
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
//! The [whole program](guide::launches) also [runs without a GPU](guide::testing), for tests. With `alpha: f64`, the compiler reports:
//!
//! ```text
//! error[E0080]: evaluation panicked: `alpha` does not match parameter 1 of kernel `saxpy`
//!                 host    f64                        8 bytes, aligned to 8
//!                 kernel  .param .f32 saxpy_param_1  4 bytes, aligned to 4
//!                 help: C's `float` is f32: declare `alpha: f32`; where the type is inferred, write `2.0f32`
//! ```
//!
//! ```toml
//! [dependencies]
//! kernel-args = "0.1"
//! cudarc = { version = "0.19.10", features = ["cuda-13000"] } # your CUDA toolkit
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
#![doc = include_str!("../guide/pictures/comparison.svg")]
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
mod marshal;
mod memory;

pub use device::{
    ConditionalHandle, DevicePointer, DevicePointerMut, DeviceType, SurfaceObject, TensorMap, TensorMapA64,
    TextureObject, ZeroBits,
};
#[cfg(feature = "cudarc")]
pub use driver::{Error, Function, Image, Kernel, Launch, Module, context, launch};
#[cfg(feature = "derive")]
pub use kernel_args_derive::{DeviceType, KernelArgs, kernels, launchers};
#[cfg(feature = "cudarc")]
pub use marshal::Retained;
#[cfg(feature = "cudarc")]
pub use marshal::{ArgList, SliceArg};
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
        AsStream, BlockSuggestion, Form, IntoDim, IntoLaunch, LaunchArgs, LaunchOptions, Launchable,
    };
    pub use crate::marshal::{
        DecodedArgs, Fields, Guard, LaunchStream, LauncherArgs, LauncherStatus, NamesKernel, OwnedArgs, Source, Value,
        Values, offset_of,
    };
}

/// Launch attributes: `CUlaunchAttribute`.
#[cfg(feature = "cudarc")]
pub mod attribute {
    pub use crate::driver::{
        AccessPolicyWindow, AccessProperty, ClusterSchedulingPolicy, DeviceNode, MemorySyncDomain, MemorySyncDomainMap,
        PortableClusterMode, ProgrammaticEvent, SharedMemoryMode,
    };
}

/// Compiling CUDA C++ at run time, with NVRTC.
#[cfg(feature = "nvrtc")]
pub mod compile {
    pub use crate::driver::{CacheUse, CompileOptions, CompiledSource, CppStandard};
}

/// Contexts: create one, make one current, access the memory of another GPU, use part of a GPU; versions of the driver.
#[cfg(feature = "cudarc")]
pub mod context {
    pub use crate::{
        driver::{
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
    pub use crate::driver::GraphError;
    #[cfg(feature = "record")]
    pub use crate::driver::RecordingError;
    #[cfg(feature = "textures")]
    pub use crate::driver::TextureError;
    #[cfg(feature = "observe")]
    pub use crate::driver::{AlignedBy, BadPointer, PointerProblem};
    #[cfg(feature = "cudarc")]
    pub use crate::driver::{
        BrokenContract, ContextError, ContextMismatch, DriverCall, Elsewhere, FailedLaunch, FailedLauncher,
        GlobalError, GlobalMismatch, GreenError, ImageError, IncompatibleImage, LaunchError, Limit, LoadError,
        LostContext, MismatchError, OutsideOf, RunError, Status, UnsupportedAttribute, Unverified, VerifyError,
    };
    #[cfg(feature = "nvrtc")]
    pub use crate::driver::{CompileError, NvrtcError};
    pub use crate::marshal::PackError;
}

/// Global variables of modules: `__device__`, `__constant__`, `__managed__`.
#[cfg(feature = "cudarc")]
pub mod global {
    pub use crate::{
        driver::{Global, GlobalInfo, GlobalSpace, GlobalType, PendingRead},
        marshal::GlobalName,
    };
}

/// Graphs of launches: `CUgraph`.
#[cfg(feature = "graphs")]
pub mod graph {
    pub use crate::driver::{
        AnyNode, Body, Condition, Dependencies, Graph, GraphExec, GraphMemory, GraphMemoryUse, GraphUpdateError,
        HostBuffer, HostNode, InBody, Node, NodeArgs, NodeKind, NodeMemory, NodeMemoryMut, run_now,
    };
}

/// Sequences of launches that are repeated: each run is one launch of a graph.
#[cfg(feature = "graphs")]
pub mod sequence {
    pub use crate::{
        driver::{
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
    pub use crate::coverage::Coverage;
    #[cfg(feature = "cudarc")]
    pub use crate::driver::{
        CacheMode, DebugInfo, Fallback, IntoImage, JitOptions, JitTarget, NotCompared, OptimizationLevel, Verification,
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
    pub use crate::driver::Nvtx;
    #[cfg(feature = "tracing")]
    pub use crate::driver::Tracing;
    pub use crate::driver::{
        Argument, CompileEvent, ContextFault, Event, GraphEvent, Installed, LaunchEvent, LoadEvent, Observer, PointsTo,
        RecordedArgument, RunningLaunch, SequenceEvent, check_pointers, context_fault, install, record_launches,
    };
    #[cfg(feature = "record")]
    pub use crate::driver::{FileRecording, record_to_file};
}

/// Launches that were recorded in a file, launched again without their program.
///
/// The chapter [`guide::observe`] shows a recording and its replay.
#[cfg(feature = "record")]
pub mod replay {
    pub use crate::driver::{Difference, Recording, Replay, ReplayOptions, ReplayPromise, ReplayedMemory};
    pub use kernel_args_image::recording::{
        Attribute, ElementType, Error as ReadError, Machine, Manifest, Memory, Parameter, Pointer,
    };
}

/// Textures and surfaces: [`Array`](texture::Array), [`Texture`](texture::Texture), [`Surface`](texture::Surface).
///
/// The chapter [`guide::textures`] shows a program.
#[cfg(feature = "textures")]
pub mod texture {
    pub use crate::driver::{
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

if_feature! { $ __if_half "half" __if_float8 "float8" }

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
