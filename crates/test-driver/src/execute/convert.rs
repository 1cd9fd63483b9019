//! `cvt`: every pair of types, with rounding and saturation (PTX ISA, 9.7.9.21).

use super::{
    arithmetic::{Vector, one, raw},
    float::{self, E4M3, E5M2, F32, Format, Mode, Round},
    types::{Type, extend, low},
    words::Words,
};

/// Returns the conversion, for a destination register of `width` bits.
pub(super) fn cvt(words: &Words<'_>, width: u32) -> Option<Vector> {
    let kinds = words.kinds();
    if words.has("pack") {
        return pack(words, &kinds);
    }
    let [to, from] = [*kinds.first()?, *kinds.get(1)?];
    let mode = words.mode();
    let limit = words.has("satfinite");
    let pair = |element: Format| -> Vector {
        let source = Format::of(from).unwrap_or(F32);
        let half = element.width;
        raw(move |a, b, _| {
            let part = |bits: u64| {
                let value = mode.input(source, bits);
                element.encode(if mode.relu && value <= 0.0 { 0.0 } else { value }, mode.round, limit)
            };
            match from {
                Type::F16x2 | Type::Bf16x2 => part(a >> 16) << half | part(a & 0xffff),
                _ => part(a) << half | part(b),
            }
        })
    };
    Some(match (to, from) {
        (Type::F16x2, Type::E4m3x2) => both(E4M3),
        (Type::F16x2, Type::E5m2x2) => both(E5M2),
        (Type::F16x2 | Type::Bf16x2, _) => pair(Format::of(to)?),
        (Type::E4m3x2, _) => pair(E4M3),
        (Type::E5m2x2, _) => pair(E5M2),
        // What is not finite is cut.
        (Type::Tf32, Type::F32) => one(move |a: u64| {
            if a >> 23 & 0xff == 0xff && !mode.relu {
                return a as u32 & !0x1fff;
            }
            let value = F32.decode(a);
            let value = if mode.relu && value <= 0.0 { 0.0 } else { value };
            (float::TF32.encode(value, mode.round, limit) << 13) as u32
        }),
        (Type::U64, Type::U32) => one(|a: u32| u64::from(a)),
        (Type::S64, Type::S32) => one(|a: i32| i64::from(a)),
        (Type::F32, Type::S32) if mode.round == Round::Nearest && !mode.sat => one(|a: i32| a as f32),
        (Type::F32, Type::U32) if mode.round == Round::Nearest && !mode.sat => one(|a: u32| a as f32),
        _ if to.is_integer() && from.is_integer() => one(move |a: u64| integer(a, to, from, mode.sat) & low(width)),
        _ if to.is_integer() && is_float(from) => {
            one(move |a: u64| extend(whole(mode.value(from, a), to, from, mode.round), to) & low(width))
        }
        _ if is_float(to) && from.is_integer() => {
            one(move |a: u64| from_integer(extend(a, from), from.is_signed(), to, mode))
        }
        _ if is_float(to) && is_float(from) => {
            let is_whole = words.any(&["rni", "rzi", "rmi", "rpi"]).is_some();
            one(move |a: u64| between(a, to, from, mode, is_whole, limit))
        }
        _ => return None,
    })
}

fn is_float(kind: Type) -> bool {
    matches!(kind, Type::F16 | Type::Bf16 | Type::F32 | Type::F64)
}

/// Returns two 8-bit floats to two of 16 bits.
fn both(format: Format) -> Vector {
    one(move |a: u64| {
        let half = |bits: u64| float::F16.encode(format.decode(bits & 0xff), Round::Nearest, false);
        (half(a >> 8) << 16 | half(a)) as u32
    })
}

/// Returns the smallest and largest value of an integer type.
fn range(kind: Type) -> (i128, i128) {
    match kind.is_signed() {
        true => (-(1 << (kind.bits() - 1)), (1 << (kind.bits() - 1)) - 1),
        false => (0, (1 << kind.bits()) - 1),
    }
}

