//! Decoded kernels: functions as instructions whose operands are slots, and whose labels are numbers.

use super::{
    Finish, Host, Run, Special,
    arithmetic::{Test, Vector},
    types::Lanes,
};

/// Where an operand is: a register of the function, a constant of the kernel, or a special register of the warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Register(u32),
    Constant(u32),
    Special(u32),
}

impl Source {
    /// Returns its values. The registers begin with the first one of the function.
    #[inline]
    pub(super) fn lanes<'v>(self, registers: &'v [Lanes], constants: &'v [Lanes], specials: &'v [Lanes]) -> &'v Lanes {
        match self {
            Self::Register(slot) => &registers[slot as usize],
            Self::Constant(number) => &constants[number as usize],
            Self::Special(number) => &specials[number as usize],
        }
    }
}

/// A predicate, perhaps negated. Predicate 0 is always false.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) slot: u32,
    pub(super) negated: bool,
}

impl Condition {
    pub(super) const ALWAYS: Self = Self { slot: 0, negated: true };
}

/// The predicate that takes results nobody reads. The register is 0.
pub(super) const SINK: u32 = 1;

/// A state space, as an access needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// Also constants: both are memory of the device.
    Global,
    Shared,
    Local,
    /// The parameters of the kernel.
    Bank,
    Generic,
}

/// Generic addresses of shared and local memory, of the kernel's parameters, and of functions.
pub(super) mod window {
    pub(crate) const SHARED: u64 = 1 << 56;
    pub(crate) const LOCAL: u64 = 2 << 56;
    pub(crate) const BANK: u64 = 3 << 56;
    pub(crate) const FUNCTION: u64 = 4 << 56;
    pub(crate) const ALL: u64 = 0xff << 56;
    /// The bytes of shared memory of one block in the addresses of a cluster.
    pub(crate) const BLOCK_SHIFT: u32 = 24;
}

/// An address: what it is relative to, and an offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) space: Space,
    pub(super) base: Base,
    pub(super) offset: i64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    /// A register or a constant, and whether it has 32 bits.
    Lanes(Source, bool),
    /// The function's frame in local memory.
    Frame,
    Zero,
}

pub(super) enum Callee {
    Function(u32),
    Indirect(Source),
    Host(Host),
}

pub(super) struct Call {
    pub(super) callee: Callee,
    /// Offsets in the caller's frame, and sizes.
    pub(super) arguments: Vec<(u32, u32)>,
    pub(super) results: Vec<(u32, u32)>,
}

pub(super) struct Barrier {
    pub(super) id: Source,
    /// 0: all threads.
    pub(super) count: Source,
    /// `bar.arrive` does not wait.
    pub(super) waits: bool,
    /// All threads of a warp must execute it together.
    pub(super) is_aligned: bool,
    pub(super) of: Condition,
    pub(super) finish: Finish,
}

/// `and`, `or`, `xor` of masks.
pub(super) type Logic = fn(u32, u32) -> u32;

/// What the lanes of a set do together: of their values, their predicates and the set, a value and a predicate for
/// each.
pub(super) type Meet = Box<dyn Fn(&[&Lanes; 3], u32, u32) -> (Lanes, u32) + Send + Sync>;

/// An instruction by which lanes of a warp exchange values.
pub(super) struct Exchange {
    /// The set that each lane names: its lanes wait for each other. `None`: the lanes that are there.
    pub(super) set: Option<Source>,
    pub(super) from: [Source; 3],
    pub(super) of: Condition,
    pub(super) to: u32,
    pub(super) valid: u32,
    pub(super) meet: Meet,
}

#[rustfmt::skip]
pub(super) enum Op {
    Vector { function: Vector, to: u32, from: [Source; 4] },
    Test { test: Test, to: [u32; 2], from: [Source; 2], with: Option<(Logic, Condition)> },
    Branch { target: u32 },
    BranchIndex { from: Source, targets: Vec<u32> },
    Call(Box<Call>),
    Return,
    Exit,
    Trap,
    Barrier(Box<Barrier>),
    Run(Run),
    /// All lanes of a warp execute it together, at one place.
    Together(Run),
    /// Lanes of a warp execute it together, each at its own place: only the name of the instruction is the same.
    Exchange(Box<Exchange>),
}

