//! The source files of a build.

use crate::{identifier::module_name, texts};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

pub(crate) struct Source {
    /// As the user wrote it or as a pattern found it, relative to the folder of the package.
    pub(crate) path: PathBuf,
    /// The name of the output files, without extension.
    pub(crate) name: String,
    pub(crate) module: String,
}

/// Returns each file once, and the folders that the patterns search.
pub(crate) fn find(
    root: &Path,
    files: &[PathBuf],
    patterns: &[String],
    excluded: &[String],
) -> Result<(Vec<Source>, Vec<PathBuf>), String> {
    let mut paths = files.to_vec();
    let mut folders = Vec::new();
    for pattern in patterns {
        paths.extend(matches(root, pattern)?);
        folders.extend(folder_of(root, pattern));
    }
    for pattern in excluded {
        let out = matches(root, pattern)?;
        let before = paths.len();
        paths.retain(|path| !out.iter().any(|out| is_same(root, path, out)));
        if paths.len() == before {
            return Err(texts::excludes_nothing(pattern));
        }
    }
    let mut sources: Vec<Source> = Vec::new();
    let mut taken: BTreeMap<String, PathBuf> = BTreeMap::new();
    for path in paths {
        if sources.iter().any(|source| is_same(root, &source.path, &path)) {
            continue;
        }
        if !root.join(&path).is_file() {
            return Err(texts::no_file(&path, root));
        }
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else {
            return Err(texts::no_name(&path));
        };
        let module = module_name(name);
        // On some systems, names that differ only in case name the same file.
        let key = module.trim_start_matches("r#").to_lowercase();
        if let Some(other) = taken.insert(key, path.clone()) {
            return Err(texts::same_module(&other, &path, &module));
        }
        let name = name.to_owned();
        sources.push(Source { path, name, module });
    }
    for source in &sources {
        // `a.debug.ptx` is the description of `a.cu`.
        let base = source.name.strip_suffix(".debug");
        if let Some(other) = sources.iter().find(|other| base == Some(&other.name)) {
            return Err(texts::same_file(&other.path, &source.path, &source.name));
        }
    }
    if sources.is_empty() {
        return Err(texts::NO_SOURCES.into());
    }
    Ok((sources, folders))
}

pub(crate) fn is_same(root: &Path, one: &Path, other: &Path) -> bool {
    let absolute = |path: &Path| root.join(path).canonicalize();
    one == other || matches!((absolute(one), absolute(other)), (Ok(one), Ok(other)) if one == other)
}

/// Returns the entries of a folder whose names are wanted; none if it cannot be read.
pub(crate) fn entries<W: Fn(&str) -> bool>(folder: &Path, is_wanted: W) -> impl Iterator<Item = PathBuf> + use<W> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(move |entry| is_wanted(&entry.file_name().to_string_lossy())).map(|entry| entry.path())
}

fn matches(root: &Path, pattern: &str) -> Result<Vec<PathBuf>, String> {
    let is_absolute = Path::new(pattern).is_absolute();
    let whole = if is_absolute {
        pattern.to_owned()
    } else {
        let root = glob::Pattern::escape(&root.to_string_lossy());
        format!("{root}/{pattern}")
    };
    let found = glob::glob(&whole).map_err(|error| texts::no_pattern(pattern, &error))?;
    let mut paths = Vec::new();
    for path in found {
        let path = path.map_err(|error| texts::unreadable(error.path(), error.error()))?;
        if path.is_file() {
            let relative = path.strip_prefix(root).map(Path::to_owned);
            paths.push(if is_absolute { path } else { relative.unwrap_or(path) });
        }
    }
    if paths.is_empty() {
        return Err(texts::no_match(pattern, root));
    }
    Ok(paths)
}

