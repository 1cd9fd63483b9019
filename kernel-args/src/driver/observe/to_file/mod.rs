//! One launch in a file, with the memory behind its pointers: `kernel-args replay` launches it again.

mod pointers;
mod requests;
mod write;

pub(crate) use requests::keeps_images;
pub use requests::{FileRecording, record_to_file};
pub(super) use requests::{read_environment, record};
