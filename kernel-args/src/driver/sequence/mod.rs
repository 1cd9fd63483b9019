//! Sequences: launch code that is written as plain launches, and runs as graphs.
//!
//! A run records its launches ([`recorder`]), compares them with the launches of an earlier run, and launches the graph of that run
//! with what changed ([`plan`]). Steps that use different memory can run at the same time ([`dependencies`]). A run that cannot be a graph is enqueued launch by launch ([`plain`]).
//!
//! | to change | open |
//! |---|---|
//! | what is recorded | `record.rs` of `launch`, `recorder.rs`; as words: `log.rs`, `step.rs` of `api` |
//! | what can run at the same time | `dependencies.rs`; the memory of a step: `uses.rs` |
//! | when a run is plain launches | `mode.rs` (reasons), `sequence.rs` (conditions), `plain.rs` (how) |

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
