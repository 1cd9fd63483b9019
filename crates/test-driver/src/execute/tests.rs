//! Small kernels and what they write, compared with Rust's own arithmetic.

use std::{collections::HashMap, fmt::Write, sync::Arc};

use super::*;
use crate::ptx::forms;

mod meetings;
mod undefined;

const HEADER: &str = ".version 8.5\n.target sm_90\n.address_size 64\n";

/// Memory that a kernel accesses.
struct Memory(Vec<u64>);

impl Memory {
    fn address(&mut self) -> u64 {
        self.0.as_mut_ptr().expose_provenance() as u64
    }

    fn region(&mut self) -> (u64, u64) {
        let start = self.address();
        (start, start + 8 * self.0.len() as u64)
    }
}

fn settings() -> Settings {
    Settings { seed: 0, budget: 1 << 30, memcheck: false, stack: 0, printed: 1 << 20, workers: 2 }
}

/// Runs the first kernel of `text`, all of whose parameters have 8 bytes.
fn run(text: &str, (grid, block, shared): (u32, u32, u32), values: &[u64], memory: &mut [&mut Memory]) -> Effects {
    run_with(text, (grid, block, shared), values, memory, settings(), [1, 1, 1])
}

fn run_with(
    text: &str,
    (grid, block, shared): (u32, u32, u32),
    values: &[u64],
    memory: &mut [&mut Memory],
    settings: Settings,
    cluster: [u32; 3],
) -> Effects {
    run_written(text, (grid, block, shared), values, memory, settings, cluster, &mut Written::default())
}

fn run_written(
    text: &str,
    (grid, block, shared): (u32, u32, u32),
    values: &[u64],
    memory: &mut [&mut Memory],
    settings: Settings,
    cluster: [u32; 3],
    written: &mut Written,
) -> Effects {
    let text = if text.contains(".version") { text.to_owned() } else { format!("{HEADER}{text}") };
    let program = Program::new(vec![Arc::from(text.as_bytes())]);
    let offsets: Vec<u32> = (0..values.len()).map(|index| 8 * index as u32).collect();
    let executable = program.kernel("k", &offsets).unwrap_or_else(|error| panic!("{error}"));
    let bank: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let mut regions: Vec<(u64, u64)> = memory.iter_mut().map(|memory| memory.region()).collect();
    regions.sort_unstable();
    let request = Request {
        executable: &executable,
        bank: &bank,
        geometry: Geometry {
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            shared,
            cluster: (cluster != [1, 1, 1]).then_some(cluster),
            cooperative: false,
        },
        variables: &HashMap::new(),
        regions,
        heap: &mut Heap::default(),
        textures: &Objects::default(),
        workspace: 0,
        written,
        settings,
    };
    request.run()
}

/// `d` after `code`, for each of `inputs` as `a`, `b`, `c`. The registers have the widths `bits`: of d, a, b, c.
fn compute(code: &str, bits: [u32; 4], inputs: &[[u64; 3]]) -> Vec<u64> {
    let narrow = |name: &str, width: u32| match width {
        64 => format!("mov.b64 {name}, %w;"),
        _ => format!("cvt.u{width}.u64 {name}, %w;"),
    };
    let mut body = String::new();
    for (index, name) in ["a", "b", "c"].iter().enumerate() {
        let _ = writeln!(body, "ld.global.u64 %w, [%in+{}]; {}", 8 * index, narrow(name, bits[index + 1]));
    }
    let [d, a, b, c] = bits;
    let wide = if d == 64 { "mov.b64 %w, d;".to_owned() } else { format!("cvt.u64.u{d} %w, d;") };
    let text = format!(
        ".visible .entry k(.param .u64 from, .param .u64 to) {{
          .reg .b64 %w, %in, %out, %t; .reg .pred p, q; .reg .b32 %i;
          .reg .b{d} d; .reg .b{a} a; .reg .b{b} b; .reg .b{c} c;
          ld.param.u64 %in, [from]; ld.param.u64 %out, [to];
          mov.u32 %i, %tid.x; cvt.u64.u32 %t, %i;
          mad.lo.u64 %in, %t, 24, %in; mad.lo.u64 %out, %t, 8, %out;
          {body} mov.b{d} d, 0; {code}
          {wide} st.global.u64 [%out], %w; ret; }}"
    );
    let mut from = Memory(inputs.iter().flatten().copied().collect());
    let mut to = Memory(vec![0; inputs.len()]);
    let values = [from.address(), to.address()];
    let effects = run(&text, (1, inputs.len() as u32, 0), &values, &mut [&mut from, &mut to]);
    assert!(effects.fault.is_none(), "{code}: {:?}", effects.fault);
    to.0
}

/// Numbers with many special values of all widths.
fn numbers() -> Vec<[u64; 3]> {
    let mut special: Vec<u64> = vec![
        0,
        1,
        2,
        31,
        32,
        33,
        63,
        64,
        0x7f,
        0x80,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0x7fff_ffff_ffff_ffff,
        1 << 63,
        u64::MAX,
    ];
    for value in [0.0, 1.0, 1.5, -2.25, 0.1, 3e38, 1e-40, -1e-39, f32::INFINITY, f32::NAN, 65504.0, 1e-7, 16_777_217.0]
    {
        special.push(u64::from(value.to_bits()));
        special.push(f64::from(value).to_bits());
    }
    let mut state = 0x1234_5678_9abc_def0u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        match state % 3 {
            0 => special[(state >> 8) as usize % special.len()],
            1 => state >> (state >> 58),
            _ => state,
        }
    };
    (0..512).map(|_| [next(), next(), next()]).collect()
}

/// Compares an instruction with a function of its operands.
fn check(code: &str, bits: [u32; 4], expected: impl Fn(u64, u64, u64) -> u64) {
    let inputs = numbers();
    let results = compute(code, bits, &inputs);
    for ([a, b, c], result) in inputs.iter().zip(results) {
        let cut = |value: u64, index: usize| value & types::low(bits[index]);
        let (a, b, c) = (cut(*a, 1), cut(*b, 2), cut(*c, 3));
        let expected = cut(expected(a, b, c), 0);
        // Which NaN it is, `tests/instructions` compares with a GPU.
        let is_nan = |value: u64| match bits[0] {
            64 => code.contains(".f64") && f64::from_bits(value).is_nan(),
            32 => code.contains("f32") && f32::from_bits(value as u32).is_nan(),
            _ => false,
        };
        if is_nan(expected) && is_nan(result) {
            continue;
        }
        assert_eq!(result, expected, "{code} with {a:#x} {b:#x} {c:#x}: {result:#x}, not {expected:#x}");
    }
}

const W: [u32; 4] = [32; 4];
const D: [u32; 4] = [64; 4];
const H: [u32; 4] = [16; 4];

