//! The table of instructions: each name, and how it is decoded (PTX ISA 9.0, chapter 9). What it lacks is not executed.

use super::{
    arithmetic::{self, Vector, combine, compare},
    code::{
        Access, Atomic, Barrier, Base, Carry, Condition, LaneMask, Logic, Matrix, MemoryBarrier, Op, Place, Product,
        Reduction, SINK, Shuffle, Source, Space, Special, Together, Vote, window,
    },
    convert,
    decode::Decoder,
    matrix::{Fragment, Fragments, Shape},
    syntax::Operand,
    texel,
    types::{LANES, Lanes as Values, Type, low},
    words::Words,
};

/// How an instruction is decoded.
#[derive(Clone, Copy)]
pub(super) enum How {
    /// A function of lanes, with this number of operands.
    Vector(fn(&Words<'_>) -> Option<Vector>, usize),
    Special(Special_),
}

type Special_ = fn(&mut Decoder<'_, '_>, &Words<'_>, &[Operand]) -> Option<Op>;

use How::{Special as With, Vector as Lanes};

#[rustfmt::skip]
const TABLE: &[(&str, How)] = &[
    ("abs", Lanes(arithmetic::abs, 1)), ("add", With(add)), ("addc", With(add)), ("sub", With(add)), ("subc", With(add)),
    ("mul", Lanes(arithmetic::mul, 2)), ("mad", With(add)), ("madc", With(add)), ("fma", Lanes(arithmetic::fma, 3)),
    ("mul24", Lanes(arithmetic::mul24, 2)), ("mad24", Lanes(arithmetic::mad24, 3)), ("sad", Lanes(arithmetic::sad, 3)),
    ("div", Lanes(arithmetic::div, 2)), ("rem", Lanes(arithmetic::rem, 2)), ("neg", Lanes(arithmetic::neg, 1)),
    ("min", Lanes(arithmetic::min, 2)), ("max", Lanes(arithmetic::max, 2)), ("copysign", Lanes(arithmetic::copysign, 2)),
    ("rcp", Lanes(arithmetic::rcp, 1)), ("sqrt", Lanes(arithmetic::sqrt, 1)), ("rsqrt", Lanes(arithmetic::rsqrt, 1)),
    ("sin", Lanes(arithmetic::sin, 1)), ("cos", Lanes(arithmetic::cos, 1)), ("lg2", Lanes(arithmetic::lg2, 1)),
    ("ex2", Lanes(arithmetic::ex2, 1)), ("tanh", Lanes(arithmetic::tanh, 1)), ("popc", Lanes(arithmetic::popc, 1)),
    ("clz", Lanes(arithmetic::clz, 1)), ("brev", Lanes(arithmetic::brev, 1)), ("bfind", Lanes(arithmetic::bfind, 1)),
    ("fns", Lanes(arithmetic::fns, 3)), ("bfe", Lanes(arithmetic::bfe, 3)), ("bfi", With(bfi)),
    ("bmsk", Lanes(arithmetic::bmsk, 2)), ("szext", Lanes(arithmetic::szext, 2)), ("cnot", Lanes(arithmetic::cnot, 1)),
    ("shl", Lanes(arithmetic::shl, 2)), ("shr", Lanes(arithmetic::shr, 2)), ("shf", Lanes(arithmetic::shf, 3)),
    ("prmt", Lanes(arithmetic::prmt, 3)),
    ("vadd2", Lanes(arithmetic::video, 3)), ("vsub2", Lanes(arithmetic::video, 3)), ("vmin2", Lanes(arithmetic::video, 3)),
    ("vmax2", Lanes(arithmetic::video, 3)), ("vabsdiff2", Lanes(arithmetic::video, 3)), ("vavrg2", Lanes(arithmetic::video, 3)),
    ("vadd4", Lanes(arithmetic::video, 3)), ("vsub4", Lanes(arithmetic::video, 3)), ("vmin4", Lanes(arithmetic::video, 3)),
    ("vmax4", Lanes(arithmetic::video, 3)), ("vabsdiff4", Lanes(arithmetic::video, 3)), ("vavrg4", Lanes(arithmetic::video, 3)),
     ("dp4a", With(dot)), ("dp2a", With(dot)), ("lop3", With(lop3)),
    ("and", With(logic)), ("or", With(logic)), ("xor", With(logic)), ("not", With(logic)), ("cvt", With(cvt)),
    ("mov", With(mov)), ("selp", With(selp)), ("slct", With(slct)), ("set", With(set)), ("setp", With(set)),
    ("testp", With(testp)), ("cvta", With(cvta)), ("isspacep", With(isspacep)), ("ld", With(load)), ("ldu", With(load)),
    ("st", With(store)), ("atom", With(atom)), ("red", With(atom)), ("cp", With(copy)), ("mbarrier", With(mbarrier)),
    ("mapa", With(mapa)), ("getctarank", With(mapa)), ("bra", With(branch)), ("brx", With(branch)), ("call", With(call)),
    ("ret", With(ret)), ("exit", With(ret)), ("trap", With(ret)), ("brkpt", With(ret)), ("bar", With(bar)),
    ("barrier", With(bar)), ("membar", With(fence)), ("fence", With(fence)), ("vote", With(vote)), ("shfl", With(shuffle)),
    ("match", With(matching)), ("redux", With(redux)), ("activemask", With(activemask)), ("elect", With(elect)),
    ("mma", With(mma)), ("wmma", With(wmma)), ("ldmatrix", With(matrix_access)), ("stmatrix", With(matrix_access)),
    ("nanosleep", With(nanosleep)), ("prefetch", With(nothing)), ("prefetchu", With(nothing)), ("pmevent", With(nothing)),
    ("discard", With(nothing)), ("applypriority", With(nothing)), ("setmaxnreg", With(nothing)),
    ("griddepcontrol", With(nothing)), ("createpolicy", With(policy)), ("tex", With(texture)), ("suld", With(texture)),
    ("sust", With(texture)), ("tld4", With(texture)), ("stacksave", With(stack)), ("stackrestore", With(nothing)),
];

pub(super) fn row(root: &str) -> Option<How> {
    TABLE.iter().find(|(name, _)| *name == root).map(|(_, how)| *how)
}

/// The special registers that do not change.
pub(super) fn special(name: &str) -> Option<Special> {
    let name = name.strip_prefix('%')?;
    let axis = |name: &str| match name {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        _ => None,
    };
    Some(match name {
        "laneid" => Special::Lane,
        "warpid" => Special::Warp,
        "nwarpid" => Special::Warps,
        "smid" => Special::Multiprocessor,
        "nsmid" => Special::Multiprocessors,
        "gridid" => Special::Grid,
        "lanemask_eq" => Special::LaneMask(LaneMask::Equal),
        "lanemask_lt" => Special::LaneMask(LaneMask::Less),
        "lanemask_le" => Special::LaneMask(LaneMask::LessOrEqual),
        "lanemask_gt" => Special::LaneMask(LaneMask::Greater),
        "lanemask_ge" => Special::LaneMask(LaneMask::GreaterOrEqual),
        "dynamic_smem_size" => Special::DynamicShared,
        "total_smem_size" | "aggr_smem_size" => Special::TotalShared,
        "cluster_ctarank" => Special::RankInCluster,
        "cluster_nctarank" => Special::SizeOfCluster,
        "is_explicit_cluster" => Special::IsExplicitCluster,
        "envreg1" => Special::Workspace(32),
        "envreg2" => Special::Workspace(0),
        _ if name.starts_with("envreg") || name.starts_with("pm") || name == "current_graph_exec" => Special::Zero,
        _ => {
            let (register, part) = name.split_once('.')?;
            let axis = axis(part)?;
            match register {
                "tid" => Special::Thread(axis),
                "ntid" => Special::Threads(axis),
                "ctaid" => Special::Block(axis),
                "nctaid" => Special::Blocks(axis),
                "clusterid" => Special::Cluster(axis),
                "nclusterid" => Special::Clusters(axis),
                "cluster_ctaid" => Special::BlockInCluster(axis),
                "cluster_nctaid" => Special::BlocksInCluster(axis),
                _ => return None,
            }
        }
    })
}

/// Whether it is a clock, and its upper half.
fn clock(operand: &Operand) -> Option<bool> {
    let Operand::Name(name, 0) = operand else { return None };
    match name.as_str() {
        "%clock" | "%clock64" | "%globaltimer" | "%globaltimer_lo" => Some(false),
        "%clock_hi" | "%globaltimer_hi" => Some(true),
        _ => None,
    }
}

/// A function of lanes.
fn lanes<const N: usize>(
    decoder: &mut Decoder<'_, '_>,
    function: Vector,
    to: u32,
    operands: [(&Operand, Type); N],
) -> Option<Op> {
    let mut from = [decoder.zero(); 4];
    for (slot, (operand, kind)) in from.iter_mut().zip(operands) {
        *slot = decoder.from(operand, kind)?;
    }
    Some(Op::Vector { function, to, from })
}

fn nothing(_: &mut Decoder<'_, '_>, _: &Words<'_>, _: &[Operand]) -> Option<Op> {
    Some(Op::Nothing)
}

/// `add`, `sub` and `mad`, also with a carry.
fn add(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let root = words.part(0)?;
    let kind = words.kind()?;
    let reads = root.ends_with('c');
    let writes = words.has("cc");
    let (to, _) = decoder.to(operands.first()?)?;
    if reads || writes {
        let carry = match (root, words.has("hi")) {
            ("add" | "addc", _) => Carry::Add,
            ("sub" | "subc", _) => Carry::Sub,
            (_, false) => Carry::MadLow,
            (_, true) => Carry::MadHigh,
        };
        let mut from = [decoder.zero(); 3];
        for (slot, operand) in from.iter_mut().zip(&operands[1..]) {
            *slot = decoder.from(operand, kind)?;
        }
        return Some(Op::Carry { carry, kind, reads, writes, to, from });
    }
    match (root, operands) {
        ("add", [_, a, b]) => lanes(decoder, arithmetic::add(words)?, to, [(a, kind), (b, kind)]),
        ("sub", [_, a, b]) => lanes(decoder, arithmetic::sub(words)?, to, [(a, kind), (b, kind)]),
        ("mad", [_, a, b, c]) => {
            let wide = if words.has("wide") { Type::U64 } else { kind };
            lanes(decoder, arithmetic::mad(words)?, to, [(a, kind), (b, kind), (c, wide)])
        }
        _ => None,
    }
}

fn dot(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, a, b, c] = operands else { return None };
    let (to, _) = decoder.to(to)?;
    let function = arithmetic::dot(words, if words.part(0)? == "dp4a" { 4 } else { 2 })?;
    lanes(decoder, function, to, [(a, Type::U32), (b, Type::U32), (c, Type::U32)])
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
    lanes(decoder, arithmetic::bfi(words)?, to, operands)
}

fn lop3(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, a, b, c, Operand::Integer(table)] = operands else { return None };
    if words.any(&["and", "or"]).is_some() {
        return None;
    }
    let (to, _) = decoder.to(to)?;
    lanes(decoder, arithmetic::lop3(*table as u8), to, [(a, Type::U32), (b, Type::U32), (c, Type::U32)])
}

fn logic(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let root = words.part(0)?;
    let kind = words.kind()?;
    if kind == Type::Pred {
        let to = decoder.predicate(operands.first()?)?;
        let first = decoder.condition(operands.get(1)?)?;
        let (logic, second) = match (root, operands.get(2)) {
            ("and", Some(operand)) => (Logic::And, decoder.condition(operand)?),
            ("or", Some(operand)) => (Logic::Or, decoder.condition(operand)?),
            ("xor", Some(operand)) => (Logic::Xor, decoder.condition(operand)?),
            ("not", None) => (Logic::Xor, Condition::ALWAYS),
            _ => return None,
        };
        return Some(Op::Predicate { to, logic, from: [first, second] });
    }
    let (to, _) = decoder.to(operands.first()?)?;
    match (root, operands) {
        ("and", [_, a, b]) => lanes(decoder, arithmetic::and(words)?, to, [(a, kind), (b, kind)]),
        ("or", [_, a, b]) => lanes(decoder, arithmetic::or(words)?, to, [(a, kind), (b, kind)]),
        ("xor", [_, a, b]) => lanes(decoder, arithmetic::xor(words)?, to, [(a, kind), (b, kind)]),
        ("not", [_, a]) => lanes(decoder, arithmetic::not(words)?, to, [(a, kind)]),
        _ => None,
    }
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

fn copied() -> Vector {
    arithmetic::one(|a: u64| a)
}

fn mov(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, from] = operands else { return None };
    let kind = words.kind()?;
    if kind == Type::Pred {
        let (to, from) = (decoder.predicate(to)?, decoder.condition(from)?);
        return Some(Op::Predicate { to, logic: Logic::Or, from: [from, Condition::default()] });
    }
    if kind == Type::B128 {
        return None;
    }
    match (to, from) {
        (Operand::Vector(list), from) => {
            let to = list.iter().map(|operand| Some(decoder.to(operand)?.0)).collect::<Option<Vec<u32>>>()?;
            let bits = kind.bits() / list.len().max(1) as u32;
            Some(Op::Unpack { to, from: decoder.from(from, kind)?, bits })
        }
        (to, Operand::Vector(list)) => {
            let (to, _) = decoder.to(to)?;
            let bits = kind.bits() / list.len().max(1) as u32;
            let from = list.iter().map(|operand| decoder.from(operand, kind)).collect::<Option<Vec<Source>>>()?;
            Some(Op::Pack { to, from, bits })
        }
        (to, from) => {
            let (to, _) = decoder.to(to)?;
            if let Some(offset) = decoder.frame_offset(from) {
                return Some(Op::FrameAddress { to, offset });
            }
            if let Some(is_high) = clock(from) {
                return Some(Op::Clock { is_high, to });
            }
            lanes(decoder, copied(), to, [(from, kind)])
        }
    }
}

fn selp(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, a, b, by] = operands else { return None };
    let (kind, (to, _)) = (words.kind()?, decoder.to(to)?);
    let from = [decoder.from(a, kind)?, decoder.from(b, kind)?];
    Some(Op::Select { to, from, by: decoder.condition(by)? })
}

