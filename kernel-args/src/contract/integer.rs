//! The integers with which contracts compute.

#![allow(
    clippy::cast_lossless,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::unnecessary_cast,
    reason = "the macros write one cast for all integers"
)]

use core::num::{NonZero, Wrapping};

/// An integer: contracts compute with fields of these types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer, but a contract computes with it",
    label = "not an integer",
    note = "contracts compute with fields of integer types, with members and elements of such types (`dims.x`, `shape[0]`), and with the \
            length of slices (`x.len()`)"
)]
pub trait Integer: Copy {
    /// The primitive type of the value.
    type Primitive: Narrowed;

    /// Returns the value.
    fn primitive(self) -> Self::Primitive;
}

/// A `bool`: a condition of a contract can be a field of this type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `bool`, but a contract uses it as a condition",
    label = "not a `bool`",
    note = "compare integers: `n > 0`"
)]
pub trait Condition: Copy {
    /// Returns the value.
    fn holds(self) -> bool;
}

impl Condition for bool {
    #[inline(always)]
    fn holds(self) -> bool {
        self
    }
}

/// The integer types of a kernel's parameter that `as` can name.
#[diagnostic::on_unimplemented(
    message = "a field cannot be passed as `{Self}`",
    label = "not an integer type",
    note = "`as` names the integer type of the kernel's parameter: `#[kernel_args(as = i32)]` for C's `int`"
)]
pub trait Narrowed: Copy {
    /// The smallest value.
    const MIN: i128;
    /// The largest value; of a `u128` the largest `i128`.
    const MAX: i128;

    /// Returns the low bits.
    fn low_bits(value: i128) -> Self;

    /// Returns the value; `None` if it is negative or exceeds a `u64`.
    fn quick(self) -> Option<u64>;

    /// Returns the value, or a value that exceeds every length if it is negative or exceeds a `u64`.
    fn or_huge(self) -> u64;

    /// Returns the value; `None` if it exceeds an `i128`.
    fn exact(self) -> Option<i128>;

    /// Returns the value, or the low bits of a `u128`.
    fn low(self) -> i128;

    /// Returns whether it is a multiple of `divisor`; `false` for zero.
    fn is_multiple(self, divisor: u64) -> bool;
}

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl Narrowed for $ty {
            const MIN: i128 = $ty::MIN as i128;
            const MAX: i128 = if size_of::<Self>() < 16 { $ty::MAX as i128 } else { i128::MAX };

            #[inline(always)]
            fn low_bits(value: i128) -> Self {
                value as Self
            }

            #[inline(always)]
            fn quick(self) -> Option<u64> {
                u64::try_from(self).ok()
            }

            #[inline(always)]
            fn or_huge(self) -> u64 {
                // The sign extension of a negative number is at least 2^63, more than the elements of any slice.
                if size_of::<Self>() > 8 { u64::try_from(self).unwrap_or(u64::MAX) } else { self as u64 }
            }

            #[inline(always)]
            fn exact(self) -> Option<i128> {
                i128::try_from(self).ok()
            }

            #[inline(always)]
            fn low(self) -> i128 {
                self as i128
            }

            #[inline(always)]
            fn is_multiple(self, divisor: u64) -> bool {
                match Self::try_from(divisor) {
                    Ok(0) => false,
                    Ok(divisor) => self % divisor == 0,
                    // No other multiple of a larger divisor has this type. (The smallest `i64` is one of 2^63.)
                    Err(_) => self == 0 || i128::try_from(self).is_ok_and(|own| own % i128::from(divisor) == 0),
                }
            }
        }

        contains! { [] $ty as $ty, |value| value; }
        contains! { [] NonZero<$ty> as $ty, |value| value.get(); }
    )*};
}

macro_rules! contains {
    ([$($bound:tt)*] $ty:ty as $primitive:ty, |$this:ident| $value:expr;) => {
        impl<$($bound)*> Integer for $ty {
            type Primitive = $primitive;

            #[inline(always)]
            fn primitive(self) -> $primitive {
                let $this = self;
                $value
            }
        }
    };
}

integers! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }
contains! { [I: Integer] Wrapping<I> as I::Primitive, |value| value.0.primitive(); }

#[cfg(test)]
mod tests {
    use super::{Integer, Narrowed};
    use core::num::{NonZero, Wrapping};

    #[test]
    fn a_negative_number_is_huge_or_nothing() {
        assert_eq!((-1_i8).quick(), None);
        assert!((-1_i8).or_huge() > u64::MAX / 2 && i64::MIN.or_huge() > u64::MAX / 2);
        assert_eq!(i128::MIN.or_huge(), u64::MAX);
        assert_eq!(u128::MAX.or_huge(), u64::MAX);
        assert_eq!(u128::MAX.exact(), None);
        assert_eq!((5_i8.or_huge(), 5_u128.or_huge(), 5_i8.exact()), (5, 5, Some(5)));
        assert_eq!(NonZero::<u16>::MIN.primitive().quick(), Some(1));
        assert_eq!(Wrapping(-3_i32).primitive().exact(), Some(-3));
    }

    #[test]
    fn a_multiple_is_a_multiple_in_every_type() {
        assert!((-8_i32).is_multiple(4) && 0_u8.is_multiple(1000) && 12_u8.is_multiple(3));
        assert!(!4_u8.is_multiple(0) && !0_u8.is_multiple(0) && !7_i64.is_multiple(2));
        assert!(!200_u8.is_multiple(256) && i64::MIN.is_multiple(1 << 63) && !i64::MAX.is_multiple(1 << 63));
    }
}
