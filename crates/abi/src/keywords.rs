//! Rust's keywords.
//!
//! The Rust Reference, "Keywords".

use crate::bytes::same;

/// Keywords that cannot be identifiers, not even with `r#`.
pub const NEVER: [&str; 5] = ["_", "self", "Self", "super", "crate"];

/// Keywords of all editions, including reserved ones, that are identifiers only with `r#`.
pub const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Returns whether a word is an identifier only with `r#`.
pub const fn is_keyword(word: &str) -> bool {
    any!(i < KEYWORDS.len(), same(word, KEYWORDS[i]))
}

/// Returns whether a word cannot be an identifier, not even with `r#`.
pub const fn is_never(word: &str) -> bool {
    any!(i < NEVER.len(), same(word, NEVER[i]))
}
