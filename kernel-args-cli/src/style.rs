//! Colours, and text that is safe to print on a terminal.

use anstyle::{AnsiColor, Style};
use std::borrow::Cow;

/// Colours text, or returns it unchanged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    is_on: bool,
}

/// The colours of the parameters, used in turn.
const COLORS: [AnsiColor; 6] = [
    AnsiColor::Cyan,
    AnsiColor::Yellow,
    AnsiColor::Green,
    AnsiColor::Magenta,
    AnsiColor::BrightBlue,
    AnsiColor::Red,
];

impl Paint {
    pub(crate) const fn new(is_on: bool) -> Self {
        Self { is_on }
    }

    fn with(self, style: Style, text: &str) -> String {
        if self.is_on && !text.is_empty() {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    /// The name of a kernel.
    pub(crate) fn title(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    /// Less important text.
    pub(crate) fn faint(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    /// The colour for the parameter with this index.
    pub(crate) fn parameter(self, index: usize, text: &str) -> String {
        let color = COLORS[index % COLORS.len()];
        self.with(Style::new().fg_color(Some(color.into())), text)
    }

    /// A change that breaks callers, or something that was removed.
    pub(crate) fn bad(self, text: &str) -> String {
        self.with(AnsiColor::Red.on_default(), text)
    }

    /// Something that was added.
    pub(crate) fn good(self, text: &str) -> String {
        self.with(AnsiColor::Green.on_default(), text)
    }
}

/// A number with its noun: `1 kernel`, `2 kernels`.
pub(crate) fn count(count: impl Into<u64>, what: &str) -> String {
    match count.into() {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

/// Removes control characters from a file's text, because they could control the terminal.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let is_control =
        |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let escaped = text.chars().map(|c| {
        if is_control(c) {
            c.escape_default().to_string()
        } else {
            c.to_string()
        }
    });
    Cow::Owned(escaped.collect())
}

/// Quotes a word for the shell.
pub(crate) fn quoted(word: Cow<'_, str>) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./+,:@%=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(plain("größe"), "größe");
        assert_eq!(plain("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
        assert_eq!(plain("\u{202e}x"), "\\u{202e}x");
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_part_them() {
        for (word, expected) in [
            ("lib/a.so", "lib/a.so"),
            ("a b", "'a b'"),
            ("it's", "'it'\\''s'"),
            ("gemm*", "'gemm*'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word.into()), expected);
        }
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(
            (count(1_u32, "file"), count(0_u32, "file")),
            ("1 file".to_owned(), "0 files".to_owned())
        );
    }

    #[test]
    fn nothing_is_coloured_without_colours() {
        assert_eq!(Paint::new(false).parameter(7, "a"), "a");
        assert_eq!(Paint::new(true).parameter(7, "a"), "\u{1b}[33ma\u{1b}[0m");
        assert_eq!(Paint::new(true).title(""), "");
    }
}
