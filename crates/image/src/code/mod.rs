//! What is known about code from its headers: the GPUs and drivers that it is for, its requirements for a launch.

pub(crate) mod directives;
pub(crate) mod release;
pub(crate) mod target;
pub(crate) mod variable_space;
