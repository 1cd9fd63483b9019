//! The names at the root of a crate.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeSet;

/// The public names in a `lib.rs`, without hidden ones: items, imports, modules, macros. A glob import is `*`.
///
/// A trait and a derive macro of one name are one.
pub(crate) fn names(text: &str) -> BTreeSet<String> {
    let tokens: TokenStream = text.parse().expect("Rust");
    let (mut names, mut item) = (BTreeSet::new(), Vec::new());
    for token in tokens {
        let ends = match &token {
            TokenTree::Punct(punct) => punct.as_char() == ';',
            // The braces of `pub use a::{b, c};` end nothing.
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !is_import(&item),
            _ => false,
        };
        item.push(token);
        if ends {
            public(&item, &mut names);
            item.clear();
        }
    }
    names
}

fn is_import(item: &[TokenTree]) -> bool {
    item.iter().any(|token| is_word(token, "use"))
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

/// Adds the names of an item, which starts with its attributes, if it is public.
fn public(item: &[TokenTree], names: &mut BTreeSet<String>) {
    let has = |attribute: &str| {
        let mut groups = item.iter().filter(|token| matches!(token, TokenTree::Group(_)));
        groups.any(|group| group.to_string() == attribute)
    };
    if has("[doc (hidden)]") {
        return;
    }
    let at = |word: &str| item.iter().position(|token| is_word(token, word));
    let after = |keyword: &str| match item.get(at(keyword)? + 1)? {
        TokenTree::Ident(name) => Some(name.to_string()),
        _ => None,
    };
    if has("[macro_export]") {
        let name = item.iter().skip_while(|token| !is_word(token, "macro_rules"));
        names.extend(name.skip(2).take(1).map(ToString::to_string));
    }
    let Some(public) = at("pub") else { return };
    if matches!(&item[public + 1], TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis) {
        return;
    }
    if is_word(&item[public + 1], "use") {
        imported(item[public + 2..].iter().cloned().collect(), names);
        return;
    }
    let keywords = ["mod", "struct", "enum", "union", "trait", "type", "static", "fn", "const"];
    names.extend(keywords.into_iter().find_map(after));
}

/// Adds the last name of each path in a tree of imports.
fn imported(tree: TokenStream, names: &mut BTreeSet<String>) {
    let mut last = None;
    for token in tree {
        match &token {
            TokenTree::Group(group) => {
                imported(group.stream(), names);
                last = None;
            }
            TokenTree::Punct(punct) if matches!(punct.as_char(), ',' | ';') => {
                names.extend(last.take());
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => {}
            name => last = Some(name.to_string()),
        }
    }
    names.extend(last);
}

#[test]
fn every_kind_of_public_name_is_found() {
    let text = "
        //! use pub
        #![no_std]
        extern crate alloc;
        #[cfg(feature = \"x\")] pub mod file;
        pub mod inline { pub use a::B; }
        mod private;
        #[doc(hidden)] pub mod __private;
        pub(crate) use a::Crate;
        pub use a::{one, Two as Renamed, deep::{Three, four}, globbed::*};
        pub use Five;
        #[doc(hidden)] pub use a::Six;
        pub struct Tuple(pub u8);
        pub struct Braces { pub field: u8 }
        pub const fn function(_: u8) -> u8 { 0 }
        pub const CONSTANT: u8 = 0;
        fn not(_: u8) {}
        #[macro_export] macro_rules! exported { ($x:ident) => { pub mod $x; }; }
        macro_rules! local { () => {} }
    ";
    let names: Vec<String> = names(text).into_iter().collect();
    let expected = [
        "*", "Braces", "CONSTANT", "Five", "Renamed", "Three", "Tuple", "exported", "file", "four", "function",
        "inline", "one",
    ];
    assert_eq!(names, expected);
}
