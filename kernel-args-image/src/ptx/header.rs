//! The beginning of a PTX text.

use super::{
    Error, Target,
    lexer::{Lexer, Token},
    version,
};

/// What a PTX text begins with. PTX ISA, "PTX Module Directives".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Header<'a> {
    /// Major and minor number of `.version`.
    pub version: (u16, u16),
    /// `.target`.
    pub target: Target<'a>,
    /// `.address_size` in bits, where it follows `.target`, as PTX wants it.
    pub address_size: Option<u8>,
}

impl<'a> Header<'a> {
    /// Reads the beginning of a text from bytes that may end with a NUL.
    ///
    /// # Errors
    /// Where the text does not begin with `.version` and `.target`.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
        let lexer = &mut Lexer::new(&bytes[..end]);
        let (version, target) = (version(lexer)?, Target::parse(lexer)?);
        let mut address_size = None;
        // What follows is none of the header's business, whatever it is.
        if let Ok((_, Token::Directive("address_size"))) = lexer.token() {
            let bits = lexer.integer("32 or 64 after `.address_size`");
            address_size = bits.ok().and_then(|bits| u8::try_from(bits).ok());
        }
        Ok(Self {
            version,
            target,
            address_size,
        })
    }
}
