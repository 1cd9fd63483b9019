//! Code in documents fits on a page of docs.rs, and shows what a reader can copy.

/// The columns of a code block that docs.rs shows without scrolling.
const MOST: usize = 88;

/// Lines of code that are too long, and images without a name: a line for each. Blocks of `text` are messages, which
/// are quoted as they are; hidden lines are not shown.
pub(crate) fn problems(file: &str, text: &str) -> Vec<String> {
    let (mut problems, mut block) = (Vec::new(), None);
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(kind) = line.trim_start().strip_prefix("```") {
            block = if block.is_none() { Some(kind) } else { None };
            continue;
        }
        let is_hidden = line == "#" || line.starts_with("# ");
        let Some(kind) = block.filter(|kind| *kind != "text" && !(is_hidden && is_rust(kind))) else {
            continue;
        };
        let columns = line.chars().count();
        if columns > MOST {
            problems
                .push(format!("{file}:{number}: {columns} columns of code in a block of `{kind}`, more than {MOST}"));
        }
        if line.contains("ctx, \"\"") {
            problems.push(format!("{file}:{number}: an image without a name: name a file, or hide the line"));
        }
    }
    problems
}

/// Whether rustdoc hides lines of this kind of block.
fn is_rust(kind: &str) -> bool {
    !["diff", "toml", "sh", "c++"].contains(&kind)
}

/// What begins a line of documentation that only the feature `cudarc` adds.
pub(crate) const WITH_CUDARC: &str = "#![cfg_attr(feature = \"cudarc\", doc = \"";

/// The end of the documentation in `lib.rs`.
const NO_STD: &str = "#![cfg_attr(not(feature = \"cudarc\"), no_std)]";

/// The documentation of the library, as it is with the feature `cudarc`.
pub(crate) fn front_page(lib: &str) -> String {
    let line = |line: &str| {
        let line = line.strip_prefix(WITH_CUDARC).map_or(line, |doc| doc.trim_end_matches("\")]"));
        line.strip_prefix("//!").map_or(line, |doc| doc.strip_prefix(' ').unwrap_or(doc)).to_owned()
    };
    lib.lines().take_while(|line| *line != NO_STD).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn long_code_and_images_without_a_name_are_found() {
    let (right, wrong) = ("x".repeat(MOST), "é".repeat(MOST + 1));
    let text = format!(
        "{wrong}\n```\n{right}\n# {wrong}\n{wrong}\nload(&ctx, \"\")?\n```\n{wrong}\n```text\n{wrong}\n```\n```sh\n# {wrong}\n```"
    );
    let found = problems("a.md", &text);
    let places: Vec<&str> = found.iter().filter_map(|line| line.split(": ").next()).collect();
    assert_eq!(places, ["a.md:5", "a.md:6", "a.md:13"]);
    let lib = "//! a\n#![cfg_attr(feature = \"cudarc\", doc = \"```no_run\")]\n//!  c\n//!\n#![cfg_attr(not(feature = \"cudarc\"), no_std)]\n//! d";
    assert_eq!(front_page(lib), "a\n```no_run\n c\n");
}
