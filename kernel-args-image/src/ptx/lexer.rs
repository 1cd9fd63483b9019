//! The tokens of a PTX text. PTX ISA, "Syntax".
//!
//! Observed with ptxas 13.0: a string has no escapes and may span lines; comments do not nest; a string that contains
//! `//` or `/*` does not begin a comment; `. entry` is not a directive.

use super::Error;

/// A word or sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// A directive without its dot: `entry` for `.entry`.
    Directive(&'a str),
    /// A name: `saxpy_param_0`, `%p1`.
    Identifier(&'a str),
    /// A word that begins with a digit: `64`, `0x1FU`, `9.0`, `4.u32`.
    Number(&'a str),
    /// Quoted text.
    String,
    /// Any other byte.
    Sign(u8),
    /// The end of the text.
    End,
}

/// A position in a PTX text.
#[derive(Clone)]
pub(super) struct Lexer<'a> {
    source: &'a [u8],
    at: usize,
    /// The maximum length of a string or comment, in bytes.
    longest: usize,
}

impl<'a> Lexer<'a> {
    pub(super) const fn new(source: &'a [u8]) -> Self {
        Self::bounded(source, usize::MAX)
    }

    /// A lexer for bytes that need not be PTX. A string or comment longer than `longest` is an error.
    pub(super) const fn bounded(source: &'a [u8], longest: usize) -> Self {
        let at = 0;
        Self {
            source,
            at,
            longest,
        }
    }

    /// The number of bytes after the last token.
    pub(super) const fn remaining(&self) -> usize {
        self.source.len() - self.at
    }

    /// The position after the last token.
    pub(super) const fn position(&self) -> usize {
        self.at
    }

    /// A second lexer, starting at an earlier position.
    pub(super) fn back_to(&self, at: usize) -> Self {
        Self { at, ..self.clone() }
    }

    /// The text between two positions. Empty if it is not UTF-8; words are always UTF-8.
    pub(super) fn text(&self, start: usize, end: usize) -> &'a str {
        self.source
            .get(start..end)
            .and_then(|bytes| core::str::from_utf8(bytes).ok())
            .unwrap_or_default()
    }

    /// The bytes between two positions.
    pub(super) fn bytes(&self, start: usize, end: usize) -> &'a [u8] {
        self.source.get(start..end).unwrap_or_default()
    }

    /// An error about the token at `at`.
    #[cold]
    pub(super) fn error(&self, at: usize, expected: &'static str) -> Error {
        let mut there = self.back_to(at);
        let end = match there.token() {
            Ok(_) => there.at,
            Err(_) => at + 1,
        };
        let start = end.min(self.source.len());
        let found = self.text(at.min(start), start);
        let found = if found.is_empty() && at < self.source.len() {
            "\u{fffd}"
        } else {
            found.trim_start()
        };
        Error::at(self.source, at, expected, found)
    }

    #[cold]
    pub(super) fn error_at(&self, at: usize, expected: &'static str, found: &str) -> Error {
        Error::at(self.source, at, expected, found)
    }

    fn peek(&self) -> Option<u8> {
        self.source.get(self.at).copied()
    }

    /// Skips white space and comments.
    fn skip_blank(&mut self) -> Result<(), Error> {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'/' if !self.skip_comment()? => break,
                b'/' => {}
                _ => break,
            }
        }
        Ok(())
    }

    /// Called at a `/`: skips a comment. Returns whether there was one.
    fn skip_comment(&mut self) -> Result<bool, Error> {
        let rest = self.bounded_rest();
        match rest.get(1) {
            Some(b'/') => match rest.iter().position(|&b| b == b'\n') {
                None if rest.len() == self.longest => {
                    Err(self.error_at(self.at, "the end of this line", ""))
                }
                end => {
                    self.at += end.unwrap_or(rest.len());
                    Ok(true)
                }
            },
            Some(b'*') => match rest[2..].windows(2).position(|pair| pair == b"*/") {
                Some(end) => {
                    self.at += end + 4;
                    Ok(true)
                }
                None => Err(self.error_at(self.at, "`*/`, the end of this comment", "")),
            },
            _ => Ok(false),
        }
    }

    /// Called at a `"`: skips a string.
    fn skip_string(&mut self) -> Result<(), Error> {
        let rest = self.bounded_rest();
        match rest.iter().skip(1).position(|&b| b == b'"') {
            Some(length) => {
                self.at += length + 2;
                Ok(())
            }
            None => Err(self.error_at(self.at, "`\"`, the end of this string", "")),
        }
    }

    /// The bytes that a string or comment at this position may occupy.
    fn bounded_rest(&self) -> &'a [u8] {
        let rest = &self.source[self.at..];
        &rest[..rest.len().min(self.longest)]
    }

    fn skip_while(&mut self, class: fn(u8) -> bool) {
        let rest = &self.source[self.at..];
        self.at += rest.iter().position(|&b| !class(b)).unwrap_or(rest.len());
    }

    /// The next token and its position.
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
                self.skip_while(is_word);
                Token::Directive(self.text(start + 1, self.at))
            }
            b'0'..=b'9' => {
                self.skip_while(|b| is_word(b) || b == b'.');
                Token::Number(self.text(start, self.at))
            }
            b'%' | b'_' | b'$' | b'a'..=b'z' | b'A'..=b'Z' => {
                self.at += 1;
                self.skip_while(is_word);
                Token::Identifier(self.text(start, self.at))
            }
            sign => {
                self.at += 1;
                Token::Sign(sign)
            }
        };
        Ok((start, token))
    }

    /// Called after a word: also takes the suffixes that follow it, `.global.L2::128B` of an instruction. Returns all
    /// of it from `start` on.
    #[cfg(feature = "bodies")]
    pub(super) fn with_suffixes(&mut self, start: usize) -> &'a str {
        loop {
            self.skip_while(|b| is_word(b) || b == b'.');
            let rest = &self.source[self.at..];
            match rest {
                [b':', b':', next, ..] if is_word(*next) => self.at += 2,
                _ => return self.text(start, self.at),
            }
        }
    }

    /// The next token, without consuming it.
    pub(super) fn peek_token(&mut self) -> Result<(usize, Token<'a>), Error> {
        self.skip_blank()?;
        let at = self.at;
        let token = self.token();
        self.at = at;
        token
    }

    /// Consumes the next token if it is `sign`.
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

    /// An integer constant: decimal, octal, hexadecimal or binary, with or without `U`; or `WARP_SZ`.
    pub(super) fn integer(&mut self, expected: &'static str) -> Result<u64, Error> {
        let (at, token) = self.token()?;
        let value = match token {
            Token::Number(text) => integer(text),
            Token::Identifier("WARP_SZ") => Some(32),
            _ => None,
        };
        value.ok_or_else(|| self.error(at, expected))
    }

    /// Skips a block, from its `{` to the matching `}`.
    pub(super) fn skip_block(&mut self) -> Result<(), Error> {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            self.skip_while(|b| !ENDS_RUN[usize::from(b)]);
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

    /// The next directive outside of blocks. Skips everything else.
    pub(super) fn next_directive(&mut self) -> Result<Option<&'a str>, Error> {
        loop {
            match self.peek_token()? {
                (_, Token::End) => return Ok(None),
                (_, Token::Sign(b'{')) => self.skip_block()?,
                (at, Token::Sign(b'}')) => return Err(self.error(at, "`{` before `}`")),
                (_, token) => {
                    self.token()?;
                    if let Token::Directive(word) = token {
                        return Ok(Some(word));
                    }
                }
            }
        }
    }
}

/// The bytes at which skipping a block must examine the text.
const ENDS_RUN: [bool; 256] = {
    let mut table = [false; 256];
    table[b'{' as usize] = true;
    table[b'}' as usize] = true;
    table[b'"' as usize] = true;
    table[b'/' as usize] = true;
    table
};

pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// An integer constant in two's complement. `None` for a floating-point constant such as `0f3F800000`.
#[cfg(feature = "bodies")]
pub(super) fn constant(text: &str) -> Option<i64> {
    integer(text).map(u64::cast_signed)
}

fn integer(text: &str) -> Option<u64> {
    let digits = text.strip_suffix('U').unwrap_or(text);
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', b'b' | b'B', ..] => (&digits[2..], 2),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    // `from_str_radix` also accepts a sign. A number never begins with one.
    u64::from_str_radix(digits, radix).ok()
}
