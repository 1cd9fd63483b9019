//! Documents: the paths that they name exist, and the README shows what other files contain.

use crate::table;
use std::path::Path;

/// Whether code in a text names a place of the repository: `folder/file`, `file.rs`.
pub(crate) fn is_path(code: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
    code.bytes().all(plain) && (code.contains('/') || Path::new(code).extension().is_some_and(|end| end == "rs"))
}

/// The path as the repository has it: from its root, or from a folder of the path before it, which is in the same line
/// or in the heading of the section.
fn resolve(code: &str, before: &str, exists: &impl Fn(&str) -> bool) -> Option<String> {
    let folders = Path::new(before).ancestors().filter_map(Path::to_str);
    let mut places =
        folders.map(|folder| format!("{}/{code}", folder.trim_end_matches('/')).trim_start_matches('/').to_owned());
    places.find(|place| exists(place))
}

/// Paths in a document that the repository does not have. Code blocks are left out.
pub(crate) fn paths(file: &str, text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let (mut problems, mut in_block, mut section) = (Vec::new(), false, String::new());
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        }
        if in_block {
            continue;
        }
        let is_heading = line.starts_with('#');
        let mut before = if is_heading { String::new() } else { section.clone() };
        for code in table::code(line).into_iter().filter(|code| is_path(code)) {
            match resolve(code, &before, &exists) {
                Some(place) => before = place,
                None => problems.push(format!("{file}:{}: no file or folder `{code}`", number + 1)),
            }
        }
        if is_heading {
            section = before;
        }
    }
    problems
}

/// Parts of other files that a document does not contain.
pub(crate) fn parts(file: &str, text: &str, parts: &[(&str, &str)]) -> Vec<String> {
    let missing = parts.iter().filter(|(_, part)| part.is_empty() || !text.contains(part));
    missing.map(|(origin, _)| format!("{file} does not show {origin}")).collect()
}

#[test]
fn a_path_that_does_not_exist_is_found() {
    let exists = |place: &str| ["a/b/", "a/b/c.rs", "a/d.rs", "e/"].contains(&place);
    let right =
        "`a/b/c.rs` and `d.rs`, `cargo run -p a/x`, `Form::of`\n`a/b/`, `e/`\n```\n`x/y`\n```\n## `a/b/`\n`c.rs`\n";
    assert_eq!(paths("A.md", right, exists), [""; 0]);
    assert_eq!(
        paths("A.md", "no path\n`a/b/c.rs`, `f.rs`\n## `a/b/`\n### Other\n`d.rs`, `x/y`", exists),
        ["A.md:2: no file or folder `f.rs`", "A.md:5: no file or folder `d.rs`", "A.md:5: no file or folder `x/y`",]
    );
}

#[test]
fn a_part_that_is_missing_is_found() {
    let found = parts("A.md", "| a |\n| b |\n", &[("x", "| a |\n"), ("y", "| c |\n"), ("z", "")]);
    assert_eq!(found, ["A.md does not show y", "A.md does not show z"]);
}