#[test]
fn integers_are_as_in_rust() {
    check("add.s32 d, a, b;", W, |a, b, _| a.wrapping_add(b));
    check("sub.s64 d, a, b;", D, |a, b, _| a.wrapping_sub(b));
    check("add.sat.s32 d, a, b;", W, |a, b, _| (a as i32).saturating_add(b as i32) as u32 as u64);
    check("mul.lo.s16 d, a, b;", H, |a, b, _| a.wrapping_mul(b));
    check("mul.hi.u32 d, a, b;", W, |a, b, _| a * b >> 32);
    check("mul.hi.s32 d, a, b;", W, |a, b, _| ((a as i32 as i64 * b as i32 as i64) >> 32) as u64);
    check("mul.hi.u64 d, a, b;", D, |a, b, _| ((u128::from(a) * u128::from(b)) >> 64) as u64);
    check("mul.hi.s64 d, a, b;", D, |a, b, _| ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64);
    check("mul.wide.s32 d, a, b;", [64, 32, 32, 32], |a, b, _| (a as i32 as i64 * b as i32 as i64) as u64);
    check("mul.wide.u16 d, a, b;", [32, 16, 16, 16], |a, b, _| a * b);
    check("mad.wide.u32 d, a, b, c;", [64, 32, 32, 64], |a, b, c| (a * b).wrapping_add(c));
    check("mad.wide.s32 d, a, 3, -4;", [64, 32, 32, 64], |a, _, _| (a as i32 as i64 * 3 - 4) as u64);
    check("mad.lo.s32 d, a, b, c;", W, |a, b, c| a.wrapping_mul(b).wrapping_add(c));
    check("mad.hi.s32 d, a, b, c;", W, |a, b, c| (((a as i32 as i64 * b as i32 as i64) >> 32) as u64).wrapping_add(c));
    check("mul24.lo.u32 d, a, b;", W, |a, b, _| (a & 0xff_ffff) * (b & 0xff_ffff));
    check("sad.s32 d, a, b, c;", W, |a, b, c| {
        c.wrapping_add((i64::from(a as i32) - i64::from(b as i32)).unsigned_abs())
    });
    check("div.s32 d, a, b;", W, |a, b, _| match b {
        0 => u64::from(u32::MAX),
        _ => (a as i32).wrapping_div(b as i32) as u32 as u64,
    });
    check("rem.u64 d, a, b;", D, |a, b, _| if b == 0 { u64::MAX } else { a % b });
    check("min.s64 d, a, b;", D, |a, b, _| (a as i64).min(b as i64) as u64);
    check("max.u16 d, a, b;", H, |a, b, _| a.max(b));
    check("abs.s32 d, a;", W, |a, _, _| u64::from((a as i32).wrapping_abs() as u32));
    check("neg.s16 d, a;", H, |a, _, _| a.wrapping_neg());
    check("popc.b64 d, a;", [32, 64, 64, 64], |a, _, _| u64::from(a.count_ones()));
    check("clz.b32 d, a;", W, |a, _, _| u64::from((a as u32).leading_zeros()));
    check("brev.b64 d, a;", D, |a, _, _| a.reverse_bits());
    check("bfind.u32 d, a;", W, |a, _, _| if a == 0 { u64::MAX } else { u64::from((a as u32).ilog2()) });
    check("shl.b32 d, a, b;", W, |a, b, _| if b > 31 { 0 } else { a << b });
    check("shr.s32 d, a, b;", W, |a, b, _| ((a as i32) >> b.min(31)) as u32 as u64);
    check("shr.u64 d, a, b;", [64, 64, 32, 32], |a, b, _| a.checked_shr(b as u32).unwrap_or(0));
    check("shf.l.wrap.b32 d, a, b, c;", W, |a, b, c| (b << 32 | a) << (c & 31) >> 32);
    check("shf.r.clamp.b32 d, a, b, c;", W, |a, b, c| (b << 32 | a) >> c.min(32));
    check("shf.l.clamp.b32 d, a, b, c;", W, |a, b, c| ((u128::from(b << 32 | a) << c.min(32)) >> 32) as u64);
    check("lop3.b32 d, a, b, c, 0x96;", W, |a, b, c| a ^ b ^ c);
    check("lop3.b32 d, a, b, c, 0xe8;", W, |a, b, c| a & b | a & c | b & c);
    check("cnot.b32 d, a;", W, |a, _, _| u64::from(a == 0));
    check("bfe.u32 d, a, b, c;", W, |a, b, c| {
        let (at, count) = (b & 255, c & 255);
        if at > 31 { 0 } else { a >> at & types::low(count as u32) }
    });
    check("bfe.s32 d, a, 4, 8;", W, |a, _, _| (((a as u32) << 20) as i32 >> 24) as u32 as u64);
    check("bfi.b32 d, a, b, 8, 4;", W, |a, b, _| b & !0xf00 | (a & 15) << 8);
    check("prmt.b32 d, a, b, 0x7531;", W, |a, b, _| {
        let bytes = (b << 32 | a).to_le_bytes();
        u64::from(u32::from_le_bytes([bytes[1], bytes[3], bytes[5], bytes[7]]))
    });
    check("dp4a.s32.u32 d, a, b, c;", W, |a, b, c| {
        let (a, b) = ((a as u32).to_le_bytes(), (b as u32).to_le_bytes());
        (0..4).fold(c, |sum, i| sum.wrapping_add((i64::from(a[i] as i8) * i64::from(b[i])) as u64))
    });
    check("dp2a.lo.u32.s32 d, a, b, c;", W, |a, b, c| {
        let first = (a & 0xffff) as i64 * i64::from(b as i8) + (a >> 16) as i64 * i64::from((b >> 8) as i8);
        c.wrapping_add(first as u64)
    });
    check("fns.b32 d, a, 0, 2;", W, |a, _, _| {
        (0..32u64).filter(|bit| a >> bit & 1 == 1).nth(1).unwrap_or(u64::from(u32::MAX))
    });
    check("selp.b32 d, 1, 2, p;", W, |_, _, _| 2);
    check("slct.u32.s32 d, a, b, c;", W, |a, b, c| if c >> 31 == 0 { a } else { b });
    check("bmsk.clamp.b32 d, a, b;", W, |a, b, _| if a > 31 { 0 } else { types::low(b.min(32) as u32) << a });
    check("szext.wrap.s32 d, a, b;", W, |a, b, _| match b & 31 {
        0 => 0,
        count => (((a as u32) << (32 - count)) as i32 >> (32 - count)) as u32 as u64,
    });
}

#[test]
fn carries_make_wide_numbers() {
    check(
        "{ .reg .b32 l, h, x, y, u, v; mov.b64 {l, h}, a; mov.b64 {x, y}, b;
           add.cc.u32 u, l, x; addc.u32 v, h, y; mov.b64 d, {u, v}; }",
        D,
        |a, b, _| a.wrapping_add(b),
    );
    check(
        "{ .reg .b32 l, h, x, y, u, v; mov.b64 {l, h}, a; mov.b64 {x, y}, b;
           sub.cc.u32 u, l, x; subc.u32 v, h, y; mov.b64 d, {u, v}; }",
        D,
        |a, b, _| a.wrapping_sub(b),
    );
    check(
        "{ .reg .b32 u, v; mad.lo.cc.u32 u, a, b, c; madc.hi.u32 v, a, b, 0; mov.b64 d, {u, v}; }",
        [64, 32, 32, 32],
        |a, b, c| a * b + c,
    );
}

/// Results that are NaN are compared as such.
fn same32(value: f32) -> u64 {
    u64::from(if value.is_nan() { 0x7fff_ffff } else { value.to_bits() })
}

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

#[test]
fn floats_are_as_in_rust() {
    check("add.f32 d, a, b;", W, |a, b, _| same32(single(a) + single(b)));
    check("mul.rn.f32 d, a, b;", W, |a, b, _| same32(single(a) * single(b)));
    check("fma.rn.f32 d, a, b, c;", W, |a, b, c| same32(single(a).mul_add(single(b), single(c))));
    check("div.rn.f32 d, a, b;", W, |a, b, _| same32(single(a) / single(b)));
    check("sqrt.rn.f32 d, a;", W, |a, _, _| same32(single(a).sqrt()));
    check("rcp.rn.f32 d, a;", W, |a, _, _| same32(1.0 / single(a)));
    check("min.f32 d, a, b;", W, |a, b, _| {
        let (x, y) = (single(a), single(b));
        same32(if x.is_nan() || !y.is_nan() && y.total_cmp(&x).is_lt() { y } else { x })
    });
    check("neg.f32 d, a;", W, |a, _, _| a ^ 1 << 31);
    check("abs.f32 d, a;", W, |a, _, _| a & !(1 << 31));
    let flush = |value: f32| if value.is_subnormal() { 0f32.copysign(value) } else { value };
    check("add.ftz.f32 d, a, b;", W, |a, b, _| same32(flush(flush(single(a)) + flush(single(b)))));
    check("mul.sat.f32 d, a, b;", W, |a, b, _| {
        let product = single(a) * single(b);
        same32(if product > 0.0 { product.min(1.0) } else { 0.0 })
    });
    let exact = |bits: u64| f64::from_bits(bits);
    check("add.f64 d, a, b;", D, |a, b, _| (exact(a) + exact(b)).to_bits());
    check("fma.rn.f64 d, a, b, c;", D, |a, b, c| exact(a).mul_add(exact(b), exact(c)).to_bits());
    check("setp.ltu.f32 p, a, b; selp.u32 d, 1, 0, p;", W, |a, b, _| {
        u64::from(single(a) < single(b) || single(a).is_nan() || single(b).is_nan())
    });
    check("set.gt.u32.f64 d, a, b;", [32, 64, 64, 64], |a, b, _| if exact(a) > exact(b) { u64::MAX } else { 0 });
    check("testp.subnormal.f32 p, a; selp.u32 d, 1, 0, p;", W, |a, _, _| u64::from(single(a).is_subnormal()));
}

