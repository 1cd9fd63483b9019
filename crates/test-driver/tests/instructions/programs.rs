//! Random kernels: expressions over all types, branches, loops, shared memory, shuffles, atomics and calls. Everything
//! is exact, and the order of threads does not matter. [`AVOIDED`] lists what they do not contain, so no difference is
//! expected for any seed.

use crate::cases::Random;
use std::{fmt::Write, iter, mem};

/// Threads of a block, and blocks.
pub(crate) const BLOCK: usize = 96;
pub(crate) const GRID: usize = 5;
/// Bytes per thread: read from the input, and written to the output.
pub(crate) const INPUT: usize = 64;
pub(crate) const OUTPUT: usize = 48;

const KINDS: [(&str, &str, usize); 6] =
    [("b32", "r", 8), ("b64", "l", 6), ("f32", "f", 6), ("f64", "d", 4), ("b16", "h", 4), ("pred", "p", 4)];

/// What no random kernel contains, because ptxas may differ from the interpreter there, and why.
pub(crate) const AVOIDED: &[(&str, &str)] = &[
    (
        "an integer made of the bits of a NaN",
        "ptxas leaves out `min` and `max` of a number and itself, makes `neg` a change of the sign, and exchanges the operands of `add`",
    ),
    ("`abs.s32` of the smallest integer", "ptxas takes the result as not negative, and leaves out comparisons with 0"),
    ("`cvt.sat` of the smallest integer", "if it is the result of `neg`, ptxas compares the operand of `neg` instead"),
    ("division by 0", "PTX does not define the result"),
    (
        "`bfi` of 32 bits or more, as a constant",
        "ptxas takes five bits of the length, or all bits, depending on what it knows about the operands",
    ),
    (
        "a predicate that changes in a branch on it, or in a loop in a branch",
        "from `-O1` on, instructions before the change take the new value, and uses in the loop the first value: an error of ptxas 13.0",
    ),
];

/// A random kernel, and what its threads read.
pub(crate) struct Program {
    pub(crate) text: String,
    pub(crate) input: Vec<u8>,
}

/// The text of a kernel.
struct Writer {
    text: String,
    random: Random,
    labels: usize,
    /// The predicates of the branches around.
    branches: Vec<String>,
    /// The statements are in a loop in a branch.
    is_repeated: bool,
    /// Something of [`AVOIDED`] was written.
    is_avoided: bool,
}

/// The random kernel `number`, whose name is `random`.
pub(crate) fn program(number: usize) -> Program {
    // The first one without what is avoided.
    let prefixes = iter::once(String::new()).chain((1..).map(|attempt: usize| attempt.to_string()));
    let mut programs = prefixes.filter_map(|prefix| {
        let text = text(&format!("{prefix}kernel {number}"))?;
        Some(Program { text, input: input(&format!("{prefix}input {number}")) })
    });
    programs.next().expect("the prefixes do not end")
}

fn text(name: &str) -> Option<String> {
    let mut writer = Writer {
        text: String::new(),
        random: Random::new(name),
        labels: 0,
        branches: Vec::new(),
        is_repeated: false,
        is_avoided: false,
    };
    writer.kernel();
    (!writer.is_avoided).then_some(writer.text)
}

fn input(name: &str) -> Vec<u8> {
    let mut random = Random::new(name);
    (0..GRID * BLOCK * INPUT / 8)
        .flat_map(|_| {
            let bits = random.next();
            // Numbers of ordinary size in half of the places, which are read as floats too.
            if bits & 1 == 0 { bits } else { (f64::from(bits as i32) / 65536.0).to_bits() }.to_le_bytes()
        })
        .collect()
}