fn slct(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, a, b, c] = operands else { return None };
    let (to, _) = decoder.to(to)?;
    let kinds = words.kinds();
    let [kind, last] = [*kinds.first()?, *kinds.last()?];
    lanes(decoder, arithmetic::slct(words)?, to, [(a, kind), (b, kind), (c, last)])
}

fn set(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let is_predicate = words.part(0)? == "setp";
    let kinds = words.kinds();
    let kind = *kinds.last()?;
    let name = words.part(1)?;
    let logic = match words.any(&["and", "or", "xor"]) {
        Some("and") => Some(Logic::And),
        Some("or") => Some(Logic::Or),
        Some(_) => Some(Logic::Xor),
        None => None,
    };
    if matches!(kind, Type::F16x2 | Type::Bf16x2) {
        return set_halves(decoder, words, operands, kind, is_predicate);
    }
    let test = compare(name, kind, words.has("ftz"))?;
    let from = [decoder.from(operands.get(1)?, kind)?, decoder.from(operands.get(2)?, kind)?];
    let with = match (logic, operands.get(3)) {
        (Some(logic), Some(operand)) => Some((logic, decoder.condition(operand)?)),
        (None, None) => None,
        _ => return None,
    };
    if !is_predicate {
        let (to, _) = decoder.to(&operands[0])?;
        let bits = match kinds.first()? {
            Type::F32 => u64::from(1f32.to_bits()),
            Type::F16 => 0x3c00,
            Type::Bf16 => 0x3f80,
            kind => low(kind.bits()),
        };
        return Some(Op::Set { test, to, from, with, bits });
    }
    let (first, second) = Decoder::pair(&operands[0]);
    let second = second.map_or(Some(SINK), |second| decoder.predicate(second))?;
    Some(Op::Test { test, to: [decoder.predicate(first)?, second], from, with })
}

