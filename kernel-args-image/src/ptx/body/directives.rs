//! The directives in a body: declarations and `.loc`.

use super::{
    names::Name,
    statements::{Statement, Statements, Unreadable},
};
use crate::ptx::lexer::{Token, constant};

impl<'t> Statements<'t> {
    fn take(&mut self, sign: u8) -> Result<bool, Unreadable> {
        self.lexed(|lexer| lexer.take(sign))
    }

    /// Reads the declared names up to the `;`.
    pub(super) fn names(&mut self) -> Result<(), Unreadable> {
        let mut is_value = false;
        self.declared.clear();
        loop {
            match self.token()? {
                Token::Sign(b';') => return Ok(()),
                Token::Sign(b'=') => is_value = true,
                Token::Sign(b'<') => {
                    let token = self.token()?;
                    if let (Token::Number(text), Some(last)) = (token, self.declared.last_mut()) {
                        last.1 = constant(text).ok_or(Unreadable)?;
                    }
                }
                Token::Identifier(name) if !is_value => {
                    self.declared.push((Name::of(name), 0));
                }
                Token::End => return Err(Unreadable),
                _ => {}
            }
        }
    }

    /// Called after `.loc`, which ends without a sign.
    pub(super) fn location(&mut self) -> Result<Statement<'t>, Unreadable> {
        let mut numbers = [0; 3];
        for number in &mut numbers {
            *number = self.file_or_line()?;
        }
        // `, function_name $L__info_string0, inlined_at 1 30 5`
        while self.take(b',')? {
            match self.token()? {
                Token::Identifier("function_name") => {
                    self.token()?;
                    if self.take(b'+')? {
                        self.token()?;
                    }
                }
                Token::Identifier("inlined_at") => {
                    for _ in 0..3 {
                        self.file_or_line()?;
                    }
                }
                _ => return Err(Unreadable),
            }
        }
        let [file, line, _] = numbers;
        Ok(Statement::Location { file, line })
    }

    fn file_or_line(&mut self) -> Result<u32, Unreadable> {
        let number = match self.token()? {
            Token::Number(text) => constant(text),
            _ => None,
        };
        number.and_then(|number| u32::try_from(number).ok()).ok_or(Unreadable)
    }
}
