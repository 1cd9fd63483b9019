//! CUDA graphs with typed kernel nodes.
//!
//! A [`Graph`] is built node by node or captured from a stream. A [`Node<A>`] refers to one of its kernel nodes. A
//! [`GraphExec`], the instantiated graph, sets new arguments for a node: only arguments of its kernel, checked as for a
//! launch.

mod attributes;
mod body;
mod capture;
mod captured_node;
mod captures;
mod child;
mod condition;
mod copy;
mod dependencies;
mod device_update;
mod enabled;
mod event;
mod exec;
pub(crate) mod explain;
mod find;
mod host;
mod host_buffer;
mod join;
mod lower;
mod node;
mod node_args;
mod order;
mod owner;
mod place;
mod promised;
mod release;
mod release_queue;
mod taken_over;
mod update;

#[expect(clippy::module_inception, reason = "it holds `Graph`")]
mod graph;

// `release_queue` imports it: a test replaces it.
use std::sync;

pub use body::{Body, InBody};
pub use condition::Condition;
pub use dependencies::Dependencies;
pub use exec::GraphExec;
pub use graph::Graph;
pub use host::HostNode;
pub use host_buffer::HostBuffer;
pub use node::{AnyNode, Node};
pub use node_args::NodeArgs;

pub(crate) use owner::Slot;