/// The result rounded down is the largest number that is not above the exact one, which an `f64` holds with its rest.
#[test]
fn directed_roundings_enclose_the_result() {
    let inputs = numbers();
    for (code, exact) in [("add", (|a, b| a + b) as fn(f64, f64) -> f64), ("mul", |a, b| a * b), ("div", |a, b| a / b)]
    {
        let rounded = |mode: &str| compute(&format!("{code}.{mode}.f32 d, a, b;"), W, &inputs);
        let (down, up, zero, near) = (rounded("rm"), rounded("rp"), rounded("rz"), rounded("rn"));
        for (index, [a, b, _]) in inputs.iter().enumerate() {
            let value = exact(f64::from(single(*a)), f64::from(single(*b)));
            let [down, up, zero, near] = [down[index], up[index], zero[index], near[index]].map(single);
            if value.is_nan() || value.is_infinite() {
                continue;
            }
            assert!(f64::from(down) <= value && value <= f64::from(up), "{code} {a:#x} {b:#x}");
            assert!(down == up || down.next_up() == up, "{code} {a:#x} {b:#x}");
            assert!(zero == if value < 0.0 { up } else { down }, "{code} {a:#x} {b:#x}");
            assert!(near == down || near == up);
        }
    }
}

#[test]
fn conversions_are_as_in_rust() {
    let exact = f64::from_bits;
    check("cvt.s64.s32 d, a;", [64, 32, 32, 32], |a, _, _| a as i32 as i64 as u64);
    check("cvt.s32.s8 d, a;", W, |a, _, _| a as i8 as i32 as u32 as u64);
    check("cvt.sat.u8.s32 d, a;", W, |a, _, _| (a as i32).clamp(0, 255) as u64);
    check("cvt.sat.s16.s64 d, a;", [16, 64, 64, 64], |a, _, _| (a as i64).clamp(-32768, 32767) as u64);
    check("cvt.rn.f32.s32 d, a;", W, |a, _, _| u64::from((a as i32 as f32).to_bits()));
    check("cvt.rn.f32.u64 d, a;", [32, 64, 64, 64], |a, _, _| u64::from((a as f32).to_bits()));
    check("cvt.rn.f64.s64 d, a;", D, |a, _, _| (a as i64 as f64).to_bits());
    check("cvt.rn.f32.f64 d, a;", [32, 64, 64, 64], |a, _, _| same32(exact(a) as f32));
    check("cvt.f64.f32 d, a;", [64, 32, 32, 32], |a, _, _| f64::from(single(a)).to_bits());
    check("cvt.rzi.s32.f32 d, a;", W, |a, _, _| (single(a) as i32) as u32 as u64);
    check("cvt.rzi.u32.f32 d, a;", W, |a, _, _| u64::from(single(a) as u32));
    check("cvt.rni.s32.f32 d, a;", W, |a, _, _| (single(a).round_ties_even() as i32) as u32 as u64);
    check("cvt.rmi.f32.f32 d, a;", W, |a, _, _| same32(single(a).floor()));
    check("cvt.rzi.s64.f64 d, a;", D, |a, _, _| match exact(a).is_nan() {
        true => 1 << 63,
        false => (exact(a) as i64) as u64,
    });
}

/// Returns a 16-bit float as `f64`, by its definition.
fn half(bits: u64) -> f64 {
    let (exponent, fraction) = ((bits >> 10 & 31) as i32, (bits & 1023) as f64 / 1024.0);
    let value = match exponent {
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        0 => fraction * 2f64.powi(-14),
        _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
    };
    if bits >> 15 & 1 == 1 { -value } else { value }
}

/// Returns the 16-bit float nearest to `value`, by search.
fn nearest_half(value: f64) -> u64 {
    if value.is_nan() {
        return 0x7fff;
    }
    let sign = u64::from(value.is_sign_negative()) << 15;
    let magnitude = value.abs();
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    let above = (0..0x7c00u64).collect::<Vec<_>>().partition_point(|bits| half(*bits) < magnitude) as u64;
    let below = above.saturating_sub(1);
    let upper = if above == 0x7c00 { 65536.0 } else { half(above) };
    let (up, down) = (upper - magnitude, magnitude - half(below));
    sign | if up < down || up == down && above.is_multiple_of(2) { above } else { below }
}

#[test]
fn halves_are_rounded_once() {
    check("add.f16 d, a, b;", H, |a, b, _| nearest_half(half(a) + half(b)));
    check("mul.f16 d, a, b;", H, |a, b, _| nearest_half(half(a) * half(b)));
    check("cvt.rn.f16.f32 d, a;", [16, 32, 32, 32], |a, _, _| nearest_half(f64::from(single(a))));
    check("cvt.f32.f16 d, a;", [32, 16, 16, 16], |a, _, _| same32(half(a) as f32));
    check("add.f16x2 d, a, b;", W, |a, b, _| {
        nearest_half(half(a >> 16) + half(b >> 16)) << 16 | nearest_half(half(a & 0xffff) + half(b & 0xffff))
    });
    check("cvt.rn.f16x2.f32 d, a, b;", W, |a, b, _| {
        nearest_half(f64::from(single(a))) << 16 | nearest_half(f64::from(single(b)))
    });
    let brain = |bits: u64| f32::from_bits((bits << 16) as u32);
    check("cvt.f32.bf16 d, a;", [32, 16, 16, 16], |a, _, _| same32(brain(a)));
    check("cvt.rn.bf16.f32 d, a;", [16, 32, 32, 32], |a, _, _| {
        if single(a).is_nan() {
            return 0x7fff;
        }
        let bits = a as u32;
        u64::from((bits + 0x7fff + (bits >> 16 & 1)) >> 16)
    });
    check("setp.lt.f16 p, a, b; selp.b32 d, 1, 0, p;", [32, 16, 16, 16], |a, b, _| u64::from(half(a) < half(b)));
}

#[test]
fn approximations_are_as_close_as_documented() {
    let values: Vec<[u64; 3]> = (0..512).map(|i| [u64::from((0.001f32 + i as f32 * 0.37).to_bits()), 0, 0]).collect();
    for (code, function, tolerance) in [
        ("ex2.approx.f32", (|a| a.exp2()) as fn(f64) -> f64, 2f64.powi(-22)),
        ("lg2.approx.f32", f64::log2, 2f64.powi(-22)),
        ("rsqrt.approx.f32", |a| 1.0 / a.sqrt(), 2f64.powi(-22)),
        ("rcp.approx.f32", |a| 1.0 / a, 2f64.powi(-23)),
        ("sqrt.approx.f32", f64::sqrt, 2f64.powi(-23)),
        ("tanh.approx.f32", f64::tanh, 2f64.powi(-11)),
        ("sin.approx.f32", f64::sin, 2f64.powi(-20)),
        ("cos.approx.f32", f64::cos, 2f64.powi(-20)),
    ] {
        let results = compute(&format!("{code} d, a;"), W, &values);
        // The error of `sin` and `cos` is an absolute one, up to π.
        let is_angle = code.starts_with("sin") || code.starts_with("cos");
        for ([a, ..], result) in values.iter().zip(results).filter(|([a, ..], _)| !is_angle || single(*a) < 3.2) {
            let (expected, result) = (function(f64::from(single(*a))), f64::from(single(result)));
            let is_close =
                (result - expected).abs() <= tolerance * if is_angle { 1.0 } else { expected.abs().max(1e-3) };
            assert!(is_close || result.is_infinite() && expected > 3.4e38, "{code} {a:#x}: {result} {expected}");
        }
    }
}

const LANE: &str = ".reg .b32 %t, %r<20>; .reg .b64 %o, %a, %w<9>; .reg .pred %p<9>; .reg .f32 %f<9>;
    ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %a, %t, 8, %o;";

const LANE_HEAD: &str = ".visible .entry k(.param .u64 out) { ";

/// Returns what each of `threads` threads of one block writes.
fn block(body: &str, threads: u32) -> Vec<u64> {
    let (result, effects) = block_with(body, "", (1, threads, 0));
    assert!(effects.fault.is_none(), "{:?}", effects.fault);
    result
}

fn block_with(body: &str, before: &str, shape: (u32, u32, u32)) -> (Vec<u64>, Effects) {
    let text = format!("{before} {LANE_HEAD}{LANE} {body} ret; }}");
    let mut out = Memory(vec![0; 1024]);
    let address = out.address();
    let effects = run(&text, shape, &[address], &mut [&mut out]);
    (out.0[..shape.1 as usize].to_vec(), effects)
}

