//! Which kernels use dynamic shared memory: CUDA's `extern __shared__ float s[];`, in PTX
//! `.extern .shared .align 16 .b8 s[];`.
//!
//! PTX ISA, "State Spaces: Shared State Space". A kernel uses it if its body names the array, or names a function that
//! uses it. In a text with such an array, the bodies after its declaration are read a second time.

use super::lexer::{LINE, Lexer, STRING, Token, WORD};
use crate::formats::bytes::{after_comment, skip, skip_long};
use crate::prelude::*;

#[derive(Default)]
pub(super) struct SharedUsers<'a> {
    arrays: Vec<&'a str>,
    bodies: Vec<Scanned<'a>>,
}

struct Scanned<'a> {
    /// The function's name. Empty for a kernel, which cannot be called.
    function: &'a str,
    at: usize,
    text: &'a [u8],
}

impl<'a> SharedUsers<'a> {
    /// Called after `.extern`: records arrays without a size. Does not move the lexer.
    pub(super) fn declaration(&mut self, lexer: &Lexer<'a>) {
        let mut lexer = lexer.clone();
        if !matches!(lexer.token(), Ok((_, Token::Directive("shared")))) {
            return;
        }
        let mut name = None;
        while let Ok((_, token)) = lexer.token() {
            match token {
                Token::Identifier(found) => name = Some(found),
                Token::Sign(b'[') => {
                    let name = name.take();
                    if let (Ok((_, Token::Sign(b']'))), Some(name)) = (lexer.token(), name) {
                        self.arrays.push(name);
                    }
                }
                Token::Sign(b';' | b'{' | b'}') | Token::End => return,
                _ => {}
            }
        }
    }

    pub(super) fn function(&mut self, lexer: &Lexer<'a>) {
        if self.arrays.is_empty() {
            return;
        }
        let (at, mut lexer) = (lexer.at, lexer.clone());
        let mut depth = 0_usize;
        let mut name = None;
        while let Ok((start, token)) = lexer.peek_token() {
            match token {
                Token::Sign(b'{') => {
                    let (Some(name), Ok(())) = (name, lexer.skip_block()) else {
                        return;
                    };
                    self.bodies.push(Scanned { function: name, at, text: lexer.bytes(start, lexer.at) });
                    return;
                }
                Token::Sign(b';' | b'}') | Token::End | Token::Directive("entry" | "func") => {
                    return;
                }
                // A list before the name contains the return values.
                Token::Sign(b'(') => depth += 1,
                Token::Sign(b')') => depth = depth.saturating_sub(1),
                Token::Identifier(found) if depth == 0 && name.is_none() => name = Some(found),
                _ => {}
            }
            if lexer.token().is_err() {
                return;
            }
        }
    }

    pub(super) fn kernel(&mut self, at: usize, text: &'a [u8]) {
        if !self.arrays.is_empty() {
            self.bodies.push(Scanned { function: "", at, text });
        }
    }

    /// Returns where the declarations of kernels that use such an array start, in the order of the text.
    pub(super) fn users(&self) -> Vec<usize> {
        let names = Searched::new(self);
        let mut uses = vec![false; self.bodies.len()];
        // For each named function, the bodies that name it.
        let mut callers: Vec<(usize, usize)> = Vec::new();
        let mut last_seen = vec![usize::MAX; names.known.len()];
        for (number, body) in self.bodies.iter().enumerate() {
            words(body.text, &names, |word| {
                let Some(found) = names.find(word) else {
                    return;
                };
                if core::mem::replace(&mut last_seen[found], number) == number {
                    return;
                }
                match names.known[found].1 {
                    None => uses[number] = true,
                    Some(function) => callers.push((function, number)),
                }
            });
        }
        sort(&mut callers, &Ord::cmp);
        let mut pending: Vec<usize> = (0..uses.len()).filter(|&body| uses[body]).collect();
        while let Some(function) = pending.pop() {
            let from = callers.partition_point(|&(callee, _)| callee < function);
            for &(_, caller) in callers[from..].iter().take_while(|edge| edge.0 == function) {
                if !core::mem::replace(&mut uses[caller], true) {
                    pending.push(caller);
                }
            }
        }
        let bodies = self.bodies.iter().zip(uses);
        bodies.filter(|(body, uses)| *uses && body.function.is_empty()).map(|(body, _)| body.at).collect()
    }
}

struct Searched<'a> {
    /// Sorted, each with the index of its body if it is a function.
    known: Vec<(&'a [u8], Option<usize>)>,
    /// By first byte: the lengths of such names as bits. Lengths of 63 and more share one bit.
    lengths: [u64; 256],
}

impl<'a> Searched<'a> {
    fn new(bodies: &SharedUsers<'a>) -> Self {
        let arrays = bodies.arrays.iter().map(|name| (name.as_bytes(), None));
        let functions = bodies
            .bodies
            .iter()
            .enumerate()
            .filter(|(_, body)| !body.function.is_empty())
            .map(|(number, body)| (body.function.as_bytes(), Some(number)));
        let mut known: Vec<_> = arrays.chain(functions).collect();
        sort(&mut known, &Ord::cmp);
        known.dedup_by_key(|(name, _)| *name);
        let mut lengths = [0; 256];
        for (name, _) in &known {
            if let Some(&first) = name.first() {
                lengths[usize::from(first)] |= 1 << name.len().min(63);
            }
        }
        Self { known, lengths }
    }

    fn find(&self, word: &[u8]) -> Option<usize> {
        self.known.binary_search_by_key(&word, |(name, _)| name).ok()
    }
}

/// Calls `visit` for every identifier that can be one of the names. The body was skipped before, so comments and
/// strings end.
fn words<'a>(body: &'a [u8], names: &Searched<'_>, mut visit: impl FnMut(&'a [u8])) {
    let end = body.len();
    let mut at = 0;
    while at < end {
        let (start, first) = (at, body[at]);
        at += 1;
        if WORD[usize::from(first)] || matches!(first, b'.' | b'%') {
            at = skip(body, at, &WORD);
            // No name begins with a dot or a digit.
            if names.lengths[usize::from(first)] >> (at - start).min(63) & 1 == 1 {
                visit(&body[start..at]);
            }
        } else if first == b'"' {
            at = skip_long(body, at, &STRING) + 1;
        } else if first == b'/' {
            at = match body.get(at) {
                Some(b'/') => skip_long(body, at, &LINE),
                Some(b'*') => after_comment(body, at + 1).unwrap_or(end),
                _ => at,
            };
        }
    }
}
