//! The operands of an instruction.
//!
//! The iterators are written by hand: without optimization, a filter costs several calls for each operand.

use super::names::Register;

/// A part of an instruction's operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    /// The number of commas before it, outside of brackets.
    pub(super) position: u8,
    pub(super) enclosed: Enclosed,
    pub(super) value: Source,
    /// `+ 8` after a name.
    pub(super) offset: i64,
    /// Where it is in the text.
    pub(super) at: usize,
}

/// What encloses a part of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Enclosed {
    /// Nothing, or the braces of a vector.
    Not,
    /// `[ ]`: a part of an address.
    Brackets,
    /// `( )`: arguments of a call.
    Parentheses,
}

/// What an operand is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    Register(Register),
    /// An integer constant.
    Number(i64),
    /// Another constant.
    Constant,
}

impl Operand {
    pub(super) const fn register(&self) -> Option<Register> {
        match self.value {
            Source::Register(register) => Some(register),
            _ => None,
        }
    }
}

/// The operands of an instruction.
#[derive(Clone, Copy)]
pub(super) struct Operands<'r>(pub(super) &'r [Operand]);

/// The operands at some positions that are not in brackets.
#[derive(Clone)]
pub(super) struct At<'r> {
    rest: &'r [Operand],
    first: u8,
    last: u8,
}

impl Iterator for At<'_> {
    type Item = Source;

    fn next(&mut self) -> Option<Source> {
        while let [operand, rest @ ..] = self.rest {
            self.rest = rest;
            if operand.position >= self.first
                && operand.position <= self.last
                && matches!(operand.enclosed, Enclosed::Not)
            {
                return Some(operand.value);
            }
        }
        None
    }
}

/// The registers among operands.
pub(super) struct Registers<'r>(At<'r>);

impl Iterator for Registers<'_> {
    type Item = Register;

    fn next(&mut self) -> Option<Register> {
        loop {
            match self.0.next() {
                Some(Source::Register(register)) => return Some(register),
                Some(_) => {}
                None => return None,
            }
        }
    }
}

impl<'r> Operands<'r> {
    /// The operands at a position that are not in brackets: more than one of a vector.
    pub(super) const fn at(self, position: u8) -> At<'r> {
        At { rest: self.0, first: position, last: position }
    }

    pub(super) const fn registers(self, position: u8) -> Registers<'r> {
        Registers(self.at(position))
    }

    /// The operand at a position, if it is no vector.
    pub(super) fn only(self, position: u8) -> Option<Source> {
        let mut all = self.at(position);
        match (all.next(), all.next()) {
            (first, None) => first,
            _ => None,
        }
    }

    /// The operands before a position.
    pub(super) fn until(self, position: u8) -> &'r [Operand] {
        let mut end = 0;
        while end < self.0.len() && self.0[end].position < position {
            end += 1;
        }
        &self.0[..end]
    }

    /// The destination.
    pub(super) fn first(self) -> Option<Register> {
        self.registers(0).next()
    }

    /// The registers after the first operand that are not in brackets.
    pub(super) const fn sources(self) -> Registers<'r> {
        Registers(At { rest: self.0, first: 1, last: u8::MAX })
    }

    /// The address at this index: its register, or none for a number, and its offset.
    pub(super) fn address(self, mut index: usize) -> Option<(Register, i32)> {
        let mut rest = self.0;
        let mut seen = None;
        while let [operand, after @ ..] = rest {
            rest = after;
            // The first part of each address.
            if !matches!(operand.enclosed, Enclosed::Brackets) || seen == Some(operand.position) {
                continue;
            }
            seen = Some(operand.position);
            if index == 0 {
                let offset = i32::try_from(operand.offset).unwrap_or(i32::MAX);
                return Some((operand.register()?, offset));
            }
            index -= 1;
        }
        None
    }

    /// The offset of an operand that is no address: `mov.u64 %rd1, table+8`.
    pub(super) fn offset(self, position: u8) -> i64 {
        let mut rest = self.0;
        while let [operand, after @ ..] = rest {
            if operand.position == position {
                return operand.offset;
            }
            rest = after;
        }
        0
    }
}
