//! The instructions that compute: for each name and type, a function of whole warps. `table.rs` lists the names.

use std::cmp::Ordering;

use super::{
    float::{self, F32, Format, Mode, Round},
    types::{Bits, LANES, Lanes, Type, extend, low},
    words::Words,
};

/// Computes all lanes of a result from up to four operands.
pub(super) type Vector = Box<dyn Fn(&mut Lanes, &[&Lanes; 4]) + Send + Sync>;

/// Compares all lanes of two operands: a mask.
pub(super) type Test = Box<dyn Fn(&Lanes, &Lanes) -> u32 + Send + Sync>;

/// Returns a function of whole warps from one of a lane. On x86-64 it is compiled a second time, for AVX2 and FMA.
fn each_lane(function: impl Fn(&[&Lanes; 4], usize) -> u64 + Send + Sync + 'static) -> Vector {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn wide(to: &mut Lanes, from: &[&Lanes; 4], function: impl Fn(&[&Lanes; 4], usize) -> u64) {
            for lane in 0..LANES {
                to[lane] = function(from, lane);
            }
        }
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            // SAFETY: this processor has both.
            return Box::new(move |to, from| unsafe { wide(to, from, &function) });
        }
    }
    Box::new(move |to, from| {
        for lane in 0..LANES {
            to[lane] = function(from, lane);
        }
    })
}

pub(super) fn one<T: Bits, R: Bits>(function: impl Fn(T) -> R + Send + Sync + 'static) -> Vector {
    each_lane(move |[a, ..], lane| function(T::get(a[lane])).put())
}

fn two<T: Bits, R: Bits>(function: impl Fn(T, T) -> R + Send + Sync + 'static) -> Vector {
    each_lane(move |[a, b, ..], lane| function(T::get(a[lane]), T::get(b[lane])).put())
}

fn three<T: Bits, R: Bits>(function: impl Fn(T, T, T) -> R + Send + Sync + 'static) -> Vector {
    each_lane(move |[a, b, c, _], lane| function(T::get(a[lane]), T::get(b[lane]), T::get(c[lane])).put())
}

/// `function` of the raw bits of three operands.
pub(super) fn raw(function: impl Fn(u64, u64, u64) -> u64 + Send + Sync + 'static) -> Vector {
    three::<u64, u64>(function)
}

/// `$body` with `$t` as the Rust type of `$kind`.
macro_rules! integers {
    ($kind:expr, $t:ident => $body:expr) => {
        integers!($kind, [U16 u16, U32 u32, U64 u64, S16 i16, S32 i32, S64 i64], $t => $body)
    };
    ($kind:expr, [$($name:ident $rust:ty),*], $t:ident => $body:expr) => {
        match $kind {
            $(Type::$name => {
                type $t = $rust;
                $body
            })*
            _ => return None,
        }
    };
}

/// Returns a function of both halves of a register.
fn halves(function: impl Fn(u64, u64, u64) -> u64 + Send + Sync + 'static) -> Vector {
    raw(move |a, b, c| {
        let upper = function(a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff);
        upper << 16 | function(a & 0xffff, b & 0xffff, c & 0xffff)
    })
}

/// Returns a function of a narrow format, or of two of them in a register.
fn narrow(kind: Type, function: impl Fn(Format, u64, u64, u64) -> u64 + Send + Sync + 'static) -> Option<Vector> {
    let format = Format::of(kind)?;
    Some(match kind {
        Type::F16x2 | Type::Bf16x2 => halves(move |a, b, c| function(format, a, b, c)),
        _ => raw(move |a, b, c| function(format, a, b, c)),
    })
}

/// Returns an operation on floats: on `f32` as the hardware of this machine rounds it, in `f64` rounded to odd for
/// narrower formats and other modes, and in `f64` with a rounding.
fn floating(
    kind: Type,
    mode: Mode,
    single: impl Fn(f32, f32, f32) -> f32 + Send + Sync + 'static,
    odd: fn(f64, f64, f64, Round) -> f64,
    double: fn(f64, f64, f64, Round) -> f64,
) -> Option<Vector> {
    match kind {
        Type::F64 => Some(three(move |a: f64, b: f64, c: f64| double(a, b, c, mode.round))),
        Type::F32 if mode.round == Round::Nearest && !mode.sat && !mode.relu => Some(plain(mode, single)),
        _ => narrow(kind, move |format, a, b, c| {
            let input = |bits| mode.input(format, bits);
            mode.finish(format, odd(input(a), input(b), input(c), mode.round))
        }),
    }
}

