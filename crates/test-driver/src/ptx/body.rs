//! The body of a function: its memory, the names it uses, and whether each statement is valid.

use std::collections::HashSet;

use crate::placement::Shape;

use super::{
    Mistake,
    lexer::{Kind, Token},
    opcodes,
    reader::Reader,
    variable,
};

/// The parts of a body that matter to the driver.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// The `.shared` variables declared inside.
    pub(super) shared: Vec<(String, Shape)>,
    /// Bytes of `.local` variables declared inside.
    pub(super) local: u32,
    /// The identifiers in the body.
    pub(super) names: HashSet<String>,
}

/// Reads a body from its `{` to its `}`.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<Body, Mistake> {
    let mut body = Body::default();
    reader.expect('{')?;
    let mut depth = 1;
    while depth > 0 {
        if reader.takes('{') {
            depth += 1;
        } else if reader.takes('}') {
            depth -= 1;
        } else {
            body.statement(reader)?;
        }
    }
    Ok(body)
}

impl Body {
    fn statement(&mut self, reader: &mut Reader<'_>) -> Result<(), Mistake> {
        if reader.takes(';') {
            return Ok(());
        }
        if reader.takes('@') {
            reader.takes('!');
            reader.word()?;
        }
        let Some(token) = reader.peek() else {
            return Err(reader.unexpected());
        };
        let word = token.word().ok_or_else(|| reader.unexpected())?;
        match word {
            ".loc" => reader.skip_line(),
            ".shared" => {
                let declared = variable::read(reader)?;
                self.shared.push((declared.name.clone(), declared.shape()));
            }
            ".local" => self.local += variable::read(reader)?.bytes.len() as u32,
            _ if word.starts_with('.') => self.operands(reader)?,
            _ => {
                reader.skip();
                // A label.
                if reader.takes(':') {
                    return Ok(());
                }
                let root = word.split('.').next().unwrap_or_default();
                if !opcodes::KNOWN.contains(&root) {
                    return Err(Mistake::new(token.line, format!("Not a name of any known instruction: '{root}'")));
                }
                self.operands(reader)?;
            }
        }
        Ok(())
    }

    /// Skips to the position after the statement's `;`, and records names.
    fn operands(&mut self, reader: &mut Reader<'_>) -> Result<(), Mistake> {
        let mut depth = 0;
        loop {
            let Some(Token { kind, .. }) = reader.peek() else {
                return Err(reader.unexpected());
            };
            match kind {
                Kind::Mark('}') if depth == 0 => return Err(reader.unexpected()),
                Kind::Mark('{') => depth += 1,
                Kind::Mark('}') => depth -= 1,
                Kind::Word(word) if !word.starts_with('%') => drop(self.names.insert(word.clone())),
                _ => {}
            }
            let ends = depth == 0 && *kind == Kind::Mark(';');
            reader.skip();
            if ends {
                return Ok(());
            }
        }
    }
}
