//! The statements of a body. PTX ISA, "Statements".
//!
//! Bodies are megabytes, and the macros read them without optimization. So frequent tokens are read from bytes, with few calls, and rare
//! tokens by the [`Lexer`].

use super::{
    names::{NO_REGISTER, Name, Names},
    operands::{Enclosed, Operand, Source},
};
use crate::{
    bytes::skip,
    ptx::lexer::{DOTTED, Lexer, Token, WORD, constant},
};
use alloc::vec::Vec;

/// A statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Statement<'t> {
    /// `{`.
    Open,
    /// `}`.
    Close,
    /// An instruction: its opcode with all suffixes. [`Statements::operands`] reads its operands.
    Instruction(Name<'t>),
    /// A declaration of registers, or of arrays and parameters: [`Statements::declared`].
    Declaration { is_memory: bool },
    /// `.loc`: a file's number and a line.
    Location { file: u32, line: u32 },
    /// A label, or a directive without effect on values.
    Other,
}

/// Reads the statements of a body, which begins with its `{`.
pub(super) struct Statements<'t> {
    text: &'t [u8],
    at: usize,
    /// The names of a declaration, each with the number of registers in `%r<8>`, or 0.
    pub(super) declared: Vec<(Name<'t>, i64)>,
    /// The operands of an instruction.
    pub(super) operands: Vec<Operand>,
}

/// The maximum number of operands of an instruction. A kernel has at most 4,096 parameters.
const MOST_OPERANDS: usize = 1 << 13;

/// A text that is not PTX, or that is too large. No claim is made about it.
pub(super) struct Unreadable;

/// What a byte can begin.
#[derive(Clone, Copy)]
enum Begins {
    Name,
    Number,
    Blank,
    /// White space that is rare, or a comment.
    OtherBlank,
    Sign,
}

static BEGINS: [Begins; 256] = {
    let mut table = [Begins::Sign; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'%' | b'_' | b'$' | b'a'..=b'z' | b'A'..=b'Z' => Begins::Name,
            b'0'..=b'9' => Begins::Number,
            b' ' | b'\t' | b'\n' => Begins::Blank,
            b'\r' | 0x0b | 0x0c | b'/' => Begins::OtherBlank,
            _ => Begins::Sign,
        };
        byte += 1;
    }
    table
};

impl<'t> Statements<'t> {
    pub(super) fn new(lexer: &Lexer<'t>) -> Self {
        Self { text: lexer.source(), at: lexer.position(), declared: Vec::new(), operands: Vec::new() }
    }

    /// Lets a lexer read at this position.
    pub(super) fn lexed<T>(
        &mut self,
        read: impl FnOnce(&mut Lexer<'t>) -> Result<T, crate::ptx::Error>,
    ) -> Result<T, Unreadable> {
        let mut lexer = Lexer::new(self.text).back_to(self.at);
        let read = read(&mut lexer);
        self.at = lexer.position();
        read.map_err(|_| Unreadable)
    }

    pub(super) fn token(&mut self) -> Result<Token<'t>, Unreadable> {
        self.lexed(|lexer| Ok(lexer.token()?.1))
    }

    /// Skips white space and comments. Returns the next byte, or 0 at the end.
    fn first(&mut self) -> Result<u8, Unreadable> {
        let text = self.text;
        while self.at < text.len() {
            let byte = text[self.at];
            match BEGINS[byte as usize] {
                Begins::Blank => self.at += 1,
                Begins::OtherBlank => {
                    let start = self.at;
                    self.lexed(Lexer::skip_blank)?;
                    if self.at == start {
                        return Ok(byte);
                    }
                }
                _ => return Ok(byte),
            }
        }
        Ok(0)
    }

