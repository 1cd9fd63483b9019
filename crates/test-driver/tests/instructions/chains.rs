//! What one instruction leaves for the next ones: the carry flag, predicates, parts of registers, memory. Random
//! chains, compared with a model of each instruction in Rust's integers, here and on a GPU.

use crate::{Gpu, cases::Random, together};
use libtest_mimic::Failed;
use std::fmt::Write;

pub(crate) const CHAINS: usize = 120;
const THREADS: usize = 128;
const INSTRUCTIONS: usize = 80;
/// Registers of 32 and of 64 bits, predicates, and words of shared memory of a thread.
const R: usize = 8;
const L: usize = 6;
const P: usize = 4;
const M: usize = 4;
/// Bytes of a thread: all of these, one word for the predicates.
const BYTES: usize = 4 * R + 8 * L + 4 * M + 8;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Lane {
    r: [u32; R],
    l: [u64; L],
    p: [bool; P],
    memory: [u32; M],
    carry: bool,
}

/// What an instruction does with the lanes of a warp.
type Effect = Box<dyn Fn(&mut [Lane])>;

struct Chain {
    text: String,
    random: Random,
    effects: Vec<Effect>,
    /// The predicate of the instruction that is being written, and the value for which it is executed.
    guard: Option<(usize, bool)>,
}

/// A register or a number, of 32 or 64 bits.
#[derive(Clone, Copy)]
enum Operand {
    R(usize),
    L(usize),
    Number(u64),
}

impl Operand {
    fn of(self, lane: &Lane) -> u64 {
        match self {
            Self::R(at) => lane.r[at].into(),
            Self::L(at) => lane.l[at],
            Self::Number(value) => value,
        }
    }

    fn set(self, lane: &mut Lane, value: u64) {
        match self {
            Self::R(at) => lane.r[at] = value as u32,
            Self::L(at) => lane.l[at] = value,
            Self::Number(_) => {}
        }
    }
}

impl std::fmt::Display for Operand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::R(at) => write!(f, "%r{at}"),
            Self::L(at) => write!(f, "%l{at}"),
            Self::Number(value) => write!(f, "{value}"),
        }
    }
}

/// A predicate as an operand: `!%p1`.
#[derive(Clone, Copy)]
struct Test(usize, bool);

impl Test {
    fn of(self, lane: &Lane) -> bool {
        lane.p[self.0] == self.1
    }
}

impl std::fmt::Display for Test {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}%p{}", if self.1 { "" } else { "!" }, self.0)
    }
}

