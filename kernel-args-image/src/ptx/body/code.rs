//! The instructions of a body in compact form.

use super::{
    lists::SlotId,
    names::{NO_REGISTER, Register},
    number::Number,
    value::Value,
};
use alloc::vec::Vec;
use kernel_args_abi::signature::{ElementClass, SlotKind};

/// The instructions of a body, without its text.
#[derive(Default)]
pub(super) struct Code<'t> {
    /// The value of each register from instructions that read no register.
    pub(super) values: Vec<Value>,
    pub(super) steps: Vec<Step>,
    pub(super) accesses: Vec<Access>,
    pub(super) uses: Vec<(Register, Use)>,
    pub(super) calls: Vec<Call<'t>>,
    pub(super) symbols: Vec<Symbol>,
    /// The classes of arithmetic that each register takes part in, as bits.
    pub(super) classes: Vec<u8>,
    /// The symbols of a function's return values.
    pub(super) returns: Vec<Register>,
    /// The number of slots of all parameters.
    pub(super) slots: usize,
}

/// An instruction that computes register `to` from registers, or stores a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) action: Action,
    pub(super) bytes: u8,
    pub(super) to: Register,
    pub(super) a: Register,
    pub(super) b: Register,
    /// The offset of an address, or the number of a call.
    pub(super) offset: i32,
}

/// What a step does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// `a`.
    Copy,
    /// `a + b`.
    Add,
    /// `a - b`.
    Subtract,
    /// `a * b`.
    Multiply,
    /// A number computed from `a`.
    Scale,
    /// The bits of `a` in another arrangement.
    Bits,
    /// `a & b`, where `b` is a constant.
    And,
    /// `a | b`, where `b` is a constant.
    Or,
    /// The integer `a` in another size.
    Resize,
    /// The generic address of `a`, an address in shared memory, for example.
    Generic,
    /// `bytes` that are loaded from `a + offset`.
    Load,
    /// `b` is stored at `a + offset`.
    Store,
    /// `a` gets to code that is not known.
    Pass,
    /// A call.
    Call,
}

/// An access to memory that a parameter may point to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) base: Register,
    pub(super) offset: i32,
    pub(super) mode: Mode,
    pub(super) element: Element,
    /// The number of bytes that the instruction accesses at once. 0 if it is not known.
    pub(super) width: u8,
    pub(super) origin: Origin,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Mode {
    Read,
    Write,
    Atomic,
}

/// The element of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Element {
    /// A register with the element. Its arithmetic is known when all instructions were read.
    pub(super) register: Register,
    /// The arithmetic of the access itself.
    pub(super) arithmetic: ElementClass,
    /// The class of the opcode.
    pub(super) class: ElementClass,
    /// The size of each element in bytes. 0 if the access does not show it.
    pub(super) bytes: u8,
    pub(super) is_vector: bool,
}

/// Where an instruction is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Origin {
    /// The number of the opcode.
    pub(super) opcode: u32,
    /// The number of the file and the line, or 0.
    pub(super) file: u32,
    pub(super) line: u32,
}

/// What an instruction shows about a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Use {
    /// It is a number.
    Arithmetic(Origin),
    /// It is converted to an address of global memory.
    Pointer,
    /// It is a texture or surface object, or the address of a tensor map.
    Object(SlotKind, Origin),
}

/// A call. Arguments and return values are symbols.
pub(super) struct Call<'t> {
    /// `None` if the function is not named.
    pub(super) callee: Option<&'t str>,
    pub(super) arguments: Vec<Register>,
    pub(super) returns: Vec<Register>,
}

/// What an address can be in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    /// A parameter of the kernel or function, with its size and its first slot.
    Parameter { bytes: u32, first: SlotId },
    /// Local memory, or an argument or return value of a call.
    Memory,
}

impl Step {
    pub(super) const fn new(action: Action, to: Register, a: Register, b: Register) -> Self {
        Self { action, bytes: 0, to, a, b, offset: 0 }
    }
}

impl Element {
    /// An element that the access itself computes with.
    pub(super) const fn computed(class: ElementClass, bytes: u8) -> Self {
        Self { register: NO_REGISTER, arithmetic: class, class, bytes, is_vector: false }
    }
}

impl Access {
    /// The offset as a number.
    pub(super) fn number(&self) -> Number {
        Number::constant(self.offset.into())
    }
}
