//! The statements of a body and their operands. PTX ISA, "Statements".
//!
//! Frequent tokens are read from bytes, by the rule in `formats::bytes`, rare ones by the [`Lexer`].

use super::names::{NO_REGISTER, Name, Names, NoClaim, Register};
use crate::formats::{
    bytes::skip,
    ptx::lexer::{BLANK, DOTTED, LINE, Lexer, NAME, Token, constant},
};
use crate::prelude::*;

#[derive(Clone, Copy)]
pub(super) enum Statement<'t> {
    Open,
    Close,
    /// The opcode with all suffixes, and whether a predicate is before it. Its operands follow.
    Instruction(Name<'t>, bool),
    /// Registers, or local memory or arguments of a call: [`Statements::declared`]. A range is `%r<8>`.
    Declaration {
        is_memory: bool,
        has_range: bool,
    },
    Location {
        file: u32,
        line: u32,
    },
    /// A label, or a directive without effect on values.
    Other,
}

#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) enclosed: Enclosed,
    pub(super) value: OperandValue,
    /// `+ 8` after a name.
    pub(super) offset: i64,
    pub(super) at: usize,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Enclosed {
    /// Nothing, or the braces of a vector.
    Not,
    /// `[ ]`: a part of an address.
    Brackets,
    /// `( )`: arguments of a call.
    Parentheses,
}

#[derive(Clone, Copy)]
pub(super) enum OperandValue {
    Register(Register),
    Number(i64),
    Constant,
}

impl Operand {
    pub(super) const fn register(&self) -> Option<Register> {
        if let OperandValue::Register(register) = self.value { Some(register) } else { None }
    }

    const fn plain_register(&self) -> Option<Register> {
        if matches!(self.enclosed, Enclosed::Not) { self.register() } else { None }
    }
}

#[derive(Default)]
pub(super) struct Operands {
    /// All, in order: more than one for a vector.
    pub(super) all: Vec<Operand>,
    /// The index of the first one at each position, and the number of all.
    pub(super) starts: Vec<usize>,
}

impl Operands {
    pub(super) fn at(&self, position: usize) -> &[Operand] {
        if position + 1 < self.starts.len() { &self.all[self.starts[position]..self.starts[position + 1]] } else { &[] }
    }

    pub(super) fn registers(&self, position: usize) -> impl Iterator<Item = Register> {
        self.at(position).iter().filter_map(Operand::plain_register)
    }

    pub(super) fn sources(&self) -> impl Iterator<Item = Register> {
        self.all[self.at(0).len()..].iter().filter_map(Operand::plain_register)
    }

    /// Returns its register, or none for a number, and its offset.
    pub(super) fn address(&self, index: usize) -> Option<(Register, i32)> {
        let operand = (0..self.starts.len())
            .filter_map(|position| self.at(position).first())
            .filter(|operand| operand.enclosed == Enclosed::Brackets)
            .nth(index)?;
        Some((operand.register()?, i32::try_from(operand.offset).unwrap_or(i32::MAX)))
    }
}

pub(super) struct Statements<'t> {
    text: &'t [u8],
    pub(super) at: usize,
    pub(super) declared: Vec<Name<'t>>,
    pub(super) operands: Operands,
}

impl<'t> Statements<'t> {
    pub(super) fn new(lexer: &Lexer<'t>) -> Self {
        Self { text: lexer.source, at: lexer.at, declared: Vec::new(), operands: Operands::default() }
    }

    fn lexed<T>(
        &mut self,
        read: impl FnOnce(&mut Lexer<'t>) -> Result<T, crate::formats::ptx::Error>,
    ) -> Result<T, NoClaim> {
        let mut lexer = Lexer::new(self.text).back_to(self.at);
        let read = read(&mut lexer);
        self.at = lexer.at;
        read.map_err(|_| NoClaim)
    }

    fn token(&mut self) -> Result<Token<'t>, NoClaim> {
        self.lexed(|lexer| Ok(lexer.token()?.1))
    }

    /// Skips white space and comments. Returns the next byte, or 0.
    fn first(&mut self) -> Result<u8, NoClaim> {
        self.at = skip(self.text, self.at, &BLANK);
        if self.at < self.text.len() && self.text[self.at] == b'/' {
            self.lexed(Lexer::skip_blank)?;
        }
        Ok(if self.at < self.text.len() { self.text[self.at] } else { 0 })
    }