fn plain(mode: Mode, function: impl Fn(f32, f32, f32) -> f32 + Send + Sync + 'static) -> Vector {
    if mode.ftz {
        let flush = float::flush;
        three(move |a: f32, b: f32, c: f32| float::one_nan(flush(function(flush(a), flush(b), flush(c)))))
    } else {
        three(move |a: f32, b: f32, c: f32| float::one_nan(function(a, b, c)))
    }
}

/// Returns the function of an instruction that the table has as a function of lanes, or which is one without some
/// modifiers.
pub(super) fn vector(words: &Words<'_>) -> Option<Vector> {
    let (name, kind) = (words.part(0)?, words.kind()?);
    match name {
        "dp4a" => dot(words, 4),
        "dp2a" => dot(words, 2),
        "slct" => slct(words),
        "prmt" => prmt(words),
        "fns" => Some(fns()),
        _ if name.starts_with('v') => video(words),
        _ if kind.is_float() => float(name, kind, words),
        _ => integer(name, kind, words),
    }
}

#[allow(clippy::too_many_lines)]
fn integer(name: &str, kind: Type, words: &Words<'_>) -> Option<Vector> {
    let (bits, is_signed, sat) = (kind.bits(), kind.is_signed(), words.has("sat"));
    let (wraps, relu, is_left) = (words.has("wrap"), words.has("relu"), words.has("l"));
    let is_max = name == "max";
    Some(match (name, kind) {
        ("add", Type::S32) if sat => two(i32::saturating_add),
        ("sub", Type::S32) if sat => two(i32::saturating_sub),
        ("add", Type::U16x2 | Type::S16x2) => halves(|a, b, _| a + b & 0xffff),
        ("sub", Type::U16x2 | Type::S16x2) => halves(|a, b, _| a.wrapping_sub(b) & 0xffff),
        ("add", _) => integers!(kind, T => two(T::wrapping_add)),
        ("sub", _) => integers!(kind, T => two(T::wrapping_sub)),
        ("mul", Type::U32) if words.has("wide") => two(|a: u32, b: u32| u64::from(a) * u64::from(b)),
        ("mul", Type::S32) if words.has("wide") => two(|a: i32, b: i32| i64::from(a) * i64::from(b)),
        ("mul", _) if words.has("lo") => integers!(kind, T => two(T::wrapping_mul)),
        ("mad", _) if words.has("lo") => {
            integers!(kind, T => three(|a: T, b: T, c: T| a.wrapping_mul(b).wrapping_add(c)))
        }
        ("mul" | "mul24", _) => two::<u64, u64>(product(words, kind, name == "mul24")),
        ("mad" | "mad24", _) => {
            let bits = if words.has("wide") { 2 * bits } else { bits };
            let product = product(words, kind, name == "mad24");
            raw(move |a, b, c| match sat {
                true => u64::from((product(a, b) as i32).saturating_add(c as i32).cast_unsigned()),
                false => product(a, b).wrapping_add(c) & low(bits),
            })
        }
        // As the hardware does it: all bits are set.
        ("div", _) => integers!(kind, T => two(|a: T, b: T| if b == 0 { !0 } else { a.wrapping_div(b) })),
        ("rem", _) => integers!(kind, T => two(|a: T, b: T| if b == 0 { !0 } else { a.wrapping_rem(b) })),
        ("sad", _) => integers!(kind, T => three(|a: T, b: T, c: T| {
            c.wrapping_add(if a < b { b.wrapping_sub(a) } else { a.wrapping_sub(b) })
        })),
        ("neg", _) => integers!(kind, T => one(|a: T| a.wrapping_neg())),
        ("abs", _) => integers!(kind, [S16 i16, S32 i32, S64 i64], T => one(|a: T| a.wrapping_abs())),
        ("min" | "max", Type::S16x2 | Type::U16x2) => {
            let half = if kind == Type::S16x2 { Type::S16 } else { Type::U16 };
            halves(move |a, b, _| {
                let (x, y) = (extend(a, half).cast_signed(), extend(b, half).cast_signed());
                let value = if (x < y) == is_max { b } else { a };
                if relu && extend(value, half).cast_signed() < 0 { 0 } else { value }
            })
        }
        ("min" | "max", Type::S32) if relu => {
            two(move |a: i32, b: i32| if is_max { a.max(b) } else { a.min(b) }.max(0))
        }
        ("min", _) => integers!(kind, T => two(|a: T, b: T| a.min(b))),
        ("max", _) => integers!(kind, T => two(|a: T, b: T| a.max(b))),
        ("and", _) => two(|a: u64, b: u64| a & b),
        ("or", _) => two(|a: u64, b: u64| a | b),
        ("xor", _) => two(|a: u64, b: u64| a ^ b),
        ("not", _) => integers!(kind, T => one(|a: T| !a)),
        ("cnot", _) => integers!(kind, T => one(|a: T| T::from(a == 0))),
        ("shl", _) => two(move |a: u64, b: u64| if b as u32 >= bits { 0 } else { a << (b as u32) & low(bits) }),
        ("shr", _) => two(move |a: u64, b: u64| {
            let count = (b as u32).min(bits);
            match is_signed {
                true => (extend(a, kind).cast_signed() >> count.min(63)).cast_unsigned() & low(bits),
                false => a.checked_shr(count).unwrap_or(0),
            }
        }),
        // The funnel shift.
        ("shf", _) => raw(move |a, b, c| {
            let count = if wraps { c & 31 } else { (c & low(32)).min(32) };
            let both = b << 32 | a;
            if is_left { both << count >> 32 } else { both >> count & low(32) }
        }),
        ("popc", _) => one(|a: u64| a.count_ones()),
        ("clz", _) => integers!(kind, T => one(T::leading_zeros)),
        ("brev", _) => integers!(kind, [U32 u32, U64 u64], T => one(T::reverse_bits)),
        // The position of the highest bit that is not a sign.
        ("bfind", _) => {
            let is_shift = words.has("shiftamt");
            one(move |a: u64| {
                let negative = is_signed && a >> (bits - 1) & 1 == 1;
                let value = if negative { !a } else { a } & low(bits);
                match value {
                    0 => u32::MAX,
                    _ if is_shift => value.leading_zeros() - (64 - bits),
                    _ => value.ilog2(),
                }
            })
        }
        ("bfe", _) => raw(move |a, b, c| {
            let (at, count) = ((b & 0xff) as u32, (c & 0xff) as u32);
            let value = if at >= bits { 0 } else { a >> at } & low(count.min(bits));
            let end = (at + count).min(bits);
            if !is_signed || count == 0 {
                return value;
            }
            let sign = a >> (end - 1).min(bits - 1) & 1;
            let kept = end.saturating_sub(at);
            if sign == 1 { (value | !low(kept)) & low(bits) } else { value & low(kept) }
        }),
        ("bfi", _) => Box::new(move |to, [a, b, c, d]| {
            for lane in 0..LANES {
                let (at, count) = ((c[lane] & 0xff) as u32, (d[lane] & 0xff) as u32);
                let mask = if at >= bits { 0 } else { low(count.min(bits)) << at & low(bits) };
                let value = a[lane].checked_shl(at).unwrap_or(0);
                to[lane] = b[lane] & !mask | value & mask;
            }
        }),
        ("bmsk", _) => two(move |a: u32, b: u32| {
            let (at, count) = if wraps { (a & 31, b & 31) } else { (a, b.min(32)) };
            if at >= 32 { 0 } else { (low(count) as u32) << at }
        }),
        ("szext", _) => two(move |a: u32, b: u32| {
            let count = if wraps { b & 31 } else { b.min(32) };
            match (count, is_signed) {
                (0, _) => 0,
                (32, _) => a,
                (_, true) => ((a << (32 - count)).cast_signed() >> (32 - count)).cast_unsigned(),
                (_, false) => a & low(count) as u32,
            }
        }),
        _ => return None,
    })
}

