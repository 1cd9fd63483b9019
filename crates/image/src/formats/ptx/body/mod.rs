//! What the bodies of kernels do with their parameters: which of them are pointers, what is read and written through
//! them, and which elements are behind them.
//!
//! | module | content |
//! |---|---|
//! | `statements`, `names`, `opcodes` | the statements of a body, its registers, a table of opcodes |
//! | `translate`, `outline` | the body as compact instructions, together with the functions that it calls |
//! | `lists`, `value` | abstract values: from which parameters a register can be computed |
//! | `flow` | the values of all registers and of local memory: a fixpoint, in any order of the instructions |
//! | `uses` | which slot each access uses; the result in the common model |
//!
//! # Why "never written" is true
//!
//! Every address that a running kernel has in a register is computed from an atom of the register's value: a slot, a
//! variable, local memory, or a value from elsewhere. This holds because
//! - values only grow until none changes, whatever the order of the instructions. Each opcode either keeps the atoms of
//!   its operands, or makes a number. An opcode that is not known makes a value from elsewhere, and its operands
//!   escape;
//! - a number is no address: it is a product, a quotient, a small mask, 32 bits of an address, an offset in the window
//!   of shared memory. In a sum with an address, it leads to the same memory. The distance of two addresses does not:
//!   it keeps its atoms in what is computed from it. 32 bits combined to 64 are their atoms and a value from elsewhere;
//! - local memory has a value for each 8 bytes. What is stored in part or at an unknown offset can be in all of it.
//!   After a store that can be in several arrays, or after code that is not known got the address, a load can be any
//!   slot. What is never stored as a whole is from elsewhere;
//! - no other memory is followed. A slot that is stored there or gets to code that is not known escapes: everything can
//!   happen to it. Lists that are too long are every slot. A text that is too large or takes too much work has no
//!   claim.
//!
//! So an access uses slots of its address only. A slot in no written address that does not escape is never written.
//!
//! # Why "written" is true
//!
//! An access certainly uses a slot if nothing else in its address can be an address. That is its only atom. In a sum
//! without differences, which has one address, it is the only term that is known to be one: through which memory is
//! accessed alone, a global address for `cvta`, a `.ptr`, a variable. In a choice or a difference, each other term must
//! be an integer that the code multiplies or divides. Otherwise the access is possible for all slots of the address.
#![allow(clippy::struct_excessive_bools, reason = "independent facts")]

mod flow;
mod lists;
mod names;
mod opcodes;
mod outline;
mod statements;
mod translate;
mod uses;
mod value;

use super::{Module, PointerAccess, entry::parameters, lexer::Lexer};
use crate::prelude::*;
use core::ops::Range;
use flow::Flow;
use kernel_args_abi::{
    Body,
    signature::{ElementClass, Evidence, Slot, SlotKind},
};
use lists::{Lists, SlotId};
use names::Register;
use opcodes::Opcodes;
use outline::Outline;
use translate::Translator;
use uses::Uses;
use value::Value;

/// Analyses the bodies of the kernels of a PTX text.
pub struct Bodies<'t> {
    text: &'t [u8],
    opcodes: Opcodes<'t>,
    lists: Lists,
    outline: Option<Outline<'t>>,
}

/// The work for all bodies of a text: for each byte, and in addition. Compilers' output needs less than 1 a byte.
const WORK: u64 = 8;
const LEAST_WORK: u64 = 1 << 18;

impl<'t> Bodies<'t> {
    /// For the text that a [`Module`] was read from.
    #[must_use]
    pub fn new(text: &'t [u8]) -> Self {
        Self { text, opcodes: Opcodes::new(), lists: Lists::new(WORK * text.len() as u64 + LEAST_WORK), outline: None }
    }

