//! Floating-point numbers of all formats, with every rounding: computed in `f64` rounded to odd, which is then rounded
//! once more to the format. That is exact, because `f64` has more than two bits more than each narrower format.

use super::types::Type;

/// How a result is rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Round {
    #[default]
    Nearest,
    /// To nearest, ties away from zero: `.rna`.
    Away,
    Zero,
    Down,
    Up,
}

/// The modifiers of an operation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mode {
    pub(super) round: Round,
    /// Subnormal inputs and results of `f32` are zero.
    pub(super) ftz: bool,
    /// Results are between 0 and 1, and not NaN.
    pub(super) sat: bool,
    /// Negative results are 0.
    pub(super) relu: bool,
}

/// A binary format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    pub(super) width: u32,
    /// The bits of the significand, with the implicit one.
    precision: i32,
    /// The exponents of the smallest and largest normal numbers.
    least: i32,
    most: i32,
    /// Without infinities, and with one NaN: `e4m3`.
    is_finite: bool,
    pub(super) nan: u64,
}

pub(super) const F16: Format = Format { width: 16, precision: 11, least: -14, most: 15, is_finite: false, nan: 0x7fff };
pub(super) const BF16: Format =
    Format { width: 16, precision: 8, least: -126, most: 127, is_finite: false, nan: 0x7fff };
pub(super) const F32: Format =
    Format { width: 32, precision: 24, least: -126, most: 127, is_finite: false, nan: 0x7fff_ffff };
const F64: Format = Format { width: 64, precision: 53, least: -1022, most: 1023, is_finite: false, nan: 0x7ff8 << 48 };
pub(super) const E4M3: Format = Format { width: 8, precision: 4, least: -6, most: 8, is_finite: true, nan: 0x7f };
pub(super) const E5M2: Format = Format { width: 8, precision: 3, least: -14, most: 15, is_finite: false, nan: 0x7f };
/// Stored as `f32`.
pub(super) const TF32: Format =
    Format { width: 19, precision: 11, least: -126, most: 127, is_finite: false, nan: 0x3ffff };

impl Format {
    /// Returns the format of a type other than `f64`.
    pub(super) fn of(kind: Type) -> Option<Self> {
        Some(match kind {
            Type::F16 | Type::F16x2 => F16,
            Type::Bf16 | Type::Bf16x2 => BF16,
            Type::F32 => F32,
            Type::E4m3 => E4M3,
            Type::E5m2 => E5M2,
            _ => return None,
        })
    }

    fn fraction(self) -> i32 {
        self.precision - 1
    }

    pub(super) fn sign(self) -> u64 {
        1 << (self.width - 1)
    }

    /// Returns the value of `bits`.
    pub(super) fn decode(self, bits: u64) -> f64 {
        let sign_bit = self.sign();
        let magnitude = bits & (sign_bit - 1);
        let fraction = magnitude & ((1 << self.fraction()) - 1);
        let exponent = (magnitude >> self.fraction()) as i32;
        let value = if magnitude == sign_bit - 1 && self.is_finite
            || !self.is_finite && exponent == self.most - self.least + 2 && fraction != 0
        {
            f64::NAN
        } else if !self.is_finite && exponent == self.most - self.least + 2 {
            f64::INFINITY
        } else if exponent == 0 {
            fraction as f64 * power(self.least - self.fraction())
        } else {
            (fraction | 1 << self.fraction()) as f64 * power(exponent - 1 + self.least - self.fraction())
        };
        if bits & sign_bit == 0 { value } else { -value }
    }

    /// Returns the bits of `value`, rounded. Without `limit`, what is too large is an infinity; with it, the largest
    /// number.
    pub(super) fn encode(self, value: f64, round: Round, limit: bool) -> u64 {
        match () {
            () if value.is_nan() => self.nan,
            () if value.is_finite() => self.round(Exact::new(value), round, limit),
            () => (if value < 0.0 { self.sign() } else { 0 }) | (self.largest() + u64::from(!limit)),
        }
    }

