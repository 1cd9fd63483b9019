//! Suites that no package compiles, and files that no suite compiles.

use crate::manifest::Package;

/// Files and folders of `tests/suites` that are the `path` of no `[[test]]`.
pub(crate) fn suites(suites: &[String], packages: &[Package]) -> Vec<String> {
    let tests = || packages.iter().flat_map(|package| &package.tests);
    let is_declared = |suite: &&String| {
        let file = format!("tests/suites/{suite}");
        let main = format!("{file}/main.rs");
        tests().any(|test| test.file == file || test.file == main)
    };
    suites
        .iter()
        .filter(|suite| !is_declared(suite))
        .map(|suite| format!("tests/suites/{suite}: no [[test]] of a Cargo.toml has this path, so nothing compiles it"))
        .collect()
}

/// Whether a line of a file makes another one part of the program: `mod name;`, or its name in a string, as in
/// `include_str!`.
fn names(line: &str, file: &str) -> bool {
    let line = line.trim();
    if line.starts_with("//") {
        return false;
    }
    let module = file
        .strip_suffix(".rs")
        .map(|module| format!("mod {module};"));
    module.is_some_and(|module| line == module || line.ends_with(&format!(" {module}")))
        || line.contains(&format!("\"{file}\""))
        || line.contains(&format!("/{file}\""))
}

/// Files of a suite that no other file of it names.
pub(crate) fn files(suite: &str, files: &[(String, String)]) -> Vec<String> {
    let is_named = |file: &str| {
        let others = files.iter().filter(|(other, _)| other != file);
        others
            .flat_map(|(_, text)| text.lines())
            .any(|line| names(line, file))
    };
    let files = files.iter().map(|(file, _)| file);
    files
        .filter(|file| *file != "main.rs" && !is_named(file))
        .map(|file| {
            format!("{suite}/{file}: no file of the suite names it, so nothing compiles it")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_that_no_manifest_declares_is_found() {
        let manifest = |suite: &str| {
            let text =
                format!("[package]\nname = \"t\"\n[[test]]\nname = \"s\"\npath = \"{suite}\"");
            Package::parse("tests/t", &text)
        };
        let packages = [
            manifest("../suites/echo/main.rs"),
            manifest("../suites/scale.rs"),
        ];
        let all = ["echo", "headers", "scale.rs", "scal.rs"].map(String::from);
        let problems = suites(&all, &packages);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(
            problems[0].starts_with("tests/suites/headers: "),
            "{problems:?}"
        );
        assert!(
            problems[1].starts_with("tests/suites/scal.rs: "),
            "{problems:?}"
        );
    }

    #[test]
    fn a_file_that_its_suite_does_not_name_is_found() {
        let files = [
            (
                "main.rs",
                "mod used;\npub(crate) mod also;\n// mod commented;\nmod prefixed_lost;",
            ),
            (
                "used.rs",
                "const K: &str = include_str!(\"k.cu\");\nconst T: &str = \"../x/t.py\";",
            ),
            ("also.rs", ""),
            ("prefixed_lost.rs", ""),
            ("k.cu", ""),
            ("t.py", ""),
            ("commented.rs", ""),
            ("lost.rs", "mod lost;"),
        ];
        let files = files.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let problems = super::files("tests/suites/s", &files);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(
            problems[0].starts_with("tests/suites/s/commented.rs: "),
            "{problems:?}"
        );
        assert!(
            problems[1].starts_with("tests/suites/s/lost.rs: "),
            "{problems:?}"
        );
    }
}
