//! What a program observes: launches, graph launches, loads and compilations, each before and after the driver's call.
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
pub use event::{CompileEvent, Event, GraphEvent, LoadEvent, SequenceEvent};
pub use launch_event::{LaunchEvent, LauncherEvent};
#[cfg(all(feature = "nvtx", target_os = "linux"))]
pub use nvtx::Nvtx;
pub use observers::{Installed, Observer, install};
pub use recorder::context_fault;
#[cfg(feature = "record")]
pub(crate) use switches::keeps_images;
pub(crate) use switches::pointers_are_checked;
#[cfg(feature = "record")]
pub use switches::record_to_file;
pub use switches::{check_pointers, record_launches};
#[cfg(feature = "record")]
pub use to_file::FileRecording;
#[cfg(feature = "tracing")]
pub use tracing::Tracing;
