//! One launch in a file, with the memory behind its pointers: `kernel-args replay` launches it again.

mod pointers;
mod requests;
mod write;

pub use requests::FileRecording;
pub(super) use requests::{is_requested, read_environment, record, request};
