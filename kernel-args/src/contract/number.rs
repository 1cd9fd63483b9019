//! The numbers of both computations of contracts, with the same operations: `u64` for [`quick`](super::quick), `i128`
//! for [`exact`](super::exact).

use super::{Condition, Elements, Integer, Narrowed as _};
use crate::device::vector::Dim3;

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoValue {
    /// It exceeds the numbers of the computation.
    Overflow,
    /// It divides by zero.
    DivisionByZero,
    /// It uses the number of elements of `None`.
    NoMemory,
}

/// What a computation remembers of a [`NoValue`].
pub trait Why: Copy {
    /// Returns what is remembered.
    fn of(why: NoValue) -> Self;
}

impl Why for NoValue {
    fn of(why: NoValue) -> Self {
        why
    }
}

/// Nothing, in code that expects a value: without the call, LLVM computes on after an error, and compares flags at the
/// end.
impl Why for () {
    #[inline(always)]
    fn of(_: NoValue) {
        #[cold]
        #[inline(never)]
        fn give_up() {
            core::hint::black_box(());
        }
        give_up();
    }
}

/// An integer, or why it does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number<V: Value>(pub Result<V, V::Why>);

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth<V: Value>(pub(super) Result<bool, V::Why>);

/// An operation that can fail.
#[derive(Clone, Copy)]
pub enum Operation {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    DivCeil,
}

/// The integers of a computation.
pub trait Value: Copy + Ord + From<u64> {
    /// What is remembered if an expression has no value.
    type Why: Why;
    /// More than the elements of any slice: the number of elements where there is no memory, see
    /// [`Elements::elements`].
    const MOST: Self;

    /// Returns the value of an integer.
    fn of(value: impl Integer) -> Option<Self>;

    /// Returns the result of an operation. Division rounds towards zero, and a remainder has the sign of the dividend.
    fn compute(operation: Operation, a: Self, b: Self) -> Result<Self, NoValue>;
}

macro_rules! value {
    ($ty:ty: $why:ty, #[$inline:meta], $of:ident, |$a:ident, $b:ident| $div_ceil:expr) => {
        impl Value for $ty {
            type Why = $why;
            const MOST: Self = Self::MAX;

            #[inline(always)]
            fn of(value: impl Integer) -> Option<Self> {
                value.primitive().$of()
            }

            #[$inline]
            fn compute(operation: Operation, $a: Self, $b: Self) -> Result<Self, NoValue> {
                let result = match operation {
                    Operation::Add => $a.checked_add($b),
                    Operation::Sub => $a.checked_sub($b),
                    Operation::Mul => $a.checked_mul($b),
                    _ if $b == 0 => return Err(NoValue::DivisionByZero),
                    Operation::Div => $a.checked_div($b),
                    Operation::Rem => Some($a.wrapping_rem($b)),
                    Operation::DivCeil => $div_ceil,
                };
                result.ok_or(NoValue::Overflow)
            }
        }
    };
}

value!(u64: (), #[inline(always)], quick, |a, b| Some(a.div_ceil(b)));
// Not inlined: the cold computation is compiled once.
value!(i128: NoValue, #[inline(never)], exact, |a, b| {
    let up = a.wrapping_rem(b) != 0 && (a < 0) == (b < 0);
    a.checked_div(b).and_then(|down| down.checked_add(up.into()))
});

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident -> $result:ident<$out:ty>: |$a:ident, $b:ident| $value:expr;)*) => {
        #[allow(clippy::should_implement_trait, reason = "the derive writes calls, which need no parentheses")]
        impl<V: Value> Number<V> {$(
            $(#[$doc])*
            #[inline(always)]
            #[must_use]
            pub fn $name(self, other: Self) -> $result<$out> {
                $result(match (self.0, other.0) {
                    (Ok($a), Ok($b)) => $value,
                    (Err(why), _) | (_, Err(why)) => Err(why),
                })
            }
        )*}
    };
}

#[inline(always)]
fn computed<V: Value>(operation: Operation, a: V, b: V) -> Result<V, V::Why> {
    V::compute(operation, a, b).map_err(V::Why::of)
}

operations! {
    /// `a + b`
    add -> Number<V>: |a, b| computed(Operation::Add, a, b);
    /// `a - b`
    sub -> Number<V>: |a, b| computed(Operation::Sub, a, b);
    /// `a * b`
    mul -> Number<V>: |a, b| computed(Operation::Mul, a, b);
    /// `a / b`
    div -> Number<V>: |a, b| computed(Operation::Div, a, b);
    /// `a % b`
    rem -> Number<V>: |a, b| computed(Operation::Rem, a, b);
    /// `a.div_ceil(b)`
    div_ceil -> Number<V>: |a, b| computed(Operation::DivCeil, a, b);
    /// `a.min(b)`
    min -> Number<V>: |a, b| Ok(a.min(b));
    /// `a.max(b)`
    max -> Number<V>: |a, b| Ok(a.max(b));
    /// `a == b`
    equal -> Truth<V>: |a, b| Ok(a == b);
    /// `a < b`
    less -> Truth<V>: |a, b| Ok(a < b);
}

impl<V: Value> Number<V> {
    /// `-a`
    #[allow(clippy::should_implement_trait, reason = "the derive writes calls, which need no parentheses")]
    #[inline(always)]
    #[must_use]
    pub fn neg(self) -> Self {
        number::<V>(0).sub(self)
    }
}

/// The operators of Rust: from left to right, and only as far as the result needs it.
#[allow(clippy::should_implement_trait, reason = "the derive writes calls, which need no parentheses")]
impl<V: Value> Truth<V> {
    /// `a && b`
    #[inline(always)]
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if matches!(self.0, Ok(true)) { other } else { self }
    }

    /// `a || b`
    #[inline(always)]
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if matches!(self.0, Ok(false)) { other } else { self }
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
        Self(self.0.and_then(|a| Ok(a == other.0?)))
    }
}

/// Returns a literal.
#[inline(always)]
pub(super) fn number<V: Value>(number: u64) -> Number<V> {
    Number(Ok(number.into()))
}

/// Returns a field or a constant.
#[inline(always)]
pub fn integer<V: Value>(value: &impl Integer) -> Number<V> {
    Number(V::of(*value).ok_or_else(|| V::Why::of(NoValue::Overflow)))
}

/// Returns a `bool`.
#[inline(always)]
pub fn truth<V: Value>(value: &impl Condition) -> Truth<V> {
    Truth(Ok(value.holds()))
}

/// Returns the number of elements of memory.
#[inline(always)]
pub fn elements<V: Value>(memory: &impl Elements) -> Number<V> {
    match memory.elements() {
        usize::MAX => Number(Ok(V::MOST)),
        elements => number(elements as u64),
    }
}

/// Returns the number of elements in an expression, which has no value without memory.
#[inline(always)]
pub fn length<V: Value>(memory: &impl Elements) -> Number<V> {
    match memory.elements() {
        usize::MAX => Number(Err(V::Why::of(NoValue::NoMemory))),
        elements => number(elements as u64),
    }
}

/// Returns the number of blocks, or of threads per block.
#[inline(always)]
#[must_use]
pub fn count<V: Value>(dim: Dim3) -> Number<V> {
    number::<V>(u64::from(dim.x) * u64::from(dim.y)).mul(axis(dim.z))
}

/// Returns the number of blocks or threads along an axis.
#[inline(always)]
#[must_use]
pub fn axis<V: Value>(extent: u32) -> Number<V> {
    number(extent.into())
}
