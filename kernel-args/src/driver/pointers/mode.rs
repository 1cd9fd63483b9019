//! Whether pointers are checked.

use core::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::env;

/// The environment variable that switches the checks on: `1`.
const VARIABLE: &str = "KERNEL_ARGS_CHECK_POINTERS";

const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;

/// The last call of [`set_checked`], otherwise what the environment says.
static MODE: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Whether pointers are checked. The first call reads the environment, unless the program has decided it before.
pub(crate) fn are_checked() -> bool {
    match MODE.load(Relaxed) {
        UNKNOWN => {
            let is_on = env::var_os(VARIABLE).is_some_and(|value| value != "0" && !value.is_empty());
            let mode = if is_on { ON } else { OFF };
            // A call of `set_checked` in the meantime takes precedence.
            match MODE.compare_exchange(UNKNOWN, mode, Relaxed, Relaxed) {
                Ok(_) => is_on,
                Err(decided) => decided == ON,
            }
        }
        mode => mode == ON,
    }
}

/// Switches the checks on or off.
pub(crate) fn set_checked(is_on: bool) {
    MODE.store(if is_on { ON } else { OFF }, Relaxed);
}
