//! The operands of an instruction, with registers instead of names.

use super::{names::Register, statements::Enclosed};

/// An operand whose name is replaced by its register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolved {
    pub(super) position: u8,
    pub(super) enclosed: Enclosed,
    pub(super) value: Source,
    pub(super) offset: i64,
}

/// What an operand is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    Register(Register),
    Number(i64),
    /// A constant of a floating-point type.
    Constant,
}

impl Resolved {
    pub(super) const fn register(&self) -> Option<Register> {
        match self.value {
            Source::Register(register) => Some(register),
            _ => None,
        }
    }
}

/// The operands of an instruction.
#[derive(Clone, Copy)]
pub(super) struct Operands<'r>(pub(super) &'r [Resolved]);

impl<'r> Operands<'r> {
    /// The operands at a position that are not in brackets: more than one of a vector.
    pub(super) fn at(self, position: u8) -> impl Iterator<Item = Source> + 'r {
        let is_there = move |operand: &&Resolved| {
            operand.position == position && operand.enclosed == Enclosed::Not
        };
        self.0.iter().filter(is_there).map(|operand| operand.value)
    }

    pub(super) fn registers(self, position: u8) -> impl Iterator<Item = Register> + 'r {
        self.at(position).filter_map(|source| match source {
            Source::Register(register) => Some(register),
            _ => None,
        })
    }

    /// The operand at a position, if it is no vector.
    pub(super) fn only(self, position: u8) -> Option<Source> {
        let mut all = self.at(position);
        all.next().filter(|_| all.next().is_none())
    }

    /// The destination.
    pub(super) fn first(self) -> Option<Register> {
        self.registers(0).next()
    }

    /// The registers after the first operand that are not in brackets.
    pub(super) fn sources(self) -> impl Iterator<Item = Register> + 'r {
        let is_source =
            |operand: &&Resolved| operand.position > 0 && operand.enclosed == Enclosed::Not;
        let sources = self.0.iter().filter(is_source);
        sources.filter_map(Resolved::register)
    }

    /// The address at this index: its register, or none for a number, and its offset.
    pub(super) fn address(self, index: usize) -> Option<(Register, i32)> {
        let in_brackets = |operand: &&Resolved| operand.enclosed == Enclosed::Brackets;
        let mut seen = None;
        let mut addresses = self.0.iter().filter(in_brackets).filter(|operand| {
            // The first part of each address.
            seen.replace(operand.position) != Some(operand.position)
        });
        let address = addresses.nth(index)?;
        let offset = i32::try_from(address.offset).unwrap_or(i32::MAX);
        Some((address.register()?, offset))
    }

    /// The offset of an operand that is no address: `mov.u64 %rd1, table+8`.
    pub(super) fn offset(self, position: u8) -> i64 {
        let operand = self.0.iter().find(|operand| operand.position == position);
        operand.map_or(0, |operand| operand.offset)
    }
}