#[test]
fn lanes_that_branch_meet_again() {
    // Only lanes that met vote together.
    let body = "and.b32 %r1, %t, 3; setp.eq.u32 %p1, %r1, 0; @%p1 bra A; mov.u32 %r2, 7; bra B;
        A: mov.u32 %r2, 9; B: activemask.b32 %r3; mov.b64 %w1, {%r2, %r3}; st.global.u64 [%a], %w1;";
    for (lane, value) in block(body, 32).iter().enumerate() {
        assert_eq!((*value as u32, (value >> 32) as u32), (if lane % 4 == 0 { 9 } else { 7 }, u32::MAX));
    }
    // A loop with a different number of rounds for each lane.
    let body = "mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.le.u32 %p1, %r1, %t; @%p1 bra L;
        activemask.b32 %r3; mov.b64 %w1, {%r1, %r3}; st.global.u64 [%a], %w1;";
    for (lane, value) in block(body, 32).iter().enumerate() {
        assert_eq!((*value as u32, (value >> 32) as u32), (lane as u32 + 1, u32::MAX));
    }
}

#[test]
fn a_lock_between_lanes_of_a_warp_is_released() {
    let body = ".shared .b32 lock; .shared .b32 count; mov.u32 %r9, 0; st.shared.u32 [lock], %r9; st.shared.u32 [count], %r9; bar.sync 0;
        L: atom.shared.cas.b32 %r1, [lock], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;
        ld.volatile.shared.u32 %r2, [count]; add.u32 %r2, %r2, 1; st.volatile.shared.u32 [count], %r2;
        membar.cta; atom.shared.exch.b32 %r1, [lock], 0; bar.sync 0;
        ld.shared.u32 %r3, [count]; cvt.u64.u32 %w1, %r3; st.global.u64 [%a], %w1;";
    assert_eq!(block(body, 96), vec![96; 96]);
}

#[test]
fn barriers_and_shared_memory_move_values_between_threads() {
    let body = ".shared .align 4 .b8 s[512]; mov.u32 %r1, s; mad.lo.u32 %r2, %t, 4, %r1; st.shared.u32 [%r2], %t;
        bar.sync 0; xor.b32 %r3, %t, 37; mad.lo.u32 %r4, %r3, 4, %r1; ld.shared.u32 %r5, [%r4];
        setp.gt.u32 %p1, %t, 99; barrier.red.popc.u32 %r6, 0, %p1; bar.red.or.pred %p2, 0, %p1;
        selp.u32 %r7, 100, 0, %p2; add.u32 %r6, %r6, %r7; mov.b64 %w1, {%r5, %r6}; st.global.u64 [%a], %w1;";
    for (thread, value) in block(body, 128).iter().enumerate() {
        assert_eq!((*value as usize & 0xffff_ffff, value >> 32), (thread ^ 0x25, 128));
    }
}

#[test]
fn lanes_exchange_values() {
    let body = "shfl.sync.down.b32 %r1|%p1, %t, 4, 31, -1; shfl.sync.up.b32 %r2, %t, 3, 0, -1;
        shfl.sync.bfly.b32 %r3, %t, 5, 31, -1; shfl.sync.idx.b32 %r4, %t, 2, 0x1807, -1;
        selp.u32 %r5, 1, 0, %p1; prmt.b32 %r6, %r1, %r2, 0x5140; and.b32 %r6, %r6, 0xffff;
        shl.b32 %r7, %r2, 8; or.b32 %r7, %r7, %r1; mad.lo.u32 %r7, %r3, 65536, %r7; mad.lo.u32 %r7, %r4, 16777216, %r7;
        mov.b64 %w1, {%r7, %r5}; st.global.u64 [%a], %w1;";
    for (lane, value) in block(body, 32).iter().enumerate() {
        let down = if lane + 4 < 32 { lane + 4 } else { lane };
        let up = if lane >= 3 { lane - 3 } else { lane };
        let expected = down | up << 8 | (lane ^ 5) << 16 | (lane / 8 * 8 + 2) << 24;
        assert_eq!((*value as u32, value >> 32), (expected as u32, u64::from(lane + 4 < 32)), "lane {lane}");
    }
    let body = "and.b32 %r1, %t, 3; match.any.sync.b32 %r2, %r1, -1; setp.eq.u32 %p1, %r1, 1;
        vote.sync.ballot.b32 %r3, %p1, -1; redux.sync.add.u32 %r4, %t, -1; add.u32 %r3, %r3, %r4;
        mov.b64 %w1, {%r2, %r3}; st.global.u64 [%a], %w1;";
    for (lane, value) in block(body, 32).iter().enumerate() {
        assert_eq!((*value as u32, (value >> 32) as u32), (0x1111_1111 << (lane % 4), 0x2222_2222 + 496));
    }
    // Half of the warp, which comes later, and a lane that has ended.
    let body = "setp.eq.u32 %p1, %t, 31; @%p1 exit; setp.lt.u32 %p2, %t, 16; @%p2 bra S; nanosleep.u32 20;
        S: shfl.sync.bfly.b32 %r1, %t, 1, 31, -1; cvt.u64.u32 %w1, %r1; st.global.u64 [%a], %w1;";
    let result = block(body, 32);
    assert_eq!((result[0], result[17], result[31]), (1, 16, 0));
}

#[test]
fn parts_of_a_warp_exchange_values() {
    let store = "cvt.u64.u32 %w1, %r3; st.global.u64 [%a], %w1;";
    // Four parts of eight lanes, each with its own mask, which arrive together.
    let parts = "and.b32 %r1, %t, 24; shl.b32 %r2, 255, %r1;";
    let values = block(&format!("{parts} redux.sync.add.u32 %r3, %t, %r2; {store}"), 32);
    let sum = |part: u64| (8 * part..8 * part + 8).sum::<u64>();
    assert!((0..32).all(|lane| values[lane as usize] == sum(lane / 8)), "{values:?}");
    // Odd and even lanes wait for lanes of their own kind, which arrive in two parts.
    let parts = "and.b32 %r1, %t, 1; shl.b32 %r2, 0x55555555, %r1; setp.lt.u32 %p1, %t, 16; @%p1 bra late; nanosleep.u32 9; late:";
    let values = block(&format!("{parts} shfl.sync.bfly.b32 %r3, %t, 16, 31, %r2; {store}"), 32);
    assert!((0..32).all(|lane| values[lane as usize] == lane ^ 16), "{values:?}");
}

/// One lane writes ten values, and the 31 lanes at a different place read each of them.
#[test]
fn a_lane_hands_values_to_others() {
    let body = ".shared .b32 box; mov.u32 %r1, 0; mov.u32 %r2, 0; setp.ne.u32 %p1, %t, 0; @%p1 bra R;
        W: mul.lo.u32 %r3, %r1, %r1; st.shared.u32 [box], %r3; bar.warp.sync -1; bar.warp.sync -1; add.u32 %r1, %r1, 1;
        setp.lt.u32 %p2, %r1, 10; @%p2 bra W; bra E;
        R: bar.warp.sync -1; ld.shared.u32 %r3, [box]; add.u32 %r2, %r2, %r3; bar.warp.sync -1; add.u32 %r1, %r1, 1;
        setp.lt.u32 %p2, %r1, 10; @%p2 bra R; E: cvt.u64.u32 %w1, %r2; st.global.u64 [%a], %w1;";
    assert_eq!(block(body, 32), [vec![0], vec![285; 31]].concat());
}

