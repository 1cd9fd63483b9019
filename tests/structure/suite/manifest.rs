//! Reads the packages of the workspace and their tests from `Cargo.toml` files.

/// A test with an explicit path: a `[[test]]` with `name` and `path`.
#[derive(Debug)]
pub(crate) struct Test {
    pub(crate) name: String,
    /// Relative to the repository's root: `tests/suites/echo/main.rs`.
    pub(crate) file: String,
}

#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// Relative to the repository's root.
    pub(crate) folder: String,
    pub(crate) is_published: bool,
    /// The packages of this workspace that its code uses.
    pub(crate) dependencies: Vec<String>,
    pub(crate) tests: Vec<Test>,
}

/// The text between the quotes of `key = "text"`.
fn value<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    let value = line.strip_prefix(key)?.trim_start().strip_prefix('=')?;
    value.trim().strip_prefix('"')?.strip_suffix('"')
}

/// `folder/path` without `..`.
fn join(folder: &str, path: &str) -> String {
    let mut parts = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The folders of the workspace's packages.
pub(crate) fn members(workspace: &str) -> Vec<String> {
    let lines = workspace.lines().skip_while(|line| *line != "members = [");
    let lines = lines.skip(1).take_while(|line| *line != "]");
    lines.map(|line| line.trim().trim_matches(['"', ',']).to_owned()).collect()
}

impl Package {
    /// Whether it is a part of the library: published, and not a tool of the tests.
    pub(crate) fn is_library(&self) -> bool {
        self.is_published && self.folder != "crates/test-driver"
    }

    pub(crate) fn parse(folder: &str, text: &str) -> Self {
        let mut package = Self {
            name: String::new(),
            folder: folder.to_owned(),
            is_published: true,
            dependencies: Vec::new(),
            tests: Vec::new(),
        };
        let mut section = "";
        let mut named = None;
        for line in text.lines().map(str::trim) {
            if line.starts_with('[') {
                section = line;
                named = None;
            } else if section == "[package]" {
                if let Some(name) = value(line, "name") {
                    name.clone_into(&mut package.name);
                }
                package.is_published &= line != "publish = false";
            } else if section == "[dependencies]" {
                let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
                package.dependencies.extend(name.starts_with("kernel-args").then(|| name.to_owned()));
            } else if section == "[[test]]" {
                if let Some(name) = value(line, "name") {
                    named = Some(name);
                }
                if let (Some(name), Some(path)) = (named, value(line, "path")) {
                    package.tests.push(Test { name: name.to_owned(), file: join(folder, path) });
                }
            }
        }
        package
    }
}

#[test]
fn packages_and_their_tests_are_read() {
    let text = r#"
[package]
name = "tests-of-compilers"
publish = false

[dependencies]
path = { path = "elsewhere" }

[[test]]
name = "oracle"
path = "../suites/oracle/main.rs"
harness = false

# [[test]]
# name = "headers"
# path = "../suites/headers/main.rs"

[[test]]
name = "found_by_cargo"
harness = false

[lints]
workspace = true
"#;
    let package = Package::parse("tests/compiler", text);
    assert_eq!((&*package.name, package.is_published), ("tests-of-compilers", false));
    let tests: Vec<_> = package.tests.iter().map(|test| (&*test.name, &*test.file)).collect();
    assert_eq!(tests, [("oracle", "tests/suites/oracle/main.rs")]);

    assert!(Package::parse("a", "[package]\nname = \"a\"").is_published);
    let workspace = "[workspace]\nmembers = [\n    \"a\",\n    \"a/b\",\n]\ndefault-members = [\n    \"c\",\n]\n";
    assert_eq!(members(workspace), ["a", "a/b"]);
}
