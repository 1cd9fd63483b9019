//! The instructions of a body in compact form.

use super::{lists::SlotId, names::Register, value::Value};
use alloc::vec::Vec;
use core::ops::Range;
use kernel_args_abi::signature::{ElementClass, Evidence, SlotKind};

#[derive(Default)]
pub(super) struct Program<'t> {
    /// The value of each register from instructions that read no register.
    pub(super) values: Vec<Option<Value>>,
    pub(super) steps: Vec<Step>,
    pub(super) accesses: Vec<Access<'t>>,
    pub(super) kinds: Vec<(Register, SlotKind, Evidence<'t>)>,
    pub(super) symbols: Vec<Object>,
    /// The classes of arithmetic that each register takes part in, as bits.
    pub(super) classes: Vec<u8>,
    pub(super) slots: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) action: Action,
    pub(super) to: Register,
    pub(super) a: Register,
    pub(super) b: Register,
    pub(super) bytes: u8,
    pub(super) offset: i32,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Action {
    Copy,
    Add,
    Subtract,
    Multiply,
    /// Or the remainder.
    Divide,
    ShiftLeft,
    And,
    Or,
    /// The bits of `a` in another arrangement.
    Bits,
    /// The integer `a` in another size.
    Resize,
    /// The generic address of `a`, an address in shared memory, for example.
    Generic,
    /// What is loaded from `a + offset`.
    Load,
    Store,
    /// `a` gets to code that is not known.
    Pass,
}

/// An access to memory that a parameter may point to. An access that reads and writes is atomic.
#[derive(Clone, Copy, Default)]
pub(super) struct Access<'t> {
    pub(super) base: Register,
    pub(super) offset: i32,
    pub(super) is_read: bool,
    pub(super) is_written: bool,
    /// Whether every thread of every launch does it.
    pub(super) is_always: bool,
    /// A register with the element, whose arithmetic is known in the end.
    pub(super) element: Register,
    /// Of the opcode, and whether the access itself computes.
    pub(super) class: ElementClass,
    pub(super) is_computed: bool,
    /// The size of each element in bytes. 0 if the access does not show it.
    pub(super) size: u8,
    /// The bytes that the instruction accesses at once. 0 if it is not known.
    pub(super) width: u8,
    pub(super) evidence: Evidence<'t>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Object {
    /// With its size and its first slot, and whether it is declared as a pointer.
    Parameter {
        bytes: u32,
        first: SlotId,
        is_pointer: bool,
    },
    Memory,
}

impl Object {
    pub(super) fn slots(self) -> Range<SlotId> {
        match self {
            Self::Parameter { bytes, first, .. } => first..first + bytes.div_ceil(8) as SlotId,
            Self::Memory => 0..0,
        }
    }
}
