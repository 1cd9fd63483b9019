//! Whether pointers are checked.

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::{env, sync::LazyLock};

/// What the program has decided, otherwise the environment: `KERNEL_ARGS_CHECK_POINTERS=1`.
static CHECKED: LazyLock<AtomicBool> = LazyLock::new(|| {
    let value = env::var_os("KERNEL_ARGS_CHECK_POINTERS");
    AtomicBool::new(value.is_some_and(|value| value != "0" && !value.is_empty()))
});

pub(crate) fn are_checked() -> bool {
    CHECKED.load(Relaxed)
}

pub(crate) fn set_checked(is_on: bool) {
    CHECKED.store(is_on, Relaxed);
}
