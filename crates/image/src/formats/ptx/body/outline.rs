//! The functions and source files of a text.

use crate::formats::ptx::{
    Parameter,
    entry::parameters,
    lexer::{Lexer, Token},
};
use crate::prelude::*;

pub(super) struct Outline<'t> {
    pub(super) functions: Map<Vec<u8>, Function<'t>>,
    pub(super) files: Map<u128, &'t str>,
}

/// A `.func` with a body.
pub(super) struct Function<'t> {
    pub(super) parameters: Vec<Parameter<'t>>,
    pub(super) returns: Vec<Parameter<'t>>,
    pub(super) body: Lexer<'t>,
}

impl<'t> Outline<'t> {
    pub(super) fn read(text: &'t [u8], places: &[u32]) -> Self {
        let mut outline = Self { functions: Map::default(), files: Map::default() };
        for &place in places {
            // An error searches for its line, from the beginning of the text.
            let mut place = Lexer::new(text.get(place as usize..).unwrap_or_default());
            if matches!(place.peek_token(), Ok((_, Token::Number(_)))) {
                if let Some((number, name)) = file(place) {
                    outline.files.insert(number.into(), name);
                }
            } else if let Some((name, function)) = function(place) {
                outline.functions.insert(name.into(), function);
            }
        }
        outline
    }
}

/// Called after `.file`: `1 "/a/b.cu"`.
fn file(mut lexer: Lexer<'_>) -> Option<(u32, &str)> {
    let number = lexer.integer("").ok()?;
    let (start, token) = lexer.token().ok()?;
    let quoted = lexer.text(start, lexer.at);
    let name = quoted.strip_prefix('"')?.strip_suffix('"')?;
    (token == Token::String).then_some((u32::try_from(number).ok()?, name))
}

/// Called after `.func`. `None` without a body, and for registers as parameters (old PTX).
fn function(mut lexer: Lexer<'_>) -> Option<(&str, Function<'_>)> {
    let lexer = &mut lexer;
    let returns = parameters(lexer).ok()?;
    let name = loop {
        match lexer.token().ok()?.1 {
            Token::Identifier(name) => break name,
            // `.noreturn`, `.attribute(.unified(1, 2))`.
            Token::Directive(_) | Token::Number(_) | Token::Sign(b'(' | b')' | b',') => {}
            _ => return None,
        }
    };
    let parameters = parameters(lexer).ok()?;
    loop {
        match lexer.peek_token().ok()? {
            (start, Token::Sign(b'{')) => {
                let body = lexer.back_to(start);
                return Some((name, Function { parameters, returns, body }));
            }
            (_, Token::Directive(_) | Token::Number(_) | Token::Sign(b',')) => lexer.token().ok()?,
            _ => return None,
        };
    }
}
