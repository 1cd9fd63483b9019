//! ARCHITECTURE.md: its table of packages agrees with their manifests and files, and it names every folder of their
//! sources.

use crate::{manifest::Package, table};

const HEADER: [&str; 4] = ["folder", "contents", "uses", "`unsafe`"];

/// What a package is, as the table states it.
pub(crate) struct Facts<'p> {
    pub(crate) package: &'p Package,
    /// Whether its sources have `unsafe` blocks.
    pub(crate) has_unsafe: bool,
    /// The folders with sources, relative to the package, and the first line of the documentation of each.
    pub(crate) folders: Vec<(String, String)>,
}

/// The name without `kernel-args-`.
fn short(name: &str) -> &str {
    name.strip_prefix("kernel-args-").unwrap_or(name)
}

pub(crate) fn differences(text: &str, all: &[Facts<'_>]) -> Vec<String> {
    let rows = table::rows(text, &HEADER).unwrap_or_default();
    let mut problems = Vec::new();
    for Facts { package, has_unsafe, folders } in all {
        let place = format!("`{}/`", package.folder);
        let Some([_, _, uses, with_unsafe]) = rows.iter().find(|row| row[0] == place).map(|row| &row[..]) else {
            problems.push(format!("ARCHITECTURE.md: no row {place} in the table of packages"));
            continue;
        };
        let mut named: Vec<&str> = uses.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        let mut needed: Vec<&str> = package.dependencies.iter().map(|name| short(name)).collect();
        named.sort_unstable();
        needed.sort_unstable();
        if named != needed {
            problems.push(format!("ARCHITECTURE.md: {place} uses `{}`, not `{uses}`", needed.join(", ")));
        }
        if (*with_unsafe == "none") == *has_unsafe {
            problems.push(format!("ARCHITECTURE.md: the `unsafe` code of {place} is not `{with_unsafe}`"));
        }
        let source = format!("| `{}/src/", package.folder);
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with(&source)).collect();
        let is_named = |row: &str, folder: &str| {
            row.contains(&format!("`{folder}/`")) || row.contains(&format!("{source}{folder}/`"))
        };
        for (folder, _) in folders {
            if !rows.iter().any(|row| is_named(row, folder)) {
                problems.push(format!("ARCHITECTURE.md: no row `{folder}/` for {place}"));
            }
        }
        for row in rows {
            let mut named: Vec<_> = folders.iter().filter(|(folder, _)| is_named(row, folder)).collect();
            named.sort_by_key(|(folder, _)| row.find(&format!("{folder}/`")));
            let expected: Vec<&str> = named.iter().map(|(_, header)| header.as_str()).collect();
            let expected = expected.join(" ");
            let contents = row.split(" | ").nth(1).unwrap_or_default().trim_end_matches(" |");
            if contents != expected {
                problems.push(format!(
                    "ARCHITECTURE.md: the documentation of the folders in {row:?} begins with {expected:?}"
                ));
            }
        }
    }
    problems
}

#[test]
fn a_wrong_row_is_found() {
    let package = Package::parse("a", "[package]\nname = \"kernel-args-a\"\n[dependencies]\nkernel-args-b = \"1\"");
    let facts = |has_unsafe| {
        [Facts {
            package: &package,
            has_unsafe,
            folders: vec![("one".into(), "One.".into()), ("one/two".into(), "Two.".into())],
        }]
    };
    let row = |uses, kind| {
        format!(
            "| folder | contents | uses | `unsafe` |\n|---|---|---|---|\n| `a/` | text | {uses} | {kind} |\n\n| `a/src/one/` | One. |"
        )
    };
    let two = "ARCHITECTURE.md: no row `one/two/` for `a/`";
    assert_eq!(differences(&row("b", "none"), &facts(false)), [two]);
    assert_eq!(
        differences(&row("c", "none"), &facts(true)),
        ["ARCHITECTURE.md: `a/` uses `b`, not `c`", "ARCHITECTURE.md: the `unsafe` code of `a/` is not `none`", two]
    );
    let text = row("b", "none").replace("One.", "One. Two.");
    let begins =
        "ARCHITECTURE.md: the documentation of the folders in \"| `a/src/one/` | One. Two. |\" begins with \"One.\"";
    assert_eq!(differences(&text, &facts(false)), [two, begins]);
    assert_eq!(differences("", &facts(true)), ["ARCHITECTURE.md: no row `a/` in the table of packages"]);
}