    /// Returns the bits of the largest number. The infinity follows, or the NaN of a format without it.
    fn largest(self) -> u64 {
        if self.is_finite { self.nan - 1 } else { (((self.most - self.least + 2) as u64) << self.fraction()) - 1 }
    }

    fn round(self, exact: Exact, round: Round, limit: bool) -> u64 {
        let Exact { negative, significand, exponent, more } = exact;
        let sign = if negative { self.sign() } else { 0 };
        if significand == 0 {
            return sign;
        }
        let top = exponent + 127 - significand.leading_zeros().cast_signed();
        let smallest = self.least - self.fraction();
        let quantum = (top - self.fraction()).max(smallest);
        let shift = (quantum - exponent).clamp(-127, 127);
        let (whole, rest, half) = match shift {
            ..=0 => (significand << -shift, 0, 1),
            _ => (significand >> shift, significand & ((1 << shift) - 1), 1 << (shift - 1)),
        };
        let is_away = match round {
            Round::Nearest | Round::Away | Round::Zero => false,
            Round::Down => negative,
            Round::Up => !negative,
        };
        let is_up = match round {
            Round::Nearest => rest > half || rest == half && (more || whole & 1 == 1),
            Round::Away => rest >= half,
            Round::Zero | Round::Down | Round::Up => is_away && (rest != 0 || more),
        };
        let magnitude = (((quantum - smallest) as u64) << self.fraction()) + whole as u64 + u64::from(is_up);
        let is_kept = limit || !is_away && !matches!(round, Round::Nearest | Round::Away);
        sign | magnitude.min(self.largest() + u64::from(!is_kept))
    }
}

/// 2 to the power of `exponent`, which is in the range of normal numbers.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// `near` is an exact value rounded to nearest, and `rest` has the sign of what is missing. The result is rounded to
/// odd.
pub(super) fn odd(near: f64, rest: f64) -> f64 {
    if rest == 0.0 || rest.is_nan() || !near.is_finite() || near.to_bits() & 1 == 1 {
        return near;
    }
    // The next number away from zero, or towards it.
    let is_away = (rest > 0.0) == (near > 0.0) || near == 0.0;
    f64::from_bits(if is_away { near.to_bits() + 1 } else { near.to_bits() - 1 })
}

/// Returns what `near`, the rounded sum of `a` and `b`, lacks.
fn rest_of_sum(a: f64, b: f64, near: f64) -> f64 {
    let part = near - a;
    (a - (near - part)) + (b - part)
}

/// Returns the operations, for inputs of a narrower format: rounded to odd.
pub(super) fn add(a: f64, b: f64, round: Round) -> f64 {
    let near = a + b;
    if near == 0.0 && round == Round::Down {
        return zero(a, b, round);
    }
    odd(near, rest_of_sum(a, b, near))
}

pub(super) fn fma(a: f64, b: f64, c: f64, round: Round) -> f64 {
    // The product of two numbers with up to 24 bits is exact.
    add(a * b, c, round)
}

pub(super) fn div(a: f64, b: f64) -> f64 {
    let near = a / b;
    if !near.is_finite() || near == 0.0 {
        return near;
    }
    let rest = mul_add(-near, b, a);
    odd(near, if b < 0.0 { -rest } else { rest })
}

pub(super) fn sqrt(a: f64) -> f64 {
    let near = a.sqrt();
    odd(near, mul_add(-near, near, a))
}

/// An exact value: `significand * 2^exponent`, and whether there is something below.
#[derive(Clone, Copy)]
struct Exact {
    negative: bool,
    significand: u128,
    exponent: i32,
    more: bool,
}