fn float(name: &str, kind: Type, words: &Words<'_>) -> Option<Vector> {
    let mode = words.mode();
    match (name, kind) {
        ("add", _) => floating(
            kind,
            mode,
            |a, b, _| a + b,
            |a, b, _, round| float::add(a, b, round),
            |a, b, _, round| float::add64(a, b, round),
        ),
        ("sub", _) => floating(
            kind,
            mode,
            |a, b, _| a - b,
            |a, b, _, round| float::add(a, -b, round),
            |a, b, _, round| float::nan(&[b, a]).unwrap_or_else(|| float::add64(a, -b, round)),
        ),
        ("mul", _) => {
            floating(kind, mode, |a, b, _| a * b, |a, b, _, _| a * b, |a, b, _, round| float::mul64(a, b, round))
        }
        ("fma" | "mad", _) => {
            let single = |a: f32, b: f32, c: f32| {
                if float::ROUNDS_ONCE {
                    return a.mul_add(b, c);
                }
                float::fma(f64::from(a), f64::from(b), f64::from(c), Round::Nearest) as f32
            };
            floating(kind, mode, single, float::fma, float::fma64)
        }
        // The hardware multiplies by the reciprocal, which is zero above 2^126.
        ("div", _) if words.has("approx") => {
            Some(plain(mode, |a, b, _| if b.abs() > 2f32.powi(126) { a * 0f32.copysign(b) } else { a / b }))
        }
        ("div", _) => floating(
            kind,
            mode,
            |a, b, _| a / b,
            |a, b, _, _| float::div(a, b),
            |a, b, _, round| float::div64(a, b, round),
        ),
        ("rcp", Type::F64) if words.has("approx") => upper_half(|a| 1.0 / a),
        ("rcp", _) => floating(
            kind,
            mode,
            |a, _, _| 1.0 / a,
            |a, _, _, _| float::div(1.0, a),
            |a, _, _, round| float::div64(1.0, a, round),
        ),
        ("sqrt", _) => floating(
            kind,
            mode,
            |a, _, _| a.sqrt(),
            |a, _, _, _| float::sqrt(a),
            |a, _, _, round| float::sqrt64(a, round),
        ),
        ("neg", _) => signed(kind, mode, |bits, sign| bits ^ sign),
        ("abs", _) => signed(kind, mode, |bits, sign| bits & !sign),
        ("min", _) => extreme(words, false),
        ("max", _) => extreme(words, true),
        ("ex2", _) => approximate(kind, mode, f64::exp2),
        ("lg2", _) => approximate(kind, mode, f64::log2),
        ("sin", _) => approximate(kind, mode, |a| turn(a).sin()),
        ("cos", _) => approximate(kind, mode, |a| turn(a).cos()),
        ("tanh", _) => approximate(kind, mode, f64::tanh),
        ("rsqrt", Type::F64) if words.has("ftz") => upper_half(|a| 1.0 / a.sqrt()),
        ("rsqrt", Type::F64) => Some(one(|a: f64| {
            let near = 1.0 / float::sqrt64(a, Round::Nearest);
            // One step of Newton's method, for the last bit.
            let product = a * near;
            let rest = float::mul_add(-product, near, 1.0) - float::mul_add(a, near, -product) * near;
            if rest.is_finite() { near + 0.5 * near * rest } else { near }
        })),
        ("rsqrt", _) => approximate(kind, mode, |a| 1.0 / a.sqrt()),
        ("copysign", Type::F32) => Some(two(|a: f32, b: f32| b.copysign(a))),
        ("copysign", Type::F64) => Some(two(|a: f64, b: f64| b.copysign(a))),
        _ => None,
    }
}

