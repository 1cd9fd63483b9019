//! The table of instructions: each name, and how it is decoded (PTX ISA 9.0, chapter 9). What it lacks is not executed.

use super::{
    access,
    arithmetic::{self, Test, Vector, compare, mask, one},
    code::{Condition, Flow, Logic, Op, SINK, Source, Space, window},
    convert,
    decode::{Decoder, How, lanes, run, space},
    machine::POLLS,
    texel, together,
    types::{LANES, Type, extend, low},
    words::Words,
};
use crate::ptx::Operand;

use How::{Lanes, With};

#[rustfmt::skip]
const TABLE: &[(&str, How)] = &[
    ("abs", Lanes(1)), ("add", With(add)), ("addc", With(add)), ("sub", With(add)), ("subc", With(add)),
    ("mul", Lanes(2)), ("mad", With(add)), ("madc", With(add)), ("fma", Lanes(3)), ("mul24", Lanes(2)), ("mad24", Lanes(3)),
    ("sad", Lanes(3)), ("div", Lanes(2)), ("rem", Lanes(2)), ("neg", Lanes(1)), ("min", Lanes(2)), ("max", Lanes(2)),
    ("copysign", Lanes(2)), ("rcp", Lanes(1)), ("sqrt", Lanes(1)), ("rsqrt", Lanes(1)), ("sin", Lanes(1)), ("cos", Lanes(1)),
    ("lg2", Lanes(1)), ("ex2", Lanes(1)), ("tanh", Lanes(1)), ("popc", Lanes(1)), ("clz", Lanes(1)), ("brev", Lanes(1)),
    ("bfind", Lanes(1)), ("fns", Lanes(3)), ("bfe", Lanes(3)), ("bfi", With(bfi)), ("bmsk", Lanes(2)), ("szext", Lanes(2)),
    ("cnot", Lanes(1)), ("shl", Lanes(2)), ("shr", Lanes(2)), ("shf", Lanes(3)), ("prmt", Lanes(3)), ("vadd2", Lanes(3)),
    ("vsub2", Lanes(3)), ("vmin2", Lanes(3)), ("vmax2", Lanes(3)), ("vabsdiff2", Lanes(3)), ("vavrg2", Lanes(3)),
    ("vadd4", Lanes(3)), ("vsub4", Lanes(3)), ("vmin4", Lanes(3)), ("vmax4", Lanes(3)), ("vabsdiff4", Lanes(3)),
    ("vavrg4", Lanes(3)), ("dp4a", Lanes(3)), ("dp2a", Lanes(3)), ("lop3", With(lop3)), ("and", With(logic)),
    ("or", With(logic)), ("xor", With(logic)), ("not", With(logic)), ("cvt", With(cvt)), ("mov", With(mov)),
    ("selp", With(selp)), ("slct", With(slct)), ("set", With(set)), ("setp", With(set)), ("testp", With(testp)),
    ("cvta", With(cvta)), ("isspacep", With(isspacep)), ("ld", With(access::access)), ("ldu", With(access::access)),
    ("st", With(access::access)), ("atom", With(access::atom)), ("red", With(access::atom)), ("cp", With(access::copy)),
    ("mbarrier", With(access::mbarrier)), ("mapa", With(access::map)), ("getctarank", With(access::map)),
    ("bra", With(branch)), ("brx", With(branch)), ("call", With(call)), ("ret", With(ret)), ("exit", With(ret)),
    ("trap", With(ret)), ("brkpt", With(ret)), ("bar", With(together::bar)), ("barrier", With(together::bar)),
    ("membar", With(together::fence)), ("fence", With(together::fence)), ("vote", With(together::vote)),
    ("shfl", With(together::shuffle)), ("match", With(together::matching)), ("redux", With(together::redux)),
    ("activemask", With(together::activemask)), ("elect", With(together::elect)), ("mma", With(together::matrix)),
    ("wmma", With(together::matrix)), ("ldmatrix", With(together::matrix)), ("stmatrix", With(together::matrix)),
    ("nanosleep", With(nanosleep)), ("prefetch", With(nothing)), ("prefetchu", With(nothing)), ("pmevent", With(nothing)),
    ("discard", With(nothing)), ("applypriority", With(nothing)), ("setmaxnreg", With(nothing)),
    ("griddepcontrol", With(grids)), ("createpolicy", With(policy)), ("tex", With(texel::decode)),
    ("suld", With(texel::decode)), ("sust", With(texel::decode)),
    ("stacksave", With(stack)), ("stackrestore", With(nothing)),
];

