//! Which users of the hook are active.

use crate::driver::{api::set_plain, pointers::are_checked};
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::{
    sync::{Mutex, MutexGuard, PoisonError, Weak},
    vec::Vec,
};

/// A bit for each user that is active. [`START`] until the first event.
static ACTIVE: AtomicU8 = AtomicU8::new(START);

/// A function whose launches compare their grid and block with limits.
///
/// While something is observed, it has other limits, which no launch meets. So one comparison decides whether the launch is within its
/// limits, and whether it is observed.
pub(crate) trait Limited: Send + Sync {
    /// Sets the limits: `is_plain` if nothing is observed.
    fn set_plain(&self, is_plain: bool);
}

/// All functions with limits, and the lock under which [`ACTIVE`] and what follows from it change.
static LIMITED: Mutex<Vec<Weak<dyn Limited>>> = Mutex::new(Vec::new());

fn limited() -> MutexGuard<'static, Vec<Weak<dyn Limited>>> {
    LIMITED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets the limits of a function, now and when they change.
pub(crate) fn add_limited(function: Weak<dyn Limited>) {
    let mut all = limited();
    set(&function, !is_active());
    if all.len() == all.capacity() {
        all.retain(|function| function.strong_count() > 0);
    }
    all.push(function);
}

fn set(function: &Weak<dyn Limited>, is_plain: bool) {
    if let Some(function) = function.upgrade() {
        function.set_plain(is_plain);
    }
}

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
        change(|bits| if is_active { bits | self as u8 } else { bits & !(self as u8) });
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

fn change(to: impl FnOnce(u8) -> u8) {
    let all = limited();
    let bits = to(ACTIVE.load(Relaxed));
    ACTIVE.store(bits, Relaxed);
    set_plain(bits == 0);
    all.iter().for_each(|function| set(function, bits == 0));
}

/// Whether any user is active: then launches, graph launches, loads and compilations call [`around`](super::around()). A launch finds
/// it out with a comparison that it makes anyway: [`Limited`], [`plain`](crate::driver::api::plain).
#[inline(always)]
pub(crate) fn is_active() -> bool {
    ACTIVE.load(Relaxed) != 0
}
