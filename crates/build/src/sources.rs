//! The source files of a build.

use crate::{error::Error, identifier::module_name, texts};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Source {
    /// As the user wrote it or as a pattern found it, relative to the folder of the package.
    pub(crate) path: PathBuf,
    /// The name of the output files, without extension.
    pub(crate) name: String,
    pub(crate) module: String,
}

/// Each file once, and the folders that the patterns search.
pub(crate) fn find(
    root: &Path,
    files: &[PathBuf],
    patterns: &[String],
    excluded: &[String],
) -> Result<(Vec<Source>, Vec<PathBuf>), Error> {
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
            return Err(Error::new(texts::excludes_nothing(pattern)));
        }
    }
    let mut sources: Vec<Source> = Vec::new();
    let mut taken: BTreeMap<String, PathBuf> = BTreeMap::new();
    for path in paths {
        if sources.iter().any(|source| is_same(root, &source.path, &path)) {
            continue;
        }
        if !root.join(&path).is_file() {
            return Err(Error::new(texts::no_file(&path, root)));
        }
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else {
            return Err(Error::new(texts::no_name(&path)));
        };
        let module = module_name(name);
        // On some systems, names that differ only in case name the same file.
        let key = module.trim_start_matches("r#").to_lowercase();
        if let Some(other) = taken.insert(key, path.clone()) {
            return Err(Error::new(texts::same_module(&other, &path, &module)));
        }
        let name = name.to_owned();
        sources.push(Source { path, name, module });
    }
    for source in &sources {
        // `a.debug.ptx` is the description of `a.cu`.
        let base = source.name.strip_suffix(".debug");
        if let Some(other) = sources.iter().find(|other| base == Some(&other.name)) {
            return Err(Error::new(texts::same_file(&other.path, &source.path, &source.name)));
        }
    }
    if sources.is_empty() {
        return Err(Error::new(texts::NO_SOURCES));
    }
    Ok((sources, folders))
}

pub(crate) fn is_same(root: &Path, one: &Path, other: &Path) -> bool {
    let absolute = |path: &Path| root.join(path).canonicalize();
    one == other || matches!((absolute(one), absolute(other)), (Ok(one), Ok(other)) if one == other)
}

/// The entries of a folder whose names are wanted; none if it cannot be read.
pub(crate) fn entries<W: Fn(&str) -> bool>(folder: &Path, is_wanted: W) -> impl Iterator<Item = PathBuf> + use<W> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(move |entry| is_wanted(&entry.file_name().to_string_lossy())).map(|entry| entry.path())
}

fn matches(root: &Path, pattern: &str) -> Result<Vec<PathBuf>, Error> {
    let is_absolute = Path::new(pattern).is_absolute();
    let whole = if is_absolute {
        pattern.to_owned()
    } else {
        let root = glob::Pattern::escape(&root.to_string_lossy());
        format!("{root}/{pattern}")
    };
    let found = glob::glob(&whole).map_err(|error| Error::new(texts::no_pattern(pattern, &error)))?;
    let mut paths = Vec::new();
    for path in found {
        let path = path.map_err(|error| Error::new(texts::unreadable(error.path(), error.error())))?;
        if path.is_file() {
            let relative = path.strip_prefix(root).map(Path::to_owned);
            paths.push(if is_absolute { path } else { relative.unwrap_or(path) });
        }
    }
    if paths.is_empty() {
        return Err(Error::new(texts::no_match(pattern, root)));
    }
    Ok(paths)
}

/// The folder that a pattern searches, unless it contains cargo's output.
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
    use super::find;
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    fn package(name: &str, files: &[&str]) -> PathBuf {
        let root = std::env::temp_dir().join(format!("kernel-args-build-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        root
    }

    fn names(root: &Path, files: &[&str], patterns: &[&str]) -> Result<Vec<(String, String)>, String> {
        let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        let patterns: Vec<String> = patterns.iter().map(|&pattern| pattern.into()).collect();
        let found = find(root, &files, &patterns, &[]).map_err(|error| error.to_string())?;
        let written = |path: &Path| path.to_string_lossy().replace('\\', "/");
        Ok(found.0.into_iter().map(|source| (written(&source.path), source.module)).collect())
    }

    #[test]
    fn patterns_are_of_the_package_and_each_file_counts_once() {
        let root = package("[1] ü", &["src/b c.cu", "src/a.cu", "src/deep/d.cu", "src/a.cuh"]);
        let pairs = |expected: &[(&str, &str)]| -> Vec<(String, String)> {
            expected.iter().map(|&(path, module)| (path.into(), module.into())).collect()
        };
        assert_eq!(
            names(&root, &["src/../src/a.cu"], &["src/**/*.cu", "src/*.cu"]),
            Ok(pairs(&[("src/../src/a.cu", "a"), ("src/b c.cu", "b_c"), ("src/deep/d.cu", "d")]))
        );
        let (_, folders) = find(&root, &[], &["src/**/*.cu".into(), "./src/d*/d.cu".into()], &[]).unwrap();
        assert_eq!(folders, [Path::new("src"), Path::new("./src")]);
        fs::write(root.join("top.cu"), "").unwrap();
        let (_, folders) = find(&root, &[], &["*.cu".into(), "./t*.cu".into()], &[]).unwrap();
        assert_eq!(folders, [] as [&Path; 0], "the folder contains cargo's output");
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn excluded_files_are_left_out() {
        let root = package("exclude", &["src/a.cu", "src/a_test.cu", "src/b/c_test.cu", "d.cu"]);
        let found = |excluded: &[&str]| {
            let excluded: Vec<String> = excluded.iter().map(|&pattern| pattern.into()).collect();
            find(&root, &["d.cu".into()], &["src/**/*.cu".into()], &excluded)
                .map(|(sources, _)| sources.into_iter().map(|source| source.name).collect::<Vec<_>>())
                .map_err(|error| error.to_string())
        };
        assert_eq!(found(&["src/**/*_test.cu"]), Ok(vec!["d".into(), "a".into()]));
        assert_eq!(found(&["d.cu", "src/b/*", "src/a.cu"]), Ok(vec!["a_test".into()]));
        let nothing = found(&["src/*.cuh"]).unwrap_err();
        assert!(nothing.contains("no file matches `src/*.cuh`"), "{nothing}");
        let twice = found(&["d.cu", "d.cu"]).unwrap_err();
        assert!(twice.contains("leaves out no file"), "{twice}");
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn what_cannot_be_compiled_is_named() {
        let root = package("errors", &["a/k.cu", "a/k.debug.cu", "b/k.cu", "a-b.cu", "a_b.cu", "K.cu"]);
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
            let error = names(&root, files, patterns).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        fs::remove_dir_all(root).unwrap();
    }
}