/// The sizes that ptxas 13.0 prints. The static part is padded for the dynamic one, which ends where the launch says.
#[test]
fn dynamic_shared_memory_is_aligned() {
    let f = ".func f(.param .b32 x) { .reg .b32 %r; .shared .align 16 .b8 fl[2]; mov.u32 %r, fl; mov.u32 %r, g; ret; }";
    for (module, body, size) in [
        ("", ".shared .align 4 .b8 s[17]; mov.u32 %r, s;", 17),
        (".extern .shared .align 1 .b8 d[];", ".shared .align 1 .b8 s[17]; mov.u32 %r, s; mov.u32 %r, d;", 32),
        (".extern .shared .align 128 .b8 d[];", ".shared .align 4 .b8 s[16]; mov.u32 %r, s; mov.u32 %r, d;", 128),
        (".extern .shared .align 128 .b8 d[];", ".shared .align 4 .b8 s[16]; mov.u32 %r, s;", 128),
        (".extern .shared .align 128 .b8 d[];", "mov.u32 %r, d;", 0),
        // What is used of the module comes before what is only declared.
        (
            ".shared .align 8 .b8 g[20]; .shared .b64 h;",
            ".shared .align 1 .b8 s[5]; .shared .b16 t; mov.u32 %r, g; mov.u32 %r, s;",
            30,
        ),
        (
            ".shared .align 16 .b8 g[2];",
            ".shared .align 1 .b8 s[2]; mov.u32 %r, s; { .param .b32 x; call f, (x); }",
            34,
        ),
    ] {
        let text = format!(
            "{HEADER}{module}\n{f}\n.visible .entry k() {{ .reg .b32 %r; {body} ret; }}",
            f = if size == 34 { &f } else { "" }
        );
        let image =
            crate::images::image::Image::read(&crate::images::image::Source::Ptx(text.clone().into_bytes()), 90);
        let kernel = Arc::clone(&image.unwrap_or_else(|refusal| panic!("{}", refusal.log)).kernels[0]);
        let program = kernel.program.as_ref().expect("it has PTX");
        let executable = program.kernel("k", &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((u64::from(kernel.static_shared), executable.shared_size), (size, size), "{text}");
    }
    for n in [1, 15, 16, 129, 4096] {
        let body = format!(
            ".shared .b64 s; st.shared.u64 [s], %o; mov.u32 %r1, d; st.shared.u8 [%r1+{}], %t; bar.sync 0;
             ld.shared.u8 %r2, [%r1+{0}]; and.b32 %r1, %r1, 127; add.u32 %r1, %r1, %r2; cvt.u64.u32 %w1, %r1; st.global.u64 [%a], %w1;",
            n - 1
        );
        let (result, effects) = block_with(&body, ".extern .shared .align 128 .b8 d[];", (1, 1, n));
        assert!(effects.fault.is_none() && result == [0], "{n}: {:?}", effects.fault);
        let (_, effects) = block_with(&body, ".extern .shared .align 128 .b8 d[];", (1, 1, n - 1));
        assert!(effects.fault.is_some(), "{n}");
    }
}

#[test]
fn libraries_have_shared_memory() {
    let store = "mov.u32 %r1, %reserved_smem_offset_1; st.shared.u32 [%r1], %t; ld.shared.u32 %r3, [%r1];";
    assert_eq!(block(&format!("{store} cvt.u64.u32 %w1, %r3; st.global.u64 [%a], %w1;"), 1)[0], 0);
}

/// Half of a warp waits in a function with predicates, while the rest calls a function at the same depth.
#[test]
fn a_call_leaves_the_predicates_of_other_lanes() {
    let all = |text: &str| (0..9).map(|i| text.replace('#', &i.to_string())).collect::<String>();
    let (tests, sums) = (all("setp.gt.u64 %p#, %n1, #; "), all("selp.u64 %n2, 1, 0, %p#; add.u64 %n3, %n3, %n2; "));
    let text = format!(
        ".func (.param .b64 r) leaf(.param .b64 n) {{ .reg .b64 %n; ld.param.u64 %n, [n]; add.u64 %n, %n, 100;
            st.param.b64 [r], %n; ret; }}
        .func (.param .b64 r) few(.param .b64 n) {{ .reg .b64 %n<3>; .param .b64 a; .param .b64 b; ld.param.u64 %n1, [n];
            st.param.b64 [a], %n1; call (b), leaf, (a); ld.param.u64 %n2, [b]; bar.warp.sync 0xffffffff;
            st.param.b64 [r], %n2; ret; }}
        .func (.param .b64 r) many(.param .b64 n) {{ .reg .b64 %n<4>; .reg .pred %p<9>; ld.param.u64 %n1, [n];
            {tests} bar.warp.sync 0xffffffff; mov.u64 %n3, 0; {sums} st.param.b64 [r], %n3; ret; }}
        .entry k(.param .u64 out) {{ .reg .b64 %n<9>; .reg .b32 %t<3>; .reg .pred %p<3>; .param .b64 a; .param .b64 b;
            ld.param.u64 %n1, [out]; mov.u32 %t1, %tid.x; cvt.u64.u32 %n2, %t1; shl.b64 %n3, %n2, 4; add.u64 %n1, %n1, %n3;
            setp.lt.u64 %p1, %n2, 16; st.param.b64 [a], %n2;
            @%p1 bra LOW; call (b), few, (a); bra NEXT;
            LOW: call (b), many, (a);
            NEXT: ld.param.u64 %n4, [b]; st.u64 [%n1], %n4;
            @%p1 bra AGAIN; call (b), many, (a); bra END;
            AGAIN: call (b), few, (a);
            END: ld.param.u64 %n4, [b]; st.u64 [%n1+8], %n4; ret; }}"
    );
    let mut out = Memory(vec![0; 64]);
    let address = out.address();
    let effects = run(&text, (1, 32, 0), &[address], &mut [&mut out]);
    assert!(effects.fault.is_none(), "{:?}", effects.fault);
    for lane in 0..32 {
        let (many, few) = (lane.min(9), lane + 100);
        let expected = if lane < 16 { [many, few] } else { [few, many] };
        assert_eq!(out.0[2 * lane as usize..][..2], expected, "{lane}");
    }
}

#[test]
fn functions_call_functions() {
    let before =
        ".func (.param .b64 r) fib(.param .b64 n) { .reg .b64 %n<9>; .reg .pred %q; .local .align 8 .b8 kept[8];
          ld.param.u64 %n1, [n]; setp.lt.u64 %q, %n1, 2; @%q bra small;
          st.local.u64 [kept], %n1; sub.u64 %n2, %n1, 1;
          { .param .b64 p; st.param.b64 [p], %n2; .param .b64 v; call (v), fib, (p); ld.param.b64 %n3, [v]; }
          ld.local.u64 %n1, [kept]; sub.u64 %n2, %n1, 2;
          { .param .b64 p; st.param.b64 [p], %n2; .param .b64 v; call (v), fib, (p); ld.param.b64 %n4, [v]; }
          add.u64 %n3, %n3, %n4; st.param.b64 [r], %n3; ret;
          small: st.param.b64 [r], %n1; ret; }
        .func (.param .b64 r) twice(.param .b64 n) { .reg .b64 %n; ld.param.u64 %n, [n]; shl.b64 %n, %n, 1;
          st.param.b64 [r], %n; ret; }";
    // Even lanes call `fib`, odd lanes `twice`, through an address.
    let body = "cvt.u64.u32 %w1, %t; and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 0; mov.u64 %w2, fib; mov.u64 %w3, twice;
        selp.b64 %w4, %w2, %w3, %p1;
        { .param .b64 p; st.param.b64 [p], %w1; .param .b64 v; pr: .callprototype (.param .b64 _) _ (.param .b64 _);
          call (v), %w4, (p), pr; ld.param.b64 %w5, [v]; }
        activemask.b32 %r2; setp.eq.u32 %p2, %r2, 0xffff; selp.b64 %w5, %w5, 0, %p2; st.global.u64 [%a], %w5;";
    let (result, effects) = block_with(body, before, (1, 16, 0));
    assert!(effects.fault.is_none(), "{:?}", effects.fault);
    let fib = |n: u64| (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0;
    for (lane, value) in result.iter().enumerate() {
        let lane = lane as u64;
        assert_eq!(*value, if lane.is_multiple_of(2) { fib(lane) } else { 2 * lane }, "lane {lane}");
    }
}

#[test]
fn tables_of_branches_and_address_spaces() {
    let body = ".shared .b64 s; ts: .branchtargets A, B, C; and.b32 %r1, %t, 3; setp.eq.u32 %p1, %r1, 3; @%p1 bra C;
        brx.idx %r1, ts; A: mov.u32 %r2, 10; bra E; B: mov.u32 %r2, 20; bra E; C: mov.u32 %r2, 30;
        E: mov.u64 %w1, s; cvta.shared.u64 %w2, %w1; isspacep.shared %p2, %w2; isspacep.global %p3, %o;
        selp.u32 %r3, 1, 0, %p2; @%p3 add.u32 %r3, %r3, 2; st.u64 [%w2], %w1; ld.shared.u64 %w3, [%w1];
        setp.eq.u64 %p4, %w3, %w1; @%p4 add.u32 %r3, %r3, 4; mov.b64 %w4, {%r2, %r3}; st.global.u64 [%a], %w4;";
    for (thread, value) in block(body, 8).iter().enumerate() {
        assert_eq!((*value as u32, value >> 32), ([10, 20, 30, 30][thread % 4], 7));
    }
}