    pub(super) fn next(&mut self) -> Result<Statement<'t>, NoClaim> {
        // A predicate: `@!%p1`.
        let is_predicated = self.first()? == b'@';
        if is_predicated {
            self.at += 1;
            if self.first()? == b'!' {
                self.at += 1;
            }
            self.token()?;
        }
        let first = self.first()?;
        if NAME[first as usize] {
            let opcode = Name::read(self.text, self.at, true);
            self.at += opcode.text.len();
            if self.first()? != b':' {
                return Ok(Statement::Instruction(opcode, is_predicated));
            }
            self.at += 1;
            return Ok(Statement::Other);
        }
        match self.token()? {
            Token::Sign(b'{') => Ok(Statement::Open),
            Token::Sign(b'}') => Ok(Statement::Close),
            Token::Sign(b';') => Ok(Statement::Other),
            Token::Directive("loc") => self.location(),
            Token::Directive(space) => {
                let (has_range, is_memory) = (self.names()?, matches!(space, "param" | "local"));
                let is_known = is_memory || space == "reg";
                Ok(if is_known { Statement::Declaration { is_memory, has_range } } else { Statement::Other })
            }
            _ => Err(NoClaim),
        }
    }

    /// Up to the `;`. Returns whether one of the names is a range.
    fn names(&mut self) -> Result<bool, NoClaim> {
        let (mut is_value, mut has_range) = (false, false);
        self.declared.clear();
        loop {
            match self.token()? {
                Token::Sign(b';') => return Ok(has_range),
                Token::Sign(b'=') => is_value = true,
                Token::Sign(b'<') => has_range = true,
                Token::Identifier(name) if !is_value => self.declared.push(Name::of(name)),
                Token::End => return Err(NoClaim),
                _ => {}
            }
        }
    }

    /// Called after `.loc`: a file, a line and a column, and possibly more. Compilers end the line after it.
    fn location(&mut self) -> Result<Statement<'t>, NoClaim> {
        let mut number = || match self.token()? {
            Token::Number(text) => constant(text).and_then(|number| number.try_into().ok()).ok_or(NoClaim),
            _ => Err(NoClaim),
        };
        let (file, line) = (number()?, number()?);
        self.at = skip(self.text, self.at, &LINE);
        Ok(Statement::Location { file, line })
    }

    /// Up to the `;`. Returns whether all have a form that every opcode can have.
    pub(super) fn operands(&mut self, names: &mut Names<'t>) -> Result<bool, NoClaim> {
        let (mut is_plain, mut in_vector, mut enclosed) = (true, false, Enclosed::Not);
        // What is right before the next token: a name; a name and a sign, possibly a minus.
        let (mut after_name, mut joins, mut is_negative) = (false, false, false);
        self.operands.all.clear();
        self.operands.starts.clear();
        self.operands.starts.push(0);
        loop {
            let first = self.first()?;
            let start = self.at;
            let was_name = core::mem::replace(&mut after_name, false);
            let value = if NAME[first as usize] {
                let name = Name::read(self.text, start, false);
                self.at += name.text.len();
                after_name = true;
                // A name after a name and a sign has no known form.
                let is_unknown = joins || first == b'_' && name.text.len() == 1;
                OperandValue::Register(if is_unknown { NO_REGISTER } else { names.get(name)? })
            } else if first.is_ascii_digit() {
                self.at = skip(self.text, start, &DOTTED);
                match str::from_utf8(&self.text[start..self.at]).ok().and_then(constant) {
                    Some(number) => OperandValue::Number(if is_negative { number.wrapping_neg() } else { number }),
                    None => OperandValue::Constant,
                }
            } else {
                self.at += 1;
                match first {
                    b',' if in_vector || enclosed != Enclosed::Not => {}
                    b',' => self.operands.starts.push(self.operands.all.len()),
                    b';' => {
                        self.operands.starts.push(self.operands.all.len());
                        return Ok(is_plain && !in_vector);
                    }
                    b'[' => enclosed = Enclosed::Brackets,
                    b'(' => enclosed = Enclosed::Parentheses,
                    b']' | b')' => enclosed = Enclosed::Not,
                    b'{' => in_vector = true,
                    b'}' if in_vector => in_vector = false,
                    b'+' | b'-' => (joins, is_negative) = (joins || was_name, first == b'-'),
                    // `%p1|%p2`, `!%p1`.
                    b'|' | b'!' => {}
                    _ => {
                        self.at = start;
                        match self.token()? {
                            // `%tid.x`.
                            Token::Directive("x" | "y" | "z" | "w") => {}
                            Token::Sign(b'}') | Token::End => return Err(NoClaim),
                            _ => is_plain = false,
                        }
                    }
                }
                continue;
            };
            is_negative = false;
            let is_offset = core::mem::replace(&mut joins, false);
            match (value, self.operands.all.last_mut()) {
                _ if !is_offset => self.operands.all.push(Operand { enclosed, value, offset: 0, at: start }),
                (OperandValue::Number(number), Some(last)) => last.offset = number,
                _ => is_plain = false,
            }
        }
    }

    pub(super) fn name(&self, at: usize) -> Name<'t> {
        Name::read(self.text, at, false)
    }
}
