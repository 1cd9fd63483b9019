//! The one word that each launch reads: whether the launch is more than a call of the driver.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::env;

/// A bit for each active [`Watcher`]. Above them, the number of closures of captures and sequences that threads are in,
/// and of runs that a launch can name as its stream.
static WATCHED: AtomicUsize = AtomicUsize::new(if cfg!(feature = "observe") { START } else { 0 });

const START: usize = 1 << 7;

#[cfg(feature = "graphs")]
const CLOSURE: usize = 1 << 8;

/// Returns whether an environment variable switches something on: it is neither empty nor 0.
pub(crate) fn is_switched_on(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| value != "0" && !value.is_empty())
}

/// Returns whether a launch is only a call of the driver. If not, it takes a cold path, which finds out why.
#[inline(always)]
pub(crate) fn is_plain() -> bool {
    WATCHED.load(Relaxed) == 0
}

#[cfg(feature = "graphs")]
pub(crate) fn enter_closure() {
    WATCHED.fetch_add(CLOSURE, Relaxed);
}

#[cfg(feature = "graphs")]
pub(crate) fn leave_closure() {
    WATCHED.fetch_sub(CLOSURE, Relaxed);
}

/// What sees launches, graph launches, loads and compilations.
#[cfg(feature = "observe")]
#[derive(Clone, Copy)]
#[repr(usize)]
pub(crate) enum Watcher {
    Observers = 1,
    Recorder = 2,
    Pointers = 4,
    #[cfg(feature = "record")]
    Files = 8,
    /// The environment, which is read at the first event.
    Environment = START,
}

#[cfg(feature = "observe")]
impl Watcher {
    /// Returns whether it was active.
    pub(crate) fn set_active(self, is_active: bool) -> bool {
        let bit = self as usize;
        let before = if is_active { WATCHED.fetch_or(bit, Relaxed) } else { WATCHED.fetch_and(!bit, Relaxed) };
        before & bit != 0
    }

    pub(crate) fn is_active(self) -> bool {
        WATCHED.load(Relaxed) & self as usize != 0
    }
}

/// Returns whether any [`Watcher`] is active: then launches, graph launches, loads and compilations are events.
#[cfg(any(feature = "graphs", feature = "observe"))]
pub(crate) fn is_active() -> bool {
    WATCHED.load(Relaxed) & 0xff != 0
}