impl Writer {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "    {line}");
    }

    /// A register of this type.
    fn register(&mut self, kind: &str) -> String {
        let (_, letter, count) = KINDS.iter().find(|(name, ..)| *name == kind).expect("a kind of the table");
        format!("%{letter}{}", self.random.below(*count))
    }

    fn kernel(&mut self) {
        self.text.push_str(
            ".version 8.0\n.target sm_80\n.address_size 64\n\n.func (.param .b32 back) mix(.param .b32 x, .param .b64 y)\n{\n    .reg .b32 %r<4>;\n    .reg .b64 %l<2>;
    .reg .pred %p;\n    ld.param.b32 %r0, [x];\n    ld.param.b64 %l0, [y];\n    cvt.u32.u64 %r1, %l0;\n    and.b32 %r2, %r1, 3;\n    setp.ne.u32 %p, %r2, 0;\n    @%p bra other;
    xor.b32 %r0, %r0, %r1;\n    bra done;\nother:\n    mad.lo.u32 %r0, %r0, 2654435761, %r1;\ndone:\n    st.param.b32 [back], %r0;\n    ret;\n}\n
.visible .entry random(.param .u64 in, .param .u64 out, .param .u64 sums)\n{\n",
        );
        for (kind, letter, count) in KINDS {
            self.line(&format!(".reg .{kind} %{letter}<{count}>;"));
        }
        for line in [
            ".reg .b32 %thread, %at, %lane, %t<4>, %count<4>;",
            ".reg .b64 %in, %out, %sums, %w<4>;",
            ".reg .pred %go, %take;",
            ".reg .f32 %one;",
            ".reg .f64 %wide;",
            ".shared .align 16 .b8 room[1536];",
            ".local .align 8 .b8 stack[64];",
            "ld.param.u64 %in, [in];",
            "ld.param.u64 %out, [out];",
            "ld.param.u64 %sums, [sums];",
            "cvta.to.global.u64 %in, %in;",
            "mov.u32 %thread, %tid.x;",
            "mov.u32 %t0, %ctaid.x;",
            "mov.u32 %t1, %ntid.x;",
            "mov.u32 %lane, %laneid;",
            "mad.lo.u32 %at, %t0, %t1, %thread;",
        ] {
            self.line(line);
        }
        self.line(&format!("mad.wide.u32 %in, %at, {INPUT}, %in;"));
        self.line(&format!("mad.wide.u32 %out, %at, {OUTPUT}, %out;"));
        for n in 0..8 {
            self.line(&format!("ld.global.b32 %r{n}, [%in+{}];", n * 8));
        }
        for n in 0..6 {
            self.line(&format!("ld.global.b64 %l{n}, [%in+{}];", n * 8 + 8));
            self.line(&format!("cvt.rn.f32.s32 %f{n}, %r{n};"));
        }
        for n in 0..4 {
            self.line(&format!("cvt.rn.f64.s64 %d{n}, %l{n};"));
            self.line(&format!("cvt.u16.u32 %h{n}, %r{n};"));
            self.line(&format!("setp.lt.s32 %p{n}, %r{n}, %r{};", n + 4));
        }
        for n in 0..8 {
            self.line(&format!("st.local.b64 [stack+{}], %l{};", n * 8, n % 6));
        }
        let statements = 12 + self.random.below(30);
        self.block(statements, 0);
        self.line("xor.b32 %r0, %r0, %r4;\n    add.u32 %r1, %r1, %r5;\n    xor.b32 %r2, %r2, %r6;\n    sub.u32 %r3, %r3, %r7;");
        self.line("xor.b64 %l0, %l0, %l3;\n    add.u64 %l1, %l1, %l4;\n    xor.b64 %l2, %l2, %l5;");
        for n in 0..4 {
            self.line(&format!(
                "cvt.u32.u16 %t0, %h{n};\n    selp.b32 %t1, %t0, 77, %p{n};\n    xor.b32 %r{n}, %r{n}, %t1;"
            ));
            let wide = self.one_nan(&format!("%d{n}"), "f64");
            self.line(&format!("mov.b64 %w0, {wide};\n    xor.b64 %l{}, %l{}, %w0;", n % 3, n % 3));
        }
        for n in 0..6 {
            let one = self.one_nan(&format!("%f{n}"), "f32");
            self.line(&format!("mov.b32 %t0, {one};\n    xor.b32 %r{}, %r{}, %t0;", n % 4, n % 4));
        }
        self.line("st.v4.b32 [%out], {%r0, %r1, %r2, %r3};");
        self.line("st.b64 [%out+16], %l0;\n    st.b64 [%out+24], %l1;\n    st.b64 [%out+32], %l2;\n    ret;");
        self.text.push_str("}\n");
    }

    /// Statements. At depth 0 all threads of the block are together.
    fn block(&mut self, statements: usize, depth: usize) {
        for _ in 0..statements {
            match self.random.below(if depth == 0 { 16 } else { 11 }) {
                0 | 1 if depth < 3 => self.branch(depth),
                2 if depth < 2 => self.repeat(depth),
                3 => self.local(),
                4 => self.call(),
                11 | 12 => self.shared(),
                13 => self.shuffle(),
                14 => self.vote(),
                15 => self.atomic(),
                _ => self.instruction(),
            }
        }
    }

    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    fn branch(&mut self, depth: usize) {
        let label = self.label();
        let predicate = self.register("pred");
        let not = self.random.pick(&["", "!"]);
        self.line(&format!("@{not}{predicate} bra else{label};"));
        let (first, second) = (1 + self.random.below(4), self.random.below(3));
        self.branches.push(predicate);
        self.block(first, depth + 1);
        self.line(&format!("bra.uni end{label};").replace("bra.uni", "bra"));
        self.line(&format!("else{label}:"));
        self.block(second, depth + 1);
        self.branches.pop();
        self.line(&format!("end{label}:"));
    }

    /// A loop of up to eight iterations, a different number in each thread.
    fn repeat(&mut self, depth: usize) {
        let label = self.label();
        let register = self.register("b32");
        self.line(&format!("and.b32 %count{depth}, {register}, 7;\n    loop{label}:"));
        let statements = 1 + self.random.below(4);
        let is_repeated = self.is_repeated || !self.branches.is_empty();
        let outer = mem::replace(&mut self.is_repeated, is_repeated);
        self.block(statements, depth + 1);
        self.is_repeated = outer;
        self.line(&format!("sub.u32 %count{depth}, %count{depth}, 1;\n    setp.gt.s32 %go, %count{depth}, 0;\n    @%go bra loop{label};"));
    }

    fn local(&mut self) {
        let (index, value) = (self.register("b32"), self.register("b64"));
        self.line(&format!(
            "and.b32 %t0, {index}, 56;\n    cvt.u64.u32 %w0, %t0;\n    mov.u64 %w1, stack;\n    add.u64 %w0, %w0, %w1;"
        ));
        self.line(&format!(
            "ld.local.b64 %w2, [%w0];\n    st.local.b64 [%w0], {value};\n    add.u64 {value}, {value}, %w2;"
        ));
    }

    fn call(&mut self) {
        let (x, y) = (self.register("b32"), self.register("b64"));
        self.line(&format!(
            "{{\n    .param .b32 x1;\n    .param .b64 y1;\n    .param .b32 back1;\n    st.param.b32 [x1], {x};\n    st.param.b64 [y1], {y};\n    call.uni (back1), mix, (x1, y1);
    ld.param.b32 {x}, [back1];\n    }}"
        ).replace("call.uni", "call"));
    }

    /// Each thread writes its place, and reads the place of another thread.
    fn shared(&mut self) {
        let (value, index) = (self.register("b64"), self.register("b32"));
        self.line(&format!("mov.u32 %t1, room;\n    mad.lo.u32 %t0, %thread, 16, %t1;\n    bar.sync 0;\n    st.shared.b64 [%t0+8], {value};\n    bar.sync 0;"));
        self.line(&format!(
            "rem.u32 %t0, {index}, {BLOCK};\n    mad.lo.u32 %t0, %t0, 16, %t1;\n    ld.shared.b64 {value}, [%t0+8];"
        ));
    }

    fn shuffle(&mut self) {
        let (to, from, lane) = (self.register("b32"), self.register("b32"), self.register("b32"));
        let mode = self.random.pick(&["up", "down", "bfly", "idx"]);
        let clamp = if mode == "up" { 0 } else { 31 };
        self.line(&format!("and.b32 %t0, {lane}, 31;\n    shfl.sync.{mode}.b32 {to}|%go, {from}, %t0, {clamp}, -1;\n    @%go xor.b32 {to}, {to}, 5;"));
    }

    fn vote(&mut self) {
        let (predicate, to) = (self.register("pred"), self.register("b32"));
        match self.random.below(3) {
            0 => self.line(&format!("vote.sync.ballot.b32 {to}, {predicate}, -1;")),
            1 => self.line(&format!("redux.sync.add.s32 {to}, {to}, -1;")),
            _ => self.line(&format!("and.b32 %t0, {to}, 3;\n    match.any.sync.b32 {to}, %t0, -1;")),
        }
    }

    /// A sum over all threads, which no thread reads.
    fn atomic(&mut self) {
        let (value, wide) = (self.register("b32"), self.register("b64"));
        match self.random.below(3) {
            0 => self.line(&format!("red.add.u32 [%sums], {value};")),
            1 => self.line(&format!("red.add.u64 [%sums+8], {wide};")),
            _ => self.line(&format!("red.max.u32 [%sums+16], {value};")),
        }
    }

    fn instruction(&mut self) {
        let guard = match self.random.below(8) {
            0 => format!("@{} ", self.register("pred")),
            _ => String::new(),
        };
        let (name, kinds) = self.random.pick(INSTRUCTIONS);
        let operands: Vec<_> = kinds.split(' ').map(|kind| self.operand(kind)).collect();
        let to = &operands[0];
        self.is_avoided |= match name {
            "bfi.b32" => operands[4].parse().is_ok_and(|length: u32| length >= 32),
            _ if to.starts_with("%p") => self.is_repeated || guard.contains(to) || self.branches.contains(to),
            _ => false,
        };
        self.line(&format!("{guard}{name} {};", operands.join(", ")));
    }

    fn operand(&mut self, kind: &str) -> String {
        match kind {
            "#" => self.random.below(40).to_string(),
            "f32!" | "f64!" => {
                let register = self.register(&kind[..3]);
                self.one_nan(&register, &kind[..3])
            }
            "b32!" | "b64!" => {
                let (kind, to) = (&kind[..3], if kind == "b32!" { "%t0" } else { "%w0" });
                let register = self.register(kind);
                self.line(&format!("or.{kind} {to}, {register}, 1;"));
                to.to_owned()
            }
            _ => self.register(kind),
        }
    }

    /// The value of a float register, with one NaN instead of each.
    fn one_nan(&mut self, register: &str, kind: &str) -> String {
        let (to, nan) = if kind == "f32" { ("%one", "0f7FFFFFFF") } else { ("%wide", "0d7FF8000000000000") };
        self.line(&format!(
            "setp.nan.{kind} %take, {register}, {register};\n    selp.{kind} {to}, {nan}, {register}, %take;"
        ));
        to.to_owned()
    }
}

