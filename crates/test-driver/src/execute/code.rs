//! Decoded kernels: functions as instructions whose operands are slots, and whose labels are numbers.

use super::{
    arithmetic::{Combine, Test, Vector},
    matrix::{Fragment, Fragments, Shape},
    types::Type,
};

/// Where an operand is: a register of the function, a constant of the kernel, or a special register of the warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Register(u32),
    Constant(u32),
    Special(u32),
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

#[derive(Debug)]
pub(super) struct Access {
    pub(super) place: Place,
    pub(super) kind: Type,
    /// Whether other threads are expected to write here at the same time: `volatile`, `relaxed`, `acquire`, `release`.
    pub(super) is_strong: bool,
    /// The registers of the elements, with the width of the destination.
    pub(super) to: Vec<(u32, u32)>,
    pub(super) from: Vec<Source>,
    /// Stored elements, or loaded ones that a predicate replaces by zero: `cp.async` with fewer bytes.
    pub(super) count: usize,
}

/// `atom` and `red`.
pub(super) struct Atomic {
    pub(super) place: Place,
    pub(super) kind: Type,
    pub(super) combine: Combine,
    /// `None` for `red`.
    pub(super) to: Vec<u32>,
    pub(super) from: Vec<Source>,
    pub(super) third: Option<Source>,
}

pub(super) enum Callee {
    Function(u32),
    Indirect(Source),
    Host(Host),
}

/// Functions that the driver has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Host {
    Print,
    Assert,
    Allocate,
    Free,
    SetCondition,
    /// `cudaGraphKernelNodeSetParam`
    SetParameter,
}

