//! Steps through the tokens of a text.

use std::collections::HashMap;

use super::{
    Mistake, Parsed,
    lexer::{self, Kind, Token},
};

/// The remaining tokens.
pub(super) struct Reader<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) at: usize,
    /// The number of the source file and the line, for the statements that follow: `.loc`.
    pub(super) source: Option<(u64, u64)>,
    /// Of inlined code: the place that is reported instead, and the file of the kernel.
    inlined: HashMap<(u64, u64), ((u64, u64), u64)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(tokens: &'a [Token]) -> Self {
        Self { tokens, at: 0, source: None, inlined: HashMap::new() }
    }

    /// Returns the place of a `.loc` that a user knows: of inlined code, the last place in the kernel's own file. The
    /// rest of the line has the place of the call: `inlined_at 1 7 5`.
    pub(super) fn own_place(&mut self, place: (u64, u64), line: u32) -> (u64, u64) {
        let rest = &self.tokens[self.at..];
        let mut words =
            rest.iter().take_while(|token| token.line == line).skip_while(|token| token.word() != Some("inlined_at"));
        let mut number = |skipped| match &words.nth(skipped)?.kind {
            Kind::Number(literal) => lexer::integer(literal),
            _ => None,
        };
        let Some(site) = number(1).zip(number(0)) else { return place };
        let (outer, file) = self.inlined.get(&site).copied().unwrap_or((site, site.0));
        let own = if place.0 == file { place } else { outer };
        self.inlined.insert(place, (own, file));
        own
    }

    pub(super) fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    /// Returns the next token, if it is a word.
    pub(super) fn peek_word(&self) -> Option<&'a str> {
        self.peek().and_then(Token::word)
    }

    pub(super) fn skip(&mut self) {
        self.at += 1;
    }

    pub(super) fn next(&mut self) -> Parsed<&'a Token> {
        let token = self.peek().ok_or_else(|| self.unexpected())?;
        self.skip();
        Ok(token)
    }

    /// Consumes `mark` if it is next.
    pub(super) fn takes(&mut self, mark: char) -> bool {
        let found = self.peek().is_some_and(|token| token.is(mark));
        self.at += usize::from(found);
        found
    }

    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == Some(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, mark: char) -> Parsed<()> {
        if self.takes(mark) { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(super) fn word(&mut self) -> Parsed<&'a str> {
        let word = self.peek_word().ok_or_else(|| self.unexpected())?;
        self.skip();
        Ok(word)
    }

    pub(super) fn integer(&mut self) -> Parsed<u64> {
        let value = match self.peek().map(|token| &token.kind) {
            Some(Kind::Number(literal)) => lexer::integer(literal),
            _ => None,
        };
        let value = value.ok_or_else(|| self.unexpected())?;
        self.skip();
        Ok(value)
    }

    /// Returns the error for the next token.
    pub(super) fn unexpected(&self) -> Mistake {
        let (line, near) = match (self.peek(), self.tokens.last()) {
            (Some(token), _) => (token.line, token.spelling()),
            (None, last) => (last.map_or(1, |token| token.line), "<end of text>".to_owned()),
        };
        Mistake::new(line, format!("Parsing error near '{near}': syntax error"))
    }

    /// Returns the error for the last token that was read.
    pub(super) fn rejected(&mut self) -> Mistake {
        self.at -= 1;
        self.unexpected()
    }

    /// Skips the rest of a line: `.file` and `.loc` have no terminator.
    pub(super) fn skip_line(&mut self, line: u32) {
        while self.peek().is_some_and(|token| token.line == line) {
            self.skip();
        }
    }

    /// Skips to the position after the next `;` outside of braces. `sees` gets the words.
    pub(super) fn skip_statement(&mut self, mut sees: impl FnMut(&str)) -> Parsed<()> {
        let mut depth = 0;
        loop {
            match &self.next()?.kind {
                Kind::Mark('{') => depth += 1,
                Kind::Mark('}') if depth == 0 => return Err(self.rejected()),
                Kind::Mark('}') => depth -= 1,
                Kind::Mark(';') if depth == 0 => return Ok(()),
                Kind::Word(word) => sees(word),
                _ => {}
            }
        }
    }
}
