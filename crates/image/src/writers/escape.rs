//! Text from outside, such as symbols and file names, in comments and documentation.

use crate::prelude::*;

/// As the rest of a `//` comment. Characters that end the comment, or change its appearance, are replaced.
pub(crate) fn rust_comment(text: &str) -> String {
    let is_odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.replace(is_odd, "\u{fffd}")
}

/// As code in the documentation of an item. Characters that end the code or its line are replaced: rustdoc would read
/// HTML or a test behind it.
#[must_use]
pub fn quoted(text: &str) -> String {
    format!("`{}`", code(text))
}

/// Replaces what would end code in documentation.
pub(crate) fn code(text: &str) -> String {
    rust_comment(text).replace('`', "\u{fffd}")
}

/// As the rest of a `//` comment of C++. A backslash at the end, possibly before white space or as a trigraph, would
/// continue the comment.
#[cfg(feature = "header")]
pub(crate) fn cpp_comment(text: &str) -> String {
    let mut comment = rust_comment(text);
    comment.truncate(comment.trim_end().len());
    if comment.ends_with('\\') || comment.ends_with("??/") {
        comment.push('.');
    }
    comment
}