/// Instructions, and the kinds of their operands, the result first. `#` is a small number. With `!`, each NaN is
/// the same, and an integer is odd.
const INSTRUCTIONS: &[(&str, &str)] = &[
    ("add.u32", "b32 b32 b32"),
    ("sub.s32", "b32 b32 b32"),
    ("mul.lo.u32", "b32 b32 b32"),
    ("mul.hi.s32", "b32 b32 b32"),
    ("mad.lo.s32", "b32 b32 b32 b32"),
    ("min.s32", "b32 b32 b32"),
    ("max.u32", "b32 b32 b32"),
    ("abs.s32", "b32 b32!"),
    ("neg.s32", "b32 b32"),
    ("sad.u32", "b32 b32 b32 b32"),
    ("dp4a.s32.u32", "b32 b32 b32 b32"),
    ("shl.b32", "b32 b32 #"),
    ("shr.s32", "b32 b32 #"),
    ("shf.l.wrap.b32", "b32 b32 b32 b32"),
    ("prmt.b32", "b32 b32 b32 b32"),
    ("popc.b32", "b32 b32"),
    ("clz.b32", "b32 b32"),
    ("brev.b32", "b32 b32"),
    ("bfind.s32", "b32 b32"),
    ("bfe.u32", "b32 b32 # #"),
    ("bfi.b32", "b32 b32 b32 # #"),
    ("xor.b32", "b32 b32 b32"),
    ("and.b32", "b32 b32 b32"),
    ("or.b32", "b32 b32 b32"),
    ("not.b32", "b32 b32"),
    ("add.u64", "b64 b64 b64"),
    ("mul.lo.s64", "b64 b64 b64"),
    ("mul.hi.u64", "b64 b64 b64"),
    ("mul.wide.s32", "b64 b32 b32"),
    ("mad.wide.u32", "b64 b32 b32 b64"),
    ("min.u64", "b64 b64 b64"),
    ("shl.b64", "b64 b64 #"),
    ("shr.u64", "b64 b64 #"),
    ("xor.b64", "b64 b64 b64"),
    ("popc.b64", "b32 b64"),
    ("clz.b64", "b32 b64"),
    ("cvt.u32.u64", "b32 b64"),
    ("cvt.s64.s32", "b64 b32"),
    ("cvt.sat.u16.s32", "b16 b32!"),
    ("cvt.s32.s16", "b32 b16"),
    ("add.s16", "b16 b16 b16"),
    ("mul.lo.u16", "b16 b16 b16"),
    ("mul.wide.u16", "b32 b16 b16"),
    ("xor.b16", "b16 b16 b16"),
    ("add.rn.f32", "f32 f32 f32"),
    ("sub.f32", "f32 f32 f32"),
    ("mul.rz.f32", "f32 f32 f32"),
    ("fma.rn.f32", "f32 f32 f32 f32"),
    ("fma.rm.ftz.f32", "f32 f32 f32 f32"),
    ("div.rn.f32", "f32 f32 f32"),
    ("sqrt.rn.f32", "f32 f32"),
    ("min.f32", "f32 f32 f32"),
    ("max.ftz.f32", "f32 f32 f32"),
    ("abs.f32", "f32 f32"),
    ("neg.f32", "f32 f32"),
    ("add.rn.f64", "f64 f64 f64"),
    ("mul.rp.f64", "f64 f64 f64"),
    ("fma.rn.f64", "f64 f64 f64 f64"),
    ("div.rn.f64", "f64 f64 f64"),
    ("max.f64", "f64 f64 f64"),
    ("cvt.rn.f32.f64", "f32 f64"),
    ("cvt.f64.f32", "f64 f32"),
    ("cvt.rzi.s32.f32", "b32 f32"),
    ("cvt.rni.u64.f64", "b64 f64"),
    ("cvt.rn.f32.u32", "f32 b32"),
    ("cvt.rz.f64.s64", "f64 b64"),
    ("cvt.rmi.f32.f32", "f32 f32"),
    ("cvt.rn.f16.f32", "b16 f32"),
    ("cvt.f32.f16", "f32 b16"),
    ("fma.rn.f16x2", "b32 b32 b32 b32"),
    ("fma.rn.bf16x2", "b32 b32 b32 b32"),
    ("mov.b32", "f32 b32"),
    ("mov.b32", "b32 f32!"),
    ("mov.b64", "b64 f64!"),
    ("mov.b64", "f64 b64"),
    ("setp.lt.s32", "pred b32 b32"),
    ("setp.ge.u64", "pred b64 b64"),
    ("setp.gtu.f32", "pred f32 f32"),
    ("setp.eq.f64", "pred f64 f64"),
    ("setp.ne.and.u32", "pred b32 b32 pred"),
    ("selp.b32", "b32 b32 b32 pred"),
    ("selp.f64", "f64 f64 f64 pred"),
    ("set.le.u32.f32", "b32 f32 f32"),
    ("slct.b32.s32", "b32 b32 b32 b32"),
    ("xor.pred", "pred pred pred"),
    ("div.u32", "b32 b32 b32!"),
    ("rem.s32", "b32 b32 b32!"),
    ("div.s64", "b64 b64 b64!"),
    ("rem.u64", "b64 b64 b64!"),
    ("copysign.f32", "f32 f32! f32"),
];
