//! Launches a recording again, without the program that recorded it.
//!
//! | file | contents |
//! |---|---|
//! | [`recording`] | a recording, and what it contains |
//! | [`options`] | what a replay changes |
//! | [`run`] | the replay: reads the file, launches, compares |
//! | [`memory`] | the memory of a replay on the GPU |
//! | [`report`] | what a replay has found |

mod memory;
mod options;
mod recording;
mod report;
mod run;

pub use options::ReplayOptions;
pub use recording::Recording;
pub use report::{Difference, Replay, ReplayedMemory};