fn ones(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

fn signed(value: u64, bits: u32) -> i128 {
    i128::from((value << (64 - bits)).cast_signed() >> (64 - bits))
}

fn mask(lanes: &[Lane], holds: impl Fn(&Lane) -> bool) -> u32 {
    lanes.iter().enumerate().fold(0, |mask, (at, lane)| mask | u32::from(holds(lane)) << at)
}

/// The same in each lane.
fn in_all(lanes: &mut [Lane], mut function: impl FnMut(&mut Lane)) {
    for lane in lanes {
        function(lane);
    }
}

impl Chain {
    fn new(number: usize) -> Self {
        let random = Random::new(&format!("chain {number}"));
        let mut chain = Self { text: HEAD.to_owned(), random, effects: Vec::new(), guard: None };
        for at in 0..R {
            chain.line(&format!("ld.global.b32 %r{at}, [%in+{}];", 4 * at));
        }
        for at in 0..L {
            chain.line(&format!("ld.global.b64 %l{at}, [%in+{}];", 4 * R + 8 * at));
        }
        for at in 0..M {
            chain.line(&format!(
                "ld.global.b32 %t, [%in+{0}];\n    st.shared.b32 [%room+{1}], %t;",
                4 * R + 8 * L + 4 * at,
                4 * at
            ));
        }
        chain.line(&format!("ld.global.b32 %t, [%in+{}];", BYTES - 8));
        for at in 0..P {
            chain.line(&format!("and.b32 %u, %t, {};\n    setp.ne.u32 %p{at}, %u, 0;", 1 << at));
        }
        chain.define_carry();
        for _ in 0..INSTRUCTIONS {
            chain.instruction();
        }
        // The last flag is a result too.
        chain.line(&format!("addc.u32 %t, 0, 0;\n    st.global.b32 [%out+{}], %t;", BYTES - 4));
        for at in 0..R {
            chain.line(&format!("st.global.b32 [%out+{}], %r{at};", 4 * at));
        }
        for at in 0..L {
            chain.line(&format!("st.global.b64 [%out+{}], %l{at};", 4 * R + 8 * at));
        }
        for at in 0..M {
            chain.line(&format!(
                "ld.shared.b32 %t, [%room+{1}];\n    st.global.b32 [%out+{0}], %t;",
                4 * R + 8 * L + 4 * at,
                4 * at
            ));
        }
        chain.line("mov.u32 %t, 0;");
        for at in 0..P {
            chain.line(&format!("@%p{at} or.b32 %t, %t, {};", 1 << at));
        }
        chain.line(&format!("st.global.b32 [%out+{}], %t;\n    ret;\n}}", BYTES - 8));
        chain
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "    {line}");
    }

    /// An instruction that all lanes of a warp execute together.
    fn all(&mut self, line: &str, effect: impl Fn(&mut [Lane]) + 'static) {
        self.line(line);
        self.effects.push(Box::new(effect));
    }

    /// An instruction of each lane, perhaps with a guard.
    fn each(&mut self, line: &str, effect: impl Fn(&mut Lane) + 'static) {
        let guard = self.guard;
        let condition = guard.map_or(String::new(), |(at, value)| format!("@{} ", Test(at, value)));
        self.all(&format!("{condition}{line}"), move |lanes| {
            for lane in lanes.iter_mut().filter(|lane| guard.is_none_or(|(at, value)| lane.p[at] == value)) {
                effect(lane);
            }
        });
    }

    fn register(&mut self, bits: u32) -> Operand {
        if bits == 32 { Operand::R(self.random.below(R)) } else { Operand::L(self.random.below(L)) }
    }

    fn operand(&mut self, bits: u32) -> Operand {
        match self.random.below(6) {
            0 => Operand::Number(self.random.pick(&[0, 1, 5, ones(bits - 1)])),
            _ => self.register(bits),
        }
    }

    fn test(&mut self) -> Test {
        Test(self.random.below(P), self.random.below(2) == 0)
    }

    /// Sets the flag in all lanes: a call leaves it undefined.
    fn define_carry(&mut self) {
        self.guard = None;
        self.arithmetic("add", "", ".cc", "u32");
    }

    /// `add`, `sub` and `mad`, which read or write the carry flag, or neither.
    fn arithmetic(&mut self, name: &'static str, part: &'static str, flag: &str, kind: &str) {
        let bits = if kind.ends_with("64") { 64 } else { 32 };
        let to = self.register(bits);
        let [mut a, b, mut c] = [(); 3].map(|()| self.operand(bits));
        // ptxas 13.0 multiplies by 0 in `madc.hi` of 64 bits behind a flag that it computes itself, such as the flag of
        // `add.cc.u32 %r0, 5, 5`.
        if !flag.is_empty() {
            [a, c] = [(); 2].map(|()| self.register(bits));
        }
        let (reads, writes, is_mad) = (name.ends_with('c'), !flag.is_empty(), name.starts_with("mad"));
        let (is_signed, is_high) = (kind.starts_with('s'), part == ".hi");
        let third = if is_mad { format!(", {c}") } else { String::new() };
        self.each(&format!("{name}{part}{flag}.{kind} {to}, {a}, {b}{third};"), move |lane| {
            let (a, b, c, modulus) = (a.of(lane), b.of(lane), c.of(lane), 1u128 << bits);
            let (wide, carries) = match (name, reads && lane.carry) {
                // The flag after a subtraction says that nothing was borrowed.
                ("sub", _) => (u128::from(a.wrapping_sub(b)), a >= b),
                ("subc", flag) => {
                    let taken = u128::from(b) + u128::from(!flag);
                    ((modulus + u128::from(a) - taken) % modulus, u128::from(a) >= taken)
                }
                (_, flag) => {
                    let first = match (is_mad, is_signed) {
                        (false, _) => u128::from(a),
                        (true, false) => u128::from(a) * u128::from(b),
                        (true, true) => (signed(a, bits) * signed(b, bits)).cast_unsigned(),
                    };
                    let first = if is_high { first >> bits } else { first } % modulus;
                    let sum = first + u128::from(if is_mad { c } else { b }) + u128::from(flag);
                    (sum, sum >= modulus)
                }
            };
            to.set(lane, (wide % modulus) as u64);
            if writes {
                lane.carry = carries;
            }
        });
    }

    fn instruction(&mut self) {
        self.guard = (self.random.below(3) == 0).then(|| (self.random.below(P), self.random.below(2) == 0));
        match self.random.below(24) {
            0..8 => {
                let name = self.random.pick(&["add", "addc", "sub", "subc", "mad", "madc"]);
                let part = if name.starts_with("mad") { self.random.pick(&[".lo", ".hi"]) } else { "" };
                let flag = self.random.pick(&["", ".cc", ".cc"]);
                let kind = self.random.pick(&["u32", "s32", "u64", "s64"]);
                self.arithmetic(name, part, flag, kind);
            }
            8..11 => self.comparison(),
            11 => self.logic(),
            12 | 13 => self.selection(),
            14 => self.parts(),
            15 | 16 => self.memory(),
            17 => self.atomic(),
            18 => self.call(),
            19 => self.shuffle(),
            20 | 21 => self.vote(),
            22 => self.matching(),
            _ => self.barrier(),
        }
    }

    /// `setp` with two results, and a third operand.
    fn comparison(&mut self) {
        let kind = self.random.pick(&["u32", "s32", "u64", "s64"]);
        let bits = if kind.ends_with("64") { 64 } else { 32 };
        let (a, b, with) = (self.register(bits), self.operand(bits), self.test());
        let first = self.random.below(P);
        let second = (first + 1 + self.random.below(P - 1)) % P;
        let (name, logic) =
            (self.random.pick(&["eq", "ne", "lt", "le", "gt", "ge"]), self.random.pick(&["and", "or", "xor"]));
        let is_signed = kind.starts_with('s');
        let shape = self.random.below(3);
        let line = match shape {
            0 => format!("setp.{name}.{kind} %p{first}, {a}, {b};"),
            1 => format!("setp.{name}.{kind} %p{first}|%p{second}, {a}, {b};"),
            _ => format!("setp.{name}.{logic}.{kind} %p{first}|%p{second}, {a}, {b}, {with};"),
        };
        self.each(&line, move |lane| {
            let value = |value: u64| if is_signed { signed(value, bits) } else { i128::from(value) };
            let (a, b) = (value(a.of(lane)), value(b.of(lane)));
            let holds = match name {
                "eq" => a == b,
                "ne" => a != b,
                "lt" => a < b,
                "le" => a <= b,
                "gt" => a > b,
                _ => a >= b,
            };
            let with = with.of(lane);
            let combined = |holds: bool| match logic {
                _ if shape < 2 => holds,
                "and" => holds && with,
                "or" => holds || with,
                _ => holds != with,
            };
            lane.p[first] = combined(holds);
            if shape > 0 {
                lane.p[second] = combined(!holds);
            }
        });
    }

    fn logic(&mut self) {
        let [to, a, b] = [(); 3].map(|()| self.random.below(P));
        match self.random.pick(&["and", "or", "xor", "not"]) {
            "not" => self.each(&format!("not.pred %p{to}, %p{a};"), move |lane| lane.p[to] = !lane.p[a]),
            name => self.each(&format!("{name}.pred %p{to}, %p{a}, %p{b};"), move |lane| {
                lane.p[to] = match name {
                    "and" => lane.p[a] && lane.p[b],
                    "or" => lane.p[a] || lane.p[b],
                    _ => lane.p[a] != lane.p[b],
                };
            }),
        }
    }

    fn selection(&mut self) {
        let bits = self.random.pick(&[32, 64]);
        let (to, a, b, by) = (self.register(bits), self.operand(bits), self.operand(bits), self.random.below(P));
        self.each(&format!("selp.b{bits} {to}, {a}, {b}, %p{by};"), move |lane| {
            let value = if lane.p[by] { a.of(lane) } else { b.of(lane) };
            to.set(lane, value);
        });
    }

    /// A register that is made of two, and the opposite.
    fn parts(&mut self) {
        let (l, first) = (self.random.below(L), self.random.below(R));
        let second = (first + 1 + self.random.below(R - 1)) % R;
        match self.random.below(3) {
            0 => self.each(&format!("mov.b64 {{%r{first}, %r{second}}}, %l{l};"), move |lane| {
                (lane.r[first], lane.r[second]) = (lane.l[l] as u32, (lane.l[l] >> 32) as u32);
            }),
            1 => self.each(&format!("mov.b64 %l{l}, {{%r{first}, %r{second}}};"), move |lane| {
                lane.l[l] = u64::from(lane.r[second]) << 32 | u64::from(lane.r[first]);
            }),
            _ => self.each(&format!("mad.wide.s32 %l{l}, %r{first}, %r{second}, %l{l};"), move |lane| {
                let product = i64::from(lane.r[first].cast_signed()) * i64::from(lane.r[second].cast_signed());
                lane.l[l] = lane.l[l].wrapping_add_signed(product);
            }),
        }
    }

    /// Loads and stores of one to four words.
    fn memory(&mut self) {
        let count = self.random.pick(&[1, 2, 4]);
        let at = count * self.random.below(M / count);
        let first = self.random.below(R);
        let registers: Vec<usize> = (0..count).map(|index| (first + 3 * index) % R).collect();
        let names: Vec<_> = registers.iter().map(|r| format!("%r{r}")).collect();
        let (vector, names) = match count {
            1 => (String::new(), names.concat()),
            _ => (format!(".v{count}"), format!("{{{}}}", names.join(", "))),
        };
        if self.random.below(2) == 0 {
            self.each(&format!("st.shared{vector}.b32 [%room+{}], {names};", 4 * at), move |lane| {
                for (index, register) in registers.iter().enumerate() {
                    lane.memory[at + index] = lane.r[*register];
                }
            });
        } else {
            self.each(&format!("ld.shared{vector}.b32 {names}, [%room+{}];", 4 * at), move |lane| {
                for (index, register) in registers.iter().enumerate() {
                    lane.r[*register] = lane.memory[at + index];
                }
            });
        }
    }

    fn atomic(&mut self) {
        let (at, to, a, b) = (self.random.below(M), self.random.below(R), self.random.below(R), self.random.below(R));
        let name = self
            .random
            .pick(&["add.u32", "min.s32", "max.u32", "xor.b32", "exch.b32", "cas.b32", "inc.u32", "dec.u32"]);
        let third = if name == "cas.b32" { format!(", %r{b}") } else { String::new() };
        self.each(&format!("atom.shared.{name} %r{to}, [%room+{}], %r{a}{third};", 4 * at), move |lane| {
            let (old, a, b) = (lane.memory[at], lane.r[a], lane.r[b]);
            lane.memory[at] = match name {
                "add.u32" => old.wrapping_add(a),
                "min.s32" => old.cast_signed().min(a.cast_signed()).cast_unsigned(),
                "max.u32" => old.max(a),
                "xor.b32" => old ^ a,
                "exch.b32" => a,
                "cas.b32" => {
                    if old == a {
                        b
                    } else {
                        old
                    }
                }
                "inc.u32" => {
                    if old >= a {
                        0
                    } else {
                        old + 1
                    }
                }
                _ => {
                    if old == 0 || old > a {
                        a
                    } else {
                        old - 1
                    }
                }
            };
            lane.r[to] = old;
        });
    }

    /// A function with a chain of its own: the upper half of a difference of numbers of 128 bits, and whether it is
    /// negative.
    fn call(&mut self) {
        let [to, a, b, c, d] = [(); 5].map(|()| self.random.below(L));
        self.line("{\n    .param .b64 back;");
        for (name, register) in [("a", a), ("b", b), ("c", c), ("d", d)] {
            self.line(&format!(".param .b64 {name};\n    st.param.b64 [{name}], %l{register};"));
        }
        self.guard = None;
        let line = format!("call (back), upper, (a, b, c, d);\n    ld.param.b64 %l{to}, [back];\n    }}");
        self.each(&line, move |lane| {
            let whole = |low: usize, high: usize| u128::from(lane.l[high]) << 64 | u128::from(lane.l[low]);
            let (first, second) = (whole(a, b), whole(c, d));
            let half = (first.wrapping_sub(second) >> 64) as u64;
            lane.l[to] = if first < second { !half } else { half };
        });
        self.define_carry();
    }

    fn shuffle(&mut self) {
        let (to, from, valid, by) =
            (self.random.below(R), self.random.below(R), self.random.below(P), self.random.below(32));
        let mode = self.random.pick(&["up", "down", "bfly", "idx"]);
        let clamp = if mode == "up" { 0 } else { 31 };
        self.all(&format!("shfl.sync.{mode}.b32 %r{to}|%p{valid}, %r{from}, {by}, {clamp}, -1;"), move |lanes| {
            let values: Vec<u32> = lanes.iter().map(|lane| lane.r[from]).collect();
            for (at, lane) in lanes.iter_mut().enumerate() {
                let source = match mode {
                    "up" => at.checked_sub(by),
                    "down" => Some(at + by).filter(|source| *source < 32),
                    "bfly" => Some(at ^ by),
                    _ => Some(by),
                };
                lane.r[to] = values[source.unwrap_or(at)];
                lane.p[valid] = source.is_some();
            }
        });
    }

    fn vote(&mut self) {
        let (to, of, predicate) = (self.random.below(R), self.test(), self.random.below(P));
        match self.random.pick(&["ballot", "all", "any", "uni", "redux"]) {
            "ballot" => self.all(&format!("vote.sync.ballot.b32 %r{to}, {of}, -1;"), move |lanes| {
                let mask = mask(lanes, |lane| of.of(lane));
                in_all(lanes, |lane| lane.r[to] = mask);
            }),
            "redux" => self.all(&format!("redux.sync.add.u32 %r{to}, %r{to}, -1;"), move |lanes| {
                let sum = lanes.iter().fold(0u32, |sum, lane| sum.wrapping_add(lane.r[to]));
                in_all(lanes, |lane| lane.r[to] = sum);
            }),
            name => self.all(&format!("vote.sync.{name}.pred %p{predicate}, {of}, -1;"), move |lanes| {
                let mask = mask(lanes, |lane| of.of(lane));
                let holds = match name {
                    "all" => mask == u32::MAX,
                    "any" => mask != 0,
                    _ => mask == 0 || mask == u32::MAX,
                };
                in_all(lanes, |lane| lane.p[predicate] = holds);
            }),
        }
    }

    fn matching(&mut self) {
        let (to, of, same) = (self.random.below(R), self.random.below(R), self.random.below(P));
        // Few values, so some are equal.
        self.guard = None;
        self.each(&format!("and.b32 %r{of}, %r{of}, 3;"), move |lane| lane.r[of] &= 3);
        if self.random.below(2) == 0 {
            self.all(&format!("match.any.sync.b32 %r{to}, %r{of}, -1;"), move |lanes| {
                let masks: Vec<u32> = lanes.iter().map(|lane| mask(lanes, |other| other.r[of] == lane.r[of])).collect();
                lanes.iter_mut().zip(masks).for_each(|(lane, mask)| lane.r[to] = mask);
            });
        } else {
            self.all(&format!("match.all.sync.b32 %r{to}|%p{same}, %r{of}, -1;"), move |lanes| {
                let all = lanes.iter().all(|lane| lane.r[of] == lanes[0].r[of]);
                in_all(lanes, |lane| {
                    (lane.r[to], lane.p[same]) = (if all { u32::MAX } else { 0 }, all);
                });
            });
        }
    }

    /// A barrier of a warp's threads, each warp with its own number.
    fn barrier(&mut self) {
        let (to, of, predicate) = (self.random.below(R), self.test(), self.random.below(P));
        match self.random.pick(&["popc", "and", "or", "warp"]) {
            "warp" => self.all("bar.warp.sync -1;", |_| ()),
            "popc" => self.all(&format!("barrier.red.popc.u32 %r{to}, %warp, 32, {of};"), move |lanes| {
                let count = mask(lanes, |lane| of.of(lane)).count_ones();
                in_all(lanes, |lane| lane.r[to] = count);
            }),
            name => self.all(&format!("barrier.red.{name}.pred %p{predicate}, %warp, 32, {of};"), move |lanes| {
                let mask = mask(lanes, |lane| of.of(lane));
                let holds = if name == "and" { mask == u32::MAX } else { mask != 0 };
                in_all(lanes, |lane| lane.p[predicate] = holds);
            }),
        }
    }
}

