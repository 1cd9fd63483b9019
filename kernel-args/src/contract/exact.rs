//! The computation of contracts with `i128`: every result is exact.

use super::{Condition, Elements, Integer};
use crate::device::vector::Dim3;
use core::fmt;

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoValue {
    /// It exceeds an `i128`.
    Overflow,
    /// It divides by zero.
    DivisionByZero,
    /// It uses the number of elements of `None`.
    NoMemory,
}

/// An integer, or why it does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number(pub(super) Result<i128, NoValue>);

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth(pub(super) Result<bool, NoValue>);

fn fits(value: Option<i128>) -> Number {
    Number(value.ok_or(NoValue::Overflow))
}

/// A literal.
#[must_use]
pub const fn number(number: u64) -> Number {
    Number(Ok(number as i128))
}

/// A field or a constant.
#[inline(always)]
pub fn integer(value: &impl Integer) -> Number {
    fits(value.exact())
}

/// A `bool`.
#[inline(always)]
pub fn truth(value: &impl Condition) -> Truth {
    Truth(Ok(value.holds()))
}

/// The number of elements where there is no memory: see [`Elements::elements`].
pub(super) const NO_MEMORY: i128 = i128::MAX;

/// The number of elements of memory.
#[inline(always)]
pub fn elements(memory: &impl Elements) -> Number {
    let elements = memory.elements();
    Number(Ok(if elements == usize::MAX { NO_MEMORY } else { elements as i128 }))
}

/// The number of elements in an expression, which has no value without memory.
#[inline(always)]
pub fn length(memory: &impl Elements) -> Number {
    match elements(memory) {
        Number(Ok(NO_MEMORY)) => Number(Err(NoValue::NoMemory)),
        elements => elements,
    }
}

/// The number of blocks, or of threads per block.
#[inline(always)]
#[must_use]
pub fn count(dim: Dim3) -> Number {
    Number(Ok([dim.x, dim.y, dim.z].into_iter().map(i128::from).product()))
}

/// The number of blocks or threads along an axis.
#[inline(always)]
#[must_use]
pub fn axis(extent: u32) -> Number {
    Number(Ok(extent.into()))
}

