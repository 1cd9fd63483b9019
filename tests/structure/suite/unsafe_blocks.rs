//! Where the published crates have `unsafe` blocks, and what their `SAFETY` comments may not say.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The files with `unsafe` blocks, by their paths and texts. Unit tests are not read, and neither are crates that
/// forbid unsafe code: a derive only writes blocks for other crates.
pub(crate) fn files(files: &[(String, String)]) -> Vec<String> {
    let roots = ["lib.rs", "main.rs"];
    let forbids =
        files.iter().any(|(path, text)| roots.contains(&path.as_str()) && text.contains("#![forbid(unsafe_code)]"));
    let with_blocks = files.iter().filter(|(path, text)| {
        let tokens = text.parse();
        has_block(tokens.unwrap_or_else(|error| panic!("{path}: {error}")))
    });
    with_blocks.filter(|_| !forbids).map(|(path, _)| path.clone()).collect()
}

fn has_block(tokens: TokenStream) -> bool {
    let mut words = [const { String::new() }; 2];
    tokens.into_iter().any(|token| {
        let mut found = false;
        if let TokenTree::Group(group) = &token {
            let is_block = group.delimiter() == Delimiter::Brace && words[1] == "unsafe";
            let is_tests = words == ["mod", "tests"];
            found = is_block || !is_tests && has_block(group.stream());
        }
        words.swap(0, 1);
        words[1] = match token {
            TokenTree::Ident(word) => word.to_string(),
            _ => String::new(),
        };
        found
    })
}

/// `SAFETY` comments that refer to another comment by its place.
pub(crate) fn as_above(path: &str, text: &str) -> Vec<String> {
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| line.contains("SAFETY: as above"))
        .map(|(i, _)| format!("{path}:{}: a SAFETY comment that is in another place", i + 1))
        .collect()
}

#[test]
fn a_file_with_a_block_is_found() {
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let mut all = vec![
        file("lib.rs", "mod a;"),
        file("block.rs", "fn f() { g(|| unsafe { h() }) }"),
        file("macro.rs", "macro_rules! m { () => { unsafe { h() } } }"),
        file("item.rs", "unsafe fn f() {} unsafe impl Send for A {} // unsafe {"),
        file("test.rs", "#[cfg(test)] mod tests { fn f() { unsafe { h() } } }"),
    ];
    assert_eq!(files(&all), ["block.rs", "macro.rs"]);
    all[0].1 = "#![forbid(unsafe_code)]".to_owned();
    assert!(files(&all).is_empty());
    assert_eq!(
        as_above("a.rs", "f();\n    // SAFETY: as above.\n"),
        ["a.rs:2: a SAFETY comment that is in another place"]
    );
}