pub(super) struct Call {
    pub(super) callee: Callee,
    /// Offsets in the caller's frame, and sizes.
    pub(super) arguments: Vec<(u32, u32)>,
    pub(super) results: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reduction {
    None,
    And,
    Or,
    Count,
}

pub(super) struct Barrier {
    pub(super) id: Source,
    /// 0: all threads.
    pub(super) count: Source,
    /// `bar.arrive` does not wait.
    pub(super) waits: bool,
    pub(super) reduction: Reduction,
    pub(super) of: Condition,
    /// A register, or a predicate.
    pub(super) to: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vote {
    All,
    Any,
    Uniform,
    Ballot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

/// Instructions that the lanes of a warp execute together. Those that `mask` names wait for each other.
#[rustfmt::skip]
pub(super) enum Together {
    Barrier,
    Vote { vote: Vote, of: Condition, to: u32 },
    Shuffle { mode: Shuffle, value: Source, lane: Source, clamp: Source, to: u32, valid: u32 },
    Match { value: Source, bits: u32, is_all: bool, to: u32, valid: u32 },
    Reduce { combine: Combine, kind: Type, value: Source, to: u32 },
    Elect { to: u32, valid: u32 },
    Matrix(Box<Matrix>),
    Fragments(Box<Product>),
    LoadFragment { place: Place, to: Vec<u32>, stride: Option<Source>, fragment: Fragment },
    StoreFragment { place: Place, from: Vec<Source>, stride: Option<Source>, fragment: Fragment },
    LoadMatrix { place: Place, to: Vec<u32>, transposed: bool },
    StoreMatrix { place: Place, from: Vec<Source>, transposed: bool },
}

pub(super) struct Matrix {
    pub(super) shape: Shape,
    pub(super) to: Vec<u32>,
    pub(super) a: Vec<Source>,
    pub(super) b: Vec<Source>,
    pub(super) c: Vec<Source>,
}

/// A product of `wmma`.
pub(super) struct Product {
    pub(super) fragments: Fragments,
    pub(super) to: Vec<u32>,
    pub(super) a: Vec<Source>,
    pub(super) b: Vec<Source>,
    pub(super) c: Vec<Source>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryBarrier {
    Initialise,
    Invalidate,
    /// `arrive`, and whether the phase's expected arrivals decrease: `arrive_drop`.
    Arrive {
        drops: bool,
        expects: bool,
    },
    Expect,
    Complete,
    /// `test_wait` and `try_wait`, and whether with a parity instead of a state.
    Test {
        parity: bool,
    },
    Pending,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Logic {
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carry {
    Add,
    Sub,
    /// `mad.lo.cc`, `mad.hi.cc`
    MadLow,
    MadHigh,
}

#[rustfmt::skip]
pub(super) enum Op {
    Nothing,
    Vector { function: Vector, to: u32, from: [Source; 4] },
    Test { test: Test, to: [u32; 2], from: [Source; 2], with: Option<(Logic, Condition)> },
    /// A test for each predicate.
    Tests { tests: [Test; 2], to: [u32; 2], from: [Source; 2] },
    /// `set`: as `setp`, with the bits for true.
    Set { test: Test, to: u32, from: [Source; 2], with: Option<(Logic, Condition)>, bits: u64 },
    Select { to: u32, from: [Source; 2], by: Condition },
    Predicate { to: u32, logic: Logic, from: [Condition; 2] },
    Carry { carry: Carry, kind: Type, reads: bool, writes: bool, to: u32, from: [Source; 3] },
    /// Parts of `bits` bits, the lowest first.
    Pack { to: u32, from: Vec<Source>, bits: u32 },
    Unpack { to: Vec<u32>, from: Source, bits: u32 },
    /// `%clock`, `%globaltimer`: the instructions of the warp, or the upper half of their number.
    Clock { is_high: bool, to: u32 },
    FrameAddress { to: u32, offset: u32 },
    Load(Box<Access>),
    Store(Box<Access>),
    Atomic(Box<Atomic>),
    /// Copies `size` bytes, of which `given` come from memory and the rest is zero; the tracked barrier of bulk copies.
    Copy { to: Place, from: Place, size: Source, given: Option<Source>, barrier: Option<Place> },
    MemoryBarrier { what: MemoryBarrier, place: Place, from: Vec<Source>, to: u32 },
    /// The address of shared memory in another block of the cluster, or the block's rank of an address.
    Map { to: u32, from: Source, rank: Option<Source>, is_generic: bool },
    Branch { target: u32 },
    BranchIndex { from: Source, targets: Vec<u32> },
    Call(Box<Call>),
    Return,
    Exit,
    Trap,
    Barrier(Box<Barrier>),
    ClusterArrive,
    ClusterWait,
    Together { mask: Option<Source>, what: Together },
    ActiveMask { to: u32 },
    StackSave { to: u32 },
    /// Other warps run: `nanosleep`.
    Yield { nanoseconds: Source },
    /// Orders memory, which is in order anyway.
    Fence,
    Texture(Box<super::texel::Fetch>),
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
}

impl Instruction {
    /// Whether it ends a kernel.
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

/// A special register that does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    Thread(u8),
    Threads(u8),
    Block(u8),
    Blocks(u8),
    Cluster(u8),
    Clusters(u8),
    BlockInCluster(u8),
    BlocksInCluster(u8),
    RankInCluster,
    SizeOfCluster,
    IsExplicitCluster,
    Lane,
    Warp,
    Warps,
    Multiprocessor,
    Multiprocessors,
    Grid,
    LaneMask(LaneMask),
    DynamicShared,
    TotalShared,
    /// Halves of the address of the memory for barriers of the grid.
    Workspace(u32),
    Zero,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneMask {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A kernel with all functions that it can call. The kernel is the first one.
pub(crate) struct Executable {
    pub(super) functions: Vec<Function>,
    /// The decoded function of each function of the module.
    pub(super) numbers: Vec<Option<u32>>,
    pub(super) constants: Vec<Constant>,
    pub(super) specials: Vec<Special>,
    /// The offset of each shared variable, and the end of all.
    pub(super) shared: Vec<u64>,
    pub(super) shared_size: u64,
    /// Whether results depend on the order of blocks: they run in order then.
    pub(super) is_ordered: bool,
    pub(crate) allocates: bool,
    /// The source files by their numbers.
    pub(super) files: std::collections::BTreeMap<u64, String>,
}
