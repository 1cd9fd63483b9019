//! Programs that no package compiles, and files that no program compiles.

use crate::manifest::Package;

/// `main.rs` files below `tests` that are not the `path` of a `[[test]]`.
pub(crate) fn programs(mains: &[String], packages: &[Package]) -> Vec<String> {
    let tests = || packages.iter().flat_map(|package| &package.tests);
    mains
        .iter()
        .filter(|main| !tests().any(|test| test.file == **main))
        .map(|main| format!("{main}: no [[test]] of a Cargo.toml has this path, so nothing compiles it"))
        .collect()
}

/// Whether a line makes a file part of the program: `mod name;`, or its name in a string, as in `include_str!`.
fn names(line: &str, file: &str) -> bool {
    let line = line.trim();
    if line.starts_with("//") {
        return false;
    }
    let module = file.strip_suffix(".rs").map(|module| format!("mod {module};"));
    module.is_some_and(|module| line == module || line.ends_with(&format!(" {module}")))
        || line.contains(&format!("\"{file}\""))
        || line.contains(&format!("/{file}\""))
}

/// Files of a folder that no other file in it names. A folder with a `mod.rs` counts as a file with its name.
pub(crate) fn files(folder: &str, files: &[(String, String)]) -> Vec<String> {
    let is_named = |file: &str| {
        let others = files.iter().filter(|(other, _)| other != file);
        others.flat_map(|(_, text)| text.lines()).any(|line| names(line, file))
    };
    let files = files.iter().map(|(file, _)| file);
    files
        .filter(|file| !matches!(&***file, "main.rs" | "mod.rs" | "README.md") && !is_named(file))
        .map(|file| format!("{folder}/{file}: no file of the folder names it, so nothing compiles it"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_no_manifest_declares_is_found() {
        let manifest = |folder: &str, path: &str| {
            let text = format!("[package]\nname = \"t\"\n[[test]]\nname = \"s\"\npath = \"{path}\"");
            Package::parse(folder, &text)
        };
        let packages = [manifest("tests", "suites/echo/main.rs"), manifest("tests/t", "suites/main.rs")];
        let all = ["suites/echo", "suites/echos", "t/suites", "t/suite"];
        let all = all.map(|folder| format!("tests/{folder}/main.rs"));
        let problems = programs(&all, &packages);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].starts_with("tests/suites/echos/main.rs: "), "{problems:?}");
        assert!(problems[1].starts_with("tests/t/suite/main.rs: "), "{problems:?}");
    }

    #[test]
    fn a_file_that_its_folder_does_not_name_is_found() {
        let files = [
            ("main.rs", "mod used;\npub(crate) mod also;\n// mod commented;\nmod prefixed_lost;"),
            ("used.rs", "const K: &str = include_str!(\"k.cu\");\nconst T: &str = \"../x/t.py\";"),
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
        assert!(problems[0].starts_with("tests/suites/s/commented.rs: "), "{problems:?}");
        assert!(problems[1].starts_with("tests/suites/s/lost.rs: "), "{problems:?}");
    }
}
