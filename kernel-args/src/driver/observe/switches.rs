//! What the program and the environment switch on.

use super::recorder;
#[cfg(feature = "record")]
use super::{FileRecording, to_file};
use crate::driver::{pointers::are_checked, watched::Watcher};
#[cfg(feature = "record")]
use std::path::PathBuf;

/// Reads the environment, at the first event or the first call of the program: a call of the program then replaces what it has read.
pub(super) fn start() {
    if Watcher::Environment.set_active(false) {
        Watcher::Pointers.set_active(are_checked());
        recorder::read_environment();
        #[cfg(feature = "record")]
        to_file::read_environment();
    }
}

/// Switches the flight recorder on, which keeps the last `kept` launches of each context. 0 switches it off. Returns the number that is
/// kept: 65,536 at most.
///
/// After a fault (an illegal address, a misaligned address, a trap), the error of the next launch and [`context_fault`](super::context_fault) contain the
/// launches that were running. The environment variable `KERNEL_ARGS_FLIGHT_RECORDER` does the same for a program that does not call
/// this: `KERNEL_ARGS_FLIGHT_RECORDER=1024`.
///
/// `kept` should be larger than the number of launches that are enqueued at the same time. Older ones count as finished.
#[expect(clippy::must_use_candidate, reason = "it is called for its effect")]
pub fn record_launches(kept: usize) -> usize {
    start();
    recorder::keep(kept)
}

/// Records the launch number `nth` of a kernel into a file, counted from 0: its image, geometry, attributes and arguments, and the
/// memory behind its pointers, before and after. `kernel-args replay FILE` launches it again without the program, and so does
/// [`replay`](crate::replay).
///
/// `kernel` is a symbol or a C++ name, as for [`Module::kernel`](crate::Module::kernel). The environment variables
/// `KERNEL_ARGS_RECORD=saxpy#3` and `KERNEL_ARGS_RECORD_FILE` do the same for a program that does not call this; without `#3`, the
/// first launch is recorded. The chapter [`guide::observe`](crate::guide::observe) shows what a recording contains.
///
/// Call it before the module is loaded: otherwise the recording has no image. A launch that is captured into a graph or recorded by a
/// sequence is not counted, because it does not run then.
///
/// ```no_run
/// use kernel_args::observe;
///
/// # fn main() -> Result<(), kernel_args::Error> {
/// let recording = observe::record_to_file("saxpy", 3, "saxpy.launch");
/// // … the program …
/// assert!(recording.finish()?, "saxpy was launched four times");
/// # Ok(()) }
/// ```
#[cfg(feature = "record")]
pub fn record_to_file(kernel: &str, nth: u64, file: impl Into<PathBuf>) -> FileRecording {
    start();
    to_file::request(kernel, nth, file.into())
}

#[cfg(feature = "record")]
pub(crate) fn keeps_images() -> bool {
    start();
    to_file::has_been()
}
