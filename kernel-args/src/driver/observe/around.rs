//! The hook: what happens before and after a call of the driver that is observed.

#[cfg(feature = "record")]
use super::to_file;
use super::{Event, observers::Observers, recorder, switches::start};
use crate::driver::{error::Error, watched::Watcher};

/// Calls `run`, which calls the driver for `event`, between what the active watchers do before and after it.
#[cold]
pub(crate) fn around<R>(event: &Event<'_>, run: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    start();
    let observers = Observers::before(event);
    // What can refuse a call before the driver sees it. After an error, the driver is not called, and user code gets
    // the error.
    let checked = match event.call() {
        Some(call) if Watcher::Pointers.is_active() => call.check_pointers(),
        _ => Ok(()),
    };
    let result = checked.and_then(|()| {
        let run = || recorder::record(event, run);
        #[cfg(feature = "record")]
        return to_file::record(event, run);
        #[cfg(not(feature = "record"))]
        run()
    });
    observers.after(event, result.as_ref().map(|_| ()));
    result
}