/// Returns the folder that a pattern searches, unless it contains cargo's output.
fn folder_of(root: &Path, pattern: &str) -> Option<PathBuf> {
    let plain = |part: &std::path::Component<'_>| !part.as_os_str().to_string_lossy().contains(['*', '?', '[']);
    let mut folder: PathBuf = Path::new(pattern).components().take_while(plain).collect();
    if folder == Path::new(pattern) {
        folder.pop();
    }
    let is_package = root.starts_with(root.join(&folder));
    (!is_package && root.join(&folder).is_dir()).then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn package(files: &[&str]) -> TempDir {
        let root = tempfile::Builder::new().prefix("[1] ü").tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        root
    }

    type Found = (Vec<(String, String)>, Vec<PathBuf>);

    /// Returns the paths with their modules, and the folders that patterns search.
    fn found(root: &TempDir, [files, patterns, excluded]: [&[&str]; 3]) -> Result<Found, String> {
        let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        let [patterns, excluded] =
            [patterns, excluded].map(|all| all.iter().map(|&one| one.into()).collect::<Vec<String>>());
        let (sources, folders) = find(root.path(), &files, &patterns, &excluded)?;
        let pair = |source: Source| (texts::path(&source.path), source.module);
        Ok((sources.into_iter().map(pair).collect(), folders))
    }

    #[test]
    fn patterns_are_of_the_package_and_each_file_counts_once() {
        let root = package(&["src/b c.cu", "src/a.cu", "src/deep/d.cu", "src/a.cuh"]);
        let (sources, folders) = found(&root, [&["src/../src/a.cu"], &["src/**/*.cu", "./src/d*/d.cu"], &[]]).unwrap();
        let expected = [("src/../src/a.cu", "a"), ("src/b c.cu", "b_c"), ("src/deep/d.cu", "d")];
        assert_eq!(sources, expected.map(|(path, module)| (path.into(), module.into())));
        assert_eq!(folders, [Path::new("src"), Path::new("./src")]);
        fs::write(root.path().join("top.cu"), "").unwrap();
        let (_, folders) = found(&root, [&[], &["*.cu", "./t*.cu"], &[]]).unwrap();
        assert_eq!(folders, [] as [&Path; 0], "the folder contains cargo's output");
    }

    #[test]
    fn excluded_files_are_left_out() {
        let root = package(&["src/a.cu", "src/a_test.cu", "src/b/c_test.cu", "d.cu"]);
        let modules = |excluded: &[&str]| {
            let (sources, _) = found(&root, [&["d.cu"], &["src/**/*.cu"], excluded])?;
            Ok(sources.into_iter().map(|(_, module)| module).collect::<Vec<_>>())
        };
        assert_eq!(modules(&["src/**/*_test.cu"]), Ok(vec!["d".into(), "a".into()]));
        assert_eq!(modules(&["d.cu", "src/b/*", "src/a.cu"]), Ok(vec!["a_test".into()]));
        for (excluded, part) in
            [(&["src/*.cuh"][..], "no file matches `src/*.cuh`"), (&["d.cu", "d.cu"], "leaves out no file")]
        {
            let error: String = modules(excluded).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_compiled_is_named() {
        let root = package(&["a/k.cu", "a/k.debug.cu", "b/k.cu", "a-b.cu", "a_b.cu", "K.cu"]);
        for (files, patterns, part) in [
            (&["a/k.cu", "b/k.cu"][..], &[][..], "`b/k.cu`"),
            (&["a-b.cu", "a_b.cu"], &[], "module `a_b`"),
            (&["K.cu", "a/k.cu"], &[], "rename"),
            (&["a/k.debug.cu", "a/k.cu"], &[], "`a/k.debug.cu` would both be written to `k.debug.ptx`"),
            (&["none.cu"], &[], "`none.cu` does not exist\n"),
            (&["a/kk.cu"], &[], " has k.cu, k.debug.cu\nhelp: write `a/k.cu`; relative paths start at "),
            (&["d/k.cu"], &[], "d does not exist\n"),
            (&[], &["c/*.cu"], "`c/*.cu`"),
            (&[], &["a[.cu"], "`a[.cu`"),
            (&[], &[], "`.file("),
        ] {
            let error = found(&root, [files, patterns, &[]]).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
