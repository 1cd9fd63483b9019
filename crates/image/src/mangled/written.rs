//! Names of kernels and types, written by users or by demanglers.

use crate::prelude::*;
use kernel_args_abi::{
    CppBase,
    cpp::{
        name::{self, is_inline},
        scalar,
    },
};

/// The parts of `[result ]name[<arguments>][(parameters)]`.
pub(super) struct Written {
    pub(super) name: String,
    pub(super) arguments: Option<Vec<String>>,
    pub(super) parameters: Option<Vec<String>>,
}

impl Written {
    /// `None` if the text does not have this form, or has operators that look like brackets.
    pub(super) fn parse(text: &str) -> Option<Self> {
        // As a word, unlike in `linear_operator`.
        if text.split(|c| !in_name(c)).any(|word| word == "operator") {
            return None;
        }
        let bytes = text.as_bytes();
        let mut name_start = 0;
        let mut template = None;
        let mut at = 0;
        let list = loop {
            match bytes.get(at) {
                None => break None,
                Some(b' ') => {
                    name_start = at + 1;
                    template = None;
                }
                Some(b'(') if text[at..].starts_with(super::ANONYMOUS) => {
                    at += super::ANONYMOUS.len();
                    continue;
                }
                Some(b'(') => break Some(at),
                Some(b'<') => {
                    let end = closing(bytes, at)?;
                    template = Some(at..end);
                    at = end;
                }
                Some(b'>' | b')' | b']' | b'}' | b'{' | b'[' | b'\'') => return None,
                // The name continues: the previous template arguments belong to the scope.
                Some(_) => template = None,
            }
            at += 1;
        };
        let name_end = template.as_ref().map_or(at, |template| template.start);
        let name = text.get(name_start..name_end)?;
        // Rust: `step::<f32>`.
        let name = template.as_ref().and_then(|_| name.strip_suffix("::")).unwrap_or(name);
        let mut written = Self { name: name.into(), arguments: None, parameters: None };
        if let Some(open) = list {
            let close = closing(bytes, open).filter(|close| close + 1 == bytes.len())?;
            let mut parameters = split(&text[open + 1..close])?;
            parameters.retain(|parameter| parameter != "void");
            written.parameters = Some(parameters);
        }
        if let Some(template) = template {
            written.arguments = Some(split(&text[template.start + 1..template.end])?);
        }
        (!name.is_empty()).then_some(written)
    }
}

fn in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// Without what source code does not contain: ABI tags (`k[abi:v1]`) and inline namespaces (`std::__4::pair`).
pub(super) fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|c| !in_name(c)).unwrap_or(rest.len());
        if length > 0 {
            let (word, after) = rest.split_at(length);
            rest = match after.strip_prefix("::") {
                Some(inner) if is_inline(word.as_bytes()) => inner,
                _ => {
                    tidy.push_str(word);
                    after
                }
            };
        } else if let Some(end) = rest.strip_prefix("[abi:").and_then(|tag| tag.find(']')) {
            rest = &rest["[abi:".len() + end + 1..];
        } else {
            tidy.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    tidy
}

/// Between the outermost commas. `None` if brackets do not match.
pub(super) fn split(text: &str) -> Option<Vec<String>> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b',' => {
                parts.push(text[start..at].trim().into());
                start = at + 1;
            }
            b'<' if !follows_name(bytes, at) => {}
            b'<' | b'(' | b'[' | b'{' => at = closing(bytes, at)?,
            b'>' | b')' | b']' | b'}' => return None,
            _ => {}
        }
        at += 1;
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        parts.push(last.into());
    }
    Some(parts)
}

/// Returns whether the `<` at `at` opens template arguments, and is not an operator.
fn follows_name(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

/// Returns the position of the closing bracket. `None` if brackets do not match.
pub(super) fn closing(bytes: &[u8], open: usize) -> Option<usize> {
    let mut stack = vec![*bytes.get(open)?];
    let mut at = open;
    while at + 1 < bytes.len() {
        at += 1;
        let opener = match bytes[at] {
            b'<' if !follows_name(bytes, at) => continue,
            bracket @ (b'<' | b'(' | b'[' | b'{') => {
                stack.push(bracket);
                continue;
            }
            // These are operators, for example directly in parentheses.
            b'>' if bytes[at - 1] == b'-' || bytes.get(at + 1) == Some(&b'=') => continue,
            b'>' if stack.last() == Some(&b'(') => continue,
            b'>' => b'<',
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            // Skip the quoted text of `'lambda'`. Its parameters are in parentheses after it.
            b'\'' => {
                at += 1 + bytes[at + 1..].iter().position(|&byte| byte == b'\'')?;
                continue;
            }
            b'"' => return None,
            _ => continue,
        };
        if stack.pop()? != opener {
            return None;
        }
        if stack.is_empty() {
            return Some(at);
        }
    }
    None
}

pub(super) fn is_same(a: &str, b: &str) -> bool {
    let ((left, left_levels), (right, right_levels)) = (levels(a), levels(b));
    let same_base = match (scalar(left.as_bytes()), scalar(right.as_bytes())) {
        (Some(CppBase::Float { bits: 16 }), None) => name::is_half(right),
        (None, Some(CppBase::Float { bits: 16 })) => name::is_half(left),
        (None, None) => is_name(left) && is_name(right) && name::same(left, right),
        (left, right) => left == right,
    };
    same_base && left_levels == right_levels || plain(a) == plain(b)
}

/// Returns a type without its pointers, and the pointers from the outermost: each sign and whether the pointee is
/// `const`.
fn levels(ty: &str) -> (&str, Vec<(char, bool)>) {
    let mut levels = Vec::new();
    let (mut rest, _) = strip_qualifiers(ty.trim());
    while let Some(mark) = rest.chars().next_back().filter(|c| matches!(c, '*' | '&')) {
        let (pointee, is_const) = strip_qualifiers(rest[..rest.len() - 1].trim_end());
        levels.push((mark, is_const));
        rest = pointee;
    }
    if let Some(base) = rest.strip_prefix("const ") {
        rest = base.trim_start();
        if let Some((_, is_const)) = levels.last_mut() {
            *is_const = true;
        }
    }
    (rest, levels)
}

/// Without the qualifiers at its end, and whether one is `const`.
fn strip_qualifiers(mut text: &str) -> (&str, bool) {
    let mut is_const = false;
    loop {
        let word = text.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default();
        match word {
            "const" => is_const = true,
            "volatile" | "restrict" | "__restrict" | "__restrict__" => {}
            _ => return (text, is_const),
        }
        text = text[..text.len() - word.len()].trim_end();
    }
}

/// Returns whether [`name::same`] compares a text exactly: parentheses are only around casts of numbers.
fn is_name(text: &str) -> bool {
    let is_cast = |part: &str| {
        let value = part.split_once(')').map_or("", |(_, value)| value);
        part.starts_with(&super::ANONYMOUS[1..])
            || value.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit())
    };
    let begins = text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '('));
    begins && !text.ends_with("::") && !text.contains(['[', '{', '\'']) && text.split('(').skip(1).all(is_cast)
}

/// Without spaces and without the casts and suffixes of literals: `(unsigned int)3` and `3u` become `3`.
fn plain(text: &str) -> String {
    let mut text = text.trim();
    if text.starts_with('(')
        && let Some((_, literal)) = text.rsplit_once(')')
        && literal.starts_with(|c: char| c.is_ascii_digit() || c == '-')
    {
        text = literal;
    }
    if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    }
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