pub(super) fn row(root: &str) -> Option<How> {
    TABLE.iter().find(|(name, _)| *name == root).map(|(_, how)| *how)
}

/// Returns what an instruction does with undefined values.
pub(super) fn flow(words: &Words<'_>) -> Flow {
    match words.part(0).unwrap_or_default() {
        "mov" | "shl" | "shr" | "shf" | "prmt" | "bfe" | "bfi" | "szext" | "brev" | "and" | "or" | "xor" | "not"
        | "lop3" | "selp" | "slct" | "cvta" | "shfl" | "vote" | "match" | "elect" | "mma" => Flow::Bits,
        "cvt" if words.kinds().iter().all(|kind| kind.is_integer()) => Flow::Bits,
        "wmma" if words.part(1) == Some("mma") => Flow::Bits,
        "bra" | "brx" | "call" | "bar" | "barrier" => Flow::Decides,
        "ld" | "ldu" | "st" | "atom" | "red" | "cp" | "mbarrier" | "wmma" | "ldmatrix" | "stmatrix" | "tex"
        | "suld" | "sust" => Flow::Memory,
        _ => Flow::Values,
    }
}

/// Returns whether it is a clock, and its upper half.
fn clock(operand: &Operand) -> Option<bool> {
    let Operand::Name(name, 0) = operand else { return None };
    match name.as_str() {
        "%clock" | "%clock64" | "%globaltimer" | "%globaltimer_lo" => Some(false),
        "%clock_hi" | "%globaltimer_hi" => Some(true),
        _ => None,
    }
}

fn nothing(_: &mut Decoder<'_, '_>, _: &Words<'_>, _: &[Operand]) -> Option<Op> {
    run(|_| ())
}

fn grids(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, _: &[Operand]) -> Option<Op> {
    decoder.meets_grids(words.has("wait"));
    run(|_| ())
}

/// `add`, `sub` and `mad`, also with a carry. A subtraction adds the complement: its carry says that nothing is
/// borrowed.
fn add(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (root, kind) = (words.part(0)?, words.kind()?);
    let (reads, writes) = (root.ends_with('c'), words.has("cc"));
    let name = root.trim_end_matches('c');
    if !reads && !writes {
        return decoder.vector(words, arithmetic::vector(words)?, if name == "mad" { 3 } else { 2 }, operands);
    }
    let (to, _) = decoder.to(operands.first()?)?;
    let mut from = [decoder.zero(); 3];
    for (slot, operand) in from.iter_mut().zip(&operands[1..]) {
        *slot = decoder.from(operand, kind)?;
    }
    let bits = kind.bits();
    let product = move |a: u128, b: u128| {
        let wide = |value: u128| i128::from(extend(value as u64, kind).cast_signed());
        if kind.is_signed() { wide(a).wrapping_mul(wide(b)).cast_unsigned() } else { a.wrapping_mul(b) }
    };
    let (is_high, is_sub, is_mad) = (words.has("hi"), name == "sub", name == "mad");
    run(move |step| {
        let [a, b, c] = from.map(|source| *step.source(source));
        let (mut value, mut flags) = ([0; LANES], 0u32);
        for lane in 0..LANES {
            let flag = if reads { step.warp.carry >> lane & 1 == 1 } else { is_sub };
            let (a, b, c) = (u128::from(a[lane]), u128::from(b[lane]), u128::from(c[lane]));
            let part = product(a, b) >> if is_high { bits } else { 0 } & u128::from(low(bits));
            let (x, y) = match () {
                () if is_mad => (part, c),
                () if is_sub => (a, b ^ u128::from(low(bits))),
                () => (a, b),
            };
            let whole = x + y + u128::from(flag);
            value[lane] = whole as u64 & low(bits);
            flags |= u32::from(whole >> bits & 1 == 1) << lane;
        }
        step.write(to, &value);
        if writes {
            step.warp.carry = step.warp.carry & !step.mask | flags & step.mask;
        }
    })
}

