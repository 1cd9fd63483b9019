//! What a program observes: launches, graph launches, loads and compilations, each before and after the driver's call.
//!
//! | file | contents |
//! |---|---|
//! | [`around`] | the hook |
//! | [`switches`] | what the program and the environment switch on |
//! | [`check_pointers`] | the switch of the check of pointers, and its request |
//! | [`observers`] | the observers that the program has installed |
//! | [`recorder`], [`recorded`] | the flight recorder |
//! | [`to_file`] | one launch in a file |
//! | [`event`], [`launch_event`], [`argument`] | what an observer sees |
//!
//! | to change | open |
//! |---|---|
//! | an event | `event.rs`, `launch_event.rs`, and the callers of `around` |
//! | what the flight recorder keeps | `recorded.rs`, `recorder.rs`; its text: `fault.rs` |

mod argument;
mod around;
mod check_pointers;
mod event;
mod launch_event;
#[cfg(all(feature = "nvtx", target_os = "linux"))]
mod nvtx;
mod observers;
mod recorded;
mod recorder;
mod switches;
#[cfg(feature = "record")]
mod to_file;
#[cfg(feature = "tracing")]
mod tracing;

pub(crate) use crate::driver::watched::is_active;
pub use argument::Argument;
pub(crate) use around::around;
pub use check_pointers::check_pointers;
#[cfg(feature = "graphs")]
pub(crate) use check_pointers::pointers_are_checked;
pub use event::{CompileEvent, Event, GraphEvent, LoadEvent, SequenceEvent};
pub use launch_event::LaunchEvent;
#[cfg(all(feature = "nvtx", target_os = "linux"))]
pub use nvtx::Nvtx;
pub use observers::{Installed, Observer, install};
pub use recorder::context_fault;
#[cfg(feature = "record")]
pub(crate) use switches::keeps_images;
pub use switches::record_launches;
#[cfg(feature = "tracing")]
pub use tracing::Tracing;
#[cfg(feature = "record")]
pub use {switches::record_to_file, to_file::FileRecording};