/// Returns the upper half of a product, and a product of 24 bits, for any integer type.
fn product(words: &Words<'_>, kind: Type, is_24: bool) -> impl Fn(u64, u64) -> u64 + Send + Sync + use<> {
    let (bits, is_high, is_wide) = (kind.bits(), words.has("hi"), words.has("wide"));
    move |a, b| {
        let wide = |value: u64| match (kind.is_signed(), is_24) {
            (true, true) => i128::from((value << 40).cast_signed() >> 40),
            (false, true) => i128::from(value & 0xff_ffff),
            (true, false) => i128::from(extend(value, kind).cast_signed()),
            (false, false) => i128::from(value & low(bits)),
        };
        // Of unsigned 64 bits the product wraps, with the right bits.
        let product = wide(a).wrapping_mul(wide(b));
        let shift = match (is_24, is_high) {
            (true, true) => 16,
            (false, true) => bits,
            _ => 0,
        };
        (product.cast_unsigned() >> shift) as u64 & low(if is_wide { 2 * bits } else { bits })
    }
}

/// `neg` and `abs` of floats: a function of the sign. A NaN becomes the format's NaN.
fn signed(kind: Type, mode: Mode, function: fn(u64, u64) -> u64) -> Option<Vector> {
    if kind == Type::F64 {
        return Some(one(
            move |a: u64| {
                if f64::from_bits(a).is_nan() { a & !(1 << 63) | 1 << 51 } else { function(a, 1 << 63) }
            },
        ));
    }
    narrow(kind, move |format, a, _, _| {
        let value = mode.input(format, a);
        match () {
            () if value.is_nan() => format.nan,
            () if value == 0.0 => function(a & format.sign(), format.sign()),
            () => function(a, format.sign()),
        }
    })
}

