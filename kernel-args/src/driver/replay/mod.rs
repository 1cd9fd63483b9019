//! Launches a recording again, without the program that recorded it.

mod memory;
mod options;
mod recording;
mod report;
mod run;

pub use options::ReplayOptions;
pub use recording::Recording;
pub use report::{Difference, Replay, ReplayedMemory};
