//! Checked wrappers of the driver: every raw call is in this folder.
//!
//! The CUDA Driver API documents the calls that a SAFETY comment names.
//!
//! | file | what it proves |
//! |---|---|
//! | [`entry_points`], [`table`] | each entry point has its documented type; most are safe with the types of their arguments |
//! | [`handle`] | a handle belongs to a live object; an owned object is destroyed once |
//! | the files with SAFETY comments | the calls with further requirements, by subject |
//!
//! A call returns the value that it writes, or a [`CallError`] with its name.
//!
//! | to change | open |
//! |---|---|
//! | a driver call | its line in `table.rs`; if it is `unsafe`, the file that proves it; the test driver, if it lacks the call |

#[cfg(feature = "graphs")]
mod allocation;
mod call_error;
#[cfg(feature = "graphs")]
mod captured;
mod context;
mod context_state;
#[cfg(any(feature = "graphs", feature = "textures"))]
mod copies;
mod entry_points;
#[cfg(feature = "graphs")]
mod exec;
mod global_memory;
#[cfg(feature = "graphs")]
mod graph;
#[cfg(feature = "graphs")]
mod graph_nodes;
mod handle;
#[cfg(feature = "graphs")]
mod inner_graph;
mod jit_arrays;
mod launch;
mod launch_config;
mod module;
#[cfg(feature = "graphs")]
mod node_id;
#[cfg(feature = "graphs")]
mod node_params;
#[cfg(feature = "observe")]
mod pointer;
mod table;
#[cfg(feature = "textures")]
mod texture;

#[cfg(feature = "graphs")]
pub(crate) use allocation::alloc_bytes;
pub(crate) use call_error::{CallError, Unavailable, out};
pub use call_error::{DriverCall, Status};
pub(crate) use context::{DeviceResource, Green, GreenObject, Null, OwnStream, make_current};
pub(crate) use context_state::{ContextState, was_reset};
pub(crate) use entry_points::{api, driver, required, runtime_version};
pub(crate) use global_memory::{GlobalMemory, NotCopied, PendingBytes};
pub(crate) use handle::{Alive, ContextHandle, EventHandle, FunctionHandle, Handle, StreamHandle, Text};
pub(crate) use jit_arrays::DriverOptions;
#[cfg(feature = "record")]
pub use launch::ReplayPromise;
pub(crate) use launch::{Extra, Function, KernelCall, Promise};
pub(crate) use launch_config::{LaunchAttribute, LaunchConfig};
pub(crate) use module::{DriverImage, Linker, Module, NotLoaded};
#[cfg(feature = "record")]
pub(crate) use pointer::Readable;
#[cfg(all(feature = "observe", windows))]
pub(crate) use pointer::is_mapped;
pub(crate) use table::Api;
#[cfg(feature = "textures")]
pub(crate) use texture::{ArrayMemory, ChannelFormat, LinearShape, ObjectMemory};
#[cfg(feature = "graphs")]
pub(crate) use {
    captured::NotRead,
    copies::CopyPlace,
    entry_points::{atexit, declare_slice},
    exec::{Exec, ExecNode},
    graph::{After, Graph, NewNode},
    graph_nodes::{GraphNode, GraphRef, UpdateResult},
    handle::Event,
    launch::{Change, LaunchKeeper, LaunchLog, MemoryStep, RecordedLaunch, Shape, Step, Steps},
    node_id::{GraphId, NodeId},
    node_params::{
        ConditionalKind, ConditionalNodeParams, HostFunction, HostNodeParams, KernelNodeParams, KernelNodeShape,
    },
};
#[cfg(feature = "observe")]
pub(crate) use {handle::Markers, pointer::Allocation};
