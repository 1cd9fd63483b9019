//! The computation of contracts with `i128`: every result is exact.

use super::number::{self, NoValue};
pub use super::number::{axis, count, elements, integer, length, truth};

/// An integer.
pub type ExactNumber = number::Number<i128>;

/// The result of a comparison.
pub type ExactTruth = number::Truth<i128>;

/// Returns a literal.
#[must_use]
pub fn number(number: u64) -> ExactNumber {
    number::number(number)
}

impl ExactNumber {
    /// Returns the value, for an error.
    #[must_use]
    pub fn shown(self) -> Shown {
        Shown::Number(self)
    }
}

impl ExactTruth {
    /// Returns the value, for an error.
    #[must_use]
    pub fn shown(self) -> Shown {
        Shown::Truth(self)
    }
}

/// The value of a place in an error.
#[derive(Clone, Copy)]
pub enum Shown {
    /// An integer.
    Number(ExactNumber),
    /// A `bool`.
    Truth(ExactTruth),
}

display!(Shown, |this, f| match this {
    Self::Number(number::Number(Ok(value))) => write!(f, " = {value}"),
    Self::Truth(number::Truth(Ok(value))) => write!(f, " = {value}"),
    Self::Number(number::Number(Err(NoValue::NoMemory))) => f.write_str(" has no value: it is `None`"),
    Self::Number(_) | Self::Truth(_) => f.write_str(" exceeds 127 bits"),
});

#[cfg(test)]
mod tests {
    use super::{
        super::number::{Number, Truth},
        NoValue, number,
    };

    const fn of(value: i128) -> Number<i128> {
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
        let [yes, no] = [true, false].map(|value| Truth::<i128>(Ok(value)));
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
