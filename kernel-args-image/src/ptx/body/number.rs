//! The numbers in a value: a congruence.

/// All numbers that are `rest` more than a multiple of `step`. With a step of 0: `rest` alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Number {
    pub(super) rest: i32,
    pub(super) step: u32,
}

impl Number {
    /// Any number.
    pub(super) const ANY: Self = Self { rest: 0, step: 1 };

    pub(super) fn constant(number: i64) -> Self {
        match i32::try_from(number) {
            Ok(rest) => Self { rest, step: 0 },
            Err(_) => Self { rest: 0, step: divisor(number.unsigned_abs()) },
        }
    }

    pub(super) fn is_power_of_two(self) -> bool {
        self.step == 0 && self.rest > 0 && self.rest.unsigned_abs().is_power_of_two()
    }

    /// Numbers with this difference from a multiple of `step`.
    fn with(rest: i64, step: u32) -> Self {
        if step == 0 { Self::constant(rest) } else { Self { rest: rest.rem_euclid(step.into()) as i32, step } }
    }

    pub(super) fn negated(self) -> Self {
        Self::with(-i64::from(self.rest), self.step)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self::with(i64::from(self.rest) + i64::from(other.rest), gcd(self.step, other.step))
    }

    pub(super) fn times(self, other: Self) -> Self {
        let (a, b) = (u64::from(self.rest.unsigned_abs()), u64::from(other.rest.unsigned_abs()));
        let (s, t) = (u64::from(self.step), u64::from(other.step));
        let step = gcd(gcd(divisor(a * t), divisor(b * s)), divisor(s * t));
        Self::with(i64::from(self.rest) * i64::from(other.rest), step)
    }

    /// One of the numbers of both.
    pub(super) fn join(self, other: Self) -> Self {
        let between = divisor((i64::from(self.rest) - i64::from(other.rest)).unsigned_abs());
        Self::with(self.rest.into(), gcd(gcd(self.step, other.step), between))
    }

    /// The largest power of two that divides all of these numbers and `width`.
    pub(super) fn alignment(self, width: u32) -> u32 {
        let all = gcd(gcd(self.step, self.rest.unsigned_abs()), width);
        all & all.wrapping_neg()
    }
}

/// A number as a divisor. A large one is replaced by its largest power of two, up to 2^31.
fn divisor(number: u64) -> u32 {
    u32::try_from(number).unwrap_or_else(|_| 1 << number.trailing_zeros().min(31))
}

fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
