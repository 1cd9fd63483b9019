//! The computation of contracts with `u64`: an error if a value is negative or too large, or has no value.

pub use super::number::{axis, count, elements, integer, length, truth};
use super::{Integer, Narrowed as _, number};

/// An integer.
pub type QuickNumber = number::Number<u64>;

/// The result of a comparison.
pub type QuickTruth = number::Truth<u64>;

/// Returns a literal.
#[inline(always)]
#[must_use]
pub fn number(number: u64) -> QuickNumber {
    number::number(number)
}

/// Returns a field alone, to compare with a number of elements. For a negative number: a number that exceeds it.
#[inline(always)]
pub fn or_huge(value: &impl Integer) -> QuickNumber {
    number(value.primitive().or_huge())
}

/// Returns whether a condition is known to hold.
#[inline(always)]
#[must_use]
pub fn holds(condition: QuickTruth) -> bool {
    matches!(condition.0, Ok(true))
}

/// Returns whether there is at least as much as required.
#[inline(always)]
#[must_use]
pub fn reaches(found: QuickNumber, required: QuickNumber) -> bool {
    matches!((found.0, required.0), (Ok(found), Ok(required)) if found >= required)
}

/// Returns whether there is more than this.
#[inline(always)]
#[must_use]
pub fn exceeds(found: QuickNumber, than: QuickNumber) -> bool {
    matches!((found.0, than.0), (Ok(found), Ok(than)) if found > than)
}

/// Returns whether both are known, and the same.
#[inline(always)]
#[must_use]
pub fn equal(found: QuickNumber, required: QuickNumber) -> bool {
    matches!((found.0, required.0), (Ok(found), Ok(required)) if found == required)
}

/// Returns whether an integer is a multiple.
#[inline(always)]
pub fn multiple(value: &impl Integer, of: QuickNumber) -> bool {
    of.0.is_ok_and(|of| value.primitive().is_multiple(of))
}

/// Returns whether a number of threads is a multiple.
#[inline(always)]
#[must_use]
pub fn divides(of: QuickNumber, threads: QuickNumber) -> bool {
    matches!((threads.0, of.0), (Ok(threads), Ok(of)) if of != 0 && threads % of == 0)
}

/// Returns whether an integer is between two constants, both inclusive.
#[inline(always)]
pub fn within(value: &impl Integer, low: i128, high: i128) -> bool {
    value.primitive().exact().is_some_and(|value| low <= value && value <= high)
}

/// Returns the dynamic shared memory of a launch: what it specifies, if that is enough.
#[inline(always)]
#[must_use]
pub fn shared(given: Option<u32>, required: QuickNumber) -> Option<u32> {
    let required = u32::try_from(required.0.ok()?).ok()?;
    given.is_none_or(|given| given >= required).then_some(given.unwrap_or(required))
}