/// `set` and `setp` of two numbers in a register. Two predicates are the results of both halves.
fn set_halves(
    decoder: &mut Decoder<'_, '_>,
    words: &Words<'_>,
    operands: &[Operand],
    kind: Type,
    is_predicate: bool,
) -> Option<Op> {
    let [to, a, b] = operands else { return None };
    let half = if kind == Type::F16x2 { Type::F16 } else { Type::Bf16 };
    let (name, ftz) = (words.part(1)?, words.has("ftz"));
    let (low_half, high_half) = (compare(name, half, ftz)?, compare(name, half, ftz)?);
    let part = |value: &Values, shift: u32| value.map(|value| value >> shift & 0xffff);
    let from = [decoder.from(a, kind)?, decoder.from(b, kind)?];
    if is_predicate {
        let (first, second) = Decoder::pair(to);
        let to = [decoder.predicate(first)?, second.map_or(Some(SINK), |second| decoder.predicate(second))?];
        let test = Box::new(move |a: &Values, b: &Values| low_half(&part(a, 0), &part(b, 0)));
        let other = Box::new(move |a: &Values, b: &Values| high_half(&part(a, 16), &part(b, 16)));
        return Some(Op::Tests { tests: [test, other], to, from });
    }
    let (to, _) = decoder.to(to)?;
    let bits = match words.kind()? {
        Type::F16x2 => 0x3c00,
        Type::Bf16x2 => 0x3f80,
        _ => 0xffff,
    };
    let function: Vector = Box::new(move |to, [a, b, ..]| {
        let (low_mask, high_mask) = (low_half(&part(a, 0), &part(b, 0)), high_half(&part(a, 16), &part(b, 16)));
        for lane in 0..LANES {
            let value = |mask: u32| if mask >> lane & 1 == 1 { bits } else { 0 };
            to[lane] = value(high_mask) << 16 | value(low_mask);
        }
    });
    let zero = decoder.zero();
    Some(Op::Vector { function, to, from: [from[0], from[1], zero, zero] })
}

