//! Splits a source into joined lines, white space, comments, words and directives.
//!
//! Long stretches are skipped with functions of the standard library, which are optimized in build scripts too.

use std::borrow::Cow;

/// Compilers disagree about what splits a line: GCC also accepts a backslash before white space, and C++14 and earlier
/// accept the trigraph `??/`. This returns every reading.
pub(super) fn readings(text: &str) -> Vec<Cow<'_, str>> {
    let mut readings = vec![joined(text, false)];
    let mut add = |reading: Cow<'_, str>| {
        if !readings.contains(&reading) {
            readings.push(reading.into_owned().into());
        }
    };
    add(joined(text, true));
    if text.contains('?') && text.contains("??/") {
        let text = text.replace("??/", "\\");
        add(joined(&text, false));
        add(joined(&text, true));
    }
    readings
}

/// With `blanks`, also lines that end with a backslash and white space.
fn joined(text: &str, blanks: bool) -> Cow<'_, str> {
    let is_skipped = |c: char| c == '\r' || (blanks && is_blank(c));
    let mut joined = String::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        let backslash = at + found;
        at = backslash + 1;
        let rest = text[at..].trim_start_matches(is_skipped);
        if rest.starts_with('\n') {
            joined += &text[start..backslash];
            at = text.len() - rest.len() + 1;
            start = at;
        }
    }
    if start == 0 {
        return text.into();
    }
    (joined + &text[start..]).into()
}

/// White space within a line. NUL counts, because compilers skip or reject control characters.
const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\x0b' | '\x0c' | '\r' | '\0')
}

/// Characters of C++ names, including non-ASCII characters.
const fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii()
}

/// Returns the end of the white space and comments that start at `at`.
pub(super) fn blank(text: &str, mut at: usize) -> usize {
    loop {
        let rest = text[at..].trim_start_matches(is_blank);
        at = text.len() - rest.len();
        let Some(comment) = rest.strip_prefix("/*") else {
            return at;
        };
        at = comment.find("*/").map_or(text.len(), |length| at + length + 4);
    }
}

pub(super) fn word(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    &rest[..length]
}

pub(super) fn words(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += text[at..].find(is_word)?;
        let word = word(text, at);
        at += word.len();
        Some((word, at))
    })
}

/// After each `#` that starts a directive: only white space and comments precede it on its line. The end of a comment
/// from an earlier line counts as a comment.
pub(super) fn directives(text: &str) -> Vec<usize> {
    // Some compilers treat the byte order mark as white space.
    let is_skipped = |c| is_blank(c) || c == '\u{feff}';
    let mut directives = Vec::new();
    for (first, rest) in [('#', ""), ('%', ":"), ('?', "?=")] {
        for (at, _) in text.match_indices(first) {
            let behind = at + 1 + rest.len();
            let before = text[..at].trim_end_matches(is_skipped);
            let is_first = before.is_empty() || before.ends_with('\n') || before.ends_with("*/");
            if is_first && text[at + 1..].starts_with(rest) {
                directives.push(behind);
            }
        }
    }
    directives
}

/// Returns the end of its line, or of the line on which its last comment ends. A comment start inside a string also
/// counts, so the result can be later than the compiler's.
pub(super) fn end(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        match line.find("/*") {
            Some(comment) => at = blank(text, at + comment),
            None => return at + line.len(),
        }
    }
}

/// Returns whether the name at the start of a text is in quotes, and the name. The name is on one line.
pub(super) fn name(text: &str) -> Option<(bool, &str)> {
    let is_quoted = text.starts_with('"');
    let rest = text.strip_prefix(['"', '<'])?;
    let name = &rest[..rest.find(if is_quoted { '"' } else { '>' })?];
    (!name.is_empty() && !name.contains('\n')).then_some((is_quoted, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_joined_as_each_compiler_joins_them() {
        assert_eq!(readings("a\\b\n"), ["a\\b\n"]);
        assert_eq!(readings("a\\\nb\\\r\nc\\"), ["abc\\"]);
        assert_eq!(readings("a\\ \t\nb"), ["a\\ \t\nb", "ab"]);
        assert_eq!(readings("a??/\nb"), ["a??/\nb", "ab"]);
        assert_eq!(readings("a\\ \n??/\n"), ["a\\ \n??/\n", "a??/\n", "a\\ \n", "a"]);
    }

    #[test]
    fn directives_begin_lines() {
        for (text, found) in [
            ("#a\n # b", &[1, 5][..]),
            ("x # y", &[]),
            ("// #a", &[]),
            ("/* x */ #a", &[9]),
            ("x /* y\n */ #a", &[12]),
            ("x /* y */ #a", &[11]),
            ("%:a\n??=b", &[2, 7]),
            ("\x0b\x0c\r\0#a", &[5]),
            ("\u{feff}#a", &[4]),
        ] {
            assert_eq!(directives(text), found, "{text:?}");
        }
    }

    #[test]
    fn a_directive_ends_behind_its_comments() {
        for (text, length) in [("a\nb", 1), ("a /* \n */ b\nc", 11), ("a // /* \n */ b\nc", 14), ("a /* \n", 6)] {
            assert_eq!(end(text, 0), length, "{text:?}");
        }
    }
}
