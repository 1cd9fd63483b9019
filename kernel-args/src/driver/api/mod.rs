//! Checked wrappers of the driver. This folder makes every raw call, so code outside of it needs no `unsafe` for a
//! call.
//!
//! | file | what it proves |
//! |---|---|
//! | [`entry_points`], [`table`] | each entry point has its documented type; most are safe with the types below; symbols of libraries that are already loaded |
//! | [`handle`] | a handle belongs to a live object; an owned object is destroyed once |
//! | [`context`], [`module`], [`launch`], [`graph`], [`graph_nodes`], [`exec`], [`capture`], [`texture`] | the calls with further requirements, by subject |
//!
//! A call returns the value that it writes, or a [`CallError`] with its name.

mod call_error;
#[cfg(feature = "graphs")]
mod capture;
mod context;
mod context_state;
#[cfg(any(feature = "graphs", feature = "textures"))]
mod copies;
mod device_params;
mod entry_points;
#[cfg(feature = "graphs")]
mod exec;
#[cfg(feature = "graphs")]
mod graph;
#[cfg(feature = "graphs")]
mod graph_nodes;
#[cfg(feature = "graphs")]
mod graph_update;
mod handle;
mod jit_arrays;
mod jit_keys;
mod launch;
mod launch_config;
mod module;
#[cfg(feature = "graphs")]
mod node_id;
#[cfg(feature = "graphs")]
mod node_kinds;
#[cfg(feature = "graphs")]
mod node_params;
#[cfg(feature = "observe")]
mod pointer;
#[cfg(feature = "graphs")]
mod remaining;
mod status;
mod table;
#[cfg(feature = "textures")]
mod texture;

pub use call_error::DriverCall;
pub(crate) use call_error::{CallError, Unavailable, out};
#[cfg(feature = "graphs")]
pub(crate) use capture::NotCaptured;
pub(crate) use context::{Green, OwnStream};
pub(crate) use context_state::{ContextState, was_reset};
#[cfg(feature = "graphs")]
pub(crate) use copies::Memory;
pub(crate) use device_params::{DeviceResource, GreenContext, Null, PoolAccess};
#[cfg(feature = "graphs")]
pub(crate) use entry_points::atexit;
pub(crate) use entry_points::{api, is_available, required, runtime_version};
#[cfg(feature = "graphs")]
pub(crate) use exec::{Exec, ExecNode};
#[cfg(feature = "graphs")]
pub(crate) use graph::{After, Graph, NewNode};
#[cfg(feature = "graphs")]
pub(crate) use graph_nodes::{GraphNode, GraphRef, UserObject};
#[cfg(feature = "graphs")]
pub(crate) use graph_update::UpdateResult;
#[cfg(feature = "graphs")]
pub(crate) use handle::Event;
#[cfg(feature = "observe")]
pub(crate) use handle::Markers;
pub(crate) use handle::{Alive, ContextHandle, EventHandle, FunctionHandle, Handle, StreamHandle, Text};
pub(crate) use jit_arrays::DriverOptions;
pub(crate) use jit_keys::JitKey;
#[cfg(feature = "record")]
pub use launch::ReplayPromise;
#[cfg(feature = "graphs")]
pub(crate) use launch::{Change, LaunchKeeper, LaunchLog, MemoryStep, RecordedLaunch, Shape, Step, Steps};
pub(crate) use launch::{Extra, Function, KernelCall, Promise};
pub(crate) use launch_config::{LaunchAttribute, LaunchConfig};
pub(crate) use module::{DriverImage, GlobalMemory, Linker, Module, NotCopied, NotLoaded, PendingBytes};
#[cfg(feature = "graphs")]
pub(crate) use node_id::{GraphId, NodeId};
#[cfg(feature = "graphs")]
pub(crate) use node_kinds::{ConditionalKind, ConditionalNodeParams, HostFunction};
#[cfg(feature = "graphs")]
pub(crate) use node_params::{KernelNodeParams, KernelNodeShape};
#[cfg(feature = "observe")]
pub(crate) use pointer::Allocation;
#[cfg(feature = "record")]
pub(crate) use pointer::Readable;
pub use status::Status;
pub(crate) use table::Api;
#[cfg(feature = "textures")]
pub(crate) use texture::{ArrayDescriptor, ArrayMemory, ChannelFormat, LinearShape, ObjectMemory, Sampler};