fn testp(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, a] = operands else { return None };
    let test = arithmetic::class(words)?;
    let from = [decoder.from(a, words.kind()?)?, decoder.zero()];
    Some(Op::Test { test, to: [decoder.predicate(to)?, SINK], from, with: None })
}

fn space(words: &Words<'_>) -> Option<Space> {
    match words.any(&["global", "shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry"])
    {
        Some("shared" | "shared::cta" | "shared::cluster") => Some(Space::Shared),
        Some("local") => Some(Space::Local),
        Some("global" | "const") => Some(Space::Global),
        _ => None,
    }
}

fn is_param(words: &Words<'_>) -> bool {
    words.any(&["param", "param::entry", "param::func"]).is_some()
}

fn base_of(decoder: &Decoder<'_, '_>, words: &Words<'_>) -> u64 {
    match space(words) {
        Some(Space::Shared) => window::SHARED,
        Some(Space::Local) => window::LOCAL,
        None if is_param(words) && decoder.is_entry() => window::BANK,
        None if is_param(words) => window::LOCAL,
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
        (true, _) => arithmetic::one(|a: u64| a & !window::ALL),
        (false, base) => arithmetic::one(move |a: u64| a | base),
    };
    lanes(decoder, function, to, [(from, Type::U64)])
}

