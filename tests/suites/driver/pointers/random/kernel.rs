//! Random kernels in PTX, each with what it needs of its arguments and what it does with them.

use kernel_args_test_generator::Rng;
use std::fmt::Write as _;

/// The number of 32-bit words behind each pointer. Kernels read the lower and write the upper ones.
pub(super) const WORDS: i64 = 16;

/// A kernel that one thread runs.
pub(super) struct Kernel {
    pub(super) name: String,
    pub(super) ptx: String,
    pub(super) arguments: Vec<Argument>,
}

pub(super) enum Argument {
    Count(u32),
    /// An offset or a factor.
    Number(u64),
    Pointer(Pointer),
}

pub(super) struct Pointer {
    pub(super) form: Form,
    pub(super) right: Right,
    /// Whether a launch with the right arguments accesses memory through it.
    pub(super) is_accessed: bool,
    /// Whether an access is certainly at the pointer or at a constant offset after it.
    pub(super) is_at_start: bool,
    /// Whether an access at a constant offset is certainly part of every launch.
    pub(super) is_always: bool,
    /// What the kernel writes: words and their values.
    pub(super) written: Vec<(i64, u32)>,
}

/// What the parameter is in Rust.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Pointer,
    Slice,
    Integer,
    InStruct,
}

/// A right argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Right {
    Begin,
    End,
    Null,
    /// The kernel accesses nothing through it.
    Anything,
}

/// What is in memory before a launch.
pub(super) fn word(argument: usize, word: i64) -> u32 {
    1000 * u32::try_from(argument).expect("a small number") + unsigned(word) + 7
}

fn unsigned(number: i64) -> u32 {
    u32::try_from(number).expect("a small number")
}

const HEADER: &str = "\
.version 7.0
.target sm_75
.address_size 64
";

/// What numbers index, and functions that kernels call.
const FUNCTIONS: &str = "\
.global .align 8 .u32 table[16] = {100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115};
.extern .func (.param .b32 result) elsewhere(.param .b64 p, .param .b32 i);
.func (.param .b64 result) advance(.param .b64 p, .param .b32 i)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [i];
	mul.wide.s32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.param.b64 [result], %rd3;
	ret;
}
";

/// The functions `load_word` and `elsewhere`, after their names.
const LOAD: &str = "(.param .b64 p, .param .b32 i)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [i];
	mul.wide.s32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.u32 %r2, [%rd3];
	st.param.b32 [result], %r2;
	ret;
}
";

/// The images of these kernels: their own, and one with the function that their own does not contain.
pub(super) fn images(kernels: &[Kernel]) -> [String; 2] {
    let own: Vec<&str> = kernels.iter().map(|kernel| kernel.ptx.as_str()).collect();
    let own = own.concat();
    [
        format!("{HEADER}{FUNCTIONS}.func (.param .b32 result) load_word{LOAD}{own}"),
        format!("{HEADER}.visible .func (.param .b32 result) elsewhere{LOAD}"),
    ]
}

/// How an access gets its pointer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Route {
    Direct,
    /// Through local memory, as in code that is not optimized.
    Local,
    /// From a function of the image, which adds a part of the offset.
    Advanced,
    /// It is one of two.
    Selected,
    /// The kernel compares it with null.
    Guarded,
    /// Functions access the memory.
    Called,
    Indirect,
    External,
}

/// How an access adds its offset.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Constant,
    Added,
    Counted,
    Number,
    Loop,
}

/// A register with a pointer to memory.
#[derive(Clone, Copy)]
struct Base {
    register: usize,
    argument: usize,
    /// The word that it points to.
    at: i64,
    /// `.global`, or nothing.
    space: &'static str,
}

struct Builder {
    rng: Rng,
    parameters: Vec<String>,
    body: String,
    arguments: Vec<Argument>,
    sum: u32,
    /// The number of registers of all kinds.
    registers: usize,
    /// Whether a jump, or a call, is in the body.
    has_jump: bool,
}

