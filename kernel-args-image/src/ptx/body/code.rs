//! The instructions of a body in compact form.

use super::{
    forms::SlotId,
    names::Register,
    value::{Stride, Value},
};
use alloc::vec::Vec;
use kernel_args_abi::signature::ElementClass;

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
    pub(super) seen: Vec<u8>,
    /// The symbols of a function's return values.
    pub(super) returns: Vec<Register>,
    /// The number of slots of all parameters.
    pub(super) slots: usize,
}

/// An instruction that computes a register from registers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// The same value.
    Copy {
        to: Register,
        from: Register,
    },
    /// The value plus a constant.
    Plus {
        to: Register,
        from: Register,
        number: i64,
    },
    Sum {
        to: Register,
        a: Register,
        b: Register,
        is_difference: bool,
    },
    /// The value times a number with these divisors.
    Scaled {
        to: Register,
        from: Register,
        by: Stride,
    },
    Product {
        to: Register,
        a: Register,
        b: Register,
    },
    /// The bits of a value in another arrangement.
    Bits {
        to: Register,
        from: Register,
        is_wide: bool,
    },
    /// An integer of another size.
    Resized {
        to: Register,
        from: Register,
        is_wide: bool,
    },
    /// With some bits cleared.
    Masked {
        to: Register,
        from: Register,
        mask: i64,
        is_wide: bool,
    },
    /// With some bits set.
    BitsSet {
        to: Register,
        from: Register,
        number: i64,
    },
    /// From a parameter or local memory.
    Load {
        to: Register,
        base: Register,
        offset: i32,
        bytes: u8,
    },
    /// To local memory or an argument of a call.
    Store {
        base: Register,
        offset: i32,
        bytes: u8,
        from: Register,
    },
    /// What a called function returns.
    Call {
        index: u32,
    },
}

/// An access to memory that a parameter may point to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) base: Register,
    pub(super) offset: i32,
    pub(super) mode: Mode,
    /// Whether the address can also be in a parameter or in local memory.
    pub(super) is_generic: bool,
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

/// What else an instruction does with a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Use {
    /// It gets to memory or code that is not analysed.
    Escape,
    /// It is stored at an address: it escapes, except in local memory.
    Stored { base: Register },
    /// It is a number.
    Arithmetic(Origin),
    /// It is converted to an address of global memory.
    Pointer,
    /// It is a texture or surface object, or the address of a tensor map.
    Handle,
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