/// Returns the smaller or larger of two floats, as bits. `-0.0` is smaller than `0.0`.
fn select(a: (f64, u64), b: (f64, u64), is_max: bool, keeps_nan: bool, nan: u64) -> u64 {
    match (a.0.is_nan(), b.0.is_nan()) {
        (true, true) => nan,
        (true, false) | (false, true) if keeps_nan => nan,
        (true, false) => b.1,
        (false, true) => a.1,
        _ if a.0.total_cmp(&b.0).is_lt() != is_max => a.1,
        _ => b.1,
    }
}

/// `min` and `max` of floats.
fn extreme(words: &Words<'_>, is_max: bool) -> Option<Vector> {
    let (kind, mode) = (words.kind()?, words.mode());
    let (keeps_nan, has_sign, is_abs) = (words.has("NaN"), words.has("xorsign"), words.has("abs"));
    match kind {
        Type::F64 => Some(two(move |a: f64, b: f64| {
            let nan = float::nan(&[b, a]).unwrap_or(b).to_bits();
            f64::from_bits(select((a, a.to_bits()), (b, b.to_bits()), is_max, keeps_nan, nan))
        })),
        _ => narrow(kind, move |format, a, b, _| {
            let sign = format.sign();
            let nan = format.nan;
            let (first, second) = if is_abs { (a & !sign, b & !sign) } else { (a, b) };
            let flushed = |bits: u64| match mode.ftz {
                true => format.encode(mode.input(format, bits), Round::Nearest, false),
                false => bits,
            };
            let (first, second) = (flushed(first), flushed(second));
            let both = [(format.decode(first), first), (format.decode(second), second)];
            let value = select(both[0], both[1], is_max, keeps_nan, nan);
            match (has_sign, mode.relu && format.decode(value) <= 0.0) {
                (true, _) if value == nan => nan,
                (true, _) => value & !sign | (a ^ b) & sign,
                (_, true) => 0,
                _ => value,
            }
        }),
    }
}

/// Returns a function of `f32` or another format that the hardware approximates: here it is rounded correctly.
fn approximate(kind: Type, mode: Mode, function: fn(f64) -> f64) -> Option<Vector> {
    match kind {
        Type::F64 => Some(one(function)),
        Type::F32 if mode.ftz => {
            Some(one(move |a: f32| float::one_nan(float::flush(function(f64::from(float::flush(a))) as f32))))
        }
        Type::F32 => Some(one(move |a: f32| float::one_nan(function(f64::from(a)) as f32))),
        _ => narrow(kind, move |format, a, _, _| mode.finish(format, function(mode.input(format, a)))),
    }
}

/// Returns the angle that the hardware takes: turns in `f32`, of which only the fraction counts.
fn turn(angle: f64) -> f64 {
    // The product of two `f32` is exact.
    let turns = F32.encode(angle * f64::from(0.159_154_94_f32), Round::Zero, false);
    F32.decode(turns).fract() * std::f64::consts::TAU
}

/// `f64`, of which the hardware approximates the upper half from the upper half.
fn upper_half(function: fn(f64) -> f64) -> Option<Vector> {
    Some(one(move |a: u64| {
        let a = f64::from_bits(a & !0xffff_ffff);
        let a = if a.is_subnormal() { 0.0f64.copysign(a) } else { a };
        let value = function(a);
        match value.is_nan() {
            true => 0x7fff_ffff << 32,
            false if value.is_subnormal() => value.to_bits() & 1 << 63,
            false => value.to_bits() & !0xffff_ffff,
        }
    }))
}

