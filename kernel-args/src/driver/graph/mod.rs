//! CUDA graphs with typed kernel nodes.
//!
//! A [`Graph`] is built node by node or captured from a stream. A [`Node<A>`] is one of its kernel nodes: a
//! [`GraphExec`], the instantiated graph, sets new arguments for it, checked as for a launch.
//!
//! | to change | open |
//! |---|---|
//! | a kind of node | its file (`host.rs`, `event.rs`, `child.rs`, `body.rs`), its call in `graph_nodes.rs` of `api`, its row in `reasons.rs`, and `graph_kinds.rs` of the test driver |
//! | an error | its row in `reasons.rs`, or in `returned.rs` for an error of the driver |
//! | memory of a graph | `allocations.rs`, `memory.rs`; how a launch takes it: `promised.rs` |
//! | captures, and which launches they refuse | `capture.rs`, and `capturing.rs` of `launch` |
//! | a removal | `contents.rs`, and `graph.rs` of `api` |
//! | what a graph retains, and when it releases it | `contents.rs`, `exec.rs`, `release.rs`, `release_queue.rs` |
//! | an update of a whole graph | `whole_update.rs` |

mod allocations;
mod attributes;
mod body;
mod capture;
mod child;
mod contents;
mod copy;
mod dependencies;
mod dot;
mod event;
mod exec;
pub(crate) mod explain;
mod host;
mod host_buffer;
mod lower;
mod memory;
mod node;
mod node_memory;
mod node_text;
mod promised;
mod release;
mod release_queue;
mod structure;
mod update;
mod whole_update;

#[expect(clippy::module_inception, reason = "it holds `Graph`")]
mod graph;

// `release_queue` imports it: a test replaces it.
use std::sync;

pub use body::{Body, Condition, InBody};
pub use dependencies::Dependencies;
pub use exec::GraphExec;
pub use graph::Graph;
pub use host::HostNode;
pub use host_buffer::HostBuffer;
pub use memory::{GraphMemory, GraphMemoryUse};
pub use node::{AnyNode, Node, NodeArgs};
pub use node_memory::{NodeMemory, NodeMemoryMut};
pub use node_text::NodeKind;
pub use whole_update::GraphUpdateError;

pub(crate) use capture::Capture;
pub(crate) use release::{Capturing, release, start};
