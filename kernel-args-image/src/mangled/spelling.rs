//! How a demangled function is spelled: where its name, template arguments and parameters lie.

use alloc::{string::String, vec::Vec};
use core::ops::Range;
use kernel_args_abi::cpp::name::is_inline;

/// The parts of `[return-type ]name[<arguments>][(parameters)]`, as ranges of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Spelling {
    /// Qualified name.
    pub(super) name: Range<usize>,
    /// Between `<` and `>` after the name.
    pub(super) template: Option<Range<usize>>,
    /// Whether there is a list of parameters.
    pub(super) has_list: bool,
    /// Each parameter, or `None` where there is no list or it cannot be split with certainty.
    pub(super) parameters: Option<Vec<Range<usize>>>,
}

const ANONYMOUS: &[u8] = b"(anonymous namespace)";

impl Spelling {
    /// `None` where the text is not of this form, or has operators that look like brackets.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if has_operator(text) {
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
                Some(b'(') if bytes[at..].starts_with(ANONYMOUS) => {
                    at += ANONYMOUS.len();
                    continue;
                }
                Some(b'(') => break Some(at),
                Some(b'<') => {
                    let end = closing(bytes, at)?;
                    template = Some(at + 1..end);
                    at = end;
                }
                Some(b'>' | b')' | b']' | b'}' | b'{' | b'[') => return None,
                // A name goes on: those arguments were a namespace's or a class's.
                Some(_) => template = None,
            }
            at += 1;
        };
        let end = list.unwrap_or(bytes.len());
        let name_end = template.as_ref().map_or(end, |range| range.start - 1);
        if name_start >= name_end {
            return None;
        }
        let parameters = match list {
            None => None,
            Some(open) => {
                let close = closing(bytes, open)?;
                if close + 1 != bytes.len() {
                    return None;
                }
                Self::list(text, open + 1..close)
            }
        };
        Some(Self {
            name: name_start..name_end,
            template,
            has_list: list.is_some(),
            parameters,
        })
    }

    fn list(text: &str, range: Range<usize>) -> Option<Vec<Range<usize>>> {
        if matches!(text[range.clone()].trim(), "" | "void") {
            return Some(Vec::new());
        }
        let mut parameters = commas(text.as_bytes(), range)?;
        // An empty pack leaves its comma: `(long, long, )`.
        parameters.retain(|parameter| !text[parameter.clone()].trim().is_empty());
        let certain = |parameter: &Range<usize>| !text[parameter.clone()].contains("...");
        parameters.iter().all(certain).then_some(parameters)
    }
}

/// Whether a text has the word `operator`, rather than a name with these letters in it: `linear_operator`.
fn has_operator(text: &str) -> bool {
    const WORD: &str = "operator";
    let in_name = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$');
    text.match_indices(WORD).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + WORD.len()..]);
        !in_name(before.chars().next_back()) && !in_name(after.chars().next())
    })
}

/// A text without what its writer did not write: ABI tags (`k[abi:v1]`) and inline namespaces (`std::__4::pair`).
pub(super) fn tidy(text: &str) -> String {
    let in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
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

/// The parts of `text` between its outermost commas. `None` where brackets do not match.
pub(super) fn split(text: &str) -> Option<Vec<&str>> {
    if text.trim().is_empty() {
        return Some(Vec::new());
    }
    let parts = commas(text.as_bytes(), 0..text.len())?;
    Some(parts.into_iter().map(|part| text[part].trim()).collect())
}

fn commas(bytes: &[u8], range: Range<usize>) -> Option<Vec<Range<usize>>> {
    let mut parts = Vec::new();
    let mut start = range.start;
    let mut at = start;
    while at < range.end {
        match bytes[at] {
            b',' => {
                parts.push(start..at);
                start = at + 1;
            }
            b'<' if !follows_name(bytes, at) => {}
            b'<' | b'(' | b'[' | b'{' => at = closing(bytes, at)?,
            b'>' | b')' | b']' | b'}' => return None,
            _ => {}
        }
        at += 1;
    }
    parts.push(start..range.end);
    Some(parts)
}

/// Whether the `<` at `at` opens template arguments. In an expression it follows `)`, because the
/// demangler puts operands in parentheses.
fn follows_name(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

/// Where the bracket at `open` is closed. `None` where brackets do not match.
fn closing(bytes: &[u8], open: usize) -> Option<usize> {
    let mut stack = Vec::new();
    let mut at = open;
    loop {
        match *bytes.get(at)? {
            b'<' if at != open && !follows_name(bytes, at) => {}
            bracket @ (b'<' | b'(' | b'[' | b'{') => stack.push(bracket),
            b'>' => {
                let is_operator = bytes[at - 1] == b'-' || bytes.get(at + 1) == Some(&b'=');
                match stack.last()? {
                    _ if is_operator => {}
                    b'<' => {
                        stack.pop();
                    }
                    b'(' => {} // an operator: between parentheses nothing else is open
                    _ => return None,
                }
            }
            close @ (b')' | b']' | b'}') => {
                let open = match close {
                    b')' => b'(',
                    b']' => b'[',
                    _ => b'{',
                };
                if stack.pop()? != open {
                    return None;
                }
            }
            b'\'' | b'"' => return None,
            _ => {}
        }
        if stack.is_empty() {
            return Some(at);
        }
        at += 1;
    }
}
