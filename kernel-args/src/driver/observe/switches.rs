//! What user code and the environment switch on.

use super::recorder;
#[cfg(feature = "record")]
use super::to_file::{self, FileRecording};
use crate::driver::watched::{Watcher, is_switched_on};
#[cfg(feature = "record")]
use std::path::PathBuf;

/// Reads the environment, at the first event or the first call of user code: such a call then replaces what
/// it has read.
pub(super) fn start() {
    if Watcher::Environment.set_active(false) {
        Watcher::Pointers.set_active(is_switched_on("KERNEL_ARGS_CHECK_POINTERS"));
        recorder::read_environment();
        #[cfg(feature = "record")]
        to_file::read_environment();
    }
}

/// Switches the flight recorder on, which keeps the last `kept` launches of each context. 0 switches it off. Returns
/// the number that is kept: 65,536 at most.
///
/// [`observe`](crate::guide::observe#the-launch-that-faulted) shows what errors then contain, and the environment
/// variable.
///
/// `kept` should be larger than the number of launches that are enqueued at the same time. Older ones count as
/// finished.
#[expect(clippy::must_use_candidate, reason = "it is called for its effect")]
pub fn record_launches(kept: usize) -> usize {
    start();
    recorder::keep(kept)
}

/// Switches the check of pointers on or off, for all threads.
///
/// The chapter [`guide::pointers`](crate::guide::pointers#checked-pointers) lists what is checked, and the environment
/// variable.
///
/// Switch it on before modules are loaded: what the code of a kernel does with its pointers is known only for modules
/// that are loaded afterwards.
pub fn check_pointers(is_on: bool) {
    start();
    Watcher::Pointers.set_active(is_on);
}

/// Returns whether pointers are checked: for images, and for nodes of graphs, which are no events.
pub(crate) fn pointers_are_checked() -> bool {
    start();
    Watcher::Pointers.is_active()
}

#[cfg(feature = "record")]
/// Records the launch number `nth` of a kernel into a file, counted from 0: its image, geometry, attributes and
/// arguments, and the memory behind its pointers, before and after. `kernel-args replay FILE` launches it again without
/// the program, and so does [`replay`](crate::replay).
///
/// `kernel` is a symbol or a C++ name, as for [`Module::kernel`](crate::Module::kernel). The chapter
/// [`guide::observe`](crate::guide::observe#one-launch-in-a-file) shows what a recording contains, and the environment
/// variables.
///
/// Call it before the module is loaded: otherwise the recording has no image.
pub fn record_to_file(kernel: &str, nth: u64, file: impl Into<PathBuf>) -> FileRecording {
    start();
    to_file::request(kernel, nth, file.into())
}

#[cfg(feature = "record")]
pub(crate) fn keeps_images() -> bool {
    start();
    to_file::is_requested()
}