fn bfi(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, a, b, at, count] = operands else { return None };
    let kind = words.kind()?;
    // As ptxas 13: of a constant length, five bits count, unless the field begins at a byte.
    let count = match (at, count) {
        (Operand::Integer(at), Operand::Integer(count)) if kind == Type::U32 && at % 8 != 0 => {
            &Operand::Integer(count & 31)
        }
        (_, count) => count,
    };
    let (to, _) = decoder.to(to)?;
    let operands = [(a, kind), (b, kind), (at, Type::U32), (count, Type::U32)];
    lanes(decoder, arithmetic::vector(words)?, to, operands)
}

fn lop3(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, a, b, c, Operand::Integer(table)] = operands else { return None };
    if words.any(&["and", "or"]).is_some() {
        return None;
    }
    let (to, _) = decoder.to(to)?;
    lanes(decoder, arithmetic::lop3(*table as u8), to, [(a, Type::U32), (b, Type::U32), (c, Type::U32)])
}

pub(super) fn logic_of(name: &str) -> Option<Logic> {
    Some(match name {
        "and" => |a, b| a & b,
        "or" => |a, b| a | b,
        "xor" => |a, b| a ^ b,
        _ => return None,
    })
}

fn predicate(to: u32, logic: Logic, from: [Condition; 2]) -> Option<Op> {
    run(move |step| step.write_predicate(to, logic(step.condition(from[0]), step.condition(from[1]))))
}

fn logic(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let root = words.part(0)?;
    let count = if root == "not" { 1 } else { 2 };
    if words.kind()? != Type::Pred {
        return decoder.vector(words, arithmetic::vector(words)?, count, operands);
    }
    let (to, first) = (decoder.predicate(operands.first()?)?, decoder.condition(operands.get(1)?)?);
    match operands.get(2) {
        Some(second) => predicate(to, logic_of(root)?, [first, decoder.condition(second)?]),
        None if count == 1 => predicate(to, |a, b| a ^ b, [first, Condition::ALWAYS]),
        None => None,
    }
}

fn copied() -> Vector {
    one(|a: u64| a)
}

fn cvt(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (to, width) = decoder.to(operands.first()?)?;
    let function = convert::cvt(words, width)?;
    let source = *words.kinds().get(1)?;
    match operands {
        [_, a] => lanes(decoder, function, to, [(a, source)]),
        [_, a, b] => lanes(decoder, function, to, [(a, source), (b, source)]),
        [_, a, b, c] => lanes(decoder, function, to, [(a, source), (b, source), (c, Type::U32)]),
        _ => None,
    }
}