#[test]
fn atomics_count_all_threads_of_all_blocks() {
    let text = ".visible .entry k(.param .u64 out) { .reg .b64 %o; .reg .b32 %r<9>; .reg .f32 %f; .reg .f64 %d;
        ld.param.u64 %o, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
        red.global.add.u32 [%o], 1; red.global.max.u32 [%o+4], %r1; red.global.add.u64 [%o+8], 2;
        atom.global.add.f32 %f, [%o+16], 0f3F800000; atom.global.add.f64 %d, [%o+24], 0d3FE0000000000000;
        atom.global.inc.u32 %r3, [%o+32], 9; atom.global.or.b32 %r4, [%o+36], %r1; red.global.min.s32 [%o+40], %r2;
        atom.global.cas.b64 %o, [%o+48], 0, 5; ret; }";
    let mut out = Memory(vec![0; 8]);
    let address = out.address();
    let effects = run(text, (10, 100, 0), &[address], &mut [&mut out]);
    assert!(effects.fault.is_none(), "{:?}", effects.fault);
    let expected = [1000 + (99 << 32), 2000, u64::from(1000f32.to_bits()), 500f64.to_bits(), 127 << 32, 0, 5, 0];
    assert_eq!(out.0, expected);
}

/// The results of a vector may be its operands.
#[test]
fn atomics_of_vectors_read_before_they_write() {
    let body = "mov.b32 %f1, 0f3F800000; mov.b32 %f2, 0f40000000; atom.global.add.v2.f32 {%f1, %f2}, [%a], {%f2, %f1};
        add.f32 %f1, %f1, %f2; ld.global.v2.f32 {%f2, %f3}, [%a]; mov.b64 %w1, {%f2, %f3}; st.global.u64 [%a], %w1;";
    assert_eq!(block(body, 2), [u64::from(2f32.to_bits()) | u64::from(1f32.to_bits()) << 32; 2]);
}

#[test]
fn copies_and_barriers_in_memory() {
    let body = ".shared .align 16 .b8 s[256]; .shared .b64 bar; setp.ne.u32 %p1, %t, 0; @%p1 bra W;
        mbarrier.init.shared.b64 [bar], 64; st.global.u64 [%o+512], %o; W: bar.sync 0;
        mov.u32 %r1, s; @%p1 bra X; cp.async.ca.shared.global [%r1], [%o+512], 8; cp.async.commit_group;
        cp.async.wait_group 0; X: mbarrier.arrive.shared.b64 %w1, [bar];
        Y: mbarrier.test_wait.shared.b64 %p2, [bar], %w1; @!%p2 bra Y;
        Z: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra Z;
        ld.shared.u64 %w2, [s]; sub.u64 %w2, %w2, %o; add.u64 %w2, %w2, 3; st.global.u64 [%a], %w2;";
    assert_eq!(block(body, 64), vec![3; 64]);
}

#[test]
fn matrices_are_multiplied() {
    // Each lane's elements of A are 1, of B its column, of C its row.
    let body = "mov.u32 %r1, 0x3c003c00; shr.u32 %r2, %t, 2; cvt.rn.f16.u32 %h, %r2; mov.b32 %r3, {%h, %h};
        cvt.rn.f32.u32 %f1, %r2; mov.f32 %f2, %f1; add.f32 %f3, %f1, 0f41000000; mov.f32 %f4, %f3;
        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1, %r1, %r1}, {%r3, %r3},
          {%f1, %f2, %f3, %f4};
        cvt.rzi.u32.f32 %r4, %f2; cvt.rzi.u32.f32 %r5, %f3; mov.b64 %w1, {%r4, %r5}; st.global.u64 [%a], %w1;";
    for (lane, value) in block(&format!(".reg .b16 %h; {body}"), 32).iter().enumerate() {
        let (row, column) = (lane as u64 / 4, lane as u64 % 4 * 2);
        assert_eq!((value & 0xffff_ffff, value >> 32), (16 * (column + 1) + row, 16 * column + row + 8));
    }
    let body = "mov.u32 %r1, 0x01020304; mov.u32 %r2, -1; mov.u32 %r3, 5;
        mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {%r4, %r5}, {%r1}, {%r2}, {%r3, %r3};
        cvt.s64.s32 %w1, %r5; st.global.u64 [%a], %w1;";
    assert_eq!(block(body, 32), vec![(-35i64).cast_unsigned(); 32]);
}

#[test]
fn fragments_are_loaded_multiplied_and_stored() {
    // A: row * 2 + depth % 2, B: column, both as halves in shared memory, B by columns. C is 1.
    let body = ".shared .align 16 .b8 a[512]; .shared .align 16 .b8 b[512]; .reg .b32 %x<9>, %y<9>; .reg .b16 %h<4>; .reg .b32 %c<9>, %d<9>;
        mov.u32 %r1, a; mov.u32 %r2, b; mov.u32 %r3, 0; L: mad.lo.u32 %r4, %r3, 32, %t; shr.u32 %r5, %r4, 4; and.b32 %r6, %r4, 1;
        mad.lo.u32 %r7, %r5, 2, %r6; cvt.rn.f16.u32 %h1, %r7; cvt.rn.f16.u32 %h2, %r5; mad.lo.u32 %r8, %r4, 2, %r1;
        mad.lo.u32 %r9, %r4, 2, %r2; st.shared.b16 [%r8], %h1; st.shared.b16 [%r9], %h2; add.u32 %r3, %r3, 1;
        setp.lt.u32 %p1, %r3, 8; @%p1 bra L; bar.sync 0; mov.b32 %c1, 0f3F800000;
        wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%x1,%x2,%x3,%x4,%x5,%x6,%x7,%x8}, [%r1], 16;
        wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {%y1,%y2,%y3,%y4,%y5,%y6,%y7,%y8}, [%r2];
        wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%d1,%d2,%d3,%d4,%d5,%d6,%d7,%d8}, {%x1,%x2,%x3,%x4,%x5,%x6,%x7,%x8},
          {%y1,%y2,%y3,%y4,%y5,%y6,%y7,%y8}, {%c1,%c1,%c1,%c1,%c1,%c1,%c1,%c1};
        wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%o], {%d1,%d2,%d3,%d4,%d5,%d6,%d7,%d8}, 16;";
    let (_, effects) = block_with(body, "", (1, 32, 0));
    assert!(effects.fault.is_none(), "{:?}", effects.fault);
    let text = format!("{LANE_HEAD}{LANE} {body} ret; }}");
    let mut out = Memory(vec![0; 128]);
    let address = out.address();
    run(&text, (1, 32, 0), &[address], &mut [&mut out]);
    for (index, pair) in out.0.iter().enumerate() {
        for (half, bits) in [*pair as u32, (pair >> 32) as u32].into_iter().enumerate() {
            let (row, column) = ((2 * index + half) / 16, (2 * index + half) % 16);
            let expected = (0..16).map(|depth| (2 * row + depth % 2) * column).sum::<usize>() + 1;
            assert!((f32::from_bits(bits) - expected as f32).abs() < 0.5, "{row} {column}: {}", f32::from_bits(bits));
        }
    }
}

#[test]
fn printf_and_assert_reach_the_host() {
    let before = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
        .extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);";
    let body = ".local .align 8 .b8 list[16]; .reg .b64 %sp, %l; mov.u64 %l, list; cvta.local.u64 %sp, %l;
        mov.b64 %w1, 0x0a66252064252074; st.global.u64 [%o], %w1; mov.b64 %w1, 0; st.global.u64 [%o+8], %w1; bar.sync 0;
        st.local.u32 [%l], %t; st.local.f64 [%l+8], 0d3FF8000000000000;
        { .param .b64 p; .param .b64 q; .param .b32 v; st.param.b64 [p], %o; st.param.b64 [q], %sp; call (v), vprintf, (p, q); }
        setp.ne.u32 %p1, %t, 1; @%p1 bra E;
        { .param .b64 p; .param .b64 q; .param .b32 v; .param .b64 w; .param .b64 x; st.param.b64 [p], %o; st.param.b64 [q], %o;
          st.param.b32 [v], 7; st.param.b64 [w], %o; st.param.b64 [x], 1; call __assertfail, (p, q, v, w, x); } E:";
    let (_, effects) = block_with(body, before, (1, 2, 0));
    assert_eq!(String::from_utf8_lossy(&effects.printed), "t 0 1.500000\nt 1 1.500000\n");
    let fault = effects.fault.expect("an assertion fails");
    assert!(
        fault.text.contains(":7: ") && fault.text.contains("block: [0,0,0], thread: [1,0,0] Assertion `t %d %f"),
        "{}",
        fault.text
    );
    assert_eq!(fault.kind, Kind::Assert);
}

