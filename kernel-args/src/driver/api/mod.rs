//! Checked wrappers of the driver. This folder makes every raw call, so code outside of it needs no `unsafe` for a
//! call.
//!
//! | file | what it proves |
//! |---|---|
//! | [`entry_points`], [`table`] | each entry point has its documented type; most are safe with the types below; symbols of libraries that are already loaded |
//! | [`handle`] | a handle belongs to a live object; an owned object is destroyed once |
//! | [`context`], [`module`], [`launch`], [`graph`], [`exec`], [`stream`] | the calls with further requirements, by subject |
//!
//! A call returns the value that it writes, or a [`CallError`] with its name.

mod call_error;
mod context;
mod context_state;
mod device_params;
mod entry_points;
mod exec;
mod graph;
mod graph_update;
mod handle;
mod jit_arrays;
mod jit_keys;
mod launch;
mod launch_config;
mod module;
mod node_id;
mod node_kinds;
mod node_params;
mod remaining;
mod status;
mod stream;
mod table;

pub use call_error::DriverCall;
pub(crate) use call_error::{CallError, Unavailable, out};
pub(crate) use context::{Green, OwnStream};
pub(crate) use context_state::{ContextState, was_reset};
pub(crate) use device_params::{DeviceResource, GreenContext, Null, PoolAccess};
pub(crate) use entry_points::{api, atexit, is_available, required, runtime_version};
pub(crate) use exec::{Exec, ExecNode};
pub(crate) use graph::{After, Graph, GraphNode, GraphRef, NewNode, UserObject};
pub(crate) use graph_update::UpdateResult;
pub(crate) use handle::{
    Alive, ContextHandle, EventHandle, FunctionHandle, Handle, StreamHandle, Text,
};
pub(crate) use jit_arrays::DriverOptions;
pub(crate) use jit_keys::JitKey;
pub(crate) use launch::{
    Change, Extra, Function, KernelCall, LaunchKeeper, LaunchLog, MemoryStep, Promise,
    RecordedCall, RecordedLaunch, Shape, Step, Steps,
};
pub(crate) use launch_config::{AttributeValue, LaunchAttribute, LaunchConfig};
pub(crate) use module::{
    DriverImage, GlobalMemory, Linker, Module, NotCopied, NotLoaded, PendingBytes,
};
pub(crate) use node_id::{GraphId, NodeId};
pub(crate) use node_kinds::{ConditionalKind, ConditionalNodeParams, HostFunction};
pub(crate) use node_params::{KernelNodeParams, KernelNodeShape, Memory};
pub use status::Status;
pub(crate) use stream::{Event, NotCaptured};
pub(crate) use table::Api;
