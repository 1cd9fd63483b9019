//! Loads kernels and launches them through the CUDA driver, on cudarc's contexts and streams.
//!
//! Each folder imports only from folders below it: from `api`, which holds every driver call, up to `launch` `graph`
//! and `sequence`.

mod api;
mod attributes;
#[cfg(feature = "nvrtc")]
mod compile;
mod config;
mod context;
mod error;
mod function;
mod graph;
mod image;
mod launch;
mod module;
mod query;
mod sequence;
mod verify;

pub use api::Status;
#[cfg(feature = "nvrtc")]
pub use compile::{CacheUse, CompileOptions, CompiledSource, CppStandard};
pub use config::{
    AccessPolicyWindow, AccessProperty, AsStream, CacheMode, ClusterSchedulingPolicy, DeviceNode,
    Fallback, Form, IntoDim, IntoLaunch, JitOptions, JitTarget, Launch, MemorySyncDomain,
    MemorySyncDomainMap, OptimizationLevel, PortableClusterMode, ProgrammaticEvent,
    SharedMemoryMode,
};
pub use context::{
    BorrowedStream, ContextFlags, Gpu, GreenContext, GreenStream, Peer, PeerAccess, Scheduling,
    Versions, context, create_context, current_context, is_available, kernel_function, versions,
    with_current,
};
pub use error::{
    BrokenContract, ContextError, ContextMismatch, DriverCall, Error, FailedLaunch, GlobalError,
    GlobalMismatch, GraphError, GreenError, ImageError, IncompatibleImage, LaunchError, Limit,
    LoadError, MismatchError, UnsupportedAttribute, Unverified, VerifyError,
};
#[cfg(feature = "nvrtc")]
pub use error::{CompileError, NvrtcError};
pub use function::{BlockSuggestion, Function};
pub use graph::{
    AnyNode, Body, Condition, Dependencies, Graph, GraphExec, GraphMemory, GraphMemoryUse,
    GraphUpdateError, HostBuffer, HostNode, InBody, Node, NodeArgs, NodeKind, NodeToRemove,
};
pub(crate) use image::READERS;
pub use image::{DebugInfo, Image};
pub use launch::{LaunchArgs, Launchable, launch, launch_without_stream};
pub use module::{Global, GlobalInfo, GlobalSpace, GlobalType, Kernel, Module, PendingRead};
pub use sequence::{Recorder, RunMode, Sequence, WhyPlain};
pub use verify::{NotCompared, Verification};