    /// Analyses a kernel. `None` if `module` has a different text or no such kernel, or if it cannot be analysed.
    pub fn kernel(&mut self, module: &Module, symbol: &str) -> Option<KernelBody<'t>> {
        let (at, declaration) = module.declaration(symbol)?;
        let end = at.checked_add(declaration.len())?;
        if self.text.get(at..end) != Some(declaration) || self.text.get(end) != Some(&b'{') {
            return None;
        }
        let whole = Lexer::new(self.text);
        let mut lexer = whole.back_to(at);
        lexer.identifier("").ok()?;
        let parameters = parameters(&mut lexer).ok()?;
        self.lists.clear_if_full();
        self.lists.pay(1).ok()?;
        let outline = self.outline.get_or_insert_with(|| Outline::read(self.text, module.outline()));
        let translator = Translator::new(&mut self.opcodes, outline, &mut self.lists);
        let code = translator.translate(&whole.back_to(end), &parameters).ok()?;
        let mut flow = Flow::run(&code, &mut self.lists).ok()?;
        let uses = Uses::of(&mut flow).ok()?;
        let mut body = KernelBody::default();
        for (parameter, symbol) in code.symbols[..parameters.len()].iter().enumerate() {
            let slots = symbol.slots();
            let own = slots.clone().map(|slot| &uses[usize::from(slot)]).enumerate();
            let known = own.clone().filter(|(_, own)| own.is_used).map(|(index, own)| own.slot(8 * index));
            body.parameters.push((!slots.is_empty()).then(|| known.collect()));
            body.accesses.extend(own.filter_map(|(index, own)| own.needs_of_memory(parameter, 8 * index)));
        }
        Some(body)
    }
}

/// What the body of a kernel does with its parameters.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KernelBody<'t> {
    /// `None` for a parameter without memory, such as a `.texref`.
    parameters: Vec<Option<Vec<Slot<'t>>>>,
    accesses: Vec<PointerAccess>,
}

impl KernelBody<'_> {
    /// Returns what the body does with each parameter.
    #[must_use]
    pub fn parameters(&self) -> impl ExactSizeIterator<Item = Body<'_>> {
        let parameters = self.parameters.iter();
        parameters.map(|slots| slots.as_ref().map_or(Body::UNKNOWN, |slots| Body::of(slots)))
    }

    /// Returns what it needs of the memory behind each pointer.
    #[must_use]
    pub fn accesses(&self) -> &[PointerAccess] {
        &self.accesses
    }

    /// Returns what it does with the parameter at this index.
    #[must_use]
    pub fn parameter(&self, index: usize) -> Body<'_> {
        self.parameters().nth(index).unwrap_or(Body::UNKNOWN)
    }
}

#[derive(Default)]
struct Program<'t> {
    /// The value of each register from instructions that read no register.
    values: Vec<Option<Value>>,
    steps: Vec<Step>,
    accesses: Vec<Access<'t>>,
    kinds: Vec<(Register, SlotKind, Evidence<'t>)>,
    symbols: Vec<Object>,
    /// The classes of arithmetic that each register takes part in, as bits.
    classes: Vec<u8>,
    slots: usize,
}

#[derive(Clone, Copy)]
struct Step {
    action: Action,
    to: Register,
    a: Register,
    b: Register,
    bytes: u8,
    offset: i32,
}

#[derive(Clone, Copy)]
enum Action {
    Copy,
    Add,
    Subtract,
    Multiply,
    /// A quotient or a remainder.
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
struct Access<'t> {
    base: Register,
    offset: i32,
    is_read: bool,
    is_written: bool,
    /// Whether every thread of every launch does it.
    is_always: bool,
    /// A register with the element, whose arithmetic is known in the end.
    element: Register,
    /// The elements that the opcode accesses, and whether the access itself computes.
    class: ElementClass,
    is_computed: bool,
    /// The size of each element in bytes. 0 if the access does not show it.
    size: u8,
    /// The bytes that the instruction accesses at once. 0 if it is not known.
    width: u8,
    evidence: Evidence<'t>,
}

#[derive(Clone, Copy, PartialEq)]
enum Object {
    /// A parameter: its size, its first slot, and whether it is declared as a pointer.
    Parameter {
        bytes: u32,
        first: SlotId,
        is_pointer: bool,
    },
    Memory,
}

impl Object {
    fn slots(self) -> Range<SlotId> {
        match self {
            Self::Parameter { bytes, first, .. } => first..first + bytes.div_ceil(8) as SlotId,
            Self::Memory => 0..0,
        }
    }
}