pub(super) fn kernel(seed: u64, index: usize) -> Kernel {
    let mut builder = Builder {
        rng: Rng::new(seed, index as u64),
        parameters: Vec::new(),
        body: String::new(),
        arguments: Vec::new(),
        sum: 0,
        registers: 1,
        has_jump: false,
    };
    let out = builder.pointer(&[Form::Pointer, Form::Slice, Form::Integer], Right::Begin);
    for _ in 0..=builder.rng.below(4) {
        match builder.rng.below(8) {
            0 => builder.number(),
            1 => builder.anything(),
            _ => builder.accesses(),
        }
    }
    let sum = builder.sum;
    builder.line(&format!("st{}.u32 [%rd{}], %r0;", out.space, out.register));
    let always = !builder.has_jump;
    let own = builder.own(0);
    (own.is_accessed, own.is_at_start, own.is_always, own.written) = (true, true, always, vec![(0, sum)]);
    let (name, Builder { parameters, body, arguments, registers, .. }) = (format!("k{index}"), builder);
    let ptx = format!(
        ".visible .entry {name}({})\n{{\n\t.reg .pred %p<{registers}>;\n\t.reg .b32 %r<{registers}>;\n\t.reg .b64 %rd<{registers}>;\n\t\
         .local .align 8 .b8 own[512];\n\t.shared .align 8 .b8 tile[64];\n\tmov.u32 %r0, 0;\n{body}\tret;\n}}\n",
        parameters.join(", ")
    );
    Kernel { name, ptx, arguments }
}

