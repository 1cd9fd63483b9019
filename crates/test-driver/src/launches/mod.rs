//! Launches: parameters, attributes and limits, occupancy, and running a kernel.

pub(crate) mod attribute;
pub(crate) mod bank;
pub(crate) mod launch;
pub(crate) mod occupancy;
pub(crate) mod run;
