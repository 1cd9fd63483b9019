//! The errors of graphs, created on the cold path.

mod memory;
mod node_kinds;
mod refused;
mod returned;
mod whole_update;

use crate::driver::{
    api::{CallError, DriverCall},
    attributes::Refused,
    error::{Asked, Error, GraphError, meaning},
};

pub(super) use memory::*;
pub(super) use node_kinds::*;
pub(super) use refused::*;
pub(crate) use returned::call;
pub(super) use returned::{left_memory, node, node_attribute, returned_by, unused_conditions};
pub(super) use whole_update::{foreign_graph, graph_update};

/// The action that failed.
pub(super) const ADDED: &str = "the node was not added";
pub(super) const CHILD_ADDED: &str = "the child graph was not added";
pub(super) const CONDITION_CREATED: &str = "the condition was not created";
pub(super) const CONDITIONAL_ADDED: &str = "the conditional node was not added";
pub(super) const UPDATED: &str = "the node was not updated";
pub(super) const CAPTURED: &str = "the launch was not captured";
pub(super) const FOUND: &str = "the nodes were not found";
pub(super) const ENABLED: &str = "the node was not enabled or disabled";
pub(super) const DEVICE_UPDATABLE: &str = "the node was not made device-updatable";
pub(super) const INSTANTIATED: &str = "the graph was not instantiated";
pub(super) const UPLOADED: &str = "the graph was not uploaded";
pub(crate) const LAUNCHED: &str = "the graph was not launched";
pub(super) const CAPTURE_BEGUN: &str = "the capture did not begin";
pub(super) const CAPTURE_ENDED: &str = "the stream was not captured";
pub(super) const NODE_FOUND: &str = "the node of the captured launch was not found";
pub(super) const ALLOCATED: &str = "the allocation was not added";
pub(super) const TAKEN: &str = "the memory was not taken";
pub(super) const REMOVED: &str = "the node was not removed";
pub(super) const GRAPH_UPDATED: &str = "the graph was not updated";
pub(super) const RETAINED: &str = "the graph cannot retain anything";
