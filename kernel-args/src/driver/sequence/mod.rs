//! Sequences: launch code that is written as plain launches, and runs as graphs.
//!
//! A run records its launches ([`recorder`]), compares them with the launches of an earlier run, and launches the graph of that run
//! with what changed ([`plan`]). Steps that use different memory can run at the same time ([`dependencies`]). A run that cannot be a graph is enqueued launch by launch ([`plain`]).

mod dependencies;
mod mode;
mod plain;
mod plan;
mod recorder;
#[expect(clippy::module_inception, reason = "it holds `Sequence`")]
mod sequence;

pub use mode::{RunMode, WhyPlain};
pub use recorder::Recorder;
pub use sequence::Sequence;