/// Returns the position of the n-th bit that is set.
fn fns() -> Vector {
    raw(|mask, base, offset| {
        let (mut at, offset) = (i64::from(base as u32), offset as i32);
        let step = if offset < 0 { -1 } else { 1 };
        let mut left = offset.unsigned_abs().max(1);
        while (0..32).contains(&at) {
            if mask >> at & 1 == 1 {
                left -= 1;
                if left == 0 {
                    return at.cast_unsigned();
                }
            } else if offset == 0 {
                break;
            }
            at += step;
        }
        low(32)
    })
}

/// Returns any function of three bits.
pub(super) fn lop3(table: u8) -> Vector {
    raw(move |a, b, c| {
        let mut value = 0;
        for index in 0..8u32 {
            if table >> index & 1 == 1 {
                let pick = |bits: u64, bit: u32| if index >> bit & 1 == 1 { bits } else { !bits };
                value |= pick(a, 2) & pick(b, 1) & pick(c, 0);
            }
        }
        value & low(32)
    })
}

fn prmt(words: &Words<'_>) -> Option<Vector> {
    const MODES: [&str; 6] = ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"];
    let mode = MODES.iter().position(|mode| words.has(mode));
    Some(raw(move |a, b, c| {
        let bytes = (b << 32 | a & low(32)).to_le_bytes();
        let at = (c & 3) as usize;
        let selected: [usize; 4] = match mode {
            None => {
                return (0..4).fold(0, |value, index| {
                    let selector = c >> (4 * index) & 15;
                    let byte = bytes[(selector & 7) as usize];
                    let byte = if selector & 8 == 0 { byte } else { (byte.cast_signed() >> 7).cast_unsigned() };
                    value | u64::from(byte) << (8 * index)
                });
            }
            Some(0) => [at, at + 1, at + 2, at + 3],
            Some(1) => [at, at + 7, at + 6, at + 5].map(|at| at & 7),
            Some(2) => [at; 4],
            Some(3) => [0, 1, 2, 3].map(|index: usize| index.max(at)),
            Some(4) => [0, 1, 2, 3].map(|index: usize| index.min(at)),
            Some(_) => [0, 1, 0, 1].map(|index| index + 2 * (at & 1)),
        };
        u64::from(u32::from_le_bytes(selected.map(|index| bytes[index])))
    }))
}

/// Dot products of bytes: `dp4a`, and `dp2a` with two 16-bit numbers.
fn dot(words: &Words<'_>, count: u32) -> Option<Vector> {
    let kinds = words.kinds();
    let [first, second] = [*kinds.first()?, *kinds.get(1)?];
    let upper = if words.has("hi") { 2 } else { 0 };
    let byte = |kind: Type| if kind.is_signed() { Type::S8 } else { Type::U8 };
    let wide = if first.is_signed() { Type::S16 } else { Type::U16 };
    let (of_a, of_b) = (byte(first), byte(second));
    Some(raw(move |a, b, c| {
        (0..count).fold(c, |sum, index| {
            let (x, y) = match count {
                4 => (extend(a >> (8 * index), of_a), extend(b >> (8 * index), of_b)),
                _ => (extend(a >> (16 * index), wide), extend(b >> (8 * (index + upper)), of_b)),
            };
            sum.wrapping_add(x.wrapping_mul(y))
        }) & low(32)
    }))
}

