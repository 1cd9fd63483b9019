//! The functions and source files of a text. They are searched for when a kernel calls a function, or when a line of
//! a source file is known.

use super::translate::Declared;
use crate::ptx::{
    Parameter,
    lexer::{Lexer, Token},
};
use alloc::{collections::BTreeMap, vec::Vec};

/// The functions and source files of a text.
pub(super) struct Outline<'t> {
    pub(super) functions: Vec<Function<'t>>,
    by_name: BTreeMap<&'t str, usize>,
    files: BTreeMap<u32, &'t str>,
}

/// A `.func` with a body.
pub(super) struct Function<'t> {
    pub(super) parameters: Vec<Declared<'t>>,
    pub(super) returns: Vec<&'t str>,
    /// At its `{`.
    pub(super) body: Lexer<'t>,
}

impl<'t> Outline<'t> {
    /// Reads the functions and files of the text of `lexer`, which are at these positions.
    pub(super) fn read(lexer: &Lexer<'t>, places: &[u32]) -> Self {
        let mut outline = Self { functions: Vec::new(), by_name: BTreeMap::new(), files: BTreeMap::new() };
        for &place in places {
            let mut place = lexer.back_to(place as usize);
            // An error would search for its line.
            if matches!(place.peek_token(), Ok((_, Token::Number(_)))) {
                if let Some((number, name)) = file(place) {
                    outline.files.insert(number, name);
                }
            } else if let Some((name, function)) = function(place) {
                outline.by_name.insert(name, outline.functions.len());
                outline.functions.push(function);
            }
        }
        outline
    }

    /// The index of a function.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The name of a source file, or an empty text.
    pub(super) fn file(&self, number: u32) -> &'t str {
        self.files.get(&number).copied().unwrap_or_default()
    }
}

/// Called after `.file`: `1 "/a/b.cu"`.
fn file(mut lexer: Lexer<'_>) -> Option<(u32, &str)> {
    let number = lexer.integer("").ok()?;
    let (start, token) = lexer.token().ok()?;
    let quoted = lexer.text(start, lexer.position());
    let name = quoted.strip_prefix('"')?.strip_suffix('"')?;
    (token == Token::String).then_some((u32::try_from(number).ok()?, name))
}

/// Called after `.func`: its name and what it declares. `None` without a body, and for registers as parameters, which
/// old versions of PTX allow.
fn function(mut lexer: Lexer<'_>) -> Option<(&str, Function<'_>)> {
    let lexer = &mut lexer;
    let returns = list(lexer)?;
    let name = loop {
        match lexer.token().ok()?.1 {
            Token::Identifier(name) => break name,
            // `.noreturn`, `.attribute(.unified(1, 2))`.
            Token::Directive(_) | Token::Number(_) | Token::Sign(b'(' | b')' | b',') => {}
            _ => return None,
        }
    };
    let parameters = list(lexer)?;
    loop {
        let (start, token) = lexer.peek_token().ok()?;
        match token {
            Token::Sign(b'{') => {
                let function = Function {
                    parameters,
                    returns: returns.iter().map(|(name, _)| *name).collect(),
                    body: lexer.back_to(start),
                };
                return Some((name, function));
            }
            Token::Directive(_) | Token::Number(_) | Token::Sign(b',') => lexer.token().ok()?,
            _ => return None,
        };
    }
}

/// A list of parameters or return values, possibly missing.
fn list<'t>(lexer: &mut Lexer<'t>) -> Option<Vec<Declared<'t>>> {
    let mut parameters = Vec::new();
    if !lexer.take(b'(').ok()? || lexer.take(b')').ok()? {
        return Some(parameters);
    }
    loop {
        let parameter = Parameter::parse(lexer).ok()?;
        parameters.push((parameter.name, parameter.layout.size()));
        if lexer.take(b')').ok()? {
            return Some(parameters);
        }
        lexer.take(b',').ok()?.then_some(())?;
    }
}