fn isspacep(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, from] = operands else { return None };
    let base = base_of(decoder, words);
    // Memory of the device and constants have the same addresses here.
    let is_const = words.has("const");
    let is_own = words.has("shared") || words.has("shared::cta");
    let test = Box::new(move |a: &Values, _: &Values| {
        (0..LANES).fold(0, |mask, lane| {
            let inside = a[lane] & window::ALL == base
                && !is_const
                && !(is_own && (a[lane] & low(32)) >> window::BLOCK_SHIFT != 0);
            mask | u32::from(inside) << lane
        })
    });
    let from = [decoder.from(from, Type::U64)?, decoder.zero()];
    Some(Op::Test { test, to: [decoder.predicate(to)?, SINK], from, with: None })
}

/// The elements of `{a, b}`, or one.
fn elements(operand: &Operand) -> Vec<Operand> {
    match operand {
        Operand::Vector(list) => list.clone(),
        operand => vec![operand.clone()],
    }
}

fn is_strong(words: &Words<'_>) -> bool {
    words.any(&["volatile", "relaxed", "acquire", "release", "mmio"]).is_some()
}

fn access(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, address: &Operand, values: &Operand) -> Option<Access> {
    let kind = words.kind()?;
    let place = decoder.place(address, space(words), is_param(words))?;
    let is_strong = is_strong(words);
    if is_strong && matches!(place.space, Space::Global | Space::Generic) {
        decoder.is_ordered();
    }
    let count = elements(values).len();
    if !matches!(count, 1 | 2 | 4 | 8) || matches!(kind, Type::Pred | Type::B128) {
        return None;
    }
    Some(Access { place, kind, is_strong, to: Vec::new(), from: Vec::new(), count })
}

fn load(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (to, address) = (operands.first()?, operands.get(1)?);
    let mut access = access(decoder, words, address, to)?;
    access.to = elements(to).iter().map(|operand| decoder.to(operand)).collect::<Option<_>>()?;
    Some(Op::Load(Box::new(access)))
}

fn store(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    if words.has("async") {
        return None;
    }
    let (address, from) = (operands.first()?, operands.get(1)?);
    let mut access = access(decoder, words, address, from)?;
    if matches!(access.place, Place { space: Space::Bank, .. }) {
        return None;
    }
    let kind = access.kind;
    access.from = elements(from).iter().map(|operand| decoder.from(operand, kind)).collect::<Option<_>>()?;
    Some(Op::Store(Box::new(access)))
}

fn atom(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    const NAMES: [&str; 10] = ["add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"];
    if words.has("async") {
        return None;
    }
    let kind = words.kind()?;
    let name = words.any(&NAMES)?;
    let (mut to, mut rest) = (Vec::new(), operands);
    if words.part(0)? == "atom" {
        let all = elements(operands.first()?);
        to = all.iter().map(|operand| Some(decoder.to(operand)?.0)).collect::<Option<Vec<u32>>>()?;
        rest = &operands[1..];
    }
    let place = decoder.place(rest.first()?, space(words), false)?;
    let from = elements(rest.get(1)?);
    let from = from.iter().map(|operand| decoder.from(operand, kind)).collect::<Option<Vec<Source>>>()?;
    let is_cas = name == "cas";
    let third = match rest.get(2) {
        Some(operand) if is_cas => Some(decoder.from(operand, kind)?),
        _ if is_cas => return None,
        // A cache policy.
        _ => None,
    };
    let is_commutative = !kind.is_float() && matches!(name, "add" | "min" | "max" | "and" | "or" | "xor");
    let is_read = to.iter().any(|slot| *slot != 0);
    if place.space != Space::Shared && (is_read || !is_commutative) {
        decoder.is_ordered();
    }
    if kind == Type::B128 {
        return None;
    }
    let combine = match (name, kind) {
        ("add", Type::F32) if place.space != Space::Shared => arithmetic::sum_flushed,
        ("add", Type::F64) if place.space != Space::Shared => arithmetic::sum_wide,
        _ => combine(name)?,
    };
    Some(Op::Atomic(Box::new(Atomic { place, kind, combine, to, from, third })))
}

