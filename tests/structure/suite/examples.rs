//! Examples in the documentation of types that a user constructs.

use std::collections::{BTreeMap, BTreeSet};

/// The structs with a public constructor whose documentation has no example: a line for each.
pub(crate) fn missing(sources: &[(String, String)]) -> Vec<String> {
    let (mut structs, mut constructed) = (BTreeMap::new(), BTreeSet::new());
    for (path, text) in sources {
        let lines: Vec<&str> = text.lines().collect();
        for (i, line) in lines.iter().enumerate() {
            if let Some(name) = line.strip_prefix("pub struct ").map(identifier) {
                structs.insert(name, (path, has_example(&lines[..i])));
            }
        }
        constructed.extend(with_constructor(&lines));
    }
    structs
        .into_iter()
        .filter(|(name, (_, has_example))| !has_example && constructed.contains(name))
        .map(|(name, (path, _))| format!("{path}: `{name}` has no example"))
        .collect()
}

/// The identifier at the start of a text.
fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

/// Whether the documentation above an item contains code.
fn has_example(above: &[&str]) -> bool {
    let documentation = above.iter().rev().take_while(|line| {
        let line = line.trim_start();
        line.starts_with("///") || line.starts_with("#[") || line.ends_with([',', '(']) || line == ")]"
    });
    documentation.into_iter().any(|line| line.starts_with("/// ```"))
}

/// The types with a public function that takes no `self` and returns the type, alone or in a `Result`.
fn with_constructor<'t>(lines: &[&'t str]) -> BTreeSet<&'t str> {
    let (mut found, mut current) = (BTreeSet::new(), None);
    for (i, line) in lines.iter().enumerate() {
        if let Some(header) = line.strip_prefix("impl") {
            let is_inherent = !header.contains(" for ");
            let name = header.trim_start_matches(|c| c != ' ').trim_start();
            current = is_inherent.then(|| identifier(name));
        } else if *line == "}" {
            current = None;
        }
        let is_function =
            ["    pub fn ", "    pub const fn ", "    pub unsafe fn "].iter().any(|start| line.starts_with(start));
        if let (true, Some(name)) = (is_function, current) {
            let rest = lines[i..].iter();
            let end = rest.clone().position(|line| line.ends_with('{') || line.ends_with(';'));
            let signature: String = rest.take(end.unwrap_or(0) + 1).copied().collect();
            if let Some((arguments, result)) = signature.split_once("->")
                && !arguments.contains("self")
                && (result.contains("Self") || identifier(result.trim_start()) == name)
            {
                found.insert(name);
            }
        }
    }
    found
}

#[test]
fn a_struct_without_an_example_is_found() {
    let text = "/// A.\npub struct A<'a> {\n}\nimpl<'a> A<'a> {\n    /// Makes one.\n    pub const fn new(\n        n: u32,\n    ) -> Self {\n    }\n}\n\
        /// B.\n///\n/// ```\n/// B::new();\n/// ```\n#[derive(Debug)]\n#[allow(\n    x,\n)]\npub struct B;\nimpl B {\n
        /// pub fn new() -> Result<Self, Error> {\n}\n\
        pub struct C;\nimpl C {\n    pub fn with(&self) -> Self {\n    }\n    fn own() -> Self {\n    }\n}\n\
        pub struct D;\nimpl From<u8> for D {\n    pub fn of() -> Self {\n    }\n}\n";
    let found = missing(&[("a.rs".into(), text.into())]);
    assert_eq!(found, ["a.rs: `A` has no example"]);
}
