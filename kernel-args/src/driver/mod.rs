//! Loads kernels and launches them through the CUDA driver, on cudarc's contexts and streams.
//!
//! Each folder imports only from folders below it: from `api`, which holds every driver call, up to `launch`, `graph`,
//! `sequence` and `launcher`.

/// `Debug` of a type that shows these values.
macro_rules! debug {
    ($([$($generics:tt)*])? $ty:ident$(<$argument:ident>)?, $this:ident => $($name:ident: $value:expr),*) => {
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

mod api;
mod attributes;
#[cfg(feature = "nvrtc")]
mod compile;
mod config;
mod context;
mod error;
mod function;
#[cfg(feature = "graphs")]
mod graph;
mod image;
mod launch;
mod launcher;
mod module;
#[cfg(feature = "observe")]
mod observe;
#[cfg(feature = "observe")]
mod pointers;
mod query;
#[cfg(feature = "record")]
mod replay;
#[cfg(feature = "graphs")]
mod run;
#[cfg(feature = "graphs")]
mod sequence;
#[cfg(feature = "textures")]
mod textures;
mod verify;
#[cfg(any(feature = "graphs", feature = "observe"))]
mod watched;

pub use api::Status;
#[cfg(feature = "nvrtc")]
pub use compile::{CacheUse, CompileOptions, CompiledSource, CppStandard};
pub use config::{
    AccessPolicyWindow, AccessProperty, AsStream, CacheMode, ClusterSchedulingPolicy, DeviceNode, Fallback, Form,
    IntoDim, IntoLaunch, JitOptions, JitTarget, Launch, MemorySyncDomain, MemorySyncDomainMap, OptimizationLevel,
    PortableClusterMode, ProgrammaticEvent, SharedMemoryMode,
};
pub use context::{
    BorrowedStream, ContextFlags, Gpu, GreenContext, GreenStream, Peer, PeerAccess, Scheduling, Versions, context,
    create_context, current_context, is_available, kernel_function, versions, with_current,
};
#[cfg(feature = "graphs")]
pub use error::GraphError;
#[cfg(feature = "observe")]
pub use error::{AlignedBy, BadPointer, PointerProblem};
pub use error::{
    BrokenContract, ContextError, ContextMismatch, DriverCall, Elsewhere, Error, FailedLaunch, FailedLauncher,
    GlobalError, GlobalMismatch, GreenError, ImageError, IncompatibleImage, LaunchError, Limit, LoadError, LostContext,
    MismatchError, OutsideOf, RunError, UnsupportedAttribute, Unverified, VerifyError,
};
#[cfg(feature = "nvrtc")]
pub use error::{CompileError, NvrtcError};
pub use function::{BlockSuggestion, Function};
#[cfg(feature = "graphs")]
pub use graph::{
    AnyNode, Body, Condition, Dependencies, Graph, GraphExec, GraphMemory, GraphMemoryUse, GraphUpdateError,
    HostBuffer, HostNode, InBody, Node, NodeArgs, NodeKind, NodeMemory, NodeMemoryMut,
};
pub(crate) use image::READERS;
pub use image::{DebugInfo, Image, IntoImage};
#[cfg(feature = "graphs")]
pub use launch::run_now;
pub use launch::{LaunchArgs, LaunchOptions, Launchable, WithoutStream, launch};
pub use launcher::{LauncherName, call_launcher, stream_target};
pub use module::{Global, GlobalInfo, GlobalSpace, GlobalType, Kernel, Module, PendingRead};
#[cfg(all(feature = "nvtx", target_os = "linux"))]
pub use observe::Nvtx;
#[cfg(feature = "tracing")]
pub use observe::Tracing;
#[cfg(feature = "observe")]
pub use observe::{
    Argument, CompileEvent, Event, GraphEvent, Installed, LaunchEvent, LoadEvent, Observer, SequenceEvent,
    check_pointers, install,
};
#[cfg(feature = "graphs")]
pub use sequence::{
    HostCopy, Memory, Pool, Recorder, Run, RunCounts, RunMode, Sequence, WhyPlain, current, is_recording, retire,
};
pub use verify::{NotCompared, Verification};
#[cfg(feature = "record")]
pub use {
    api::ReplayPromise,
    error::RecordingError,
    observe::{FileRecording, record_to_file},
    replay::{Difference, Recording, Replay, ReplayOptions, ReplayedMemory},
};
#[cfg(feature = "textures")]
pub use {
    error::TextureError,
    textures::{
        AddressMode, Array, ArrayShape, FilterMode, ReadMode, Surface, Texel, TexelFormat, Texture, TextureOptions,
    },
};
#[cfg(feature = "observe")]
pub use {
    error::{ContextFault, PointsTo, RecordedArgument, RunningLaunch},
    observe::{context_fault, record_launches},
};