impl Builder {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.body, "\t{line}");
    }

    /// The number of a new register: `%p`, `%r` and `%rd` have one each.
    fn register(&mut self) -> usize {
        self.registers += 1;
        self.registers - 1
    }

    fn below(&mut self, limit: i64) -> i64 {
        let limit = usize::try_from(limit).expect("a small number");
        i64::try_from(self.rng.below(limit)).expect("a small number")
    }

    fn own(&mut self, argument: usize) -> &mut Pointer {
        match &mut self.arguments[argument] {
            Argument::Pointer(pointer) => pointer,
            _ => panic!("argument {argument} is no pointer"),
        }
    }

    /// A parameter of 8 bytes or 4 bytes. Returns its register.
    fn value(&mut self, argument: Argument) -> usize {
        let (index, register) = (self.arguments.len(), self.register());
        let (ty, destination) = if matches!(argument, Argument::Count(_)) { ("u32", "%r") } else { ("u64", "%rd") };
        let is_struct = matches!(&argument, Argument::Pointer(Pointer { form: Form::InStruct, .. }));
        let (declared, offset) =
            if is_struct { (format!(".align 8 .b8 a{index}[16]"), 8) } else { (format!(".{ty} a{index}"), 0) };
        self.parameters.push(format!(".param {declared}"));
        self.arguments.push(argument);
        self.line(&format!("ld.param.{ty} {destination}{register}, [a{index}+{offset}];"));
        register
    }

    fn pointer(&mut self, forms: &[Form], right: Right) -> Base {
        let (form, argument) = (*self.rng.pick(forms), self.arguments.len());
        let (is_accessed, is_at_start, is_always) = (false, false, false);
        let pointer = Pointer { form, right, is_accessed, is_at_start, is_always, written: Vec::new() };
        let mut register = self.value(Argument::Pointer(pointer));
        let mut space = "";
        if self.rng.chance(50) {
            let generic = register;
            (register, space) = (self.register(), ".global");
            self.line(&format!("cvta.to.global.u64 %rd{register}, %rd{generic};"));
        }
        let at = if right == Right::End { WORDS } else { 0 };
        Base { register, argument, at, space }
    }

    /// A pointer, and one or two accesses.
    fn accesses(&mut self) {
        use Route::{Advanced, Called, Direct, External, Guarded, Indirect, Local, Selected};
        let routes = [Direct, Direct, Direct, Local, Advanced, Selected, Guarded, Called, Indirect, External];
        let route = *self.rng.pick(&routes);
        let right = match route {
            _ if self.rng.chance(35) => Right::End,
            Guarded if self.rng.chance(50) => Right::Null,
            _ => Right::Begin,
        };
        let mut forms = vec![Form::Pointer, Form::InStruct];
        if right == Right::Begin {
            forms.push(Form::Slice);
        }
        // Code that is not known, or that has a choice, does not show that a number is an address.
        let is_certain = !matches!(route, Selected | Indirect | External);
        if is_certain {
            forms.push(Form::Integer);
        }
        let mut base = self.pointer(&forms, right);
        let does = right != Right::Null;
        self.own(base.argument).is_accessed = does;
        let mut end = None;
        match route {
            Direct | Called | Indirect | External => {}
            Local => {
                // A slot of its own: a number that is loaded from a shared one is not certainly an address.
                let loaded = self.register();
                let slot = 64 + 8 * base.argument;
                self.line(&format!("st.local.u64 [own+{slot}], %rd{};", base.register));
                self.line(&format!("ld.local.u64 %rd{loaded}, [own+{slot}];"));
                base.register = loaded;
            }
            Advanced => {
                let (by, advanced) = (self.below(4), self.register());
                let by = if right == Right::End { -by } else { by };
                self.line(&format!("mov.u32 %r{advanced}, {by};"));
                self.call("advance", None, base.register, advanced, &format!("%rd{advanced}"));
                (base.register, base.at, base.space) = (advanced, base.at + by, "");
            }
            Selected => base = self.selected(base),
            Guarded if self.rng.chance(50) => {
                let label = self.register();
                self.line(&format!("setp.eq.s64 %p{label}, %rd{}, 0;", base.register));
                self.line(&format!("@%p{label} bra after{label};"));
                self.has_jump = true;
                end = Some(format!("after{label}:"));
            }
            Guarded => {
                let predicate = self.register();
                self.line(&format!("setp.ne.s64 %p{predicate}, %rd{}, 0;", base.register));
                let word = self.below(WORDS / 2);
                let offset = 4 * (word - base.at);
                self.line(&format!("mov.u32 %r{predicate}, 0;"));
                self.line(&format!(
                    "@%p{predicate} ld{}.u32 %r{predicate}, [%rd{}+{offset}];",
                    base.space, base.register
                ));
                self.line(&format!("add.u32 %r0, %r0, %r{predicate};"));
                self.own(base.argument).is_at_start = offset >= 0;
                self.sum = self.sum.wrapping_add(if does { self::word(base.argument, word) } else { 0 });
                return;
            }
        }
        for _ in 0..=self.rng.below(2) {
            match route {
                Called | Indirect | External => self.access_by_call(base, route),
                _ => self.access(base, route, does),
            }
        }
        if let Some(label) = end {
            self.line(&label);
        }
    }

    /// One of two pointers. The kernel selects the first; the second can be null.
    fn selected(&mut self, first: Base) -> Base {
        let same = self.own(first.argument).right;
        let right = *self.rng.pick(&[Right::Null, same]);
        let second = self.pointer(&[Form::Pointer, Form::InStruct], right);
        let is_first = self.below(2);
        let flag = self.value(Argument::Count(unsigned(is_first)));
        let register = self.register();
        let order = if is_first == 1 { [first, second] } else { [second, first] };
        self.line(&format!("setp.ne.u32 %p{register}, %r{flag}, 0;"));
        let [a, b] = order.map(|base| base.register);
        self.line(&format!("selp.b64 %rd{register}, %rd{a}, %rd{b}, %p{register};"));
        Base { register, ..first }
    }

    /// A load or store at a random word.
    fn access(&mut self, base: Base, route: Route, does: bool) {
        let is_write = self.rng.chance(40);
        let word = self.below(WORDS / 2) + if is_write { WORDS / 2 } else { 0 };
        let offset = 4 * (word - base.at);
        let form = self.own(base.argument).form;
        let mut ways = vec![Way::Constant, Way::Constant, Way::Added, Way::Counted, Way::Loop];
        if form != Form::Integer {
            ways.push(Way::Number);
        }
        let way = *self.rng.pick(&ways);
        let (mut address, mut rest) = (base.register, 0);
        match way {
            Way::Constant => rest = offset,
            Way::Added => {
                address = self.register();
                rest = 4 * (self.below(9) - 4);
                self.line(&format!("add.s64 %rd{address}, %rd{}, {};", base.register, offset - rest));
            }
            Way::Counted => {
                rest = 4 * (self.below(5) - 2);
                let distance = (offset - rest) / 4;
                let operation = if distance < 0 { "sub" } else { "add" };
                let count = Argument::Count(unsigned(distance.abs()));
                let (count, scaled) = (self.value(count), self.register());
                address = self.register();
                self.line(&format!("mul.wide.u32 %rd{scaled}, %r{count}, 4;"));
                self.line(&format!("{operation}.s64 %rd{address}, %rd{}, %rd{scaled};", base.register));
            }
            Way::Number => {
                let number = self.value(Argument::Number(offset.cast_unsigned()));
                address = self.register();
                let (mut a, mut b) = (base.register, number);
                if self.rng.chance(50) {
                    (a, b) = (b, a);
                }
                self.line(&format!("add.s64 %rd{address}, %rd{a}, %rd{b};"));
            }
            Way::Loop => {
                // One step of a word at least, to the left or to the right.
                let step = if offset < 0 { -4 } else { 4 };
                let turns = self.value(Argument::Count(unsigned(offset / step + 1)));
                address = self.register();
                rest = -step;
                self.line(&format!("mov.u64 %rd{address}, %rd{};", base.register));
                self.line(&format!("again{address}:"));
                self.line(&format!("add.s64 %rd{address}, %rd{address}, {step};"));
                self.line(&format!("sub.u32 %r{turns}, %r{turns}, 1;"));
                self.line(&format!("setp.ne.u32 %p{address}, %r{turns}, 0;"));
                self.line(&format!("@%p{address} bra again{address};"));
            }
        }
        let is_constant = matches!(way, Way::Constant | Way::Added);
        let is_plain = matches!(route, Route::Direct | Route::Local);
        let jump = self.has_jump;
        self.has_jump |= way == Way::Loop;
        let space = base.space;
        if is_write {
            let value = unsigned(self.below(1 << 20));
            let register = self.register();
            self.line(&format!("mov.u32 %r{register}, {value};"));
            if self.rng.chance(25) {
                self.line(&format!("atom{space}.exch.b32 %r{register}, [%rd{address}+{rest}], %r{register};"));
            } else {
                self.line(&format!("st{space}.u32 [%rd{address}+{rest}], %r{register};"));
            }
            if does {
                self.own(base.argument).written.push((word, value));
            }
        } else {
            let register = self.register();
            self.line(&format!("ld{space}.u32 %r{register}, [%rd{address}+{rest}];"));
            self.line(&format!("add.u32 %r0, %r0, %r{register};"));
            self.sum = self.sum.wrapping_add(if does { self::word(base.argument, word) } else { 0 });
        }
        let own = self.own(base.argument);
        own.is_at_start |= is_constant && offset >= 0 && matches!(route, Route::Direct | Route::Local | Route::Guarded);
        own.is_always |= is_constant && is_plain && !jump;
    }

    /// A load by a function, which gets the pointer and an index.
    fn access_by_call(&mut self, base: Base, route: Route) {
        let word = self.below(WORDS / 2);
        let (index, register) = (self.register(), self.register());
        self.line(&format!("mov.u32 %r{index}, {};", word - base.at));
        let (name, pointer) = match route {
            Route::External => ("elsewhere", None),
            Route::Indirect => ("load_word", Some(self.register())),
            _ => ("load_word", None),
        };
        self.call(name, pointer, base.register, index, &format!("%r{register}"));
        self.line(&format!("add.u32 %r0, %r0, %r{register};"));
        self.sum = self.sum.wrapping_add(self::word(base.argument, word));
    }

    /// Calls a function by its name, or through a register.
    fn call(&mut self, name: &str, pointer: Option<usize>, address: usize, index: usize, result: &str) {
        let bits = if result.starts_with("%rd") { "b64" } else { "b32" };
        let callee = match pointer {
            Some(pointer) => {
                self.line(&format!("mov.u64 %rd{pointer}, {name};"));
                self.line(&format!("proto{pointer}: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);"));
                format!("%rd{pointer}")
            }
            None => name.to_owned(),
        };
        let prototype = pointer.map_or_else(String::new, |pointer| format!(", proto{pointer}"));
        self.line(&format!("{{ .param .b64 p0; .param .b32 p1; .param .{bits} r0;"));
        self.line(&format!("st.param.b64 [p0], %rd{address};"));
        self.line(&format!("st.param.b32 [p1], %r{index};"));
        self.line(&format!("call (r0), {callee}, (p0, p1){prototype};"));
        self.line(&format!("ld.param.{bits} {result}, [r0]; }}"));
        self.has_jump = true;
    }

    /// A number that is an offset in memory of no parameter, or a factor.
    fn number(&mut self) {
        let word = self.below(WORDS / 2);
        let number = self.value(Argument::Number((4 * word).cast_unsigned()));
        let (address, register) = (self.register(), self.register());
        let sum = |builder: &mut Self, space: &str, value: u32| {
            builder.line(&format!("ld{space}.u32 %r{register}, [%rd{address}];"));
            builder.sum = builder.sum.wrapping_add(value);
        };
        let (name, space) = [("table", ".global"), ("tile", ".shared"), ("own", ".local")][self.rng.below(3)];
        if self.rng.chance(20) {
            self.line(&format!("mul.lo.s64 %rd{address}, %rd{number}, 3;"));
            self.line(&format!("cvt.u32.u64 %r{register}, %rd{address};"));
            self.sum = self.sum.wrapping_add(12 * unsigned(word));
        } else {
            let (start, window) = (self.register(), self.register());
            self.line(&format!("mov.u64 %rd{start}, {name};"));
            self.line(&format!("add.s64 %rd{address}, %rd{start}, %rd{number};"));
            let is_generic = self.rng.chance(50);
            if is_generic {
                self.line(&format!("mov.u64 %rd{window}, %rd{address};"));
                self.line(&format!("cvta{space}.u64 %rd{address}, %rd{window};"));
            }
            let space = if is_generic { "" } else { space };
            if name == "table" {
                sum(self, space, 100 + unsigned(word));
            } else {
                self.line(&format!("mov.u32 %r{start}, 55;"));
                self.line(&format!("st{space}.u32 [%rd{address}], %r{start};"));
                sum(self, space, 55);
            }
        }
        self.line(&format!("add.u32 %r0, %r0, %r{register};"));
    }

    /// A pointer that is compared or stored, and not accessed.
    fn anything(&mut self) {
        let base = self.pointer(&[Form::Pointer, Form::InStruct, Form::Integer], Right::Anything);
        let register = self.register();
        if self.rng.chance(50) {
            let slot = 8 * self.below(8);
            self.line(&format!("st.shared.u64 [tile+{slot}], %rd{};", base.register));
        } else {
            self.line(&format!("setp.eq.s64 %p{register}, %rd{}, 16;", base.register));
            self.line(&format!("selp.u32 %r{register}, 3, 3, %p{register};"));
            self.line(&format!("add.u32 %r0, %r0, %r{register};"));
            self.sum = self.sum.wrapping_add(3);
        }
    }
}
