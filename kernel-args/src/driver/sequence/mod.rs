//! Sequences: launch code that is written as plain launches, and runs as graphs.
//!
//! A run records its launches ([`recorder`]), compares them with the launches of an earlier run, and launches the graph of that run
//! with what changed ([`plan`]). A run that cannot be a graph is enqueued launch by launch ([`plain`]).

mod mode;
mod plain;
mod plan;
mod recorder;
#[expect(clippy::module_inception, reason = "it holds `Sequence`")]
mod sequence;

pub use mode::{RunMode, WhyPlain};
pub use recorder::Recorder;
pub use sequence::Sequence;