/// How an instruction passes undefined bits on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Flow {
    /// A bit of the result depends on single bits of the operands: moves, shifts, logic.
    Bits,
    /// All bits of the result depend on all bits of the operands.
    #[default]
    Values,
    /// The operands decide what happens.
    Decides,
    /// Accesses of memory: addresses decide, and the instruction handles its values.
    Memory,
}

/// The registers of an instruction, relative to its frame.
#[derive(Debug, Default)]
pub(super) struct Uses {
    pub(super) flow: Flow,
    pub(super) reads: Vec<u32>,
    pub(super) conditions: Vec<u32>,
    pub(super) addresses: Vec<u32>,
    /// With their widths.
    pub(super) writes: Vec<(u32, u32)>,
    pub(super) predicates: Vec<u32>,
}

pub(super) struct Instruction {
    pub(super) op: Op,
    pub(super) guard: Condition,
    /// Where the lanes that a branch separates meet again: `u32::MAX` is the end of the function.
    pub(super) join: u32,
    pub(super) line: u32,
    pub(super) source: Option<(u64, u64)>,
    /// The start of the name, for messages.
    pub(super) name: Box<str>,
    pub(super) uses: Box<Uses>,
}

impl Instruction {
    /// Returns whether it ends a kernel.
    pub(super) fn is_end(&self) -> bool {
        matches!(self.op, Op::Return | Op::Exit) && self.guard == Condition::ALWAYS
    }
}

/// A decoded function.
#[derive(Default)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) instructions: Vec<Instruction>,
    pub(super) registers: u32,
    pub(super) predicates: u32,
    /// Bytes of local memory, with the bytes of its parameters.
    pub(super) frame: u32,
    pub(super) parameters: Vec<(u32, u32)>,
    pub(super) returns: Vec<(u32, u32)>,
}

/// A value that is the same for all lanes of a launch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Constant {
    Value(u64),
    /// A variable of the module.
    Variable(String, i64),
    /// A shared variable, by its number.
    Shared(u32, i64),
    /// A function of the module, by its number.
    Function(u32),
}

/// A kernel with all functions that it can call. The kernel is the first one.
#[derive(Default)]
pub(crate) struct Executable {
    pub(super) functions: Vec<Function>,
    /// The decoded function of each function of the module.
    pub(super) numbers: Vec<Option<u32>>,
    pub(super) constants: Vec<Constant>,
    /// The special registers that it reads, and their axes.
    pub(super) specials: Vec<(Special, usize)>,
    /// The offset of each shared variable, and the end of all.
    pub(super) shared: Vec<u64>,
    pub(super) shared_size: u64,
    /// It synchronizes the blocks of its grid.
    pub(super) has_grid_barrier: bool,
    /// It has `griddepcontrol.wait`.
    pub(crate) awaits_grids: bool,
    /// It has `griddepcontrol.launch_dependents`.
    pub(crate) releases_grids: bool,
    /// It reads where the shared memory of the toolkit's library is.
    pub(super) has_reserved: bool,
    /// Whether results depend on the order of blocks: they run in order then.
    pub(super) is_ordered: bool,
    pub(crate) allocates: bool,
    /// The source files by their numbers.
    pub(super) files: std::collections::BTreeMap<u64, String>,
}

impl Executable {
    /// Returns the instruction at a place in a function.
    pub(super) fn instruction(&self, (function, pc): (u32, u32)) -> &Instruction {
        &self.functions[function as usize].instructions[pc as usize]
    }

    /// Returns the file and the line of the source: `kernel.cu:7`.
    pub(super) fn source(&self, instruction: &Instruction) -> Option<String> {
        let (file, line) = instruction.source?;
        self.files.get(&file).map(|file| format!("{file}:{line}"))
    }
}
