use super::Event;
use crate::{
    driver::{error::Error, watched::Watcher},
    lock::lock,
};
use core::{any::Any, cell::Cell};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
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
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

static INSTALLED: Mutex<Vec<Arc<Entry>>> = Mutex::new(Vec::new());

thread_local! {
    static IN_OBSERVER: Cell<bool> = const { Cell::new(false) };
}

/// Installs an observer until the returned value is dropped. Observers are called in the order in which they were
/// installed, and after a call in the reverse order. [`observe`](crate::guide::observe) has an example.
pub fn install(observer: impl Observer + 'static) -> Installed {
    let entry = Arc::new(Entry { observer: Box::new(observer), panic: Mutex::default() });
    lock(&INSTALLED).push(entry.clone());
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
        lock(&self.0.panic).take()
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        // The drop of an observer can install another observer: `self.0` is dropped later, without the lock.
        let mut installed = lock(&INSTALLED);
        installed.retain(|one| !Arc::ptr_eq(one, &self.0));
        Watcher::Observers.set_active(!installed.is_empty());
    }
}

// The block releases the lock before the text is written.
debug!(Installed, this => has_panicked: { lock(&this.0.panic).is_some() });

/// The observers of one event: the same before and after it.
pub(super) struct Observers(Vec<Arc<Entry>>);

impl Observers {
    pub(super) fn before(event: &Event<'_>) -> Self {
        if !Watcher::Observers.is_active() || IN_OBSERVER.get() {
            return Self(Vec::new());
        }
        let mut observers = lock(&INSTALLED).clone();
        observers.retain(|entry| call(entry, |observer| observer.before(event)));
        Self(observers)
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
    if lock(&entry.panic).is_some() {
        return false;
    }
    let Err(panic) = guarded(|| method(&*entry.observer)) else {
        return true;
    };
    let mut kept = lock(&entry.panic);
    // Two threads can have been in the observer. The first panic is kept.
    if kept.is_none() {
        *kept = Some(panic);
    } else {
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
