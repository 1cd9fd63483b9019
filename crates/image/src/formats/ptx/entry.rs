//! One kernel: an `.entry` with its parameters and directives.

use super::{
    Error, Parameter,
    lexer::{Lexer, Token},
};
use crate::prelude::*;
use crate::{
    code::directives::{DirectiveField, Directives},
    mangled::Demangled,
};
use kernel_args_abi::signature;

/// A kernel of a PTX text. PTX ISA, "Kernel and Function Directives: .entry".
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Entry<'a> {
    /// The symbol: `saxpy`, `_Z5saxpyifPKfPf`.
    pub name: &'a str,
    /// The parameters, in order.
    pub parameters: Vec<Parameter<'a>>,
    /// The requirements for a launch.
    pub directives: Directives,
    /// Whether it has a body.
    pub is_defined: bool,
    /// Whether its body, or the body of a function of this text that it names, uses `.extern .shared .b8 s[];`, an
    /// array whose size the launch specifies (CUDA's `extern __shared__`).
    pub dynamic_shared: bool,
}

impl<'a> Entry<'a> {
    /// Called after `.entry`. Also returns the start of its body or of the `;`.
    pub(super) fn parse(lexer: &mut Lexer<'a>, version: (u16, u16)) -> Result<(Self, usize), Error> {
        let (at, name) = lexer.identifier("the kernel's name after `.entry`")?;
        if version < (1, 4) {
            const NEW: &str = "PTX 1.4 or newer, which lists a kernel's parameters in parentheses";
            return Err(lexer.error(at, NEW));
        }
        let parameters = parameters(lexer)?;
        let (directives, is_defined, end) = directives(lexer)?;
        let entry = Self { name, parameters, directives, is_defined, dynamic_shared: false };
        Ok((entry, end))
    }

    /// Returns the parameters in the common model: sizes, alignments and classes, and C++ types from `demangled` if its
    /// list has the same length. PTX contains no offsets.
    #[must_use]
    pub fn signature_parameters<'s>(&'s self, demangled: Option<&'s Demangled>) -> Vec<signature::Parameter<'s>> {
        let parameter = |parameter: &'s Parameter<'_>| signature::Parameter {
            name: parameter.name,
            spelling: &parameter.declaration,
            offset: None,
            align: Some(parameter.layout.align()),
            class: parameter.class,
            ..signature::Parameter::record(0, parameter.layout.size())
        };
        Demangled::typed(demangled, self.parameters.iter().map(parameter).collect())
    }
}

/// Above every GPU's limit of 32,764 bytes.
const PARAMETERS_LIMIT: usize = 65536;

pub(super) fn parameters<'a>(lexer: &mut Lexer<'a>) -> Result<Vec<Parameter<'a>>, Error> {
    let mut parameters = Vec::new();
    if !lexer.take(b'(')? || lexer.take(b')')? {
        return Ok(parameters);
    }
    loop {
        if parameters.len() == PARAMETERS_LIMIT {
            return Err(lexer.error(lexer.at, "at most 65536 parameters"));
        }
        parameters.push(Parameter::parse(lexer)?);
        match lexer.token()? {
            (_, Token::Sign(b',')) => {}
            (_, Token::Sign(b')')) => return Ok(parameters),
            (at, _) => return Err(lexer.error(at, "`,` or `)` after a parameter")),
        }
    }
}

/// Returns the directives, whether a body follows, and its position. Of equal directives, the last one counts.
fn directives(lexer: &mut Lexer<'_>) -> Result<(Directives, bool, usize), Error> {
    let mut directives = Directives::default();
    loop {
        let (at, token) = lexer.token()?;
        match token {
            Token::Sign(b'{') => {
                *lexer = lexer.back_to(at);
                lexer.skip_block()?;
                return Ok((directives, true, at));
            }
            Token::Sign(b';') => return Ok((directives, false, at)),
            Token::Directive("pragma") => pragma(lexer)?,
            Token::Directive(word) => match directives.by_word(word) {
                Some(DirectiveField::Dimensions(value)) => *value = Some(dimensions(lexer)?),
                Some(DirectiveField::Count(value)) => *value = Some(count(lexer)?),
                Some(DirectiveField::Flag(value)) => *value = true,
                None => {}
            },
            // Arguments of a directive that this crate does not know.
            Token::Number(_) | Token::Identifier(_) | Token::String | Token::Sign(b',' | b'(' | b')') => {}
            _ => {
                const BODY: &str = "a directive such as `.maxntid`, `{` or `;` after `.entry`";
                return Err(lexer.error(at, BODY));
            }
        }
    }
}

/// Called after `.pragma`.
fn pragma(lexer: &mut Lexer<'_>) -> Result<(), Error> {
    loop {
        match lexer.token()? {
            (_, Token::Sign(b';')) => return Ok(()),
            (_, Token::String | Token::Sign(b',')) => {}
            (at, _) => return Err(lexer.error(at, "`;` after `.pragma`")),
        }
    }
}

fn count(lexer: &mut Lexer<'_>) -> Result<u32, Error> {
    const COUNT: &str = "a number from 1 to 4294967295 after this directive";
    let (at, _) = lexer.peek_token()?;
    match u32::try_from(lexer.integer(COUNT)?) {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(lexer.error(at, COUNT)),
    }
}

fn dimensions(lexer: &mut Lexer<'_>) -> Result<[u32; 3], Error> {
    let mut dimensions = [count(lexer)?, 1, 1];
    for dimension in &mut dimensions[1..] {
        if !lexer.take(b',')? {
            break;
        }
        *dimension = count(lexer)?;
    }
    Ok(dimensions)
}