    /// The next statement.
    pub(super) fn next(&mut self) -> Result<Statement<'t>, Unreadable> {
        let mut first = self.first()?;
        // A predicate: `@!%p1`.
        if first == b'@' {
            self.at += 1;
            first = self.first()?;
            if first == b'!' {
                self.at += 1;
                first = self.first()?;
            }
            if matches!(BEGINS[first as usize], Begins::Name) {
                self.at = skip(self.text, self.at + 1, &WORD);
            } else {
                self.token()?;
            }
            first = self.first()?;
        }
        if matches!(BEGINS[first as usize], Begins::Name) {
            let opcode = Name::opcode(self.text, self.at);
            self.at += opcode.text.len();
            if self.first()? != b':' {
                return Ok(Statement::Instruction(opcode));
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
                self.names()?;
                Ok(match space {
                    "reg" => Statement::Declaration { is_memory: false },
                    "param" | "local" => Statement::Declaration { is_memory: true },
                    _ => Statement::Other,
                })
            }
            _ => Err(Unreadable),
        }
    }

    /// Reads operands up to the `;`. Their names are looked up in `names`. Returns whether all of them have a form that every opcode
    /// can have.
    pub(super) fn operands(&mut self, names: &mut Names<'t>) -> Result<bool, Unreadable> {
        let (mut is_plain, mut in_vector) = (true, false);
        let (mut position, mut enclosed) = (0_u8, Enclosed::Not);
        // Whether a name, or a name and a sign, are right before the next token; and whether the sign is a minus.
        let (mut after_name, mut joins, mut is_negative) = (false, false, false);
        self.operands.clear();
        loop {
            let first = self.first()?;
            let start = self.at;
            let was_name = after_name;
            after_name = false;
            let value = match BEGINS[first as usize] {
                Begins::Name => {
                    let name = Name::read(self.text, start);
                    self.at += name.text.len();
                    after_name = true;
                    // A name after a name and a sign has no known form.
                    if joins || (first == b'_' && name.text.len() == 1) {
                        Source::Register(NO_REGISTER)
                    } else {
                        Source::Register(names.get(name)?)
                    }
                }
                Begins::Number => match self.number() {
                    Some(number) if is_negative => Source::Number(number.wrapping_neg()),
                    Some(number) => Source::Number(number),
                    None => Source::Constant,
                },
                _ => {
                    self.at += 1;
                    match first {
                        b',' => {
                            if !in_vector && matches!(enclosed, Enclosed::Not) {
                                position = position.saturating_add(1);
                            }
                        }
                        b';' => return Ok(is_plain && !in_vector),
                        b'[' => enclosed = Enclosed::Brackets,
                        b'(' => enclosed = Enclosed::Parentheses,
                        b']' | b')' => enclosed = Enclosed::Not,
                        b'{' => in_vector = true,
                        b'}' if in_vector => in_vector = false,
                        b'+' | b'-' => {
                            joins = was_name;
                            is_negative = first == b'-';
                        }
                        // `%p1|%p2`, `!%p1`.
                        b'|' | b'!' => {}
                        _ => {
                            self.at = start;
                            match self.token()? {
                                // `%tid.x`.
                                Token::Directive("x" | "y" | "z" | "w") => {}
                                Token::Sign(b'}') | Token::End => return Err(Unreadable),
                                _ => is_plain = false,
                            }
                        }
                    }
                    continue;
                }
            };
            is_negative = false;
            if self.operands.len() == MOST_OPERANDS {
                return Err(Unreadable);
            }
            if !joins {
                self.operands.push(Operand { position, enclosed, value, offset: 0, at: start });
                continue;
            }
            joins = false;
            match (value, self.operands.last_mut()) {
                (Source::Number(number), Some(last)) => last.offset = number,
                _ => is_plain = false,
            }
        }
    }

    /// Reads a number. `None` if it is no integer.
    fn number(&mut self) -> Option<i64> {
        /// Numbers of this many digits fit.
        const DIGITS: usize = 18;
        let (text, start) = (self.text, self.at);
        let mut value = 0_i64;
        let mut at = start;
        while at < text.len() && matches!(BEGINS[text[at] as usize], Begins::Number) && at - start < DIGITS {
            value = 10 * value + i64::from(text[at] - b'0');
            at += 1;
        }
        self.at = skip(text, at, &DOTTED);
        // A number that begins with 0 can be octal.
        if self.at == at && (text[start] != b'0' || at == start + 1) {
            return Some(value);
        }
        constant(core::str::from_utf8(text.get(start..self.at)?).ok()?)
    }

    /// The name at this position.
    pub(super) fn name(&self, at: usize) -> Name<'t> {
        Name::read(self.text, at)
    }
}