#[test]
fn clusters_access_each_others_shared_memory() {
    let text = ".visible .entry k(.param .u64 out) { .reg .b64 %o; .reg .b32 %r<9>; .shared .b32 s;
        ld.param.u64 %o, [out]; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %ctaid.x; st.shared.u32 [s], %r2;
        barrier.cluster.arrive; barrier.cluster.wait; xor.b32 %r3, %r1, 1; mov.u32 %r4, s;
        mapa.shared::cluster.u32 %r5, %r4, %r3; ld.shared::cluster.u32 %r6, [%r5];
        barrier.cluster.arrive; barrier.cluster.wait;
        mad.wide.u32 %o, %r2, 4, %o; st.global.u32 [%o], %r6; ret; }";
    let mut out = Memory(vec![0; 2]);
    let address = out.address();
    let effects = run_with(text, (4, 32, 0), &[address], &mut [&mut out], settings(), [2, 1, 1]);
    assert!(effects.fault.is_none(), "{:?}", effects.fault);
    assert_eq!(out.0, [1, 3 | 2 << 32]);
}

#[test]
fn blocks_can_wait_for_each_other() {
    // Block 0 waits for the last one.
    let text = ".visible .entry k(.param .u64 out) { .reg .b64 %o; .reg .b32 %r<9>; .reg .pred %p;
        ld.param.u64 %o, [out]; mov.u32 %r1, %ctaid.x; setp.eq.u32 %p, %r1, 7; @%p st.release.gpu.global.u32 [%o], 5;
        L: ld.acquire.gpu.global.u32 %r2, [%o]; setp.eq.u32 %p, %r2, 0; @%p bra L; red.global.add.u32 [%o+4], 1; ret; }";
    let mut out = Memory(vec![0; 1]);
    let address = out.address();
    let effects = run(text, (8, 32, 0), &[address], &mut [&mut out]);
    assert!(effects.fault.is_none(), "{:?}", effects.fault);
    assert_eq!(out.0, [5 | 256 << 32]);
}

/// Block 0 waits for the last block in many ways: the value to wait for is not 0 in the first words of `%o`.
#[test]
fn waits_of_every_form_end() {
    let before = ".func (.param .b32 r) get(.param .b64 p) { .reg .b64 %p; .reg .b32 %v; ld.param.u64 %p, [p]; ld.relaxed.gpu.u32 %v, [%p];
        st.param.b32 [r], %v; ret; }";
    let call = |offset: u32, to: &str| {
        format!(
            "{{ .param .b64 p; .param .b32 r; add.u64 %w1, %o, {offset}; st.param.b64 [p], %w1; call (r), get, (p); ld.param.b32 {to}, [r]; }}"
        )
    };
    let many = (0..12).fold(String::new(), |all, n| {
        all + &format!("ld.volatile.global.u32 %r4, [%o+{}]; add.u32 %r3, %r3, %r4;", 4 * n)
    });
    let waits = [
        "ld.relaxed.gpu.global.u32 %r3, [%o];".to_owned(),
        "ld.relaxed.gpu.global.v2.u32 {%r4, %r3}, [%o];".to_owned(),
        "ld.volatile.global.v4.u32 {%r3, %r4, %r5, %r6}, [%o];".to_owned(),
        "ld.acquire.gpu.global.u32 %r3, [%o]; ld.acquire.gpu.global.u32 %r4, [%o+4];".to_owned(),
        "ld.relaxed.gpu.global.u32 %r4, [%o+4]; ld.volatile.global.u64 %w1, [%o+8]; ld.relaxed.sys.global.u32 %r3, [%o];".to_owned(),
        "atom.global.add.u32 %r3, [%o], 0; atom.global.cas.b32 %r4, [%o+4], 99, 0;".to_owned(),
        "atom.global.cas.b32 %r3, [%o], 99, 0; ld.volatile.global.u32 %r4, [%o+4];".to_owned(),
        // It counts how often it has looked, there and in a register.
        "atom.global.add.u32 %r4, [%o+12], 1; ld.relaxed.gpu.global.u32 %r3, [%o];".to_owned(),
        "add.u32 %r6, %r6, 1; st.volatile.global.u32 [%o+12], %r6; ld.volatile.global.v2.u32 {%r4, %r5}, [%o+8]; ld.volatile.global.u32 %r3, [%o];"
            .to_owned(),
        "nanosleep.u32 20; ld.global.u32 %r3, [%o];".to_owned(),
        "membar.gl; ld.global.u32 %r3, [%o];".to_owned(),
        "mov.u32 %r4, %clock; ld.weak.global.u32 %r3, [%o];".to_owned(),
        "ld.global.u32 %r3, [%o];".to_owned(),
        format!("mov.u32 %r3, 0; {many}").replace("[%o+4]", "[%o+8]"),
        call(0, "%r3"),
        call(4, "%r4") + &call(0, "%r3"),
    ];
    for wait in &waits {
        for (grid, block, seed) in [(2, 1, 0), (2, 1, 5), (40, 32, 3), (700, 32, 0)] {
            let text = format!(
                "{before} {LANE_HEAD}{LANE} mov.u32 %r6, 0; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; sub.u32 %r2, %r2, 1;
                 setp.eq.u32 %p1, %r1, %r2; @%p1 bra S; setp.ne.u32 %p1, %r1, 0; @%p1 ret;
                 W: {wait} setp.eq.u32 %p2, %r3, 0; @%p2 bra W; st.global.u32 [%o+64], %r3; ret;
                 S: mov.u32 %r4, 7; st.relaxed.gpu.global.u32 [%o], %r4; st.relaxed.gpu.global.u32 [%o+4], %r4; ret; }}"
            );
            let mut out = Memory(vec![0; 16]);
            let address = out.address();
            let settings = Settings { seed, ..settings() };
            let effects = run_with(&text, (grid, block, 0), &[address], &mut [&mut out], settings, [1, 1, 1]);
            assert!(effects.fault.is_none(), "{wait} {seed}: {:?}", effects.fault);
            assert_eq!(out.0[8] as u32, 7, "{wait}");
            // One pass of each block, or a few turns of a wait that is not recognised.
            assert!(effects.instructions < 1 << 25, "{wait}: {} instructions", effects.instructions);
        }
        // Nothing ends it.
        let text = format!("{before} {LANE_HEAD}{LANE} W: {wait} bra W; }}");
        let mut out = Memory(vec![0; 16]);
        let address = out.address();
        let settings = Settings { budget: 1 << 22, ..settings() };
        let effects = run_with(&text, (3, 32, 0), &[address], &mut [&mut out], settings, [1, 1, 1]);
        assert_eq!(effects.fault.map(|fault| fault.kind), Some(Kind::Budget), "{wait}");
    }
}

#[test]
fn faults_have_a_kind_and_a_place() {
    for (body, kind, instruction) in [
        ("mov.u64 %w1, 64; st.global.u32 [%w1], %t;", Kind::Address, "st.global.u32"),
        ("st.global.u32 [%o+2], %t;", Kind::Misaligned, "st.global.u32"),
        ("ld.global.v2.u32 {%r1, %r2}, [%o+4];", Kind::Misaligned, "ld.global.v2.u32"),
        ("st.global.u32 [%o+8192], %t;", Kind::Address, "st.global.u32"),
        (".shared .b32 s; st.shared.u32 [s+4], %t;", Kind::Address, "st.shared.u32"),
        (".local .b32 l; ld.local.u32 %r1, [l+8];", Kind::Address, "ld.local.u32"),
        ("trap;", Kind::Trap, "trap"),
        ("brkpt;", Kind::Trap, "brkpt"),
        ("L: bra L;", Kind::Budget, ""),
        ("setp.eq.u32 %p1, %t, 0; @%p1 bra L; bar.sync 1, 64; L: bar.sync 0;", Kind::Budget, ""),
        // Lanes that wait for a different instruction, a different set, and a lane that does not come.
        (
            "setp.eq.u32 %p1, %t, 0; @%p1 bra L; bar.warp.sync 3; bra E; L: vote.sync.any.pred %p2, %p1, 3; E:",
            Kind::Budget,
            "",
        ),
        (
            "setp.eq.u32 %p1, %t, 0; @%p1 bra L; bar.warp.sync 2; bra E; L: bar.warp.sync 3; E: bar.sync 0;",
            Kind::Budget,
            "",
        ),
        ("setp.eq.u32 %p1, %t, 0; @%p1 bra L; bar.warp.sync 3; L: bar.warp.sync 1; bar.sync 0;", Kind::Budget, ""),
    ] {
        let (_, effects) = block_with(body, "", (1, 2, 0));
        let fault = effects.fault.expect(body);
        assert_eq!((fault.kind, fault.instruction.as_str()), (kind, instruction), "{body}");
    }
}

