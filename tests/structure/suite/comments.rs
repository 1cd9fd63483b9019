//! Comments of Rust files: they wrap at the width of the code, and few begin with a reference to a different comment.

/// The width of the code, as in rustfmt.toml.
const WIDTH: usize = 120;

/// The text of a line that is only a comment.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    ["///", "//!", "//"].iter().find_map(|mark| line.strip_prefix(mark))
}

/// Comments that are wider than the code: a line for each. Rows of tables, lines of code and single words (addresses)
/// cannot be wrapped.
pub(crate) fn wide(file: &str, text: &str) -> Vec<String> {
    let (mut problems, mut is_code) = (Vec::new(), false);
    for (index, line) in text.lines().enumerate() {
        let Some(comment) = comment(line) else {
            is_code = false;
            continue;
        };
        let comment = comment.trim_start();
        is_code ^= comment.starts_with("```");
        let is_fixed = is_code || comment.starts_with('|') || !comment.trim_start_matches(['-', ' ']).contains(' ');
        if !is_fixed && line.chars().count() > WIDTH {
            problems.push(format!("{file}:{}: a comment wider than {WIDTH} columns", index + 1));
        }
    }
    problems
}

/// How many comments begin with `The same` or `Same as`: the reader must look for it.
pub(crate) fn references(text: &str) -> usize {
    let (mut count, mut is_first) = (0, true);
    for line in text.lines() {
        let Some(comment) = comment(line) else {
            is_first = true;
            continue;
        };
        let comment = comment.trim_start();
        count += usize::from(is_first && (comment.starts_with("The same") || comment.starts_with("Same as")));
        is_first = comment.is_empty();
    }
    count
}

/// The functions with documentation, and how many of them begin with no verb.
pub(crate) fn functions(text: &str) -> [usize; 2] {
    const NO_VERB: &[&str] = &["The", "A", "An", "Whether", "What", "How", "Why"];
    let (mut first, mut count) = (None, [0; 2]);
    for line in text.lines().map(str::trim_start) {
        if let Some(comment) = line.strip_prefix("///") {
            first = first.or_else(|| comment.split_whitespace().next());
        } else if !line.starts_with("#[") {
            let is_function = line.split_whitespace().take(5).any(|word| word == "fn");
            if let (Some(first), true) = (first, is_function) {
                count[0] += 1;
                count[1] += usize::from(NO_VERB.contains(&first));
            }
            first = None;
        }
    }
    count
}

#[test]
fn functions_without_a_verb_are_counted() {
    let text = "/// The size.\nfn a() {}\n/// Returns the size.\n#[inline]\npub const fn b() {}\n/// A type.\nstruct S;\nfn c() {}\n\
                /// Whether it is.\npub(crate) fn d() {}\n";
    assert_eq!(functions(text), [3, 2]);
}

#[test]
fn wide_comments_and_references_are_found() {
    let long = "a word ".repeat(18);
    let text = format!(
        "/// {long}\n/// | {long}\n/// ```\n/// {long}\n/// ```\n// https://{}\nlet code = \"{long}\"; // {long}\n    //! {long}\n",
        "x".repeat(130)
    );
    assert_eq!(
        wide("a.rs", &text),
        ["a.rs:1", "a.rs:8"].map(|place| format!("{place}: a comment wider than 120 columns"))
    );
    let text = "/// The same as above.\nfn f() {}\n// Same as g.\n// The same line.\nx\n/// Not the same.\n///\n/// The same again.\n";
    assert_eq!(references(text), 3);
}
