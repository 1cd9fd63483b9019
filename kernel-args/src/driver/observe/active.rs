//! Which users of the hook are active.

use crate::driver::pointers::are_checked;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A bit for each user that is active. [`START`] until the first event.
///
/// A launch reads it once, before it does anything else. If it is 0, that load and a branch are all that observation costs.
static ACTIVE: AtomicU8 = AtomicU8::new(START);

/// No event has been seen yet: the environment has not been read.
const START: u8 = 1 << 7;

/// A user of the hook.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(crate) enum User {
    /// Observers that the program has installed.
    Observers = 1,
    /// The flight recorder.
    Recorder = 2,
    /// Checks of pointers.
    Pointers = 4,
    /// Launches that are recorded in a file.
    #[cfg(feature = "record")]
    Files = 8,
}

impl User {
    pub(super) fn set_active(self, is_active: bool) {
        change(|bits| {
            if is_active {
                bits | self as u8
            } else {
                bits & !(self as u8)
            }
        });
    }

    /// Whether this user is active.
    pub(super) fn is_active(self) -> bool {
        ACTIVE.load(Relaxed) & self as u8 != 0
    }
}

/// Whether this is the first call.
pub(super) fn is_first() -> bool {
    let is_first = ACTIVE.load(Relaxed) & START != 0;
    if is_first {
        change(|bits| bits & !START);
        User::Pointers.set_active(are_checked());
    }
    is_first
}

fn change(to: impl Fn(u8) -> u8) {
    // The closure of an update always succeeds.
    let _ = ACTIVE.fetch_update(Relaxed, Relaxed, |bits| Some(to(bits)));
}

/// Whether any user is active: then launches, graph launches, loads and compilations call [`around`](super::around()).
#[inline(always)]
pub(crate) fn is_active() -> bool {
    ACTIVE.load(Relaxed) != 0
}
