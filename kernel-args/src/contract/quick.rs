//! The computation of contracts with `u64`: `None` if a value is negative or too large, or has no value.

use super::{Elements, Integer, integer::known};
use crate::device::vector::Dim3;

/// The result of a computation.
pub type Value = Option<u64>;

/// A literal.
#[inline(always)]
#[must_use]
pub fn number(number: u64) -> Value {
    Some(number)
}

/// A field or a constant.
#[inline(always)]
pub fn integer(value: &impl Integer) -> Value {
    value.quick()
}

/// A field alone, to compare with a number of elements. For a negative number: a number that exceeds it.
#[inline(always)]
pub fn or_huge(value: &impl Integer) -> Value {
    Some(value.or_huge())
}

/// The number of elements of memory. Without memory, more than any number, also where `usize` has 32 bits.
#[inline(always)]
pub fn elements(memory: &impl Elements) -> Value {
    let elements = memory.elements();
    Some(if elements == usize::MAX { u64::MAX } else { elements as u64 })
}

/// The number of blocks, or of threads per block.
#[inline(always)]
#[must_use]
pub fn count(dim: Dim3) -> Value {
    (u64::from(dim.x) * u64::from(dim.y)).checked_mul(u64::from(dim.z))
}

/// The number of blocks or threads along an axis.
#[inline(always)]
#[must_use]
pub fn axis(extent: u32) -> Value {
    Some(u64::from(extent))
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident, |$a:ident, $b:ident| $value:expr;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name(a: Value, b: Value) -> Value {
            let ($a, $b) = (a?, b?);
            known($value)
        }
    )*};
}

operations! {
    /// `a + b`
    add, |a, b| a.checked_add(b);
    /// `a - b`
    sub, |a, b| a.checked_sub(b);
    /// `a * b`
    mul, |a, b| a.checked_mul(b);
    /// `a / b`
    div, |a, b| a.checked_div(b);
    /// `a.div_ceil(b)`
    div_ceil, |a, b| if b == 0 { None } else { Some(a.div_ceil(b)) };
}

/// `-a`
#[inline(always)]
#[must_use]
pub fn neg(_: Value) -> Value {
    None
}

/// Whether there is at least as much as required.
#[inline(always)]
#[must_use]
pub fn reaches(found: Value, required: Value) -> bool {
    matches!((found, required), (Some(found), Some(required)) if found >= required)
}

/// Whether there is more than this.
#[inline(always)]
#[must_use]
pub fn exceeds(found: Value, than: Value) -> bool {
    matches!((found, than), (Some(found), Some(than)) if found > than)
}

/// Whether both are known, and the same.
#[inline(always)]
#[must_use]
pub fn equal(found: Value, required: Value) -> bool {
    matches!((found, required), (Some(found), Some(required)) if found == required)
}

/// Whether an integer is a multiple.
#[inline(always)]
pub fn multiple(value: &impl Integer, of: Value) -> bool {
    of.is_some_and(|of| value.is_multiple(of))
}

/// Whether a number of threads is a multiple.
#[inline(always)]
#[must_use]
pub fn divides(of: Value, threads: Value) -> bool {
    matches!((threads, of), (Some(threads), Some(of)) if of != 0 && threads % of == 0)
}

/// Whether an integer is between two constants, both inclusive.
#[inline(always)]
pub fn within(value: &impl Integer, low: i128, high: i128) -> bool {
    value.exact().is_some_and(|value| low <= value && value <= high)
}

/// The dynamic shared memory of a launch: what it specifies, if that is enough.
#[inline(always)]
#[must_use]
pub fn shared(given: Option<u32>, required: Value) -> Option<u32> {
    let required = u32::try_from(required?).ok()?;
    given.is_none_or(|given| given >= required).then_some(given.unwrap_or(required))
}