impl Exact {
    /// Creates a finite number.
    fn new(value: f64) -> Self {
        let bits = value.to_bits();
        let raw = (bits >> 52 & 0x7ff) as i32;
        let significand = bits & ((1 << 52) - 1) | if raw == 0 { 0 } else { 1 << 52 };
        Self {
            negative: bits >> 63 == 1,
            significand: u128::from(significand),
            exponent: raw.max(1) - 1075,
            more: false,
        }
    }

    fn times(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            significand: self.significand * other.significand,
            exponent: self.exponent + other.exponent,
            more: false,
        }
    }

    /// Shifts the highest bit to 125; the value stays.
    fn high(self) -> Self {
        let shift = self.significand.leading_zeros().saturating_sub(2);
        Self { significand: self.significand << shift, exponent: self.exponent - shift.cast_signed(), ..self }
    }

    /// Sets the sum of two values that are not zero.
    fn plus(self, other: Self) -> Self {
        let (a, b) = (self.high(), other.high());
        let (large, small) = if (a.exponent, a.significand) >= (b.exponent, b.significand) { (a, b) } else { (b, a) };
        let shift = (large.exponent - small.exponent).cast_unsigned();
        let (aligned, lost) = match shift {
            0..128 => (small.significand >> shift, small.significand & ((1 << shift) - 1) != 0),
            _ => (0, true),
        };
        let significand = if large.negative == small.negative {
            large.significand + aligned
        } else {
            // What is below the lowest bit is taken away, too.
            large.significand - aligned - u128::from(lost)
        };
        Self { significand, more: lost, ..large }
    }

    /// Rounded to `f64`.
    fn round(self, round: Round) -> f64 {
        f64::from_bits(F64.round(self, round, false))
    }
}

/// Returns the sum of zeros, or of two values that are the same with different signs.
fn zero(a: f64, b: f64, round: Round) -> f64 {
    match round {
        Round::Down if a.is_sign_negative() || b.is_sign_negative() => -0.0,
        _ if a.is_sign_negative() && b.is_sign_negative() => -0.0,
        _ => 0.0,
    }
}

/// Returns the result of an operation of `f64` with a NaN: the first of its operands that is one, quiet, with its
/// payload.
pub(super) fn nan(operands: &[f64]) -> Option<f64> {
    let first = operands.iter().find(|operand| operand.is_nan())?;
    Some(f64::from_bits(first.to_bits() | 1 << 51))
}

/// Returns a result whose operands are no NaN. NVIDIA's NaN is negative as on x86-64; a processor of AArch64 makes a
/// positive one. It is not a constant here: LLVM replaces the selection of a constant NaN or a square root by the
/// square root.
pub(super) fn made(value: f64) -> f64 {
    if value.is_nan() { -value.abs() } else { value }
}

/// Whether `f64::mul_add` rounds once: it calls a function of C, and mingw's rounds twice.
pub(super) const ROUNDS_ONCE: bool = !cfg!(all(windows, target_env = "gnu"));

/// `a * b + c`, rounded once to nearest.
pub(super) fn mul_add(a: f64, b: f64, c: f64) -> f64 {
    if ROUNDS_ONCE { a.mul_add(b, c) } else { fma64(a, b, c, Round::Nearest) }
}

/// Returns the operations of `f64` with every rounding.
pub(super) fn fma64(a: f64, b: f64, c: f64, round: Round) -> f64 {
    if let Some(nan) = nan(&[b, c, a]) {
        return nan;
    }
    let near = a.mul_add(b, c);
    if round == Round::Nearest && ROUNDS_ONCE || !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return made(near);
    }
    let product = Exact::new(a).times(Exact::new(b));
    match (product.significand, c == 0.0) {
        (0, true) => return zero(a * b, c, round),
        (0, false) => return c,
        (_, true) => return product.round(round),
        _ => {}
    }
    let sum = product.plus(Exact::new(c));
    if sum.significand == 0 { zero(1.0, -1.0, round) } else { sum.round(round) }
}

