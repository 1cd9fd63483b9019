//! The statements of a body. PTX ISA, "Statements".

use crate::ptx::lexer::{Lexer, Token, constant};
use alloc::vec::Vec;

/// A statement. Its operands are in [`Statements::operands`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Statement<'t> {
    /// `{`.
    Open,
    /// `}`.
    Close,
    /// An instruction: its opcode with all suffixes, and whether its operands have a form that every opcode can have.
    Instruction { opcode: &'t str, is_plain: bool },
    /// A declaration of names in this space. The offset of an operand is the number of registers in `%r<8>`, or 0.
    Declaration { space: &'t str },
    /// `.loc`: a file's number and a line.
    Location { file: u32, line: u32 },
    /// A label, or a directive without effect on values.
    Other,
}

/// A part of an instruction's operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Operand<'t> {
    /// The number of commas before it, outside of brackets.
    pub(super) position: u8,
    pub(super) enclosed: Enclosed,
    pub(super) item: Item<'t>,
    /// `+ 8` after a name.
    pub(super) offset: i64,
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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Item<'t> {
    Name(&'t str),
    /// An integer constant.
    Number(i64),
    /// Another constant.
    Constant,
}

/// Reads the statements of a body, which begins with its `{`.
pub(super) struct Statements<'t> {
    lexer: Lexer<'t>,
    pub(super) operands: Vec<Operand<'t>>,
}

/// The maximum number of operands of an instruction. A kernel has at most 4,096 parameters.
const MOST_OPERANDS: usize = 1 << 13;

/// A text that is not PTX, or that is too large. No claim is made about it.
pub(super) struct Unreadable;

impl<'t> Statements<'t> {
    pub(super) fn new(lexer: Lexer<'t>) -> Self {
        Self {
            lexer,
            operands: Vec::new(),
        }
    }

    fn token(&mut self) -> Result<(usize, Token<'t>), Unreadable> {
        self.lexer.token().map_err(|_| Unreadable)
    }

    fn take(&mut self, sign: u8) -> Result<bool, Unreadable> {
        self.lexer.take(sign).map_err(|_| Unreadable)
    }

    /// The next statement.
    pub(super) fn next(&mut self) -> Result<Statement<'t>, Unreadable> {
        self.operands.clear();
        let (mut start, mut token) = self.token()?;
        // A predicate: `@!%p1`.
        if token == Token::Sign(b'@') {
            self.take(b'!')?;
            self.token()?;
            (start, token) = self.token()?;
        }
        match token {
            Token::Sign(b'{') => Ok(Statement::Open),
            Token::Sign(b'}') => Ok(Statement::Close),
            Token::Sign(b';') => Ok(Statement::Other),
            Token::Identifier(_) => {
                let opcode = self.lexer.with_suffixes(start);
                if self.take(b':')? {
                    return Ok(Statement::Other);
                }
                let is_plain = self.operands()?;
                Ok(Statement::Instruction { opcode, is_plain })
            }
            Token::Directive("loc") => self.location(),
            Token::Directive(space @ ("reg" | "param" | "local")) => {
                self.names()?;
                Ok(Statement::Declaration { space })
            }
            Token::Directive(_) => {
                self.names()?;
                Ok(Statement::Other)
            }
            _ => Err(Unreadable),
        }
    }

    /// Reads operands up to the `;`. Returns whether all of them have a known form.
    fn operands(&mut self) -> Result<bool, Unreadable> {
        let (mut is_plain, mut in_vector) = (true, false);
        let (mut position, mut enclosed) = (0_u8, Enclosed::Not);
        // Whether a name, or a name and a sign, are right before the next token; and whether the sign is a minus.
        let (mut after_name, mut joins, mut is_negative) = (false, false, false);
        loop {
            let (_, token) = self.token()?;
            let was_name = core::mem::take(&mut after_name);
            let item = match token {
                Token::Sign(b'+' | b'-') => {
                    joins = was_name;
                    is_negative = token == Token::Sign(b'-');
                    continue;
                }
                Token::Identifier(name) => {
                    after_name = true;
                    Item::Name(name)
                }
                Token::Number(text) => match constant(text) {
                    Some(number) if is_negative => Item::Number(number.wrapping_neg()),
                    Some(number) => Item::Number(number),
                    None => Item::Constant,
                },
                Token::Sign(b';') => return Ok(is_plain && !in_vector),
                Token::Sign(b',') => {
                    if enclosed == Enclosed::Not && !in_vector {
                        position = position.saturating_add(1);
                    }
                    continue;
                }
                Token::Sign(b'[') => {
                    enclosed = Enclosed::Brackets;
                    continue;
                }
                Token::Sign(b'(') => {
                    enclosed = Enclosed::Parentheses;
                    continue;
                }
                Token::Sign(b']' | b')') => {
                    enclosed = Enclosed::Not;
                    continue;
                }
                Token::Sign(b'{') => {
                    in_vector = true;
                    continue;
                }
                Token::Sign(b'}') if in_vector => {
                    in_vector = false;
                    continue;
                }
                // `%p1|%p2`, `!%p1`, `%tid.x`.
                Token::Sign(b'|' | b'!') | Token::Directive("x" | "y" | "z" | "w") => continue,
                Token::Sign(b'}') | Token::End => return Err(Unreadable),
                Token::Directive(_) | Token::String | Token::Sign(_) => {
                    is_plain = false;
                    continue;
                }
            };
            is_negative = false;
            if self.operands.len() == MOST_OPERANDS {
                return Err(Unreadable);
            }
            match (core::mem::take(&mut joins), item, self.operands.last_mut()) {
                (true, Item::Number(number), Some(last)) => last.offset = number,
                (true, ..) => is_plain = false,
                _ => self.operands.push(Operand {
                    position,
                    enclosed,
                    item,
                    offset: 0,
                }),
            }
        }
    }

    /// Reads the declared names up to the `;`.
    fn names(&mut self) -> Result<(), Unreadable> {
        let mut is_value = false;
        loop {
            match self.token()?.1 {
                Token::Sign(b';') => return Ok(()),
                Token::Sign(b'=') => is_value = true,
                Token::Sign(b'<') => {
                    let (_, token) = self.token()?;
                    if let (Token::Number(text), Some(last)) = (token, self.operands.last_mut()) {
                        last.offset = constant(text).ok_or(Unreadable)?;
                    }
                }
                Token::Identifier(name) if !is_value => self.operands.push(Operand {
                    position: 0,
                    enclosed: Enclosed::Not,
                    item: Item::Name(name),
                    offset: 0,
                }),
                Token::End => return Err(Unreadable),
                _ => {}
            }
        }
    }

    /// Called after `.loc`, which ends without a sign.
    fn location(&mut self) -> Result<Statement<'t>, Unreadable> {
        let mut numbers = [0; 3];
        for number in &mut numbers {
            *number = self.number()?;
        }
        // `, function_name $L__info_string0, inlined_at 1 30 5`
        while self.take(b',')? {
            match self.token()?.1 {
                Token::Identifier("function_name") => {
                    self.token()?;
                    if self.take(b'+')? {
                        self.token()?;
                    }
                }
                Token::Identifier("inlined_at") => {
                    for _ in 0..3 {
                        self.number()?;
                    }
                }
                _ => return Err(Unreadable),
            }
        }
        let [file, line, _] = numbers;
        Ok(Statement::Location { file, line })
    }

    fn number(&mut self) -> Result<u32, Unreadable> {
        let number = match self.token()?.1 {
            Token::Number(text) => constant(text),
            _ => None,
        };
        number
            .and_then(|number| u32::try_from(number).ok())
            .ok_or(Unreadable)
    }
}
