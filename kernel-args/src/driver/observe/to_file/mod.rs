//! One launch in a file, with the memory behind its pointers: `kernel-args replay` launches it again.
//!
//! | file | contents |
//! |---|---|
//! | [`requests`] | which launches are recorded: calls of the program, and the environment |
//! | [`pointers`] | the allocations that the arguments of a launch point to |
//! | [`write`] | the file |

mod pointers;
mod requests;
mod write;

pub use requests::FileRecording;
pub(super) use requests::{has_been, read_environment, record, request};
