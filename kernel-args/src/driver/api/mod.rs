//! The driver behind checked wrappers: this folder makes every raw call, and what is outside of it needs no `unsafe` for one.
//!
//! | file | what it proves |
//! |---|---|
//! | [`entry_points`] | each entry point has its documented type; most are safe with the types below |
//! | [`handle`] | a handle is of something that is alive; what is owned is destroyed once |
//! | [`context`], [`module`], [`function`], [`launch`], [`graph`], [`exec`], [`stream`] | the calls that need more, each for its subject |
//! | [`library`] | symbols of other libraries |
//!
//! A call returns what it writes, or a [`CallError`] with its name.

mod call_error;
mod context;
mod context_state;
mod device_params;
mod entry_points;
mod exec;
mod function;
mod graph;
mod handle;
mod launch;
mod launch_config;
mod library;
mod module;
mod node_params;
mod status;
mod stream;

pub use call_error::DriverCall;
pub(crate) use call_error::{CallError, Unavailable, out};
pub(crate) use context::{Green, OwnStream};
pub(crate) use context_state::{ContextState, was_reset};
pub(crate) use device_params::{DeviceResource, GreenContext, Null, PoolAccess};
pub(crate) use entry_points::{Api, api, required};
pub(crate) use exec::{Exec, ExecNode};
pub(crate) use function::Function;
pub(crate) use graph::{After, Graph, GraphNode, GraphRef, NewNode, NodeId, UserObject};
pub(crate) use handle::{
    Alive, ContextHandle, EventHandle, FunctionHandle, Handle, StreamHandle, Text,
};
pub(crate) use launch::{Extra, KernelCall, Promise};
pub(crate) use launch_config::{AttributeValue, LaunchAttribute, LaunchConfig};
pub(crate) use library::{atexit, is_available, runtime_version};
pub(crate) use module::{DriverImage, Linker, Module, NotLoaded};
pub(crate) use node_params::{KernelNodeParams, Memory};
pub use status::Status;
pub(crate) use stream::{Event, NotCaptured};
