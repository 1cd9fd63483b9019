//! The sizes of the test suites.

/// The variable that enables the full sizes.
pub const FULL: &str = "KERNEL_ARGS_FULL";

/// Whether `KERNEL_ARGS_FULL=1` enables the full sizes.
///
/// # Panics
/// If the variable is neither `0` nor `1`.
#[must_use]
pub fn is_full() -> bool {
    match std::env::var(FULL).as_deref() {
        Ok("1") => true,
        Ok("0" | "") | Err(_) => false,
        Ok(other) => panic!("{FULL}={other}: expected 0 or 1"),
    }
}

/// Returns `full` if [`is_full`], else `small`.
#[must_use]
pub fn choose(small: usize, full: usize) -> usize {
    if is_full() { full } else { small }
}
