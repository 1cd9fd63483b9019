use super::Event;
use crate::driver::{error::Error, watched::Watcher};
use core::{
    any::Any,
    cell::Cell,
    fmt,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

/// Sees each launch, graph launch, load and compilation of this crate, before and after it: [`install`].
///
/// Both methods run on the thread that launches, directly before and after the call of the driver. A launch that is
/// rejected earlier, for example for a grid that is too large, is not an event.
///
/// [`observe`](crate::guide::observe#rules-for-observers) documents threads, launches by an observer, and panics.
pub trait Observer: Send + Sync {
    /// Before the call.
    fn before(&self, event: &Event<'_>) {
        let _ = event;
    }

    /// After the call, with its result. `before` was called with the same event, on the same thread.
    ///
    /// A kernel runs after its launch: `Ok` means that the launch was enqueued.
    fn after(&self, event: &Event<'_>, result: Result<(), &Error>) {
        let _ = (event, result);
    }
}

struct Entry {
    observer: Box<dyn Observer>,
    has_panicked: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

static INSTALLED: RwLock<Vec<Arc<Entry>>> = RwLock::new(Vec::new());

thread_local! {
    static IN_OBSERVER: Cell<bool> = const { Cell::new(false) };
}

/// Installs an observer until the returned value is dropped. Observers are called in the order in which they were
/// installed, and after a call in the reverse order. [`observe`](crate::guide::observe) has an example.
pub fn install(observer: impl Observer + 'static) -> Installed {
    let entry =
        Arc::new(Entry { observer: Box::new(observer), has_panicked: AtomicBool::new(false), panic: Mutex::new(None) });
    let mut installed = INSTALLED.write().unwrap_or_else(PoisonError::into_inner);
    installed.push(entry.clone());
    Watcher::Observers.set_active(true);
    Installed(entry)
}

/// An installed observer. Drop uninstalls it: launches that begin afterwards do not call it. A launch of another thread
/// can still be between `before` and `after`, and then calls `after`.
///
/// `mem::forget` keeps the observer installed until the process ends.
#[must_use = "dropping it uninstalls the observer"]
pub struct Installed(Arc<Entry>);

impl Installed {
    /// Returns the panic of the observer, after which it is not called until this returned it. `None` if it has not
    /// panicked.
    #[must_use]
    pub fn take_panic(&self) -> Option<Box<dyn Any + Send>> {
        let mut panic = self.0.panic.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = panic.take();
        if taken.is_some() {
            self.0.has_panicked.store(false, Relaxed);
        }
        taken
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        let removed;
        {
            let mut installed = INSTALLED.write().unwrap_or_else(PoisonError::into_inner);
            let at = installed.iter().position(|one| Arc::ptr_eq(one, &self.0));
            removed = at.map(|at| installed.remove(at));
            if installed.is_empty() {
                Watcher::Observers.set_active(false);
            }
        }
        // The drop of an observer can install another observer: the lock is released by now.
        drop(removed);
    }
}

impl fmt::Debug for Installed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Installed").field("has_panicked", &self.0.has_panicked).finish_non_exhaustive()
    }
}

/// The observers of one event: the same before and after it.
pub(super) struct Observers(Vec<Arc<Entry>>);

impl Observers {
    pub(super) fn before(event: &Event<'_>) -> Self {
        if !Watcher::Observers.is_active() || IN_OBSERVER.get() {
            return Self(Vec::new());
        }
        let installed = INSTALLED.read().unwrap_or_else(PoisonError::into_inner);
        let mut observers = Self(installed.clone());
        drop(installed);
        observers.0.retain(|entry| call(entry, |observer| observer.before(event)));
        observers
    }

    /// Calls `after` of each observer whose `before` has returned.
    pub(super) fn after(self, event: &Event<'_>, result: Result<(), &Error>) {
        for entry in self.0.into_iter().rev() {
            call(&entry, |observer| observer.after(event, result));
            // The last reference, if the observer was uninstalled in the meantime. Nobody can receive a panic of its
            // drop.
            let _ = guarded(|| drop(entry));
        }
    }
}

/// Calls a method of an observer, unless the observer has panicked; returns whether the method returned.
fn call(entry: &Entry, method: impl FnOnce(&dyn Observer)) -> bool {
    if entry.has_panicked.load(Relaxed) {
        return false;
    }
    let Err(panic) = guarded(|| method(&*entry.observer)) else {
        return true;
    };
    entry.has_panicked.store(true, Relaxed);
    let mut kept = entry.panic.lock().unwrap_or_else(PoisonError::into_inner);
    // Two threads can have been in the observer. The first panic is kept.
    if kept.is_none() {
        *kept = Some(panic);
    } else {
        drop(kept);
        core::mem::forget(panic);
    }
    false
}

/// Runs code of an observer. Its launches are not observed, and its panic is returned.
fn guarded(code: impl FnOnce()) -> Result<(), Box<dyn Any + Send>> {
    let outer = IN_OBSERVER.replace(true);
    let result = catch_unwind(AssertUnwindSafe(code));
    IN_OBSERVER.set(outer);
    result
}