macro_rules! operations {
    ($(|$a:ident, $b:ident| $(#[$doc:meta])* $name:ident -> $result:ident: $value:expr;)*) => {
        #[allow(clippy::should_implement_trait, reason = "the derive writes calls, which need no parentheses")]
        impl Number {$(
            $(#[$doc])*
            #[must_use]
            pub fn $name(self, other: Self) -> $result {
                match (self.0, other.0) {
                    (Ok($a), Ok($b)) => $value,
                    (Err(why), _) | (_, Err(why)) => $result(Err(why)),
                }
            }
        )*}
    };
}

const DIVISION_BY_ZERO: Number = Number(Err(NoValue::DivisionByZero));

operations! {
    |a, b|
    /// `a + b`
    add -> Number: fits(a.checked_add(b));
    |a, b|
    /// `a - b`
    sub -> Number: fits(a.checked_sub(b));
    |a, b|
    /// `a * b`
    mul -> Number: fits(a.checked_mul(b));
    |a, b|
    /// `a / b`, rounded towards zero.
    div -> Number: if b == 0 { DIVISION_BY_ZERO } else { fits(a.checked_div(b)) };
    |a, b|
    /// `a % b`, with the sign of `a`.
    rem -> Number: if b == 0 { DIVISION_BY_ZERO } else { Number(Ok(a.wrapping_rem(b))) };
    |a, b|
    /// `a.div_ceil(b)`, rounded up.
    div_ceil -> Number: {
        let up = b != 0 && a.wrapping_rem(b) != 0 && (a < 0) == (b < 0);
        Number(Ok(a)).div(Number(Ok(b))).add(Number(Ok(up.into())))
    };
    |a, b|
    /// `a.min(b)`
    min -> Number: Number(Ok(a.min(b)));
    |a, b|
    /// `a.max(b)`
    max -> Number: Number(Ok(a.max(b)));
    |a, b|
    /// `a == b`
    equal -> Truth: Truth(Ok(a == b));
    |a, b|
    /// `a < b`
    less -> Truth: Truth(Ok(a < b));
}

impl Number {
    /// `-a`
    #[allow(clippy::should_implement_trait, reason = "the derive writes calls, which need no parentheses")]
    #[must_use]
    pub fn neg(self) -> Self {
        number(0).sub(self)
    }

    /// The value, for an error.
    #[must_use]
    pub fn shown(self) -> Shown {
        Shown::Number(self)
    }
}

/// The operators of Rust: from left to right, and only as far as the result needs it.
#[allow(clippy::should_implement_trait, reason = "the derive writes calls, which need no parentheses")]
impl Truth {
    /// `a && b`
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self.0 == Ok(true) { other } else { self }
    }

    /// `a || b`
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self.0 == Ok(false) { other } else { self }
    }

    /// `!a`
    #[must_use]
    pub fn not(self) -> Self {
        Self(self.0.map(|holds| !holds))
    }

    /// `a == b`
    #[must_use]
    pub fn equal(self, other: Self) -> Self {
        Self(self.0.and_then(|a| Ok(a == other.0?)))
    }

    /// The value, for an error.
    #[must_use]
    pub fn shown(self) -> Shown {
        Shown::Truth(self)
    }
}

/// The value of a place in an error.
#[derive(Clone, Copy)]
pub enum Shown {
    /// An integer.
    Number(Number),
    /// A `bool`.
    Truth(Truth),
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(Number(Ok(value))) => write!(f, " = {value}"),
            Self::Truth(Truth(Ok(value))) => write!(f, " = {value}"),
            Self::Number(Number(Err(NoValue::NoMemory))) => f.write_str(" has no value: it is `None`"),
            Self::Number(_) | Self::Truth(_) => f.write_str(" exceeds 127 bits"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NoValue, Number, Truth, number};

    const fn of(value: i128) -> Number {
        Number(Ok(value))
    }

    #[test]
    fn every_operation_is_exact_or_has_no_value() {
        let (huge, overflow) = (of(i128::MAX), Number(Err(NoValue::Overflow)));
        assert_eq!(number(3).sub(number(5)), of(-2));
        for result in [huge.add(number(1)), huge.mul(number(2)), huge.neg().sub(number(2)), of(i128::MIN).neg()] {
            assert_eq!(result, overflow);
        }
        assert_eq!(of(i128::MIN).div(of(-1)), overflow);
        assert_eq!(of(i128::MIN).rem(of(-1)), of(0));
        for division in [Number::div, Number::div_ceil, Number::rem] {
            assert_eq!(division(number(7), number(0)), Number(Err(NoValue::DivisionByZero)));
            assert_eq!(division(number(0), number(7)), of(0));
            assert_eq!(division(overflow, number(7)), overflow);
        }
        for (a, b, down, up, rest) in
            [(7, 2, 3, 4, 1), (8, 2, 4, 4, 0), (-7, 2, -3, -3, -1), (7, -2, -3, -3, 1), (-7, -2, 3, 4, -1)]
        {
            let (a, b) = (of(a), of(b));
            assert_eq!((a.div(b), a.div_ceil(b), a.rem(b)), (of(down), of(up), of(rest)), "{a:?} / {b:?}");
        }
    }

    /// A condition guards the one after it.
    #[test]
    fn conditions_are_computed_as_far_as_needed() {
        let [yes, no] = [true, false].map(|value| Truth(Ok(value)));
        let none = Truth(Err(NoValue::DivisionByZero));
        for (result, expected) in [
            (no.and(none), no),
            (yes.or(none), yes),
            (yes.and(none), none),
            (no.or(none), none),
            (none.and(no), none),
            (none.or(yes), none),
            (none.not(), none),
            (none.equal(yes), none),
            (yes.equal(no).not(), yes),
        ] {
            assert_eq!(result, expected);
        }
    }
}