/// Returns the video instructions of two or four parts of a register, without selections of parts.
fn video(words: &Words<'_>) -> Option<Vector> {
    let name = words.part(0)?;
    let (name, count) = name.split_at(name.len() - 1);
    let bits = 32 / count.parse::<u32>().ok()?;
    let kinds = words.kinds();
    let [to, of_a, of_b] = kinds.as_slice() else { return None };
    let part = |kind: &Type| match (bits, kind.is_signed()) {
        (16, true) => Type::S16,
        (16, false) => Type::U16,
        (_, true) => Type::S8,
        (_, false) => Type::U8,
    };
    let (to, of_a, of_b) = (part(to), part(of_a), part(of_b));
    let function: fn(i64, i64) -> i64 = match name {
        "vadd" => |a, b| a + b,
        "vsub" => |a, b| a - b,
        "vmin" => i64::min,
        "vmax" => i64::max,
        "vabsdiff" => |a, b| (a - b).abs(),
        "vavrg" => |a, b| (a + b + i64::from(a + b >= 0)) >> 1,
        _ => return None,
    };
    let (sat, adds) = (words.has("sat"), words.has("add"));
    Some(raw(move |a, b, c| {
        let mut sum = c;
        let mut packed = 0;
        for shift in (0..32).step_by(bits as usize) {
            let value = function(extend(a >> shift, of_a).cast_signed(), extend(b >> shift, of_b).cast_signed());
            let most = if to.is_signed() { low(bits - 1) } else { low(bits) }.cast_signed();
            let least = if to.is_signed() { -most - 1 } else { 0 };
            let value = if sat { value.clamp(least, most) } else { value };
            sum = sum.wrapping_add_signed(value);
            packed |= (value.cast_unsigned() & low(bits)) << shift;
        }
        if adds { sum & low(32) } else { packed }
    }))
}

/// `a` where `c` is not negative, else `b`.
fn slct(words: &Words<'_>) -> Option<Vector> {
    let (kind, ftz) = (*words.kinds().last()?, words.has("ftz"));
    Some(raw(move |a, b, c| {
        let first = match kind {
            // A negative subnormal is `-0.0` then, which is not negative.
            Type::F32 if ftz => float::flush(f32::from_bits(c as u32)) >= 0.0,
            Type::F32 => f32::from_bits(c as u32) >= 0.0,
            _ => c as u32 >> 31 == 0,
        };
        if first { a } else { b }
    }))
}

pub(super) fn mask(a: &Lanes, b: &Lanes, function: impl Fn(u64, u64) -> bool) -> u32 {
    (0..LANES).fold(0, |mask, lane| mask | u32::from(function(a[lane], b[lane])) << lane)
}

/// Returns the comparison of `set` and `setp`.
pub(super) fn compare(name: &str, kind: Type, ftz: bool) -> Option<Test> {
    macro_rules! with {
        ($t:ty, $operator:tt) => {
            Box::new(|a: &Lanes, b: &Lanes| mask(a, b, |a, b| <$t>::get(a) $operator <$t>::get(b))) as Test
        };
    }
    macro_rules! ordered {
        ($t:ty) => {
            match name {
                "eq" => with!($t, ==),
                "ne" => with!($t, !=),
                "lt" | "lo" => with!($t, <),
                "le" | "ls" => with!($t, <=),
                "gt" | "hi" => with!($t, >),
                "ge" | "hs" => with!($t, >=),
                _ => return None,
            }
        };
    }
    Some(match kind {
        Type::U16 => ordered!(u16),
        Type::U32 => ordered!(u32),
        Type::U64 => ordered!(u64),
        Type::S16 => ordered!(i16),
        Type::S32 => ordered!(i32),
        Type::S64 => ordered!(i64),
        _ => {
            let holds = float_test(name)?;
            let mode = Mode { ftz, ..Mode::default() };
            if kind != Type::F64 && Format::of(kind).is_none() {
                return None;
            }
            Box::new(move |a, b| mask(a, b, |a, b| holds(mode.value(kind, a).partial_cmp(&mode.value(kind, b)))))
        }
    })
}

/// Returns a comparison of floats, of which NaN has no order: `equ` and so on are true for it.
fn float_test(name: &str) -> Option<fn(Option<Ordering>) -> bool> {
    Some(match name {
        "eq" => |order| order == Some(Ordering::Equal),
        "ne" => |order| order.is_some_and(Ordering::is_ne),
        "lt" => |order| order.is_some_and(Ordering::is_lt),
        "le" => |order| order.is_some_and(Ordering::is_le),
        "gt" => |order| order.is_some_and(Ordering::is_gt),
        "ge" => |order| order.is_some_and(Ordering::is_ge),
        "equ" => |order| order.is_none_or(Ordering::is_eq),
        "neu" => |order| order != Some(Ordering::Equal),
        "ltu" => |order| order.is_none_or(Ordering::is_lt),
        "leu" => |order| order.is_none_or(Ordering::is_le),
        "gtu" => |order| order.is_none_or(Ordering::is_gt),
        "geu" => |order| order.is_none_or(Ordering::is_ge),
        "num" => |order| order.is_some(),
        "nan" => |order| order.is_none(),
        _ => return None,
    })
}

