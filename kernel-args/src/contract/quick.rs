//! The computation of contracts with `u64`: `None` if a value is negative or too large, or has no value.

use super::{Condition, Elements, Integer, integer::known};
use crate::device::vector::Dim3;

/// An integer; `None` if it is not known.
#[derive(Clone, Copy)]
pub struct Number(pub Option<u64>);

/// The result of a comparison; `None` if it is not known.
#[derive(Clone, Copy)]
pub struct Truth(Option<bool>);

/// A literal.
#[inline(always)]
#[must_use]
pub fn number(number: u64) -> Number {
    Number(Some(number))
}

/// A field or a constant.
#[inline(always)]
pub fn integer(value: &impl Integer) -> Number {
    Number(value.quick())
}

/// A `bool`.
#[inline(always)]
pub fn truth(value: &impl Condition) -> Truth {
    Truth(Some(value.holds()))
}

/// A field alone, to compare with a number of elements. For a negative number: a number that exceeds it.
#[inline(always)]
pub fn or_huge(value: &impl Integer) -> Number {
    Number(Some(value.or_huge()))
}

/// The number of elements of memory. Without memory, more than any number, also where `usize` has 32 bits.
#[inline(always)]
pub fn elements(memory: &impl Elements) -> Number {
    let elements = memory.elements();
    number(if elements == usize::MAX { u64::MAX } else { elements as u64 })
}

/// The number of elements in an expression, which has no value without memory.
#[inline(always)]
pub fn length(memory: &impl Elements) -> Number {
    Number(Some(memory.elements()).filter(|elements| *elements != usize::MAX).map(|elements| elements as u64))
}

/// The number of blocks, or of threads per block.
#[inline(always)]
#[must_use]
pub fn count(dim: Dim3) -> Number {
    Number((u64::from(dim.x) * u64::from(dim.y)).checked_mul(u64::from(dim.z)))
}

/// The number of blocks or threads along an axis.
#[inline(always)]
#[must_use]
pub fn axis(extent: u32) -> Number {
    number(u64::from(extent))
}

macro_rules! operations {
    ($(|$a:ident, $b:ident| $(#[$doc:meta])* $name:ident -> $result:ident: $value:expr;)*) => {
        #[allow(clippy::should_implement_trait, reason = "the derive writes calls, which need no parentheses")]
        impl Number {$(
            $(#[$doc])*
            #[inline(always)]
            #[must_use]
            pub fn $name(self, other: Self) -> $result {
                let (Some($a), Some($b)) = (self.0, other.0) else { return $result(None) };
                $result($value)
            }
        )*}
    };
}

operations! {
    |a, b|
    /// `a + b`
    add -> Number: known(a.checked_add(b));
    |a, b|
    /// `a - b`
    sub -> Number: known(a.checked_sub(b));
    |a, b|
    /// `a * b`
    mul -> Number: known(a.checked_mul(b));
    |a, b|
    /// `a / b`
    div -> Number: known(a.checked_div(b));
    |a, b|
    /// `a % b`
    rem -> Number: known(a.checked_rem(b));
    |a, b|
    /// `a.div_ceil(b)`
    div_ceil -> Number: known(if b == 0 { None } else { Some(a.div_ceil(b)) });
    |a, b|
    /// `a.min(b)`
    min -> Number: Some(a.min(b));
    |a, b|
    /// `a.max(b)`
    max -> Number: Some(a.max(b));
    |a, b|
    /// `a == b`
    equal -> Truth: Some(a == b);
    |a, b|
    /// `a < b`
    less -> Truth: Some(a < b);
}

impl Number {
    /// `-a`
    #[allow(clippy::should_implement_trait, reason = "the derive writes calls, which need no parentheses")]
    #[inline(always)]
    #[must_use]
    pub fn neg(self) -> Self {
        Self(None)
    }
}

/// The operators of Rust: from left to right, and only as far as the result needs it.
#[allow(clippy::should_implement_trait, reason = "the derive writes calls, which need no parentheses")]
impl Truth {
    /// `a && b`
    #[inline(always)]
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self.0 == Some(true) { other } else { self }
    }

    /// `a || b`
    #[inline(always)]
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self.0 == Some(false) { other } else { self }
    }

    /// `!a`
    #[inline(always)]
    #[must_use]
    pub fn not(self) -> Self {
        Self(self.0.map(|holds| !holds))
    }

    /// `a == b`
    #[inline(always)]
    #[must_use]
    pub fn equal(self, other: Self) -> Self {
        Self(self.0.zip(other.0).map(|(a, b)| a == b))
    }
}

/// Whether a condition is known to hold.
#[inline(always)]
#[must_use]
pub fn holds(condition: Truth) -> bool {
    condition.0 == Some(true)
}

/// Whether there is at least as much as required.
#[inline(always)]
#[must_use]
pub fn reaches(found: Number, required: Number) -> bool {
    matches!((found.0, required.0), (Some(found), Some(required)) if found >= required)
}

/// Whether there is more than this.
#[inline(always)]
#[must_use]
pub fn exceeds(found: Number, than: Number) -> bool {
    matches!((found.0, than.0), (Some(found), Some(than)) if found > than)
}

/// Whether both are known, and the same.
#[inline(always)]
#[must_use]
pub fn equal(found: Number, required: Number) -> bool {
    matches!((found.0, required.0), (Some(found), Some(required)) if found == required)
}

/// Whether an integer is a multiple.
#[inline(always)]
pub fn multiple(value: &impl Integer, of: Number) -> bool {
    of.0.is_some_and(|of| value.is_multiple(of))
}

/// Whether a number of threads is a multiple.
#[inline(always)]
#[must_use]
pub fn divides(of: Number, threads: Number) -> bool {
    matches!((threads.0, of.0), (Some(threads), Some(of)) if of != 0 && threads % of == 0)
}

/// Whether an integer is between two constants, both inclusive.
#[inline(always)]
pub fn within(value: &impl Integer, low: i128, high: i128) -> bool {
    value.exact().is_some_and(|value| low <= value && value <= high)
}

/// The dynamic shared memory of a launch: what it specifies, if that is enough.
#[inline(always)]
#[must_use]
pub fn shared(given: Option<u32>, required: Number) -> Option<u32> {
    let required = u32::try_from(required.0?).ok()?;
    given.is_none_or(|given| given >= required).then_some(given.unwrap_or(required))
}
