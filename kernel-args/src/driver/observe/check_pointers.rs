use super::{LaunchEvent, around::start};
use crate::driver::{
    api::api,
    context::with_current,
    error::Error,
    pointers::{self, PointerCheck, Runs},
    watched::Watcher,
};

/// Switches the check of pointers on or off, for all threads. The environment variable `KERNEL_ARGS_CHECK_POINTERS=1` switches it on
/// without a change of the program.
///
/// Each launch then asks the driver about the memory behind each pointer of its arguments, and returns
/// [`LaunchError::Pointer`](crate::error::LaunchError::Pointer) before the driver is called, if the kernel cannot use it. The chapter
/// [`guide::pointers`](crate::guide::pointers) lists what is checked.
///
/// Switch it on before modules are loaded: what the code of a kernel does with its pointers is known only for modules that are loaded
/// afterwards.
///
/// ```
/// kernel_args::observe::check_pointers(cfg!(debug_assertions));
/// ```
pub fn check_pointers(is_on: bool) {
    start();
    Watcher::Pointers.set_active(is_on);
}

/// Whether pointers are checked: for images, and for nodes of graphs, which are no events.
pub(crate) fn pointers_are_checked() -> bool {
    start();
    Watcher::Pointers.is_active()
}

impl LaunchEvent<'_> {
    pub(super) fn check_pointers(&self) -> Result<(), Error> {
        let api = api()?;
        let check = |runs| {
            pointers::check(&PointerCheck {
                api,
                kernel: self.name,
                runs,
                code: self.code,
                lengths: self.lengths,
                values: self.values,
            })
        };
        match self.context {
            // A launch makes its context current. The record of one does not.
            Some(context) if self.is_recorded => with_current(context, || check(Runs::Now))?,
            _ => check(Runs::On(self.config.stream)),
        }
    }
}