/// `cp.async`, without delay.
fn copy(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    if !words.has("async") || words.any(&["tensor", "reduce", "prefetch"]).is_some() {
        return None;
    }
    if words.any(&["commit_group", "wait_group", "wait_all"]).is_some() {
        return Some(Op::Nothing);
    }
    if words.has("mbarrier") {
        let place = decoder.place(operands.first()?, space(words).or(Some(Space::Shared)), false)?;
        let what = MemoryBarrier::Arrive { drops: false, expects: false };
        // Without `.noinc`, the arrival was not expected and adds nothing.
        return Some(match words.has("noinc") {
            true => Op::MemoryBarrier { what, place, from: Vec::new(), to: 0 },
            false => Op::Nothing,
        });
    }
    let (to, from) = (operands.first()?, operands.get(1)?);
    if words.has("bulk") {
        let is_in = words.part(3)?.starts_with("shared") && words.part(4)? == "global";
        let is_out = words.part(3)? == "global";
        if words.has("multicast::cluster") || !(is_in || is_out) {
            return None;
        }
        let space = |is_shared: bool| Some(if is_shared { Space::Shared } else { Space::Global });
        let barrier = match is_in {
            true => Some(decoder.place(operands.get(3)?, Some(Space::Shared), false)?),
            false => None,
        };
        let (to, from) = (decoder.place(to, space(is_in), false)?, decoder.place(from, space(!is_in), false)?);
        let size = decoder.from(operands.get(2)?, Type::U32)?;
        return Some(Op::Copy { to, from, size, given: None, barrier });
    }
    let (to, from) = (decoder.place(to, Some(Space::Shared), false)?, decoder.place(from, Some(Space::Global), false)?);
    let size = decoder.from(operands.get(2)?, Type::U32)?;
    let given = match operands.get(3) {
        Some(operand) if words.has("L2::cache_hint") && operands.len() == 4 => {
            decoder.from(operand, Type::U64)?;
            None
        }
        Some(operand @ Operand::Name(..)) if decoder.condition(operand).is_some() => return None,
        Some(operand) => Some(decoder.from(operand, Type::U32)?),
        None => None,
    };
    Some(Op::Copy { to, from, size, given, barrier: None })
}

fn mbarrier(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let name = words.part(1)?;
    let space = space(words).or(Some(Space::Generic));
    let parity = words.has("parity");
    let (what, to, at) = match name {
        "init" => (MemoryBarrier::Initialise, 0, 0),
        "inval" => (MemoryBarrier::Invalidate, 0, 0),
        "expect_tx" => (MemoryBarrier::Expect, 0, 0),
        "complete_tx" => (MemoryBarrier::Complete, 0, 0),
        "arrive" | "arrive_drop" => {
            let what = MemoryBarrier::Arrive { drops: name == "arrive_drop", expects: words.has("expect_tx") };
            match operands.first()? {
                Operand::Address(..) => (what, 0, 0),
                operand => (what, decoder.to(operand)?.0, 1),
            }
        }
        "test_wait" | "try_wait" => (MemoryBarrier::Test { parity }, decoder.predicate(operands.first()?)?, 1),
        "pending_count" => {
            let (to, _) = decoder.to(operands.first()?)?;
            let from = vec![decoder.from(operands.get(1)?, Type::U64)?];
            let place = Place { space: Space::Shared, base: Base::Zero, offset: 0 };
            return Some(Op::MemoryBarrier { what: MemoryBarrier::Pending, place, from, to });
        }
        _ => return None,
    };
    let place = decoder.place(operands.get(at)?, space, false)?;
    let rest = &operands[at + 1..];
    let from = rest.iter().map(|operand| decoder.from(operand, Type::U64)).collect::<Option<Vec<Source>>>()?;
    Some(Op::MemoryBarrier { what, place, from, to })
}