pub(super) fn add64(a: f64, b: f64, round: Round) -> f64 {
    match nan(&[b, a]) {
        Some(nan) => nan,
        None if round == Round::Nearest => made(a + b),
        None => fma64(a, 1.0, b, round),
    }
}

pub(super) fn mul64(a: f64, b: f64, round: Round) -> f64 {
    match round {
        _ if a.is_nan() || b.is_nan() => nan(&[b, a]).unwrap_or(a),
        Round::Nearest => made(a * b),
        _ if a.is_finite() && b.is_finite() => Exact::new(a).times(Exact::new(b)).round(round),
        _ => made(a * b),
    }
}

pub(super) fn div64(a: f64, b: f64, round: Round) -> f64 {
    if let Some(nan) = nan(&[a, b]) {
        return nan;
    }
    if round == Round::Nearest || !a.is_finite() || !b.is_finite() || a == 0.0 || b == 0.0 {
        return made(a / b);
    }
    let (a, b) = (Exact::new(a).high(), Exact::new(b));
    let (significand, rest) = (a.significand / b.significand, a.significand % b.significand);
    let negative = a.negative != b.negative;
    Exact { negative, significand, exponent: a.exponent - b.exponent, more: rest != 0 }.round(round)
}

pub(super) fn sqrt64(a: f64, round: Round) -> f64 {
    if round == Round::Nearest || !a.is_finite() || a <= 0.0 {
        return nan(&[a]).unwrap_or_else(|| made(a.sqrt()));
    }
    let mut high = Exact::new(a).high();
    if high.exponent % 2 != 0 {
        (high.significand, high.exponent) = (high.significand >> 1, high.exponent + 1);
    }
    let significand = high.significand.isqrt();
    let more = significand * significand != high.significand;
    Exact { significand, exponent: high.exponent / 2, more, ..high }.round(round)
}

/// Returns an integer as `f64`.
pub(super) fn integer64(value: i128, round: Round) -> f64 {
    let exact = Exact { negative: value < 0, significand: value.unsigned_abs(), exponent: 0, more: false };
    exact.round(round)
}

/// A subnormal `f32` is zero.
#[inline(always)]
pub(super) fn flush(value: f32) -> f32 {
    if value.abs() < f32::MIN_POSITIVE { f32::from_bits(value.to_bits() & 1 << 31) } else { value }
}

/// Returns the bits of a result: NVIDIA's `f32` operations have one NaN.
#[inline(always)]
pub(super) fn one_nan(value: f32) -> u32 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits() }
}

impl Mode {
    /// Returns the bits of a result in a format, from a value that is rounded to odd.
    #[inline]
    pub(super) fn finish(self, format: Format, value: f64) -> u64 {
        let mut value = value;
        if self.sat {
            value = if value > 0.0 { value.min(1.0) } else { 0.0 };
        }
        if self.relu && value <= 0.0 {
            value = 0.0;
        }
        let bits = match (format.precision, self.round) {
            (24, Round::Nearest) => u64::from(one_nan(value as f32)),
            _ => format.encode(value, self.round, false),
        };
        match (self.ftz, format.precision) {
            (true, 24) => u64::from(flush(f32::from_bits(bits as u32)).to_bits()),
            (true, 11) if bits & 0x7c00 == 0 => bits & 0x8000,
            _ => bits,
        }
    }

    /// Returns an input of a format.
    #[inline]
    pub(super) fn input(self, format: Format, bits: u64) -> f64 {
        match format.precision {
            24 => {
                let value = f32::from_bits(bits as u32);
                f64::from(if self.ftz { flush(value) } else { value })
            }
            11 if self.ftz && bits & 0x7c00 == 0 => format.decode(bits & 0x8000),
            _ => format.decode(bits),
        }
    }

    /// Returns an input of a type with one number.
    pub(super) fn value(self, kind: Type, bits: u64) -> f64 {
        Format::of(kind).map_or(f64::from_bits(bits), |format| self.input(format, bits))
    }
}
