//! One kernel for each form of an instruction: it reads up to three operands per thread, and writes a result.

use std::{env, fmt::Write, sync::LazyLock};

/// Which operands and random kernels: `gpu.txt` has the results of the empty seed.
pub(crate) static SEED: LazyLock<String> = LazyLock::new(|| env::var("KERNEL_ARGS_SEED").unwrap_or_default());

/// Threads of a case: one block of eight warps.
pub(crate) const THREADS: usize = 256;
/// Bytes of an operand or result in memory. Smaller types use the first bytes.
const SLOT: usize = 8;
/// Operands of a thread.
const OPERANDS: usize = 3;

/// How the result of an interpreter may differ from a GPU's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tolerance {
    /// Equal bytes.
    Exact,
    /// Floats of the result's type that differ by at most this many units in the last place, or by this absolute error
    /// (`sin` and `cos` near zero).
    Approximate { ulps: u32, absolute: f32 },
}

/// A form of an instruction.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The instruction with its modifiers and types: unique.
    pub(crate) name: String,
    /// The name without modifiers. Cases with one root are one module.
    pub(crate) root: String,
    /// Types of the registers `%a`, `%b`, `%c`.
    operands: Vec<&'static str>,
    /// The type of the register `%d`.
    pub(crate) result: &'static str,
    /// Uses the registers above, and the scratch registers of the kernel.
    pub(crate) body: String,
    /// Operands are small integers: no order of additions rounds.
    small: bool,
    pub(crate) tolerance: Tolerance,
}

impl Case {
    pub(crate) fn new(name: &str, operands: &[&'static str], result: &'static str, body: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            root: name.split('.').next().unwrap_or_default().to_owned(),
            operands: operands.to_vec(),
            result,
            body: body.into(),
            small: false,
            tolerance: Tolerance::Exact,
        }
    }

    /// A kernel `refused` with this statement.
    pub(crate) fn refused(statement: &str) -> Self {
        Self::new("refused", &[], "b32", statement)
    }

    fn approximate(mut self, ulps: u32, absolute: f32) -> Self {
        self.tolerance = Tolerance::Approximate { ulps, absolute };
        self
    }

    pub(crate) fn small(mut self) -> Self {
        self.small = true;
        self
    }

    /// The name of the kernel.
    pub(crate) fn entry(&self) -> String {
        self.name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
    }

    /// The operands of all threads.
    pub(crate) fn input(&self) -> Vec<u8> {
        let mut random = Random::new(&self.name);
        let mut bytes = vec![0; THREADS * OPERANDS * SLOT];
        for slot in 0..THREADS * OPERANDS {
            if let Some(kind) = self.operands.get(slot % OPERANDS) {
                let value = if self.small { small(kind, &mut random) } else { value(kind, &mut random) };
                bytes[slot * SLOT..][..SLOT].copy_from_slice(&value.to_le_bytes());
            }
        }
        bytes
    }

    /// The text of the kernel.
    fn write(&self, text: &mut String) {
        let registers = |name: &str, kind: &str| format!("    .reg .{} %{name};\n", register(kind));
        let mut head = format!(".visible .entry {}(.param .u64 in, .param .u64 out)\n{{\n", self.entry());
        head.push_str(SCRATCH);
        for (name, kind) in ["a", "b", "c"].iter().zip(&self.operands) {
            head.push_str(&registers(name, kind));
        }
        head.push_str(&registers("d", self.result));
        head.push_str(INDEX);
        for (at, (name, kind)) in ["a", "b", "c"].iter().zip(&self.operands).enumerate() {
            let _ = writeln!(head, "    ld.global.{} %{name}, [%in+{}];", memory(kind), at * SLOT);
        }
        let _ = writeln!(head, "    {}", self.body.trim().replace('\n', "\n    "));
        let _ = writeln!(head, "    st.global.{} [%out], %d;\n    ret;\n}}", memory(self.result));
        text.push_str(&head);
    }
}

const SCRATCH: &str = "    .reg .pred %p, %q, %p<4>;\n    .reg .b16 %h<8>;\n    .reg .b32 %r<16>;\n    .reg .b64 %l<8>, %in, %out;\n    .reg .b128 %w;\n    .reg .f32 %f<16>;
    .reg .b32 %thread;\n    .local .align 8 .b8 stack[64];\n    .shared .align 16 .b8 room[4096];\n";
const INDEX: &str = "    ld.param.u64 %in, [in];\n    ld.param.u64 %out, [out];\n    cvta.to.global.u64 %in, %in;\n    cvta.to.global.u64 %out, %out;
    mov.u32 %thread, %tid.x;\n    mad.wide.u32 %in, %thread, 24, %in;\n    mad.wide.u32 %out, %thread, 8, %out;\n";

/// What the cases of a module share.
const HEAD: &str = ".global .align 128 .b8 counter[16384];\n.const .align 4 .b32 table[16] = {9, 8, 70, 6, 5, 4, 3, 2, 1, 0, 11, 12, 13, 14, 15, 4294967295};
.func (.param .b32 back) mixed(.param .b32 x, .param .b32 y)\n{\n    .reg .b32 %r<3>;\n    ld.param.b32 %r0, [x];\n    ld.param.b32 %r1, [y];\n    mad.lo.u32 %r2, %r0, 3, %r1;
    st.param.b32 [back], %r2;\n    ret;\n}
.func (.param .b32 back) swapped(.param .b32 x, .param .b32 y)\n{\n    .reg .b32 %r<3>;\n    ld.param.b32 %r0, [x];\n    ld.param.b32 %r1, [y];\n    mad.lo.u32 %r2, %r1, 5, %r0;
    st.param.b32 [back], %r2;\n    ret;\n}\n";