fn mapa(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (to, _) = decoder.to(operands.first()?)?;
    let from = decoder.from(operands.get(1)?, Type::U64)?;
    let rank = match words.part(0)? {
        "mapa" => Some(decoder.from(operands.get(2)?, Type::U32)?),
        _ => None,
    };
    Some(Op::Map { to, from, rank, is_generic: space(words).is_none() })
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

fn bar(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    if words.has("warp") {
        let mask = Some(decoder.from(operands.first()?, Type::U32)?);
        return Some(Op::Together { mask, what: Together::Barrier });
    }
    if words.has("cluster") {
        return Some(if words.has("arrive") { Op::ClusterArrive } else { Op::ClusterWait });
    }
    let is_reduction = words.has("red");
    let (rest, of) = match operands.split_last() {
        Some((of, rest)) if is_reduction => (&rest[1..], decoder.condition(of)?),
        _ => (operands, Condition::default()),
    };
    let mut number = |index: usize| decoder.from(rest.get(index).unwrap_or(&Operand::Integer(0)), Type::U32);
    let (id, count) = (number(0)?, number(1)?);
    let (reduction, to) = match words.any(&["popc", "and", "or"]) {
        Some("popc") if is_reduction => (Reduction::Count, decoder.to(&operands[0])?.0),
        Some("and") if is_reduction => (Reduction::And, decoder.predicate(&operands[0])?),
        Some(_) if is_reduction => (Reduction::Or, decoder.predicate(&operands[0])?),
        _ => (Reduction::None, 0),
    };
    Some(Op::Barrier(Box::new(Barrier { id, count, waits: !words.has("arrive"), reduction, of, to })))
}

fn fence(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, _: &[Operand]) -> Option<Op> {
    if words.any(&["gl", "sys", "gpu", "cluster"]).is_some() {
        decoder.is_ordered();
    }
    Some(Op::Fence)
}

/// The lanes of a `.sync` instruction: its last operand.
fn lanes_of<'a>(
    decoder: &mut Decoder<'_, '_>,
    words: &Words<'_>,
    operands: &'a [Operand],
) -> Option<(Option<Source>, &'a [Operand])> {
    if !words.has("sync") {
        return Some((None, operands));
    }
    let (last, rest) = operands.split_last()?;
    Some((Some(decoder.from(last, Type::U32)?), rest))
}

fn vote(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (mask, rest) = lanes_of(decoder, words, operands)?;
    let [to, of] = rest else { return None };
    let of = decoder.condition(of)?;
    let vote = match words.any(&["all", "any", "uni", "ballot"])? {
        "all" => Vote::All,
        "any" => Vote::Any,
        "uni" => Vote::Uniform,
        _ => Vote::Ballot,
    };
    let to = if vote == Vote::Ballot { decoder.to(to)?.0 } else { decoder.predicate(to)? };
    Some(Op::Together { mask, what: Together::Vote { vote, of, to } })
}

fn shuffle(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (mask, rest) = lanes_of(decoder, words, operands)?;
    let [to, value, lane, clamp] = rest else { return None };
    let mode = match words.any(&["up", "down", "bfly", "idx"])? {
        "up" => Shuffle::Up,
        "down" => Shuffle::Down,
        "bfly" => Shuffle::Butterfly,
        _ => Shuffle::Index,
    };
    let (to, valid) = Decoder::pair(to);
    let what = Together::Shuffle {
        mode,
        value: decoder.from(value, Type::U32)?,
        lane: decoder.from(lane, Type::U32)?,
        clamp: decoder.from(clamp, Type::U32)?,
        to: decoder.to(to)?.0,
        valid: valid.map_or(Some(SINK), |valid| decoder.predicate(valid))?,
    };
    Some(Op::Together { mask, what })
}

fn matching(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (mask, rest) = lanes_of(decoder, words, operands)?;
    let [to, value] = rest else { return None };
    let kind = words.kind()?;
    let (to, valid) = Decoder::pair(to);
    let what = Together::Match {
        value: decoder.from(value, kind)?,
        bits: kind.bits(),
        is_all: words.has("all"),
        to: decoder.to(to)?.0,
        valid: valid.map_or(Some(SINK), |valid| decoder.predicate(valid))?,
    };
    Some(Op::Together { mask, what })
}

fn redux(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (mask, rest) = lanes_of(decoder, words, operands)?;
    let [to, value] = rest else { return None };
    let kind = words.kind()?;
    if kind.is_float() {
        return None;
    }
    let combine = combine(words.any(&["add", "min", "max", "and", "or", "xor"])?)?;
    let what = Together::Reduce { combine, kind, value: decoder.from(value, kind)?, to: decoder.to(to)?.0 };
    Some(Op::Together { mask, what })
}