/// `testp`: the class of a float.
pub(super) fn class(words: &Words<'_>) -> Option<Test> {
    let kind = words.kind()?;
    let is: fn(f64, bool) -> bool = match words.part(1)? {
        "finite" => |a, _| a.is_finite(),
        "infinite" => |a, _| a.is_infinite(),
        "number" => |a, _| !a.is_nan(),
        "notanumber" => |a, _| a.is_nan(),
        // The hardware counts zero.
        "normal" => |a, is_subnormal| a.is_finite() && !is_subnormal,
        "subnormal" => |_, is_subnormal| is_subnormal,
        _ => return None,
    };
    Some(Box::new(move |a, b| {
        mask(a, b, |a, _| match kind {
            Type::F64 => is(f64::from_bits(a), f64::from_bits(a).is_subnormal()),
            _ => is(f64::from(f32::from_bits(a as u32)), f32::from_bits(a as u32).is_subnormal()),
        })
    }))
}

/// What an atomic operation writes.
pub(super) type Combine = fn(kind: Type, old: u64, value: u64, third: u64) -> u64;

/// Returns the operation of `atom`, `red` and `redux`.
pub(super) fn combine(name: &str) -> Option<Combine> {
    Some(match name {
        "and" => |_, old, value, _| old & value,
        "or" => |_, old, value, _| old | value,
        "xor" => |_, old, value, _| old ^ value,
        "exch" => |_, _, value, _| value,
        "cas" => |_, old, expected, value| if old == expected { value } else { old },
        "inc" => |_, old, limit, _| if old >= limit { 0 } else { old + 1 },
        "dec" => |_, old, limit, _| if old == 0 || old > limit { limit } else { old - 1 },
        "add" => |kind, old, value, _| match kind {
            Type::F16x2 | Type::Bf16x2 => packed(kind, old, value, |a, b| float::add(a, b, Round::Nearest)),
            Type::F64 => float::add64(f64::from_bits(value), f64::from_bits(old), Round::Nearest).to_bits(),
            _ => match Format::of(kind) {
                Some(format) => {
                    Mode::default().finish(format, float::add(format.decode(old), format.decode(value), Round::Nearest))
                }
                None => old.wrapping_add(value) & low(kind.bits()),
            },
        },
        "min" => |kind, old, value, _| nearer(kind, old, value, false),
        "max" => |kind, old, value, _| nearer(kind, old, value, true),
        _ => return None,
    })
}

/// Returns the sum of `f32` in global memory, which flushes subnormals.
pub(super) fn sum_flushed(_: Type, old: u64, value: u64, _: u64) -> u64 {
    let single = |bits: u64| float::flush(f32::from_bits(bits as u32));
    u64::from(float::one_nan(float::flush(single(old) + single(value))))
}

/// Returns the sum of `f64` in global memory, which passes on a NaN as it is.
pub(super) fn sum_wide(_: Type, old: u64, value: u64, _: u64) -> u64 {
    match (f64::from_bits(old), f64::from_bits(value)) {
        (_, b) if b.is_nan() => value,
        (a, _) if a.is_nan() => old,
        (a, b) => float::made(a + b).to_bits(),
    }
}

fn packed(kind: Type, a: u64, b: u64, function: fn(f64, f64) -> f64) -> u64 {
    let Some(format) = Format::of(kind) else { return 0 };
    let half = |shift: u32| {
        let (a, b) = (format.decode(a >> shift & 0xffff), format.decode(b >> shift & 0xffff));
        Mode::default().finish(format, function(a, b)) << shift
    };
    half(16) | half(0)
}

fn nearer(kind: Type, old: u64, value: u64, is_max: bool) -> u64 {
    let first = match kind {
        Type::F16x2 | Type::Bf16x2 => {
            return packed(kind, old, value, if is_max { f64::max } else { f64::min });
        }
        Type::F64 => f64::from_bits(old) < f64::from_bits(value),
        _ => match Format::of(kind) {
            Some(format) => format.decode(old) < format.decode(value),
            None if kind.is_signed() => extend(old, kind).cast_signed() < extend(value, kind).cast_signed(),
            None => old < value,
        },
    };
    if first == is_max { value } else { old }
}
