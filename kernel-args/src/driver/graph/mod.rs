//! CUDA graphs whose kernel nodes know the type of their arguments.
//!
//! A [`Graph`] is built by hand or captured from a stream. [`Node<A>`] names one of its kernel nodes, and a [`GraphExec`], the
//! instantiated graph, gives a node new arguments: only those of its kernel, compared like those of a launch.

mod attributes;
mod capture;
mod captured_node;
mod copy;
mod device_update;
mod enabled;
mod exec;
mod exit;
mod explain;
mod find;
mod host_buffer;
mod lower;
mod node;
mod order;
mod owner;
mod promised;
mod release;
mod update;

#[expect(clippy::module_inception, reason = "it holds `Graph`")]
mod graph;

pub use exec::GraphExec;
pub use graph::Graph;
pub use host_buffer::HostBuffer;
pub use node::{AnyNode, Node};