const HEAD: &str = ".version 8.0
.target sm_80
.address_size 64

.func (.param .b64 back) upper(.param .b64 a, .param .b64 b, .param .b64 c, .param .b64 d)
{
    .reg .b64 %l<6>;
    .reg .pred %p;
    ld.param.b64 %l0, [a];
    ld.param.b64 %l1, [b];
    ld.param.b64 %l2, [c];
    ld.param.b64 %l3, [d];
    sub.cc.u64 %l4, %l0, %l2;
    subc.cc.u64 %l4, %l1, %l3;
    addc.u64 %l5, 0, 0;
    setp.eq.u64 %p, %l5, 0;
    @%p not.b64 %l4, %l4;
    st.param.b64 [back], %l4;
    ret;
}

.visible .entry chain(.param .u64 from, .param .u64 to)
{
    .reg .b32 %r<8>, %t, %u, %thread, %warp, %room;
    .reg .b64 %l<6>, %in, %out;
    .reg .pred %p<4>;
    .shared .align 16 .b8 memory[2048];
    ld.param.u64 %in, [from];
    ld.param.u64 %out, [to];
    cvta.to.global.u64 %in, %in;
    cvta.to.global.u64 %out, %out;
    mov.u32 %thread, %tid.x;
    shr.u32 %warp, %thread, 5;
    mov.u32 %room, memory;
    mad.lo.u32 %room, %thread, 16, %room;
    mad.wide.u32 %in, %thread, 104, %in;
    mad.wide.u32 %out, %thread, 104, %out;
";

/// The first values of all threads: half of them at the edges, where carries begin.
fn start(number: usize) -> Vec<Lane> {
    let mut random = Random::new(&format!("values of chain {number}"));
    let mut value = move || match random.below(2) {
        0 => random.pick(&[0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 32, 1 << 63, u64::MAX, u64::MAX - 1]),
        _ => random.next(),
    };
    (0..THREADS)
        .map(|_| {
            let mut lane = Lane::default();
            lane.r.fill_with(|| value() as u32);
            lane.l.fill_with(&mut value);
            lane.memory.fill_with(|| value() as u32);
            lane.p.fill_with(|| value() & 4 != 0);
            lane
        })
        .collect()
}

fn bytes(lanes: &[Lane]) -> Vec<u8> {
    let of = |lane: &Lane| {
        let predicates = lane.p.iter().enumerate().fold(0, |all, (at, holds)| all | u32::from(*holds) << at);
        let mut bytes: Vec<u8> = lane.r.iter().flat_map(|value| value.to_le_bytes()).collect();
        bytes.extend(lane.l.iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend(lane.memory.iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend(predicates.to_le_bytes());
        bytes.extend(u32::from(lane.carry).to_le_bytes());
        bytes
    };
    lanes.iter().flat_map(of).collect()
}

fn chain(number: usize) -> Result<(), String> {
    let chain = Chain::new(number);
    let mut lanes = start(number);
    let input = bytes(&lanes);
    for warp in lanes.chunks_mut(32) {
        chain.effects.iter().for_each(|effect| effect(warp));
    }
    let gpu = Gpu::new()?;
    let function = gpu.load(chain.text.clone())?.load_function("chain").map_err(|error| error.to_string())?;
    let mut results = gpu.run(&function, 1, THREADS, &input, input.len())?;
    results.truncate(input.len());
    let expected = bytes(&lanes);
    match results.iter().zip(&expected).position(|(result, expected)| result != expected) {
        None => Ok(()),
        Some(at) => Err(format!(
            "chain {number}: thread {} differs from the model in byte {} of {BYTES}\n{}",
            at / BYTES,
            at % BYTES,
            chain.text
        )),
    }
}

pub(crate) fn chains(first: usize, count: usize) -> Result<(), Failed> {
    together((first..first + count).map(chain).collect())
}

/// The compiler makes arithmetic of 128 bits from such chains: compared with Rust's.
pub(crate) fn wide_integers() -> Result<(), Failed> {
    const COUNT: usize = 4096;
    let mut random = Random::new("wide integers");
    let mut value = || {
        let whole = u128::from(random.next()) << 64 | u128::from(random.next());
        match random.below(4) {
            0 => random.pick(&[
                1,
                2,
                1 << 63,
                u128::from(u64::MAX),
                1 << 64,
                1 << 127,
                u128::MAX,
                u128::MAX - 1,
                u128::MAX >> 1,
            ]),
            // Numbers of all sizes, of both signs.
            1 => (whole >> random.below(128)).wrapping_neg(),
            _ => whole >> random.below(128),
        }
    };
    let mut pair = || match (value(), value()) {
        (a, 0) => (a, 1),
        (a, u128::MAX) if a == 1 << 127 => (a, 3),
        pair => pair,
    };
    let pairs: Vec<(u128, u128)> = (0..COUNT).map(|_| pair()).collect();
    let input: Vec<u8> = pairs.iter().flat_map(|(a, b)| [a.to_le_bytes(), b.to_le_bytes()]).flatten().collect();
    let gpu = Gpu::new()?;
    let module = gpu.load(include_str!("../../../../ptx/wide_integers.ptx").to_owned())?;
    let function = module.load_function("wide_integers")?;
    let results = gpu.run(&function, COUNT / 128, 128, &input, COUNT * 12 * 16)?;
    for (index, (c, d)) in pairs.into_iter().enumerate() {
        let (a, b, shift) = (c.cast_signed(), d.cast_signed(), (d & 127) as u32);
        let flags = u128::from(a < b) | u128::from(c < d) << 1 | u128::from(a <= b) << 2 | u128::from(c == d) << 3;
        let expected = [
            (a / b).cast_unsigned(),
            (a % b).cast_unsigned(),
            c / d,
            c % d,
            c.wrapping_add(d),
            c.wrapping_sub(d),
            c.wrapping_mul(d),
            c.wrapping_neg(),
            (a >> shift).cast_unsigned(),
            c >> shift,
            c << shift,
            flags,
        ];
        let of_thread = &results[index * 12 * 16..][..12 * 16];
        for (operation, (expected, bytes)) in expected.iter().zip(of_thread.chunks(16)).enumerate() {
            if bytes != expected.to_le_bytes() {
                return Err(format!("result {operation} of {a} and {b}: not {expected:#x}").into());
            }
        }
    }
    Ok(())
}
