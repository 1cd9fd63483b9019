//! Imports go one way: a file names only modules of its own layer and of the layers below, and in `driver` only files
//! that come before it.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The layers of `src`, from the ground up; `interop` and `driver` stand side by side.
const LAYERS: [(&str, &[&str]); 6] = [
    ("device", &[]),
    ("marshal", &["device"]),
    ("interop", &["device", "marshal"]),
    ("driver", &["device", "marshal"]),
    ("cpp", &["device", "marshal"]),
    ("__private", &["device", "marshal"]),
];

/// The files of `driver`, from the ground up.
const DRIVER: [&str; 48] = [
    "words",
    "chain",
    "launch_config",
    "api",
    "meaning",
    "nvrtc",
    "nvrtc_error",
    "incompatible",
    "context_error",
    "error",
    "context",
    "versions",
    "compile",
    "context_state",
    "context_hold",
    "context_current",
    "context_create",
    "green_context",
    "runtime",
    "peer",
    "config",
    "function_attribute",
    "occupancy",
    "attributes",
    "image",
    "load_error",
    "loaded",
    "link",
    "shared_memory",
    "loaded_function",
    "function_info",
    "verification",
    "verify",
    "remembered",
    "function",
    "cudarc_function",
    "kernel_cache",
    "module",
    "lookup",
    "kernel",
    "kernel_info",
    "resources",
    "explain",
    "launch_call",
    "launchable",
    "launch_raw",
    "launch",
    "graph",
];

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// All files in `folder`, with their module paths.
fn files(folder: &Path, module: &[String], found: &mut Vec<(Vec<String>, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let mut inner = module.to_vec();
        if path.is_dir() {
            inner.push(name);
            files(&path, &inner, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            if name != "mod" && name != "lib" {
                inner.push(name);
            }
            found.push((inner, code(&fs::read_to_string(&path).unwrap())));
        }
    }
}

/// The text without its comments and its unit tests.
fn code(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests {");
    text[..end.unwrap_or(text.len())]
        .lines()
        .map(|line| match line.find("//") {
            Some(at) => &line[..at],
            None => line,
        })
        .collect::<Vec<_>>()
        .join("\n")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
}

/// The first name of each path that follows `prefix`, which ends with `::`: `a` of `super::a::B`, `a` and `c` of
/// `super::{a::B, c::{D, E}}`.
fn named_after<'t>(text: &'t str, prefix: &str) -> Vec<&'t str> {
    let mut names = Vec::new();
    for (at, _) in text.match_indices(prefix) {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let rest = &text[at + prefix.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            names.extend(words(rest).next());
            continue;
        };
        let (mut depth, mut start) = (0, 0);
        for (i, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    names.extend(words(&group[start..i]).next());
                    start = i + 1;
                    if c == '}' {
                        break;
                    }
                }
                _ => {}
            }
        }
    }
    names
}

#[test]
fn names_of_imports_are_found() {
    let text = "use super::{api::{Api, api}, error::Error}; super::verify::f(); crate::driver::x; my_super::no;";
    assert_eq!(named_after(text, "super::"), ["api", "error", "verify"]);
    assert_eq!(named_after(text, "crate::"), ["driver"]);
}

#[test]
fn nothing_imports_from_a_layer_above_or_through_the_crate_root() {
    let mut found = Vec::new();
    files(&src(), &[], &mut found);
    let mut wrong = Vec::new();
    for (module, text) in &found {
        let Some((layer, below)) = LAYERS
            .iter()
            .find(|(layer, _)| module.first().is_some_and(|m| m == layer))
        else {
            assert!(
                module.is_empty(),
                "the layer of `{module:?}` is not in the list"
            );
            continue;
        };
        // The paths of an exported macro are those of its users.
        let exported = text.contains("#[macro_export]");
        for name in named_after(text, "crate::") {
            if exported && text.contains(&format!("$crate::{name}")) {
                continue;
            }
            if name != *layer && !below.contains(&name) {
                wrong.push(format!("{} names crate::{name}", module.join("/")));
            }
        }
        // A file directly in a layer's folder leaves it by two steps.
        if module.len() == 2 && text.contains("super::super") {
            wrong.push(format!(
                "{} leaves its layer by `super::super`",
                module.join("/")
            ));
        }
    }
    assert!(found.len() > 30, "only {} files were read", found.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_file_of_driver_imports_only_from_files_before_it() {
    let rank = |name: &str| DRIVER.iter().position(|known| *known == name);
    let mut found = Vec::new();
    files(&src().join("driver"), &[], &mut found);
    let (mut wrong, mut arrows) = (Vec::new(), 0);
    for (module, text) in &found {
        let Some(this) = module.first() else { continue };
        let own = rank(this).unwrap_or_else(|| panic!("driver/{this} is not in the list"));
        // In a folder, `super` is the folder.
        let up = if module.len() == 1 && this != "config" {
            "super::"
        } else {
            "super::super::"
        };
        let names = named_after(text, up)
            .into_iter()
            .chain(named_after(text, "crate::driver::"));
        for name in names {
            // `super::launch()` and the like in a macro's or a function's path name an item of `driver`.
            let Some(other) = rank(name) else {
                wrong.push(format!(
                    "{} names `{name}`, which is no file of driver",
                    module.join("/")
                ));
                continue;
            };
            arrows += 1;
            if other > own || (other == own && module.len() == 1) {
                wrong.push(format!("{} imports from {name}", module.join("/")));
            }
        }
    }
    assert!(arrows > 30, "only {arrows} imports were found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