/// Returns an integer as another type, extended to 64 bits.
fn integer(bits: u64, to: Type, from: Type, sat: bool) -> u64 {
    let value = extend(bits, from);
    if !sat {
        // It is extended from the narrower of both types.
        return extend(value, to);
    }
    let wide = if from.is_signed() { i128::from(value.cast_signed()) } else { i128::from(value) };
    let (least, most) = range(to);
    wide.clamp(least, most) as u64
}

fn rounded(value: f64, round: Round) -> f64 {
    match round {
        Round::Nearest => value.round_ties_even(),
        Round::Away => value.round(),
        Round::Zero => value.trunc(),
        Round::Down => value.floor(),
        Round::Up => value.ceil(),
    }
}

/// Returns a float as an integer, limited to the range of the type.
fn whole(value: f64, to: Type, from: Type, round: Round) -> u64 {
    let (least, most) = range(to);
    if value.is_nan() {
        let is_wide = from == Type::F64 || to.bits() == 64;
        return if is_wide { 1 << (to.bits() - 1) } else { 0 };
    }
    // A conversion to `i128` saturates.
    (rounded(value, round) as i128).clamp(least, most) as u64
}

fn from_integer(bits: u64, is_signed: bool, to: Type, mode: Mode) -> u64 {
    let value = if is_signed { i128::from(bits.cast_signed()) } else { i128::from(bits) };
    match Format::of(to) {
        None => {
            let value = float::integer64(value, mode.round);
            if mode.sat { value.clamp(0.0, 1.0) } else { value }.to_bits()
        }
        Some(format) => {
            let near = value as f64;
            // What the nearest `f64` lacks. It is below 2^11, and exact.
            let rest = (value - near as i128) as f64;
            mode.finish(format, float::odd(near, rest))
        }
    }
}

fn between(bits: u64, to: Type, from: Type, mode: Mode, is_whole: bool, limit: bool) -> u64 {
    // Only `f32` is flushed.
    let of = |kind: Type| Mode { ftz: mode.ftz && kind == Type::F32, ..mode };
    let value = of(from).value(from, bits);
    if value.is_nan() {
        match (to, from) {
            // The payload stays.
            (Type::F64, Type::F64) if !mode.sat => return bits | 1 << 51,
            (Type::F64, Type::F16) => return bits << 48 & 1 << 63 | 0x7ff8 << 48 | (bits & 0x3ff) << 42,
            (Type::F64, Type::F32) if mode.ftz && !mode.sat => return 0x7fff_ffff_e000_0000,
            (Type::F32, Type::F64) if !mode.sat => {
                return bits >> 32 & 1 << 31 | 0x7fc0_0000 | bits >> 29 & 0x3f_ffff;
            }
            (Type::F16, Type::F64) if !mode.sat => return bits >> 48 & 0x8000 | 0x7e00 | bits >> 42 & 0x1ff,
            (Type::F32, Type::Bf16) if !mode.sat => return bits << 16,
            _ => {}
        }
    }
    let mode = of(to);
    let value = if is_whole { rounded(value, mode.round) } else { value };
    match Format::of(to) {
        None if mode.sat => (if value > 0.0 { value.min(1.0) } else { 0.0 }).to_bits(),
        None => value.to_bits(),
        Some(_) if to == from && !is_whole && !mode.ftz && !mode.sat && !mode.relu => bits,
        Some(format) if limit => format.encode(value, mode.round, true),
        Some(format) if is_whole => Mode { round: Round::Nearest, ..mode }.finish(format, value),
        Some(format) => mode.finish(format, value),
    }
}

/// `cvt.pack.sat.u8.s32.b32 d, a, b, c`
fn pack(words: &Words<'_>, kinds: &[Type]) -> Option<Vector> {
    let [to, from] = [*kinds.first()?, *kinds.get(1)?];
    if words.any(&["u4", "s4", "u2", "s2"]).is_some() {
        return None;
    }
    let bits = to.bits();
    let mode = words.mode();
    let has_rest = kinds.len() > 2;
    Some(raw(move |a, b, c| {
        let part = |value: u64| integer(value, to, from, mode.sat) & low(bits);
        let rest = if has_rest { c << (2 * bits) } else { 0 };
        (part(a) << bits | part(b) | rest) & low(32)
    }))
}