fn mov(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, from] = operands else { return None };
    let kind = words.kind()?;
    if kind == Type::Pred {
        // `%is_explicit_cluster` is the only special register that is a predicate.
        if let Some(special) = decoder.from(from, kind).filter(|source| matches!(source, Source::Special(_))) {
            let (test, from) = (compare("ne", Type::U32, false)?, [special, decoder.zero()]);
            return Some(Op::Test { test, to: [decoder.predicate(to)?, SINK], from, with: None });
        }
        return predicate(decoder.predicate(to)?, |a, _| a, [decoder.condition(from)?, Condition::default()]);
    }
    if kind == Type::B128 {
        return None;
    }
    let part = |list: &[Operand]| kind.bits() / list.len().max(1) as u32;
    match (to, from) {
        (Operand::Vector(list), from) => {
            let (bits, to, from) = (part(list), decoder.slots(to)?, decoder.from(from, kind)?);
            run(move |step| {
                let value = *step.source(from);
                for (index, slot) in to.iter().enumerate() {
                    step.write(*slot, &value.map(|value| value >> (bits * index as u32) & low(bits)));
                }
            })
        }
        (to, Operand::Vector(list)) => {
            let (bits, (to, _), from) = (part(list), decoder.to(to)?, decoder.sources(from, kind)?);
            run(move |step| {
                let mut value = [0; LANES];
                for (index, part) in from.iter().enumerate() {
                    let part = step.source(*part);
                    for lane in 0..LANES {
                        value[lane] |= (part[lane] & low(bits)) << (bits * index as u32);
                    }
                }
                step.write(to, &value);
            })
        }
        (to, from) => {
            let (to, _) = decoder.to(to)?;
            if let Some(offset) = decoder.frame_offset(from) {
                return run(move |step| step.write(to, &[u64::from(step.group.at.local + offset); LANES]));
            }
            if let Some(is_high) = clock(from) {
                return run(move |step| {
                    let value = if is_high { step.warp.clock >> 32 } else { step.warp.clock };
                    step.worker.polls += 1;
                    step.write(to, &[value; LANES]);
                });
            }
            lanes(decoder, copied(), to, [(from, kind)])
        }
    }
}

fn selp(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, a, b, by] = operands else { return None };
    let (kind, (to, _)) = (words.kind()?, decoder.to(to)?);
    let (a, b, by) = (decoder.from(a, kind)?, decoder.from(b, kind)?, decoder.condition(by)?);
    run(move |step| {
        let (a, b, by) = (step.source(a), step.source(b), step.condition(by));
        let value = std::array::from_fn(|lane| if by >> lane & 1 == 1 { a[lane] } else { b[lane] });
        step.write(to, &value);
    })
}

fn slct(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, a, b, c] = operands else { return None };
    let (to, _) = decoder.to(to)?;
    let (kind, last) = (words.kind()?, *words.kinds().last()?);
    lanes(decoder, arithmetic::vector(words)?, to, [(a, kind), (b, kind), (c, last)])
}

/// Returns the value of a lane for which a comparison holds.
fn flagged(mask: u32, lane: usize, bits: u64) -> u64 {
    if mask >> lane & 1 == 1 { bits } else { 0 }
}

fn set(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, a, b, rest @ ..] = operands else { return None };
    let is_predicate = words.part(0)? == "setp";
    let (name, kind, ftz) = (words.part(1)?, *words.kinds().last()?, words.has("ftz"));
    let from = [decoder.from(a, kind)?, decoder.from(b, kind)?];
    // What is written where the comparison holds.
    let bits = match words.kind()? {
        Type::F32 => u64::from(1f32.to_bits()),
        Type::F16 | Type::F16x2 => 0x3c00,
        Type::Bf16 | Type::Bf16x2 => 0x3f80,
        kind => low(kind.bits()),
    };
    let to = match is_predicate {
        true => decoder.predicates(to)?,
        false => [decoder.to(to)?.0; 2],
    };
    if let Type::F16x2 | Type::Bf16x2 = kind {
        let half = if kind == Type::F16x2 { Type::F16 } else { Type::Bf16 };
        let test = rest.is_empty().then_some(compare(name, half, ftz)?)?;
        let bits = bits & 0xffff;
        // Of two numbers in a register, both predicates are the results.
        return run(move |step| {
            let [low, high] = [0, 16].map(|shift| {
                let [a, b] = from.map(|source| step.source(source).map(|value| value >> shift & 0xffff));
                test(&a, &b)
            });
            if is_predicate {
                step.write_predicate(to[0], low);
                step.write_predicate(to[1], high);
            } else {
                let value = |lane| flagged(high, lane, bits) << 16 | flagged(low, lane, bits);
                step.write(to[0], &std::array::from_fn(value));
            }
        });
    }
    let test = compare(name, kind, ftz)?;
    let with = match (words.any(&["and", "or", "xor"]), rest.first()) {
        (Some(logic), Some(operand)) => Some((logic_of(logic)?, decoder.condition(operand)?)),
        (None, None) => None,
        _ => return None,
    };
    if is_predicate {
        return Some(Op::Test { test, to, from, with });
    }
    run(move |step| {
        let held = step.combined(test(step.source(from[0]), step.source(from[1])), with);
        step.write(to[0], &std::array::from_fn(|lane| flagged(held, lane, bits)));
    })
}

