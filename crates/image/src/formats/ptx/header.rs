//! The beginning of a PTX text.

use super::{
    Error,
    lexer::{Lexer, Token},
};
use crate::formats::bytes::before_nul;

/// The beginning of a PTX text. PTX ISA, "PTX Module Directives".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Header<'a> {
    /// The major and minor number of `.version`.
    pub version: (u16, u16),
    /// `.target`.
    pub target: Target<'a>,
    /// `.address_size` in bits, if it directly follows `.target`, as PTX requires.
    pub address_size: Option<u8>,
}

/// The value of `.target`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Target<'a> {
    /// The GPUs, or `None` if [`Target::parse`](crate::Target::parse) does not accept them.
    pub gpu: Option<crate::Target>,
    /// The list as spelled: `sm_90a`, or `sm_75, texmode_independent`.
    pub text: &'a str,
}

impl<'a> Header<'a> {
    /// Reads the beginning of a text, which may end with a NUL and need not be UTF-8 in comments and strings.
    ///
    /// # Errors
    /// If the text does not begin with `.version` and `.target`.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        let lexer = &mut Lexer::new(before_nul(bytes));
        let (version, target) = first(lexer)?;
        let mut address_size = None;
        // Errors in the rest of the text do not matter here.
        if let Ok((_, Token::Directive("address_size"))) = lexer.token() {
            let bits = lexer.integer("32 or 64 after `.address_size`");
            address_size = bits.ok().and_then(|bits| u8::try_from(bits).ok());
        }
        Ok(Self { version, target, address_size })
    }
}

pub(super) fn first<'a>(lexer: &mut Lexer<'a>) -> Result<((u16, u16), Target<'a>), Error> {
    Ok((version(lexer)?, Target::parse(lexer)?))
}

/// It must be the first statement.
fn version(lexer: &mut Lexer<'_>) -> Result<(u16, u16), Error> {
    const FIRST: &str = "PTX, which begins with `.version`";
    const NUMBERS: &str = "a version such as `9.0` after `.version`";
    let (at, token) = lexer.token()?;
    if token != Token::Directive("version") {
        return Err(lexer.error(at, FIRST));
    }
    let (at, token) = lexer.token()?;
    let numbers = match token {
        Token::Number(text) => text.split_once('.'),
        _ => None,
    };
    numbers
        .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
        .ok_or_else(|| lexer.error(at, NUMBERS))
}

impl<'a> Target<'a> {
    /// It must be the second statement.
    fn parse(lexer: &mut Lexer<'a>) -> Result<Self, Error> {
        const NAME: &str = "a name such as `sm_90` in `.target`";
        let (at, token) = lexer.token()?;
        if token != Token::Directive("target") {
            return Err(lexer.error(at, "`.target` after `.version`"));
        }
        let (start, first) = lexer.identifier(NAME)?;
        let mut end = lexer.at;
        let mut gpu = crate::Target::parse(first);
        while lexer.take(b',')? {
            let (_, name) = lexer.identifier(NAME)?;
            gpu = gpu.or(crate::Target::parse(name));
            end = lexer.at;
        }
        Ok(Self { gpu, text: lexer.text(start, end) })
    }
}
