//! Sequences: launch code that is written as plain launches, and runs as graphs.
//!
//! A run records its launches ([`recorder`]), compares them with the launches of an earlier run, and launches the graph
//! of that run with what changed ([`plan`]). Steps that use different memory can run at the same time
//! ([`dependencies`]). A run that cannot be a graph is enqueued launch by launch ([`plain`]).
//!
//! | to change | open |
//! |---|---|
//! | who records a run, and when it is over | `run.rs`, `recorder.rs`; `run_record.rs` of `run`, `enclosing.rs` of `launch` |
//! | what is recorded | `record.rs` of `launch`, `copies.rs`, `external.rs`; as words: `log.rs`, `step.rs`, `captured.rs` of `api` |
//! | the memory of a framework | `memory.rs`, `retire.rs` |
//! | which memory a step may use | `run_memory.rs`, `held.rs`, `keep.rs`, `pool.rs` of `memory`; `retired.rs` of `run` |
//! | a new operation on memory | five files: `copies.rs` (the method, the memory that it uses); in `api`, `step.rs` (its words), `log.rs`, `graph.rs` (its node and its call), `captured.rs` (as external work) |
//! | what other code does with the stream while a run records | `check.rs` |
//! | what can run at the same time | `dependencies.rs`; the memory of a step: `uses.rs` of `memory` |
//! | when a run is plain launches | `mode.rs` (reasons), `engine.rs` (conditions), `plain.rs` (how) |

mod check;
mod copies;
mod dependencies;
mod engine;
mod external;
mod memory;
mod mode;
mod plain;
mod plan;
mod pool;
mod recorder;
mod retire;
mod run;
#[expect(clippy::module_inception, reason = "it holds `Sequence`")]
mod sequence;

pub use copies::HostCopy;
pub(crate) use external::{add_work, capture, read_captured};
pub use memory::Memory;
pub use mode::{RunCounts, RunMode, WhyPlain};
pub use pool::Pool;
pub use recorder::Recorder;
pub use retire::retire;
pub use run::{Run, current, is_recording};
pub use sequence::Sequence;