fn testp(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, a] = operands else { return None };
    let test = arithmetic::class(words)?;
    let from = [decoder.from(a, words.kind()?)?, decoder.zero()];
    Some(Op::Test { test, to: [decoder.predicate(to)?, SINK], from, with: None })
}

fn base_of(decoder: &Decoder<'_, '_>, words: &Words<'_>) -> u64 {
    match space(words) {
        Some(Space::Shared) => window::SHARED,
        Some(Space::Local) => window::LOCAL,
        None if words.is_param() && decoder.is_entry() => window::BANK,
        None if words.is_param() => window::LOCAL,
        _ => 0,
    }
}

fn cvta(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, from] = operands else { return None };
    let (to, _) = decoder.to(to)?;
    let base = base_of(decoder, words);
    if decoder.frame_offset(from).is_some() {
        return None;
    }
    let function = match (words.has("to"), base) {
        (_, 0) => copied(),
        (true, _) => one(|a: u64| a & !window::ALL),
        (false, base) => one(move |a: u64| a | base),
    };
    lanes(decoder, function, to, [(from, Type::U64)])
}

fn isspacep(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, from] = operands else { return None };
    let base = base_of(decoder, words);
    // Memory of the device and constants have the same addresses here.
    let is_const = words.has("const");
    let is_own = words.has("shared") || words.has("shared::cta");
    let test: Test = Box::new(move |a, b| {
        mask(a, b, |a, _| {
            a & window::ALL == base && !is_const && !(is_own && (a & low(32)) >> window::BLOCK_SHIFT != 0)
        })
    });
    let from = [decoder.from(from, Type::U64)?, decoder.zero()];
    Some(Op::Test { test, to: [decoder.predicate(to)?, SINK], from, with: None })
}

fn branch(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    if words.part(0)? == "bra" {
        decoder.jump(operands.first()?)?;
        return Some(Op::Branch { target: 0 });
    }
    let from = decoder.from(operands.first()?, Type::U32)?;
    decoder.jump(operands.get(1)?)?;
    Some(Op::BranchIndex { from, targets: Vec::new() })
}

fn call(decoder: &mut Decoder<'_, '_>, _: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    decoder.call(operands).map(|call| Op::Call(Box::new(call)))
}

fn ret(_: &mut Decoder<'_, '_>, words: &Words<'_>, _: &[Operand]) -> Option<Op> {
    Some(match words.part(0)? {
        "ret" => Op::Return,
        "exit" => Op::Exit,
        _ => Op::Trap,
    })
}

fn nanosleep(decoder: &mut Decoder<'_, '_>, _: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let nanoseconds = decoder.from(operands.first()?, Type::U32)?;
    run(move |step| {
        step.warp.clock += step.uniform(nanoseconds);
        // Other warps run.
        step.worker.polls += POLLS / 2;
    })
}

/// Cache policies have no effect.
fn policy(decoder: &mut Decoder<'_, '_>, _: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (to, _) = decoder.to(operands.first()?)?;
    lanes(decoder, copied(), to, [(&Operand::Integer(0), Type::U64)])
}

fn stack(decoder: &mut Decoder<'_, '_>, _: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (to, _) = decoder.to(operands.first()?)?;
    run(move |step| step.write(to, &[u64::from(step.group.at.local); LANES]))
}