#[test]
fn what_is_not_executed_is_named() {
    for (text, part) in [
        (
            ".entry k() { wgmma.fence.sync.aligned; ret; }",
            "`wgmma.fence.sync.aligned` is not executed (line 4 of its PTX)",
        ),
        (".entry k() { .reg .b32 %r<2>; add.u32 %r0, %r1, %r2; }", "`add.u32` is not executed"),
        (".entry k() { bra nowhere; }", "no label `nowhere`"),
        (".extern .func f();\n.entry k() { call f; }", "`call` is not executed"),
        (".entry k() { ret; }\n.entry l() { ret;\nbra [[0]]; }", "`bra` is not executed (line 6 of its PTX)"),
    ] {
        let program = Program::new(vec![Arc::from(format!("{HEADER}{text}").as_bytes())]);
        // The other kernel of a module is executed.
        let name = if text.contains(" l()") { "l" } else { "k" };
        assert!(name == "k" || program.kernel("k", &[]).is_ok());
        let error = program.kernel(name, &[]).err().expect(text);
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_seed_changes_the_order_of_blocks() {
    let text = ".visible .entry k(.param .u64 out) { .reg .b64 %o; .reg .b32 %r<9>;
        ld.param.u64 %o, [out]; mov.u32 %r1, %ctaid.x; atom.global.add.u32 %r2, [%o], 1;
        mad.wide.u32 %o, %r2, 4, %o; st.global.u32 [%o+4], %r1; ret; }";
    let order = |seed: u64| {
        let mut out = Memory(vec![0; 9]);
        let address = out.address();
        let settings = Settings { seed, ..settings() };
        run_with(text, (16, 1, 0), &[address], &mut [&mut out], settings, [1, 1, 1]);
        out.0
    };
    assert!(order(0) == order(0) && order(1) == order(1) && order(0) != order(1));
}

/// Returns a function of numbers below a limit.
fn random() -> impl FnMut(usize) -> usize {
    let mut state = 7u64;
    move |limit| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) as usize % limit
    }
}

/// Texts that are changed at random are refused, or run, or fail: they never panic, and end in time.
#[test]
fn changed_texts_do_no_harm() {
    let texts = [
        ".func (.param .b64 r) f(.param .b64 n) { .reg .b64 %n<9>; .local .align 8 .b8 kept[8]; ld.param.u64 %n1, [n];
          st.local.u64 [kept], %n1; { .param .b64 p; st.param.b64 [p], %n1; .param .b64 v; call (v), f, (p); ld.param.b64 %n2, [v]; }
          st.param.b64 [r], %n2; ret; }
         .visible .entry k(.param .u64 out) { .reg .b64 %o, %w<9>; .reg .b32 %r<9>; .reg .pred %p<3>; .shared .align 8 .b8 s[512];
          ld.param.u64 %o, [out]; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 16; @%p1 bra A; bar.sync 0; bra B; A: bar.sync 0;
          B: mov.u64 %w1, s; mad.wide.u32 %w2, %r1, 8, %w1; st.shared.v2.u32 [%w2], {%r1, %r1}; ld.shared.u64 %w3, [%w2];
          atom.global.add.u64 %w4, [%o], %w3; shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; cvta.shared.u64 %w5, %w1; ld.u8 %r3, [%w5+3];
          { .param .b64 p; st.param.b64 [p], %w3; .param .b64 v; call (v), f, (p); ld.param.b64 %w6, [v]; } ret; }",
        ".visible .entry k(.param .u64 out) { .reg .b64 %o, %w<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .f64 %d<4>; .reg .pred %p;
          ts: .branchtargets A, B; ld.param.u64 %o, [out]; mov.u32 %r1, %laneid; and.b32 %r2, %r1, 1; brx.idx %r2, ts;
          A: cvt.rn.f32.u32 %f1, %r1; div.rz.f32 %f2, %f1, 0f40400000; fma.rm.f64 %d1, %d2, %d3, 0d3FF0000000000000; bra B;
          B: bfe.s32 %r3, %r1, %r2, 31; bfi.b64 %w1, %w2, %o, %r1, %r2; shf.l.clamp.b32 %r4, %r1, %r2, %r3; prmt.b32 %r5, %r1, %r2, %r3;
          cvt.rpi.s64.f32 %w3, %f2; mul.hi.s64 %w4, %w3, %o; add.cc.u32 %r6, %r5, %r4; addc.u32 %r7, %r6, %r3;
          mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {%r4, %r5}, {%r1}, {%r2}, {%r3, %r3};
          match.all.sync.b32 %r6|%p, %r1, 15; vote.sync.all.pred %p, %p, 3; nanosleep.u32 %r4; st.global.u64 [%o+8], %w4; trap; }",
    ];
    let mut random = random();
    let (mut refused, mut ran) = (0, 0);
    for _ in 0..1500 {
        let text = texts[random(texts.len())];
        let mut words: Vec<&str> = text.split_inclusive([' ', ',', '.', ';', '[', ']']).collect();
        for _ in 0..=random(3) {
            let (to, from) = (random(words.len()), random(words.len()));
            match random(4) {
                0 => drop(words.remove(to)),
                1 => words.insert(to, words[from]),
                2 => words[to] = ["0 ", "-1,", "0xffffffff;", "4294967296]", "%r1 ", "u64 ", "s8 ", "f16 "][random(8)],
                _ => words.swap(to, from),
            }
        }
        let text = format!("{HEADER}{}", words.concat());
        let program = Program::new(vec![Arc::from(text.as_bytes())]);
        if program.kernel("k", &[0]).is_err() {
            refused += 1;
            continue;
        }
        ran += 1;
        let mut out = Memory(vec![0; 64]);
        let address = out.address();
        let settings = Settings { budget: 1 << 18, memcheck: ran % 2 == 0, seed: ran % 3, ..settings() };
        run_with(&text, (2, 40, 64), &[address], &mut [&mut out], settings, [1, 1, 1]);
    }
    assert!(refused > 100 && ran > 100, "{refused} refused, {ran} ran");
}

/// Lanes that do not run are computed too, from registers that can hold a value of a wider type.
#[test]
fn lanes_that_do_not_run_can_hold_any_bits() {
    let (mut functions, inputs) = (0, numbers());
    let mut random = random();
    let mut table: Vec<_> = forms::table().iter().collect();
    table.sort_unstable_by_key(|(name, _)| *name);
    for form in table.into_iter().flat_map(|(_, forms)| forms).flat_map(|form| [form; 50]) {
        let mut name: Vec<String> = form.name.split('.').map(str::to_owned).collect();
        for group in &form.groups {
            // An optional word is in every second name.
            let choice = random(group.words.len() << u32::from(group.optional));
            name.extend(group.words.get(choice).map(|&word| word.to_owned()));
        }
        let words = words::Words(&name);
        let convert = || convert::cvt(&words, 32).filter(|_| name[0] == "cvt");
        if let Some(function) = arithmetic::vector(&words).or_else(convert) {
            let lanes = [(); 4].map(|()| std::array::from_fn(|_| inputs[random(inputs.len())][0]));
            let compute = || function(&mut [0; types::LANES], &lanes.each_ref());
            assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(compute)).is_ok(), "{}", name.join("."));
            functions += 1;
        }
    }
    assert!(functions > 5_000, "{functions}");
}

#[test]
fn texts_whose_decoding_takes_long_are_refused() {
    let decode = |body: &str| {
        let text = format!("{HEADER}.visible .entry k() {{ .reg .b32 %r; {body} ret; }}");
        Program::new(vec![Arc::from(text.as_bytes())]).kernel("k", &[]).map(drop)
    };
    let nested = |depth: usize| format!("{} mov.u32 %r, 0; {}", "{".repeat(depth), "}".repeat(depth));
    assert_eq!(decode(&nested(100)), Ok(()));
    assert!(decode(&nested(1000)).is_err_and(|why| why.contains("scopes in each other")));
    let indexed = |branches: usize| {
        let targets = format!("T: .branchtargets A{};", ", A".repeat(999));
        format!("mov.u32 %r, 0; {targets} {} A:", "brx.idx %r, T;".repeat(branches))
    };
    assert_eq!(decode(&indexed(10)), Ok(()));
    assert!(decode(&indexed(100)).is_err_and(|why| why.contains("targets of indexed branches")));
}
