//! The headers of a source, for a compiler that does not tell them.
//!
//! Every `#include` counts, also one that a condition leaves out: a header too many costs a compilation, one too few a stale
//! image.

use crate::compiler::Dependencies;
use std::{
    borrow::Cow,
    fs,
    path::{Path, PathBuf},
};

/// The source and the headers that it includes, as far as they exist.
///
/// Names in quotes are looked for beside the file that includes them, then as those in angle brackets in `folders`. Paths are
/// from `root`.
pub(crate) fn dependencies(root: &Path, source: &Path, folders: &[PathBuf]) -> Dependencies {
    let mut found = Dependencies::default();
    let mut left = vec![source.to_owned()];
    while let Some(file) = left.pop() {
        if !found.files.insert(file.clone()) {
            continue;
        }
        let Ok(bytes) = fs::read(root.join(&file)) else {
            continue;
        };
        let beside = file.parent().unwrap_or(Path::new(""));
        for include in includes(&String::from_utf8_lossy(&bytes)) {
            let beside = match include {
                Include::Quoted(_) => Some(beside),
                _ => None,
            };
            let (Include::Quoted(name) | Include::Angled(name)) = include else {
                found.folders.extend(watched(root, source, folders));
                continue;
            };
            let places = beside
                .into_iter()
                .chain(folders.iter().map(PathBuf::as_path));
            let header = places
                .map(|folder| folder.join(&name))
                .find(|path| root.join(path).is_file());
            left.extend(header);
        }
    }
    found
}

/// The folders in which a header may lie whose name is a macro. The package's own has cargo's output in it.
fn watched(root: &Path, source: &Path, folders: &[PathBuf]) -> Vec<PathBuf> {
    let beside = source.parent().map(Path::to_owned);
    let all = beside.into_iter().chain(folders.iter().cloned());
    all.filter(|folder| root.join(folder).is_dir() && !root.starts_with(root.join(folder)))
        .collect()
}

#[derive(PartialEq, Eq, Debug)]
enum Include {
    Quoted(String),
    Angled(String),
    /// A macro.
    Computed,
}

/// All `#include` of a text.
fn includes(text: &str) -> Vec<Include> {
    let text: Cow<'_, str> = if text.contains("\\\n") || text.contains("\\\r\n") {
        text.replace("\\\r\n", "").replace("\\\n", "").into()
    } else {
        text.into()
    };
    text.lines()
        .flat_map(|line| include(line).into_iter().chain(asked(line)))
        .collect()
}

/// The headers that a line asks for with `__has_include`.
fn asked(line: &str) -> impl Iterator<Item = Include> {
    line.split("__has_include").skip(1).filter_map(|rest| {
        let rest = rest.strip_prefix("_next").unwrap_or(rest).trim_start();
        name(rest.strip_prefix('(')?.trim_start())
    })
}

/// The name of a header, in quotes or brackets.
fn name(text: &str) -> Option<Include> {
    let until = |rest: &str, end| rest.split_once(end).map(|(name, _)| name.to_owned());
    match text.strip_prefix('"') {
        Some(rest) => until(rest, '"').map(Include::Quoted),
        None => until(text.strip_prefix('<')?, '>').map(Include::Angled),
    }
}

fn include(line: &str) -> Option<Include> {
    let line = blank(line);
    let after = line.strip_prefix('#').or_else(|| line.strip_prefix("%:"))?;
    let after = blank(after).strip_prefix("include")?;
    let after = blank(after.strip_prefix("_next").unwrap_or(after));
    let is_macro = after.starts_with(|c: char| c == '_' || c.is_alphabetic());
    name(after).or(is_macro.then_some(Include::Computed))
}

/// Without the blanks and comments that it begins with. What ends a comment of several lines counts as one.
fn blank(mut line: &str) -> &str {
    if let Some((comment, after)) = line.split_once("*/")
        && !comment.contains("/*")
    {
        line = after;
    }
    loop {
        line = line.trim_start();
        match line
            .strip_prefix("/*")
            .and_then(|rest| rest.split_once("*/"))
        {
            Some((_, after)) => line = after,
            None => return line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Include, dependencies, includes};
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    #[test]
    fn every_spelling_of_an_include_is_seen() {
        let quoted = |name: &str| vec![Include::Quoted(name.into())];
        for (text, found) in [
            ("#include \"a.h\"", quoted("a.h")),
            ("  # /* x */ include/**/\"a b.h\" // c", quoted("a b.h")),
            (
                "/* a */ /* b */ #include <c/d.h>",
                vec![Include::Angled("c/d.h".into())],
            ),
            ("end of a comment */ #include \"a.h\"", quoted("a.h")),
            ("#inc\\\nlude \\\r\n \"a.h\"", quoted("a.h")),
            ("%:include \"a.h\"", quoted("a.h")),
            ("#include_next <a.h>", vec![Include::Angled("a.h".into())]),
            ("#include HEADER", vec![Include::Computed]),
            (
                "#if __has_include(<a.h>) || __has_include( \"b.h\" )",
                vec![Include::Angled("a.h".into()), Include::Quoted("b.h".into())],
            ),
            ("#ifdef __has_include", vec![]),
            ("// #include \"a.h\"", vec![]),
            ("#define X include \"a.h\"", vec![]),
            ("#include", vec![]),
            ("#include \"a.h", vec![]),
        ] {
            assert_eq!(includes(text), found, "{text}");
        }
    }

    #[test]
    fn headers_are_looked_for_where_the_compiler_looks() {
        let root =
            std::env::temp_dir().join(format!("kernel-args-build-{}-includes", std::process::id()));
        for (file, text) in [
            (
                "src/k.cu",
                "#include \"near.h\"\n#include <far.h>\n#include \"deep/d.h\"\n#include <none.h>\n#if 0\n#include \"off.h\"\n#endif",
            ),
            ("src/near.h", "#include \"k.cu\""),
            ("src/off.h", ""),
            (
                "src/far.h",
                "a file beside the source is not meant by angle brackets",
            ),
            ("inc/far.h", "#include \"near.h\""),
            ("inc/near.h", ""),
            ("src/deep/d.h", "#include \"e.h\""),
            ("inc/e.h", ""),
            ("src/computed.cu", "#include KIND"),
            ("top.cu", "#include KIND"),
        ] {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let folders = [PathBuf::from("inc"), PathBuf::from("absent")];
        let found = dependencies(&root, Path::new("src/k.cu"), &folders);
        let files: Vec<String> = found
            .files
            .iter()
            .map(|path| path.to_string_lossy().replace('\\', "/"))
            .collect();
        assert_eq!(
            files,
            [
                "inc/e.h",
                "inc/far.h",
                "inc/near.h",
                "src/deep/d.h",
                "src/k.cu",
                "src/near.h",
                "src/off.h"
            ]
        );
        assert!(found.folders.is_empty());
        let found = dependencies(&root, Path::new("src/computed.cu"), &folders);
        assert!(
            found.folders.iter().eq(["inc", "src"].map(Path::new)),
            "{found:?}"
        );
        let found = dependencies(&root, Path::new("top.cu"), &folders);
        assert!(found.folders.iter().eq(["inc"].map(Path::new)), "{found:?}");
        fs::remove_dir_all(root).unwrap();
    }
}
