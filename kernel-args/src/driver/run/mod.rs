//! One run of a sequence: what it records, its memory, its copies from the host, and its external work.
//!
//! | to change | open |
//! |---|---|
//! | what a run consists of, and who can record in it | `run_record.rs` |
//! | external work that an earlier run has captured | `external_cache.rs`; with other addresses: `moved_work.rs` |
//! | steps that are enqueued while the run records | `Segments` in `run_record.rs` |
//! | copies from the host | `uploads.rs` |
//! | memory that a program gives up while a run records | `retired.rs` |

mod external_cache;
mod moved_work;
mod retired;
mod run_record;
mod uploads;

pub(crate) use external_cache::{Captured, ExternalCache, ExternalSteps};
pub(crate) use retired::retire;
pub(crate) use run_record::{Entered, Leftovers, NotRecording, Recording, RunRecord, Segments, SharedRecording};
use uploads::Uploads;
