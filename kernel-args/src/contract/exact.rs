//! The computation of contracts with `i128`: every result is exact.

#![allow(clippy::missing_errors_doc, reason = "only generated code calls these functions")]

use super::{Elements, Integer};
use crate::device::vector::Dim3;

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoValue {
    /// It exceeds an `i128`.
    Overflow,
    /// It divides by zero.
    DivisionByZero,
}

/// The result of a computation.
pub type Value = Result<i128, NoValue>;

fn fits(value: Option<i128>) -> Value {
    value.ok_or(NoValue::Overflow)
}

/// A literal.
pub const fn number(number: u64) -> Value {
    Ok(number as i128)
}

/// A field or a constant.
#[inline(always)]
pub fn integer(value: &impl Integer) -> Value {
    fits(value.exact())
}

/// The number of elements where there is no memory: see [`Elements::elements`].
pub(super) const NO_MEMORY: i128 = i128::MAX;

/// The number of elements of memory.
#[inline(always)]
pub fn elements(memory: &impl Elements) -> Value {
    let elements = memory.elements();
    Ok(if elements == usize::MAX { NO_MEMORY } else { elements as i128 })
}

/// The number of blocks, or of threads per block.
#[inline(always)]
pub fn count(dim: Dim3) -> Value {
    Ok([dim.x, dim.y, dim.z].into_iter().map(i128::from).product())
}

/// The number of blocks or threads along an axis.
#[inline(always)]
pub fn axis(extent: u32) -> Value {
    Ok(extent.into())
}

/// `a + b`
pub fn add(a: Value, b: Value) -> Value {
    fits(a?.checked_add(b?))
}

/// `a - b`
pub fn sub(a: Value, b: Value) -> Value {
    fits(a?.checked_sub(b?))
}

/// `a * b`
pub fn mul(a: Value, b: Value) -> Value {
    fits(a?.checked_mul(b?))
}

/// `a / b`, rounded towards zero.
pub fn div(a: Value, b: Value) -> Value {
    match (a?, b?) {
        (_, 0) => Err(NoValue::DivisionByZero),
        (a, b) => fits(a.checked_div(b)),
    }
}

/// `a.div_ceil(b)`, rounded up.
pub fn div_ceil(a: Value, b: Value) -> Value {
    let (a, b) = (a?, b?);
    let down = div(Ok(a), Ok(b))?;
    let up = a % b != 0 && (a < 0) == (b < 0);
    fits(down.checked_add(up.into()))
}

/// `-a`
pub fn neg(a: Value) -> Value {
    fits(a?.checked_neg())
}

#[cfg(test)]
mod tests {
    use super::{NoValue, add, div, div_ceil, mul, neg, number, sub};

    #[test]
    fn every_operation_is_exact_or_has_no_value() {
        let huge = Ok(i128::MAX);
        assert_eq!(sub(number(3), number(5)), Ok(-2));
        for overflow in [add(huge, number(1)), mul(huge, number(2)), sub(neg(huge), number(2)), neg(Ok(i128::MIN))] {
            assert_eq!(overflow, Err(NoValue::Overflow));
        }
        for division in [div, div_ceil] {
            assert_eq!(division(number(7), number(0)), Err(NoValue::DivisionByZero));
            assert_eq!(division(number(0), number(7)), Ok(0));
            assert_eq!(division(Err(NoValue::Overflow), number(7)), Err(NoValue::Overflow));
        }
        for (a, b, down, up) in [(7, 2, 3, 4), (8, 2, 4, 4), (-7, 2, -3, -3), (7, -2, -3, -3), (-7, -2, 3, 4)] {
            assert_eq!((div(Ok(a), Ok(b)), div_ceil(Ok(a), Ok(b))), (Ok(down), Ok(up)), "{a} / {b}");
        }
    }
}