fn activemask(decoder: &mut Decoder<'_, '_>, _: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    Some(Op::ActiveMask { to: decoder.to(operands.first()?)?.0 })
}

fn elect(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (mask, rest) = lanes_of(decoder, words, operands)?;
    let (to, valid) = Decoder::pair(rest.first()?);
    let what = Together::Elect { to: decoder.to(to)?.0, valid: decoder.predicate(valid?)? };
    Some(Op::Together { mask, what })
}

fn mma(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, a, b, c] = operands else { return None };
    let shape = Shape::read(words)?;
    let mut sources = |operand: &Operand| {
        elements(operand).iter().map(|one| decoder.from(one, Type::U64)).collect::<Option<Vec<Source>>>()
    };
    let (a, b, c) = (sources(a)?, sources(b)?, sources(c)?);
    let to = elements(to).iter().map(|one| Some(decoder.to(one)?.0)).collect::<Option<Vec<u32>>>()?;
    if !shape.fits([a.len(), b.len(), c.len(), to.len()]) {
        return None;
    }
    let mask = Some(decoder.constant(low(32)));
    Some(Op::Together { mask, what: Together::Matrix(Box::new(Matrix { shape, to, a, b, c })) })
}

/// `wmma.load`, `wmma.store` and `wmma.mma`.
fn wmma(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let sources = |decoder: &mut Decoder<'_, '_>, operand: &Operand| {
        elements(operand).iter().map(|one| decoder.from(one, Type::U64)).collect::<Option<Vec<Source>>>()
    };
    let slots = |decoder: &mut Decoder<'_, '_>, operand: &Operand| {
        elements(operand).iter().map(|one| Some(decoder.to(one)?.0)).collect::<Option<Vec<u32>>>()
    };
    let what = if words.part(1)? == "mma" {
        let [to, a, b, c] = operands else { return None };
        let fragments = Fragments::read(words)?;
        let (to, a, b) = (slots(decoder, to)?, sources(decoder, a)?, sources(decoder, b)?);
        let c = sources(decoder, c)?;
        if !fragments.fits([a.len(), b.len(), c.len(), to.len()]) {
            return None;
        }
        Together::Fragments(Box::new(Product { fragments, to, a, b, c }))
    } else {
        let fragment = Fragment::read(words)?;
        let is_load = words.part(1)? == "load";
        let (address, values) =
            if is_load { (operands.get(1)?, operands.first()?) } else { (operands.first()?, operands.get(1)?) };
        let place = decoder.place(address, space(words).or(Some(Space::Generic)), false)?;
        let stride = match operands.get(2) {
            Some(operand) => Some(decoder.from(operand, Type::U32)?),
            None => None,
        };
        match is_load {
            true => Together::LoadFragment { place, to: slots(decoder, values)?, stride, fragment },
            false => Together::StoreFragment { place, from: sources(decoder, values)?, stride, fragment },
        }
    };
    Some(Op::Together { mask: Some(decoder.constant(low(32))), what })
}

/// `ldmatrix` and `stmatrix` of 8x8 elements of 16 bits.
fn matrix_access(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    if !words.has("m8n8") || !words.has("b16") {
        return None;
    }
    let is_load = words.part(0)? == "ldmatrix";
    let (address, values) =
        if is_load { (operands.get(1)?, operands.first()?) } else { (operands.first()?, operands.get(1)?) };
    let place = decoder.place(address, space(words).or(Some(Space::Generic)), false)?;
    let transposed = words.has("trans");
    let values = elements(values);
    let what = if is_load {
        let to = values.iter().map(|one| Some(decoder.to(one)?.0)).collect::<Option<Vec<u32>>>()?;
        Together::LoadMatrix { place, to, transposed }
    } else {
        let from = values.iter().map(|one| decoder.from(one, Type::U32)).collect::<Option<Vec<Source>>>()?;
        Together::StoreMatrix { place, from, transposed }
    };
    Some(Op::Together { mask: Some(decoder.constant(low(32))), what })
}

fn nanosleep(decoder: &mut Decoder<'_, '_>, _: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    Some(Op::Yield { nanoseconds: decoder.from(operands.first()?, Type::U32)? })
}

/// Cache policies have no effect.
fn policy(decoder: &mut Decoder<'_, '_>, _: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (to, _) = decoder.to(operands.first()?)?;
    lanes(decoder, copied(), to, [(&Operand::Integer(0), Type::U64)])
}

fn stack(decoder: &mut Decoder<'_, '_>, _: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    Some(Op::StackSave { to: decoder.to(operands.first()?)?.0 })
}

fn texture(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    texel::decode(decoder, words, operands).map(|fetch| Op::Texture(Box::new(fetch)))
}
