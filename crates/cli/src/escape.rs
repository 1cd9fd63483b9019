//! Text from files and their names: one function for each language that is written.

use std::{borrow::Cow, fmt::Write as _};

/// Also characters that change the order of the characters around them.
fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

pub(crate) fn terminal(text: &str) -> Cow<'_, str> {
    replaced(text, is_control)
}

/// Returns a name in a list. The list is split at brackets and lines, and a line with `#` is a comment.
pub(crate) fn list(name: &str) -> Cow<'_, str> {
    if name.is_empty() {
        return Cow::Borrowed("\\u{}");
    }
    let is_syntax = |c: char| c.is_whitespace() || "\\#()[]{},".contains(c);
    replaced(name, |c| is_control(c) || is_syntax(c))
}

/// Replaces characters by `\n` or `\u{1b}`.
fn replaced(text: &str, is_replaced: impl Fn(char) -> bool) -> Cow<'_, str> {
    with(text, is_replaced, |to, c| match c {
        '\n' | '\r' | '\t' => to.extend(c.escape_default()),
        _ => to.extend(c.escape_unicode()),
    })
}

/// Replaces characters by what `write` writes.
pub(crate) fn with(text: &str, is_replaced: impl Fn(char) -> bool, write: impl Fn(&mut String, char)) -> Cow<'_, str> {
    if !text.contains(&is_replaced) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_replaced(c) { write(&mut escaped, c) } else { escaped.push(c) }
    }
    Cow::Owned(escaped)
}

/// Returns a value as JSON. `serde_json` writes control characters beyond ASCII as they are.
pub(crate) fn json(value: &serde_json::Value) -> String {
    with(&value.to_string(), is_control, |to, c| _ = write!(to, "\\u{:04x}", u32::from(c))).into_owned()
}

/// Returns a word of a command, as a shell reads it. On Windows, as its shells and programs read it.
pub(crate) fn shell(word: Cow<'_, str>) -> String {
    let is_plain =
        |c: char| c.is_alphanumeric() || "-_./+,:@=".contains(c) || c == if cfg!(windows) { '\\' } else { '%' };
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into_owned();
    }
    if cfg!(windows) {
        return format!("\"{}\"", terminal(&word.replace('"', "\\\"")));
    }
    if !word.contains(is_control) {
        return format!("'{}'", word.replace('\'', "'\\''"));
    }
    // The bytes, because not every shell has `\u`.
    let quoted = with(
        &word,
        |c| is_control(c) || "'\\".contains(c),
        |to, c| match c {
            '\'' | '\\' => to.extend(['\\', c]),
            _ => to.extend(c.to_string().bytes().map(|byte| format!("\\{byte:03o}"))),
        },
    );
    format!("$'{quoted}'")
}

/// Texts that need quotes or escapes.
#[cfg(test)]
pub(crate) const ODD: [&str; 8] = [
    "a\u{1b}[31m\n",
    "\u{202e}x",
    "\u{9b}1m\u{7f}",
    "it's",
    "\\u{1b}\\n",
    "größe (1), {2}",
    "\u{2028}\r\t\0",
    "$'x' `y` \"z\"",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(terminal("größe"), "größe");
        assert_eq!(terminal("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
        assert_eq!(terminal("\u{202e}x"), "\\u{202e}x");
        for odd in ODD {
            let all = [terminal(odd), list(odd), json(&odd.into()).into(), shell(odd.into()).into()];
            assert!(all.iter().all(|text| !text.contains(is_control)), "{all:?}");
        }
    }

    #[test]
    fn json_is_the_same_value() {
        for odd in ODD {
            let value = serde_json::json!({odd: [odd, 1]});
            assert_eq!(serde_json::from_str::<serde_json::Value>(&json(&value)).unwrap(), value);
        }
    }

    #[cfg(windows)]
    #[test]
    fn words_are_quoted_for_windows() {
        for (word, expected) in [
            (r"C:\lib\a.dll", r"C:\lib\a.dll"),
            (r"C:\a b\it's", r#""C:\a b\it's""#),
            ("gemm*", "\"gemm*\""),
            ("", "\"\""),
            ("a\"b", r#""a\"b""#),
        ] {
            assert_eq!(shell(word.into()), expected);
        }
    }

    #[cfg(unix)]
    #[test]
    fn words_are_quoted_where_a_shell_would_split_them() {
        for (word, expected) in [
            ("lib/a.so", "lib/a.so"),
            ("a b", "'a b'"),
            ("it's", "'it'\\''s'"),
            ("gemm*", "'gemm*'"),
            ("", "''"),
            ("a\u{1b}'\n", "$'a\\033\\'\\012'"),
        ] {
            assert_eq!(shell(word.into()), expected);
        }
    }
}
