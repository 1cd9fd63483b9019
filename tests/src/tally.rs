//! Counts the work of a suite, for its final table.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

/// Kernels, launches and compared bytes.
#[derive(Default)]
pub struct Tally {
    kernels: BTreeSet<String>,
    launches: usize,
    bytes: usize,
    differences: usize,
}

static TALLY: Mutex<Option<Tally>> = Mutex::new(None);

/// Counts one echo and compares it with the passed bytes.
///
/// # Errors
/// If the bytes differ: both sides from the first difference on.
pub fn compare(kernel: &str, way: &str, echo: &[u8], passed: &[u8]) -> Result<(), String> {
    let mut tally = TALLY.lock().unwrap_or_else(PoisonError::into_inner);
    let tally = tally.get_or_insert_default();
    tally.kernels.insert(kernel.into());
    tally.launches += 1;
    tally.bytes += passed.len();
    let (count, text) = differences(echo, passed);
    tally.differences += count;
    if count == 0 { Ok(()) } else { Err(format!("{kernel}, {way}: {text}")) }
}

/// The number of different bytes, and both sides from the first difference on.
#[must_use]
pub fn differences(echo: &[u8], passed: &[u8]) -> (usize, String) {
    let pairs = || echo.iter().zip(passed);
    let count = pairs().filter(|(a, b)| a != b).count() + echo.len().abs_diff(passed.len());
    let at = pairs().position(|(a, b)| a != b).unwrap_or(echo.len().min(passed.len()));
    let window = |bytes: &[u8]| format!("{:02x?}", &bytes[at..bytes.len().min(at + 16)]);
    let text = format!(
        "{count} of {} bytes differ, from byte {at} on\n  passed {}\n  echo   {}",
        passed.len(),
        window(passed),
        window(echo)
    );
    (count, text)
}

/// Prints the table.
pub fn print(suite: &str, driver: &dyn std::fmt::Display) {
    let tally = TALLY.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(tally) = &*tally {
        println!(
            "{suite}: on {driver}: {} kernels, {} launches, {} bytes compared, {} differences",
            tally.kernels.len(),
            tally.launches,
            tally.bytes,
            tally.differences
        );
    }
}
