//! The tokens of a PTX text. PTX ISA, "Syntax".
//!
//! Observed with ptxas 13.0: a string has no escapes and may span lines; comments do not nest; a string that contains
//! `//` or `/*` does not begin a comment; `. entry` is not a directive.

use super::Error;
use crate::formats::bytes::{Class, after_comment, except, only, skip, skip_long, with};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Token<'a> {
    /// A directive without its dot: `entry` for `.entry`.
    Directive(&'a str),
    Identifier(&'a str),
    /// A word that begins with a digit: `64`, `0x1FU`, `9.0`, `4.u32`.
    Number(&'a str),
    String,
    /// Any other byte.
    Sign(u8),
    End,
}

#[derive(Clone)]
pub(super) struct Lexer<'a> {
    pub(super) source: &'a [u8],
    pub(super) at: usize,
    /// The longest string or comment, in bytes.
    longest: usize,
}

impl<'a> Lexer<'a> {
    pub(super) const fn new(source: &'a [u8]) -> Self {
        Self::bounded(source, usize::MAX)
    }

    /// For bytes that need not be PTX: a string or comment longer than `longest` is an error.
    pub(super) const fn bounded(source: &'a [u8], longest: usize) -> Self {
        Self { source, at: 0, longest }
    }

    pub(super) const fn remaining(&self) -> usize {
        self.source.len() - self.at
    }

    pub(super) fn back_to(&self, at: usize) -> Self {
        Self { at, ..self.clone() }
    }

    /// Empty if it is not UTF-8; words always are.
    pub(super) fn text(&self, start: usize, end: usize) -> &'a str {
        core::str::from_utf8(self.bytes(start, end)).unwrap_or_default()
    }

    pub(super) fn bytes(&self, start: usize, end: usize) -> &'a [u8] {
        self.source.get(start..end).unwrap_or_default()
    }

    #[cold]
    pub(super) fn error(&self, at: usize, expected: &'static str) -> Error {
        let mut there = self.back_to(at);
        let end = match there.token() {
            Ok(_) => there.at,
            Err(_) => at + 1,
        };
        let start = end.min(self.source.len());
        let found = self.text(at.min(start), start);
        let found = if found.is_empty() && at < self.source.len() { "\u{fffd}" } else { found.trim_start() };
        self.error_at(at, expected, found)
    }

    #[cold]
    pub(super) fn error_at(&self, at: usize, expected: &'static str, found: &str) -> Error {
        Error::at(self.source, at, expected, found)
    }

    fn peek(&self) -> Option<u8> {
        self.source.get(self.at).copied()
    }

    pub(super) fn skip_blank(&mut self) -> Result<(), Error> {
        loop {
            self.skip_while(&BLANK);
            if self.peek() != Some(b'/') || !self.skip_comment()? {
                return Ok(());
            }
        }
    }

    /// Called at a `/`. Returns whether a comment was skipped.
    fn skip_comment(&mut self) -> Result<bool, Error> {
        let rest = self.bounded_rest();
        let end = match rest.get(1) {
            Some(b'/') => {
                let end = skip_long(rest, 0, &LINE);
                if end == rest.len() && end == self.longest {
                    return Err(self.error_at(self.at, "the end of this line", ""));
                }
                end
            }
            Some(b'*') => {
                after_comment(rest, 2).ok_or_else(|| self.error_at(self.at, "`*/`, the end of this comment", ""))?
            }
            _ => return Ok(false),
        };
        self.at += end;
        Ok(true)
    }

    fn skip_string(&mut self) -> Result<(), Error> {
        let rest = self.bounded_rest();
        let end = skip_long(rest, 1, &STRING);
        if end >= rest.len() {
            return Err(self.error_at(self.at, "`\"`, the end of this string", ""));
        }
        self.at += end + 1;
        Ok(())
    }

    fn bounded_rest(&self) -> &'a [u8] {
        let rest = &self.source[self.at..];
        &rest[..rest.len().min(self.longest)]
    }

    fn skip_while(&mut self, class: &Class) {
        self.at = skip(self.source, self.at, class);
    }

    pub(super) fn token(&mut self) -> Result<(usize, Token<'a>), Error> {
        self.skip_blank()?;
        let start = self.at;
        let Some(byte) = self.peek() else {
            return Ok((start, Token::End));
        };
        let token = match byte {
            b'"' => {
                self.skip_string()?;
                Token::String
            }
            b'.' => {
                self.at += 1;
                self.skip_while(&WORD);
                Token::Directive(self.text(start + 1, self.at))
            }
            b'0'..=b'9' => {
                self.skip_while(&DOTTED);
                Token::Number(self.text(start, self.at))
            }
            _ if NAME[byte as usize] => {
                self.at += 1;
                self.skip_while(&WORD);
                Token::Identifier(self.text(start, self.at))
            }
            sign => {
                self.at += 1;
                Token::Sign(sign)
            }
        };
        Ok((start, token))
    }

    pub(super) fn peek_token(&mut self) -> Result<(usize, Token<'a>), Error> {
        self.skip_blank()?;
        let at = self.at;
        let token = self.token();
        self.at = at;
        token
    }

    pub(super) fn take(&mut self, sign: u8) -> Result<bool, Error> {
        let end = self.at;
        if self.token()?.1 == Token::Sign(sign) {
            return Ok(true);
        }
        self.at = end;
        Ok(false)
    }

    pub(super) fn identifier(&mut self, expected: &'static str) -> Result<(usize, &'a str), Error> {
        match self.token()? {
            (at, Token::Identifier(name)) => Ok((at, name)),
            (at, _) => Err(self.error(at, expected)),
        }
    }

    /// Decimal, octal, hexadecimal or binary, with or without `U`; or `WARP_SZ`.
    pub(super) fn integer(&mut self, expected: &'static str) -> Result<u64, Error> {
        let (at, token) = self.token()?;
        let value = match token {
            Token::Number(text) => integer(text),
            Token::Identifier("WARP_SZ") => Some(32),
            _ => None,
        };
        value.ok_or_else(|| self.error(at, expected))
    }

    pub(super) fn skip_block(&mut self) -> Result<(), Error> {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            self.at = skip_long(self.source, self.at, &CODE);
            match self.peek() {
                Some(b'{') => depth += 1,
                Some(b'}') => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        return Ok(());
                    }
                }
                Some(b'"') => {
                    self.skip_string()?;
                    continue;
                }
                Some(_) => {
                    if self.skip_comment()? {
                        continue;
                    }
                }
                None => return Err(self.error_at(start, "`}`, the end of this block", "")),
            }
            self.at += 1;
        }
    }

    /// Returns the next directive outside of blocks.
    pub(super) fn next_directive(&mut self) -> Result<Option<&'a str>, Error> {
        loop {
            match self.token()? {
                (_, Token::End) => return Ok(None),
                (at, Token::Sign(b'{')) => {
                    self.at = at;
                    self.skip_block()?;
                }
                (at, Token::Sign(b'}')) => return Err(self.error(at, "`{` before `}`")),
                (_, Token::Directive(word)) => return Ok(Some(word)),
                _ => {}
            }
        }
    }
}

pub(super) static BLANK: Class = only(b" \t\n\r\x0b\x0c");
pub(super) static NAME: Class = only(b"%ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz$");
pub(super) static WORD: Class = only(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz$");
pub(super) static DOTTED: Class = with(WORD, b".", true);
pub(super) static LINE: Class = except(b"\n");
pub(super) static STRING: Class = except(b"\"");
/// What needs no examination in a block.
static CODE: Class = except(b"{}\"/");

/// In two's complement. `None` for a floating-point constant such as `0f3F800000`.
#[cfg(feature = "bodies")]
pub(super) fn constant(text: &str) -> Option<i64> {
    integer(text).map(u64::cast_signed)
}

fn integer(text: &str) -> Option<u64> {
    let digits = text.strip_suffix('U').unwrap_or(text);
    let (digits, radix) = match digits.as_bytes() {
        // The bits of a float are written as hexadecimal digits.
        [b'0', b'x' | b'X' | b'f' | b'F' | b'd' | b'D', ..] => (&digits[2..], 16),
        [b'0', b'b' | b'B', ..] => (&digits[2..], 2),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    // `from_str_radix` also accepts a sign. A number never begins with one.
    u64::from_str_radix(digits, radix).ok()
}