/// The module of all cases with one root.
pub(crate) fn module(cases: &[&Case]) -> String {
    let mut text = ".version 8.4\n.target sm_90\n.address_size 64\n\n".to_owned();
    text.push_str(HEAD);
    for case in cases {
        case.write(&mut text);
    }
    text
}

/// The type of a register that holds a value of this type.
fn register(kind: &str) -> &str {
    match kind {
        "u8" | "s8" => "b16",
        "f16" | "bf16" => "b16",
        "f16x2" | "bf16x2" => "b32",
        other => other,
    }
}

/// The type of a load or store of this type.
fn memory(kind: &str) -> &str {
    match kind {
        "f16" | "bf16" => "b16",
        "f16x2" | "bf16x2" => "b32",
        other => other,
    }
}

/// Numbers from the seed and a name (splitmix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(name: &str) -> Self {
        Self(crate::hash(format!("{}{name}", *SEED).as_bytes()))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// Single-precision values at the edges: zeros, ones, the largest and smallest normal and subnormal, infinities, NaNs,
/// halves between integers.
const F32: &[u32] = &[
    0,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x4000_0000,
    0x3f00_0000,
    0x3fc0_0000,
    0xc020_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x0080_0000,
    0x8080_0000,
    1,
    0x007f_ffff,
    0x8000_0001,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_0001,
    0x7f80_0001,
    0x4f00_0000,
    0xcf00_0000,
    0x4f80_0000,
    0x5f00_0000,
    0x4b00_0001,
    0x3fff_ffff,
    0x3eaa_aaab,
    0x4049_0fdb,
    0x477f_e000,
    0x4780_0000,
    0x3380_0000,
];
const F64: &[u64] = &[
    0,
    1 << 63,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x4000_0000_0000_0000,
    0x3fe0_0000_0000_0000,
    0xc004_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    1,
    0x000f_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x7ff0_0000_0000_0001,
    0x41e0_0000_0000_0000,
    0xc1e0_0000_0000_0000,
    0x43e0_0000_0000_0000,
    0x3ff8_0000_0000_0000,
    0x4010_0000_0000_0001,
    0x3fd5_5555_5555_5555,
];
const F16: &[u16] = &[
    0, 0x8000, 0x3c00, 0xbc00, 0x4000, 0x3800, 0x7bff, 0xfbff, 0x0400, 1, 0x03ff, 0x8001, 0x7c00, 0xfc00, 0x7e00,
    0x7c01, 0x3e00, 0x3555, 0x6400, 0x6401,
];
const INTEGERS: &[u64] = &[
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    65,
    100,
    127,
    128,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
    u64::MAX - 1,
    0x0123_4567_89ab_cdef,
];

/// A value of this type: every second one from the edges, the rest random bits, or random numbers of ordinary size.
fn value(kind: &str, random: &mut Random) -> u64 {
    let (edge, bits) = (random.below(2) == 0, random.next());
    match kind {
        "f32" if edge => u64::from(random.pick(F32)),
        "f32" if bits & 1 == 0 => u64::from((f32::from(bits as i16) / 37.0).to_bits()),
        "f64" if edge => random.pick(F64),
        "f64" if bits & 1 == 0 => (f64::from(bits as i32) / 3700.0).to_bits(),
        "f16" if edge => u64::from(random.pick(F16)),
        "bf16" if edge => u64::from(random.pick(F32) >> 16),
        "f16x2" if edge => u64::from(random.pick(F16)) | u64::from(random.pick(F16)) << 16,
        "bf16x2" if edge => u64::from(random.pick(F32) >> 16) | u64::from(random.pick(F32) & 0xffff_0000),
        kind if edge && !kind.starts_with(['f']) && !kind.starts_with("bf") => random.pick(INTEGERS),
        _ => bits,
    }
}

/// A small integer in this type: `f16` and `bf16` in pairs.
fn small(kind: &str, random: &mut Random) -> u64 {
    let number = random.below(9) as i32 - 4;
    let (half, other) = (random.below(9) as i32 - 4, random.below(9) as i32 - 4);
    let f16 =
        |n: i32| u64::from([0xc400_u16, 0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200, 0x4400][(n + 4) as usize]);
    match kind {
        "f32" => u64::from((number as f32).to_bits()),
        "f64" => f64::from(number).to_bits(),
        "f16x2" => f16(half) | f16(other) << 16,
        "bf16x2" => u64::from((half as f32).to_bits() >> 16) | u64::from((other as f32).to_bits()),
        _ => random.next(),
    }
}

/// All cases.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    integers(&mut cases);
    floats(&mut cases);
    halves(&mut cases);
    comparisons(&mut cases);
    conversions(&mut cases);
    approximations(&mut cases);
    bits(&mut cases);
    memory_cases(&mut cases);
    warps(&mut cases);
    matrices(&mut cases);
    crate::system::all(&mut cases);
    cases
}

