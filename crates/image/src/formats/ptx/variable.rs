//! Variables of a module: `.const .align 8 .b8 powers[16];`. PTX ISA, "State Spaces" and "Variables".

use super::{
    Parameter,
    lexer::{Lexer, Token},
    parameter::{alignment, declaration, scalar_class},
};
use crate::code::VariableSpace;
use kernel_args_abi::{Alignment, Class, Layout};

pub(super) struct Variable<'a> {
    pub(super) space: VariableSpace,
    pub(super) value: Parameter<'a>,
}

impl<'a> Variable<'a> {
    /// Reads a declaration that begins at `start`, up to its initializer:
    ///
    /// ```text
    /// .global  { .attribute(.managed) | .align N | .v2 }  type  name  { '[' N ']' }
    /// ```
    /// `None` for other declarations: of a texture, of a list of variables, of an array whose length its initializer
    /// specifies.
    pub(super) fn parse(lexer: &mut Lexer<'a>, start: usize) -> Option<Self> {
        *lexer = lexer.back_to(start);
        let mut space = match lexer.token().ok()?.1 {
            Token::Directive("global") => VariableSpace::Global,
            Token::Directive("const") => VariableSpace::Constant,
            _ => return None,
        };
        let (mut raised, mut elements) = (Alignment::ONE, 1_usize);
        let scalar = loop {
            match lexer.token().ok()?.1 {
                Token::Directive("attribute") => {
                    if attribute(lexer)? {
                        space = VariableSpace::Managed;
                    }
                }
                Token::Directive("align") => raised = raised.max(alignment(lexer).ok()?),
                Token::Directive("v2") => elements = 2,
                Token::Directive("v4") => elements = 4,
                Token::Directive("v8") => elements = 8,
                Token::Directive(scalar) => break scalar,
                _ => return None,
            }
        };
        let (Some(class), natural) = scalar_class(scalar)? else {
            return None;
        };
        let Token::Identifier(name) = lexer.token().ok()?.1 else {
            return None;
        };
        // A vector is aligned to its size.
        let whole = natural.bytes().checked_mul(elements)?;
        let mut length = None;
        while lexer.take(b'[').ok()? {
            let dimension = usize::try_from(lexer.integer("").ok()?).ok()?;
            length = Some(length.unwrap_or(1_usize).checked_mul(dimension)?);
            if !lexer.take(b']').ok()? {
                return None;
            }
        }
        let end = lexer.at;
        if !matches!(lexer.token().ok()?.1, Token::Sign(b'=' | b';')) {
            return None;
        }
        *lexer = lexer.back_to(end);
        let size = length.unwrap_or(1).checked_mul(whole)?;
        let layout = Layout::new(size, raised.max(Alignment::new(whole)?)).ok()?;
        Some(Self {
            space,
            value: Parameter {
                name,
                declaration: declaration(lexer, start),
                scalar,
                length,
                layout,
                class: if elements == 1 && length.is_none() { class } else { Class::Bytes },
                pointee: None,
            },
        })
        .filter(|_| size > 0)
    }
}

/// Called after `.attribute`: whether the list contains `.managed`.
fn attribute(lexer: &mut Lexer<'_>) -> Option<bool> {
    let (mut is_managed, mut depth) = (false, 0_usize);
    loop {
        match lexer.token().ok()?.1 {
            Token::Sign(b'(') => depth += 1,
            Token::Sign(b')') => depth = depth.checked_sub(1)?,
            Token::Directive("managed") => is_managed = true,
            Token::Sign(b',') | Token::Directive(_) | Token::Number(_) => {}
            _ => return None,
        }
        if depth == 0 {
            return Some(is_managed);
        }
    }
}
