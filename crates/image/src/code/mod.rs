//! The GPUs and drivers that code is for, and its requirements for a launch.

pub(crate) mod directives;
pub(crate) mod release;
pub(crate) mod target;
pub(crate) mod variable_space;