/// `name %d, %a, %b, …;` with operands of these types.
pub(crate) fn plain(name: &str, operands: &[&'static str], result: &'static str) -> Case {
    let registers = ["%a", "%b", "%c"][..operands.len()].join(", ");
    Case::new(name, operands, result, format!("{name} %d, {registers};"))
}

const INTEGER_TYPES: [&str; 6] = ["u16", "s16", "u32", "s32", "u64", "s64"];

fn wide(kind: &'static str) -> &'static str {
    match kind {
        "u16" => "u32",
        "s16" => "s32",
        "u32" => "u64",
        _ => "s64",
    }
}

fn integers(cases: &mut Vec<Case>) {
    for kind in INTEGER_TYPES {
        for name in ["add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"] {
            cases.push(plain(&format!("{name}.{kind}"), &[kind, kind], kind));
        }
        for name in ["mad.lo", "mad.hi"] {
            cases.push(plain(&format!("{name}.{kind}"), &[kind, kind, kind], kind));
        }
        if !kind.ends_with("64") {
            let to = wide(kind);
            cases.push(plain(&format!("mul.wide.{kind}"), &[kind, kind], to));
            cases.push(plain(&format!("mad.wide.{kind}"), &[kind, kind, to], to));
        }
    }
    for kind in ["s16", "s32", "s64"] {
        cases.push(plain(&format!("abs.{kind}"), &[kind], kind));
        cases.push(plain(&format!("neg.{kind}"), &[kind], kind));
    }
    for kind in ["u32", "s32"] {
        for part in ["lo", "hi"] {
            cases.push(plain(&format!("mul24.{part}.{kind}"), &[kind, kind], kind));
            cases.push(plain(&format!("mad24.{part}.{kind}"), &[kind, kind, kind], kind));
        }
        cases.push(plain(&format!("sad.{kind}"), &[kind, kind, kind], kind));
        for kinds in ["u32", "s32"] {
            let result = if kind == "u32" && kinds == "u32" { "u32" } else { "s32" };
            cases.push(plain(&format!("dp4a.{kind}.{kinds}"), &["b32", "b32", result], result));
            for part in ["lo", "hi"] {
                cases.push(plain(&format!("dp2a.{part}.{kind}.{kinds}"), &["b32", "b32", result], result));
            }
        }
    }
    cases.push(plain("add.sat.s32", &["s32", "s32"], "s32"));
    cases.push(plain("sub.sat.s32", &["s32", "s32"], "s32"));
    cases.push(plain("mad.hi.sat.s32", &["s32", "s32", "s32"], "s32"));
    for kind in ["u32", "u64"] {
        for (name, with) in [("add", "addc"), ("sub", "subc")] {
            let body = format!("{name}.cc.{kind} %d, %a, %b;\n{with}.{kind} %d, %c, 0;");
            cases.push(Case::new(&format!("{with}.{kind}"), &[kind, kind, kind], kind, body));
        }
    }
    for part in ["lo", "hi"] {
        let body = format!("mad.{part}.cc.u32 %d, %a, %b, %c;\nmadc.{part}.u32 %d, %a, %b, %d;");
        cases.push(Case::new(&format!("madc.{part}.u32"), &["u32", "u32", "u32"], "u32", body));
    }
    for name in ["vadd2", "vsub2", "vmax2", "vabsdiff4", "vadd4"] {
        cases.push(plain(&format!("{name}.u32.u32.u32"), &["u32", "u32", "u32"], "u32"));
    }
}

fn floats(cases: &mut Vec<Case>) {
    for kind in ["f32", "f64"] {
        let flushes: &[&str] = if kind == "f32" { &["", ".ftz"] } else { &[""] };
        for rounding in ["rn", "rz", "rm", "rp"] {
            for flush in flushes {
                for name in ["add", "sub", "mul", "div"] {
                    cases.push(plain(&format!("{name}.{rounding}{flush}.{kind}"), &[kind, kind], kind));
                }
                cases.push(plain(&format!("fma.{rounding}{flush}.{kind}"), &[kind, kind, kind], kind));
                for name in ["sqrt", "rcp"] {
                    cases.push(plain(&format!("{name}.{rounding}{flush}.{kind}"), &[kind], kind));
                }
            }
        }
        for flush in flushes {
            for name in ["min", "max"] {
                cases.push(plain(&format!("{name}{flush}.{kind}"), &[kind, kind], kind));
            }
            for name in ["abs", "neg"] {
                cases.push(plain(&format!("{name}{flush}.{kind}"), &[kind], kind));
            }
        }
        for test in ["finite", "infinite", "number", "notanumber", "normal", "subnormal"] {
            let body = format!("testp.{test}.{kind} %p, %a;\nselp.u32 %d, 1, 0, %p;");
            cases.push(Case::new(&format!("testp.{test}.{kind}"), &[kind], "u32", body));
        }
        cases.push(plain(&format!("copysign.{kind}"), &[kind, kind], kind));
    }
    for name in ["add.rn.sat", "sub.rn.ftz.sat", "mul.rn.sat"] {
        cases.push(plain(&format!("{name}.f32"), &["f32", "f32"], "f32"));
    }
    cases.push(plain("fma.rn.sat.f32", &["f32", "f32", "f32"], "f32"));
    for name in ["min.NaN", "max.NaN", "min.ftz.NaN", "min.xorsign.abs", "max.NaN.xorsign.abs"] {
        cases.push(plain(&format!("{name}.f32"), &["f32", "f32"], "f32"));
    }
}

fn halves(cases: &mut Vec<Case>) {
    for kind in ["f16", "f16x2", "bf16", "bf16x2"] {
        let half = kind.starts_with('f');
        let flushes: &[&str] = if half { &["", ".ftz"] } else { &[""] };
        for flush in flushes {
            for name in ["add.rn", "sub.rn", "mul.rn"] {
                cases.push(plain(&format!("{name}{flush}.{kind}"), &[kind, kind], kind));
            }
            cases.push(plain(&format!("fma.rn{flush}.{kind}"), &[kind, kind, kind], kind));
            for name in ["neg", "abs"] {
                cases.push(plain(&format!("{name}{flush}.{kind}"), &[kind], kind));
            }
        }
        for name in ["min", "max", "min.NaN", "max.xorsign.abs"] {
            cases.push(plain(&format!("{name}.{kind}"), &[kind, kind], kind));
        }
        cases.push(plain(&format!("fma.rn.relu.{kind}"), &[kind, kind, kind], kind));
        if half {
            for name in ["add.sat", "mul.rn.sat"] {
                cases.push(plain(&format!("{name}.{kind}"), &[kind, kind], kind));
            }
        }
    }
    for kind in ["f16", "bf16"] {
        for operator in ["eq", "lt", "gtu", "num"] {
            let body = format!("setp.{operator}.{kind} %p, %a, %b;\nselp.u32 %d, 1, 0, %p;");
            cases.push(Case::new(&format!("setp.{operator}.{kind}"), &[kind, kind], "u32", body));
        }
    }
    let body = "setp.lt.f16x2 %p|%q, %a, %b;\nselp.u32 %d, 1, 0, %p;\n@%q add.u32 %d, %d, 2;";
    cases.push(Case::new("setp.lt.f16x2", &["f16x2", "f16x2"], "u32", body));
    cases.push(plain("set.ge.f16x2.f16x2", &["f16x2", "f16x2"], "f16x2"));
}

fn comparisons(cases: &mut Vec<Case>) {
    let signed = ["eq", "ne", "lt", "le", "gt", "ge"];
    let unsigned = ["lo", "ls", "hi", "hs"];
    let unordered = ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"];
    for kind in ["u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64"] {
        let mut operators = signed.to_vec();
        if kind.starts_with('u') {
            operators.extend(unsigned);
        }
        if kind.starts_with('f') {
            operators.extend(unordered);
        }
        for operator in operators {
            let body = format!("setp.{operator}.{kind} %p, %a, %b;\nselp.u32 %d, 1, 0, %p;");
            cases.push(Case::new(&format!("setp.{operator}.{kind}"), &[kind, kind], "u32", body));
        }
        cases.push(plain(&format!("set.lt.u32.{kind}"), &[kind, kind], "u32"));
        cases.push(plain(&format!("set.ge.f32.{kind}"), &[kind, kind], "f32"));
        let body = format!(
            "setp.eq.s32 %p, %r1, 0;\nsetp.lt.and.{kind} %p|%q, %a, %b, %p;\nselp.u32 %d, 1, 0, %p;\n@%q add.u32 %d, %d, 2;"
        );
        let body = format!("and.b32 %r1, %thread, 1;\n{body}");
        cases.push(Case::new(&format!("setp.lt.and.{kind}"), &[kind, kind], "u32", body));
        let body = format!("slct.{kind}.s32 %d, %a, %b, %c;");
        cases.push(
            Case::new(&format!("slct.{kind}.s32"), &[kind, kind, "s32"], kind, body)
                .keep_if(kind != "u16" && kind != "s16"),
        );
    }
    cases.retain(|case| !case.name.is_empty());
    cases.push(plain("slct.ftz.u32.f32", &["u32", "u32", "f32"], "u32"));
    cases.push(Case::new(
        "setp.lt.ftz.f32",
        &["f32", "f32"],
        "u32",
        "setp.lt.ftz.f32 %p, %a, %b;\nselp.u32 %d, 1, 0, %p;",
    ));
    for operator in ["and", "or", "xor", "not"] {
        let combine =
            if operator == "not" { "not.pred %p, %p;".to_owned() } else { format!("{operator}.pred %p, %p, %q;") };
        let body = format!("setp.lt.s32 %p, %a, %b;\nsetp.lt.u32 %q, %a, %b;\n{combine}\nselp.u32 %d, 1, 0, %p;");
        cases.push(Case::new(&format!("{operator}.pred"), &["b32", "b32"], "u32", body));
    }
}

impl Case {
    /// A case without a name, which is left out, unless `condition` holds.
    fn keep_if(mut self, condition: bool) -> Self {
        if !condition {
            self.name.clear();
        }
        self
    }
}

fn conversions(cases: &mut Vec<Case>) {
    const TYPES: [&str; 8] = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"];
    for from in TYPES {
        for to in TYPES {
            cases.push(plain(&format!("cvt.{to}.{from}"), &[from], to).keep_if(from != to));
            let bits = |kind: &str| kind[1..].parse::<u32>().unwrap_or_default();
            let holds_all = bits(to) > bits(from) && (from.starts_with('u') || to.starts_with('s'));
            cases.push(plain(&format!("cvt.sat.{to}.{from}"), &[from], to).keep_if(from != to && !holds_all));
        }
        for rounding in ["rn", "rz", "rm", "rp"] {
            for to in ["f32", "f64"] {
                cases.push(plain(&format!("cvt.{rounding}.{to}.{from}"), &[from], to));
            }
            for float in ["f32", "f64"] {
                let rounding = format!("{rounding}i");
                cases.push(plain(&format!("cvt.{rounding}.{from}.{float}"), &[float], from));
            }
        }
        cases.push(plain(&format!("cvt.rn.f16.{from}"), &[from], "f16"));
        cases.push(plain(&format!("cvt.rzi.{from}.f16"), &["f16"], from));
        cases.push(plain(&format!("cvt.rni.sat.ftz.{from}.f32"), &["f32"], from));
    }
    for rounding in ["rni", "rzi", "rmi", "rpi"] {
        for kind in ["f16", "f32", "f64"] {
            cases.push(plain(&format!("cvt.{rounding}.{kind}.{kind}"), &[kind], kind));
        }
        cases.push(plain(&format!("cvt.{rounding}.ftz.sat.f32.f32"), &["f32"], "f32"));
    }
    for rounding in ["rn", "rz", "rm", "rp"] {
        cases.push(plain(&format!("cvt.{rounding}.f32.f64"), &["f64"], "f32"));
    }
    for rounding in ["rn", "rz"] {
        cases.push(plain(&format!("cvt.{rounding}.f16.f32"), &["f32"], "f16"));
        cases.push(plain(&format!("cvt.{rounding}.f16.f64"), &["f64"], "f16"));
        cases.push(plain(&format!("cvt.{rounding}.bf16.f32"), &["f32"], "bf16"));
        cases.push(plain(&format!("cvt.{rounding}.f16x2.f32"), &["f32", "f32"], "f16x2"));
        cases.push(plain(&format!("cvt.{rounding}.bf16x2.f32"), &["f32", "f32"], "bf16x2"));
        cases.push(plain(&format!("cvt.{rounding}.relu.f16x2.f32"), &["f32", "f32"], "f16x2"));
    }
    for (to, from) in [("f32", "f16"), ("f64", "f16"), ("f32", "bf16"), ("f64", "f32")] {
        cases.push(plain(&format!("cvt.{to}.{from}"), &[from], to));
    }
    for name in ["cvt.ftz.f32.f16", "cvt.sat.f32.f16"] {
        cases.push(plain(name, &["f16"], "f32"));
    }
    cases.push(plain("cvt.rn.ftz.f16.f32", &["f32"], "f16"));
    cases.push(plain("cvt.rn.sat.f32.f64", &["f64"], "f32"));
    cases.push(plain("cvt.ftz.f64.f32", &["f32"], "f64"));
    cases.push(plain("cvt.rna.tf32.f32", &["f32"], "b32"));
    for kind in ["e4m3x2", "e5m2x2"] {
        cases.push(plain(&format!("cvt.rn.satfinite.{kind}.f32"), &["f32", "f32"], "b16"));
        cases.push(plain(&format!("cvt.rn.f16x2.{kind}"), &["b16"], "f16x2"));
    }
    for (to, from) in [("u8", "s32"), ("s16", "s32"), ("u16", "u32")] {
        cases.push(plain(&format!("cvt.pack.sat.{to}.{from}.b32"), &["s32", "s32", "b32"], "b32").keep_if(to == "u8"));
    }
    cases.push(plain("cvt.pack.sat.s16.s32", &["s32", "s32"], "b32"));
    cases.retain(|case| !case.name.is_empty());
}

fn approximations(cases: &mut Vec<Case>) {
    for flush in ["", ".ftz"] {
        for (name, ulps, absolute) in [
            ("rcp", 2, 0.0),
            ("sqrt", 3, 0.0),
            ("rsqrt", 4, 0.0),
            ("ex2", 4, 0.0),
            ("lg2", 4, 1e-6),
            ("sin", 8, 1e-5),
            ("cos", 8, 1e-5),
        ] {
            cases.push(plain(&format!("{name}.approx{flush}.f32"), &["f32"], "f32").approximate(ulps, absolute));
        }
        cases.push(plain(&format!("div.approx{flush}.f32"), &["f32", "f32"], "f32").approximate(4, 0.0));
        cases.push(plain(&format!("div.full{flush}.f32"), &["f32", "f32"], "f32").approximate(4, 0.0));
    }
    cases.push(plain("tanh.approx.f32", &["f32"], "f32").approximate(16_384, 5e-4));
    cases.push(plain("rcp.approx.ftz.f64", &["f64"], "f64"));
    cases.push(plain("rsqrt.approx.ftz.f64", &["f64"], "f64"));
    cases.push(plain("rsqrt.approx.f64", &["f64"], "f64"));
    cases.push(plain("ex2.approx.f16", &["f16"], "f16").approximate(2, 0.0));
    cases.push(plain("tanh.approx.f16x2", &["f16x2"], "f16x2").approximate(4, 1e-3));
}

fn bits(cases: &mut Vec<Case>) {
    for kind in ["b16", "b32", "b64"] {
        for name in ["and", "or", "xor"] {
            cases.push(plain(&format!("{name}.{kind}"), &[kind, kind], kind));
        }
        cases.push(plain(&format!("not.{kind}"), &[kind], kind));
        cases.push(plain(&format!("cnot.{kind}"), &[kind], kind));
        cases.push(plain(&format!("shl.{kind}"), &[kind, "u32"], kind));
        cases.push(plain(&format!("shr.{kind}"), &[kind, "u32"], kind));
        let body = format!("setp.lt.u32 %p, %c, 1000;\nselp.{kind} %d, %a, %b, %p;");
        cases.push(Case::new(&format!("selp.{kind}"), &[kind, kind, "u32"], kind, body));
    }
    for kind in INTEGER_TYPES {
        cases.push(plain(&format!("shr.{kind}"), &[kind, "u32"], kind));
    }
    for kind in ["b32", "b64"] {
        cases.push(plain(&format!("popc.{kind}"), &[kind], "u32"));
        cases.push(plain(&format!("clz.{kind}"), &[kind], "u32"));
        cases.push(plain(&format!("brev.{kind}"), &[kind], kind));
    }
    for kind in ["u32", "s32", "u64", "s64"] {
        for shift in ["", ".shiftamt"] {
            cases.push(plain(&format!("bfind{shift}.{kind}"), &[kind], "u32"));
        }
        let body = format!("and.b32 %b, %b, 255;\nand.b32 %c, %c, 255;\nbfe.{kind} %d, %a, %b, %c;");
        cases.push(Case::new(&format!("bfe.{kind}"), &[kind, "b32", "b32"], kind, body));
    }
    for kind in ["b32", "b64"] {
        let body = format!("and.b32 %r1, %c, 127;\nbfi.{kind} %d, %a, %b, %r1, 9;");
        cases.push(Case::new(&format!("bfi.{kind}"), &[kind, kind, "b32"], kind, body));
    }
    for mode in ["", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"] {
        cases.push(plain(&format!("prmt.b32{mode}"), &["b32", "b32", "b32"], "b32"));
    }
    for name in ["shf.l.wrap", "shf.l.clamp", "shf.r.wrap", "shf.r.clamp"] {
        cases.push(plain(&format!("{name}.b32"), &["b32", "b32", "u32"], "b32"));
    }
    for table in [0x96, 0xe8, 0x1, 0xca] {
        let body = format!("lop3.b32 %d, %a, %b, %c, {table};");
        cases.push(Case::new(&format!("lop3.b32.{table}"), &["b32", "b32", "b32"], "b32", body));
    }
    cases.push(plain("fns.b32", &["b32", "b32", "s32"], "b32").keep_if(false));
    for mode in ["wrap", "clamp"] {
        cases.push(plain(&format!("bmsk.{mode}.b32"), &["b32", "b32"], "b32"));
        cases.push(plain(&format!("szext.{mode}.s32"), &["s32", "b32"], "s32"));
    }
    cases.retain(|case| !case.name.is_empty());
}

fn memory_cases(cases: &mut Vec<Case>) {
    // Each thread has 16 bytes of the shared room, and reads its neighbour's bytes after the barrier.
    let shared = "shl.b32 %r1, %thread, 4;\nmov.u32 %r2, room;\nadd.u32 %r1, %r2, %r1;\nst.shared.b64 [%r1], %a;\nst.shared.v2.b32 [%r1+8], {%r3, %r4};
bar.sync 0;\nxor.b32 %r5, %thread, 37;\nshl.b32 %r5, %r5, 4;\nadd.u32 %r5, %r2, %r5;\nld.shared.v2.b64 {%l1, %l2}, [%r5];\nxor.b64 %d, %l1, %l2;";
    let shared = format!("mov.b64 {{%r3, %r4}}, %b;\n{shared}");
    cases.push(Case::new("ld.shared.v2.b64", &["b64", "b64"], "b64", shared));
    let local = "mov.u64 %l1, stack;\nand.b64 %l2, %b, 56;\nadd.u64 %l1, %l1, %l2;\nst.local.b64 [stack+8], %b;\nst.local.b64 [%l1], %a;
ld.local.u8 %h1, [stack+9];\ncvt.u64.u16 %l3, %h1;\nld.local.b64 %d, [%l1];\nxor.b64 %d, %d, %l3;";
    cases.push(Case::new("ld.local.b64", &["b64", "b64"], "b64", local));
    let generic = "cvta.shared.u64 %l1, %l2;\nst.b32 [%l1], %a;\nld.b32 %d, [%l1];\nisspacep.shared %p, %l1;\n@%p add.u32 %d, %d, 1;\nisspacep.global %p, %in;\n@%p add.u32 %d, %d, 2;
isspacep.local %p, %l1;\n@%p add.u32 %d, %d, 4;";
    let generic = format!("mov.u64 %l2, room;\nmul.wide.u32 %l3, %thread, 16;\nadd.u64 %l2, %l2, %l3;\n{generic}");
    cases.push(Case::new("isspacep.shared", &["b32"], "b32", generic));
    for kind in ["u8", "s8", "u16", "s16"] {
        let body = format!(
            "shl.b32 %r1, %thread, 4;\nmov.u32 %r2, room;\nadd.u32 %r1, %r2, %r1;\nst.shared.b64 [%r1], %a;\nld.shared.{kind} %d, [%r1+2];"
        );
        cases.push(Case::new(
            &format!("ld.shared.{kind}"),
            &["b64"],
            if kind.starts_with('s') { "s32" } else { "u32" },
            body,
        ));
    }
    for (name, kind) in [
        ("add", "u32"),
        ("add", "s32"),
        ("add", "u64"),
        ("min", "s32"),
        ("max", "s32"),
        ("min", "u32"),
        ("max", "u32"),
        ("and", "b32"),
        ("or", "b32"),
        ("xor", "b32"),
        ("inc", "u32"),
        ("dec", "u32"),
        ("exch", "b32"),
        ("exch", "b64"),
        ("min", "u64"),
        ("max", "s64"),
        ("and", "b64"),
        ("or", "b64"),
        ("xor", "b64"),
        ("add", "f32"),
        ("add", "f64"),
    ] {
        // Each thread has its own place, so the old value is known.
        let prepare = |space: &str| {
            let place = if space == "shared" {
                "mov.u64 %l1, room;\nmul.wide.u32 %l2, %thread, 8;"
            } else {
                "mov.u64 %l1, counter;\nmul.wide.u32 %l2, %thread, 8;"
            };
            format!("{place}\nadd.u64 %l1, %l1, %l2;\nst.{space}.{kind} [%l1], %a;\n")
        };
        let kind: &'static str = kind;
        for space in ["global", "shared"] {
            let body = format!(
                "{}atom.{space}.{name}.{kind} %c, [%l1], %b;\nld.{space}.{kind} %d, [%l1];\n{}",
                prepare(space),
                combine(kind)
            );
            cases.push(Case::new(&format!("atom.{space}.{name}.{kind}"), &[kind, kind, kind], kind, body));
        }
    }
    for kind in ["b32", "b64"] {
        let body = format!("mov.u64 %l1, counter;\nmul.wide.u32 %l2, %thread, 8;\nadd.u64 %l1, %l1, %l2;\nst.global.{kind} [%l1], %a;\nand.b32 %r1, %thread, 1;
setp.eq.u32 %p, %r1, 0;\nselp.{kind} %d, %a, %b, %p;\natom.global.cas.{kind} %d, [%l1], %d, %c;\nld.global.{kind} %b, [%l1];\nxor.{kind} %d, %d, %b;");
        cases.push(Case::new(&format!("atom.global.cas.{kind}"), &[kind, kind, kind], kind, body));
    }
    // The sum of all threads of the block: integers, so the order does not matter.
    let sum = "mov.u32 %r1, room;\nsetp.eq.u32 %p, %thread, 0;\nmov.u32 %r2, 0;\n@%p st.shared.u32 [%r1], %r2;\nbar.sync 0;\nred.shared.add.u32 [%r1], %a;\nbar.sync 0;\nld.shared.u32 %d, [%r1];";
    cases.push(Case::new("red.shared.add.u32", &["u32"], "u32", sum));
}

/// Puts the old value in `%c` into `%d`: the result has both.
fn combine(kind: &str) -> String {
    match kind {
        "f32" => "mov.b32 %r1, %d;\nmov.b32 %r2, %c;\nshf.l.wrap.b32 %r2, %r2, %r2, 7;\nxor.b32 %r1, %r1, %r2;\nmov.b32 %d, %r1;".to_owned(),
        "f64" => "mov.b64 %l1, %d;\nmov.b64 %l2, %c;\nshl.b64 %l2, %l2, 1;\nxor.b64 %l1, %l1, %l2;\nmov.b64 %d, %l1;".to_owned(),
        _ if kind.ends_with("64") => "shl.b64 %c, %c, 1;\nxor.b64 %d, %d, %c;".to_owned(),
        _ => "shl.b32 %c, %c, 1;\nxor.b32 %d, %d, %c;".to_owned(),
    }
}

fn warps(cases: &mut Vec<Case>) {
    for mode in ["up", "down", "bfly", "idx"] {
        for clamp in [0, 31, 0x1807, 0x101f] {
            let body = format!(
                "and.b32 %b, %b, 31;\nshfl.sync.{mode}.b32 %d|%p, %a, %b, {clamp}, -1;\n@%p xor.b32 %d, %d, 1;"
            );
            let body = if mode == "idx" { body } else { body.replace("and.b32 %b, %b, 31;", "mov.b32 %b, 5;") };
            cases.push(Case::new(&format!("shfl.sync.{mode}.b32.{clamp}"), &["b32", "b32"], "b32", body));
        }
    }
    for mode in ["all", "any", "uni"] {
        let body = format!("setp.lt.s32 %p, %a, %b;\nvote.sync.{mode}.pred %q, %p, -1;\nselp.u32 %d, 1, 0, %q;");
        cases.push(Case::new(&format!("vote.sync.{mode}.pred"), &["s32", "s32"], "u32", body));
    }
    cases.push(Case::new(
        "vote.sync.ballot.b32",
        &["s32", "s32"],
        "b32",
        "setp.lt.s32 %p, %a, %b;\nvote.sync.ballot.b32 %d, %p, -1;",
    ));
    for kind in ["b32", "b64"] {
        let body = format!("and.{kind} %a, %a, 3;\nmatch.any.sync.{kind} %d, %a, -1;");
        cases.push(Case::new(&format!("match.any.sync.{kind}"), &[kind], "b32", body));
        let body = format!("and.{kind} %a, %a, 0;\nmatch.all.sync.{kind} %d|%p, %a, -1;\n@%p xor.b32 %d, %d, 1;");
        cases.push(Case::new(&format!("match.all.sync.{kind}"), &[kind], "b32", body));
    }
    for (name, kind) in
        [("add", "u32"), ("add", "s32"), ("min", "s32"), ("max", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b32")]
    {
        cases.push(Case::new(
            &format!("redux.sync.{name}.{kind}"),
            &[kind],
            kind,
            format!("redux.sync.{name}.{kind} %d, %a, -1;"),
        ));
    }
    // Different numbers of iterations in the lanes of a warp, then all together.
    let loops = "and.b32 %r1, %a, 15;\nmov.u32 %d, %b;\nagain:\nmad.lo.u32 %d, %d, 1664525, %r1;\nsub.u32 %r1, %r1, 1;\nsetp.gt.s32 %p, %r1, 0;\n@%p bra again;\nactivemask.b32 %r2;
bar.warp.sync -1;\nshfl.sync.bfly.b32 %r3, %d, 1, 31, -1;\nxor.b32 %d, %d, %r3;";
    cases.push(Case::new("bra.divergent", &["u32", "u32"], "u32", loops));
    let table = "and.b32 %r1, %a, 3;\ntargets: .branchtargets zero, one, two, three;\nmov.u32 %d, 0;\nbrx.idx %r1, targets;\nzero: add.u32 %d, %d, 10;\none: add.u32 %d, %d, %b;\nbra.uni done;
two: mul.lo.u32 %d, %b, 3;\nthree: xor.b32 %d, %d, %b;\ndone:";
    cases.push(Case::new("brx.idx", &["u32", "u32"], "u32", table));
    let special = "mov.u32 %d, %laneid;\nshr.u32 %r1, %thread, 5;\nmad.lo.u32 %d, %r1, 64, %d;\nmov.u32 %r1, %ntid.x;\nadd.u32 %d, %d, %r1;\nmov.u32 %r1, %lanemask_lt;\nxor.b32 %d, %d, %r1;
mov.u32 %r1, %lanemask_ge;\npopc.b32 %r1, %r1;\nadd.u32 %d, %d, %r1;\nmov.u32 %r1, %nctaid.y;\nadd.u32 %d, %d, %r1;";
    cases.push(Case::new("mov.special", &["u32"], "u32", special));
    let half = "bar.warp.sync -1;\nelect.sync %d|%p, -1;\n@%p add.u32 %d, %d, 7;";
    cases.push(Case::new("elect.sync", &["u32"], "u32", half));
    // A lock that all threads of the block take in turn.
    let lock = "mov.u32 %r1, room;\nsetp.eq.u32 %p, %thread, 0;\nmov.u32 %r2, 0;\n@%p st.shared.u32 [%r1], %r2;\n@%p st.shared.u32 [%r1+4], %r2;\nbar.sync 0;
spin:\natom.shared.cas.b32 %r3, [%r1], 0, 1;\nsetp.ne.u32 %p, %r3, 0;\n@%p bra spin;\nmembar.cta;\nld.volatile.shared.u32 %r4, [%r1+4];\nadd.u32 %r4, %r4, %a;\nst.volatile.shared.u32 [%r1+4], %r4;
membar.cta;\natom.shared.exch.b32 %r3, [%r1], 0;\nbar.sync 0;\nld.shared.u32 %d, [%r1+4];";
    cases.push(Case::new("atom.spin_lock", &["u32"], "u32", lock));
}

fn matrices(cases: &mut Vec<Case>) {
    // Fragments are made of the thread's operands, in turn.
    let fragments =
        |first: usize, count: usize| (first..first + count).map(|n| format!("%r{n}")).collect::<Vec<_>>().join(", ");
    let spread = "mov.b32 %r1, %a;\nmov.b32 %r2, %b;\nshfl.sync.bfly.b32 %r3, %r1, 3, 31, -1;\nshfl.sync.bfly.b32 %r4, %r2, 5, 31, -1;\nshfl.sync.bfly.b32 %r5, %r1, 9, 31, -1;\nshfl.sync.bfly.b32 %r6, %r2, 17, 31, -1;\n";
    let floats = "mov.f32 %f1, %c;\nneg.f32 %f2, %c;\nadd.f32 %f3, %c, 0f3F800000;\nmov.f32 %f4, 0f40000000;\n";
    let sums = "mul.f32 %f5, %f5, 0f3F800000;\nfma.rn.f32 %d, %f6, 0f42FE0000, %f5;\nfma.rn.f32 %d, %f7, 0f46800000, %d;\nadd.f32 %d, %d, %f8;";
    let float_mma = |shape: &str, kind: &str, a: usize, b: usize| {
        format!(
            "{spread}{floats}mma.sync.aligned.{shape}.row.col.f32.{kind}.{kind}.f32 {{%f5, %f6, %f7, %f8}}, {{{}}}, {{{}}}, {{%f1, %f2, %f3, %f4}};\n{sums}",
            fragments(1, a),
            fragments(5, b)
        )
    };
    for (shape, kind, pair, a, b) in [
        ("m16n8k16", "f16", "f16x2", 4, 2),
        ("m16n8k8", "f16", "f16x2", 2, 1),
        ("m16n8k16", "bf16", "bf16x2", 4, 2),
        ("m16n8k8", "bf16", "bf16x2", 2, 1),
        ("m16n8k8", "tf32", "f32", 4, 2),
        ("m16n8k4", "tf32", "f32", 2, 1),
    ] {
        let pair: &'static str = pair;
        cases.push(
            Case::new(&format!("mma.{shape}.{kind}"), &[pair, pair, "f32"], "f32", float_mma(shape, kind, a, b))
                .small(),
        );
    }
    for (shape, a, b) in [("m16n8k32", 4, 2), ("m16n8k16", 2, 1)] {
        for (left, right) in [("s8", "s8"), ("u8", "s8"), ("u8", "u8")] {
            let body = format!(
                "{spread}mov.b32 %r7, %c;\nmma.sync.aligned.{shape}.row.col.s32.{left}.{right}.s32 {{%r8, %r9, %r10, %r11}}, {{{}}}, {{{}}}, {{%r7, %r1, %r2, %r7}};\nxor.b32 %d, %r8, %r9;\nshl.b32 %r10, %r10, 1;\nxor.b32 %d, %d, %r10;\nadd.s32 %d, %d, %r11;",
                fragments(1, a),
                fragments(5, b)
            );
            cases.push(Case::new(&format!("mma.{shape}.{left}.{right}"), &["b32", "b32", "b32"], "s32", body));
        }
    }
    for transposed in ["", ".trans"] {
        let body = format!("shl.b32 %r1, %thread, 4;\nmov.u32 %r2, room;\nadd.u32 %r1, %r2, %r1;\nst.shared.b64 [%r1], %a;\nst.shared.b64 [%r1+8], %b;\nbar.sync 0;
ldmatrix.sync.aligned.m8n8.x4{transposed}.shared.b16 {{%r3, %r4, %r5, %r6}}, [%r1];\nxor.b32 %r3, %r3, %r4;\nshl.b32 %r5, %r5, 1;\nxor.b32 %r3, %r3, %r5;\nadd.u32 %d, %r3, %r6;");
        cases.push(Case::new(&format!("ldmatrix.x4{transposed}"), &["b64", "b64"], "u32", body));
    }
    let copies = "shl.b32 %r1, %thread, 4;\nmov.u32 %r2, room;\nadd.u32 %r1, %r2, %r1;\ncp.async.ca.shared.global [%r1], [%in], 8;\ncp.async.ca.shared.global [%r1+8], [%in+8], 8, 4;\ncp.async.commit_group;
cp.async.wait_group 0;\nbar.sync 0;\nxor.b32 %r3, %thread, 1;\nshl.b32 %r3, %r3, 4;\nadd.u32 %r3, %r2, %r3;\nld.shared.v2.b64 {%l1, %l2}, [%r3];\nxor.b64 %d, %l1, %l2;";
    cases.push(Case::new("cp.async.ca", &["b64", "b64"], "b64", copies));
    let barrier = "mov.u32 %r1, room;\nsetp.eq.u32 %p, %thread, 0;\n@%p mbarrier.init.shared.b64 [%r1], 256;\nbar.sync 0;\nmul.wide.u32 %l1, %thread, 1;\nadd.u32 %r2, %r1, 16;\nshl.b32 %r3, %thread, 2;\nadd.u32 %r3, %r3, %r2;
st.shared.b32 [%r3], %a;\nmbarrier.arrive.shared.b64 %l2, [%r1];\nwait:\nmbarrier.test_wait.shared.b64 %q, [%r1], %l2;\n@!%q bra wait;\nxor.b32 %r4, %thread, 64;\nshl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r4, %r2;\nld.shared.b32 %d, [%r4];";
    cases.push(Case::new("mbarrier.arrive", &["b32"], "b32", barrier));
}
