//! Graphs and their nodes, executable graphs and their updates, user objects.

pub(crate) mod attribute;
pub(crate) mod edit;
pub(crate) mod exec;
pub(crate) mod graph;
pub(crate) mod inside;
pub(crate) mod kernel;
pub(crate) mod kinds;
pub(crate) mod memory;
pub(crate) mod update;
pub(crate) mod user_object;
