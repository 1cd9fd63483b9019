//! Finds every file that a source can include, and every path where such a file could appear.
//!
//! The result contains more files than the compiler reads: branches that are not taken count, and each name is searched
//! in every folder.

mod directive;
mod lexer;
mod unknown;

pub use unknown::Unknown;

use crate::files::read_file;
use directive::Names;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

/// Limits of a search: the number of files, and the number of bytes that are read.
const FILES: usize = 8192;
const BYTES: usize = 128 << 20;
/// The nesting depth of macros around `__has_include` that the search follows.
const ROUNDS: usize = 8;

/// The texts where the compiler starts, and the folders where it searches.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    /// The folder for relative paths.
    pub root: &'a Path,
    /// The include folders from the options: `--include-path`.
    pub folders: Vec<PathBuf>,
    /// Texts that the caller passes to the compiler.
    pub texts: Vec<Text<'a>>,
    /// Files that the compiler reads first.
    pub files: Vec<PathBuf>,
}

/// A text that the caller passes to the compiler.
#[derive(Clone, Debug)]
pub struct Text<'a> {
    /// Its name. `#include "file"` in the text searches the folder of this name.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
}

/// The files that a source can include.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Includes {
    /// The content of each file, or `None` for a path where a new file would be included.
    pub files: BTreeMap<PathBuf, Option<Arc<[u8]>>>,
    /// Why there may be more files.
    pub unknown: BTreeSet<Unknown>,
}

/// Finds the files that the texts and files of a search can include, directly and through each other.
///
/// A name in quotes is also searched in the folder of the including file. Paths are absolute and spelled as the
/// compiler spells them.
#[must_use]
pub fn includes(search: &Search<'_>) -> Includes {
    let mut walk = Walk { root: search.root.into(), folders: search.folders.clone(), ..Walk::default() };
    for text in &search.texts {
        let bytes = Arc::from(text.text.as_bytes());
        walk.texts.push((bytes, folder_of(Path::new(text.name))));
    }
    for file in &search.files {
        walk.visit(file.clone());
    }
    let mut wrappers = BTreeSet::new();
    for _ in 0..ROUNDS {
        walk.follow(&wrappers);
        let named = &walk.named;
        if named.wrappers.len() > wrappers.len() {
            // Each text may use a macro from a different text.
            wrappers.clone_from(&named.wrappers);
            walk.next = 0;
            continue;
        }
        if named.is_replaced() {
            walk.includes.unknown.insert(Unknown::Computed);
        }
        walk.includes.unknown.extend(&named.unknown);
        return walk.includes;
    }
    walk.includes.unknown.insert(Unknown::Computed);
    walk.includes
}

fn folder_of(file: &Path) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).to_owned()
}

#[derive(Default)]
struct Walk {
    root: PathBuf,
    folders: Vec<PathBuf>,
    includes: Includes,
    bytes: usize,
    /// All texts, each with its folder.
    texts: Vec<(Arc<[u8]>, PathBuf)>,
    next: usize,
    /// The number of texts that an earlier round has read.
    read: usize,
    named: Names,
    /// `None` for names in angle brackets.
    looked_for: HashSet<(Option<PathBuf>, String)>,
    /// Files by canonical folder: `a/../b.h` is `b.h`.
    visited: HashSet<PathBuf>,
    real: HashMap<PathBuf, PathBuf>,
}

impl Walk {
    /// Reads all texts, also new ones. A text that was read without `wrappers` and contains one is read again.
    fn follow(&mut self, wrappers: &BTreeSet<String>) {
        while let Some((text, folder)) = self.texts.get(self.next).cloned() {
            let is_known = self.next < self.read;
            self.next += 1;
            let text = String::from_utf8_lossy(&text);
            if is_known && !wrappers.iter().any(|wrapper| text.contains(wrapper)) {
                continue;
            }
            self.named.add(&text, wrappers);
            for (is_quoted, name) in std::mem::take(&mut self.named.files) {
                self.look_for(name, is_quoted.then_some(&folder));
            }
        }
        self.read = self.next;
    }

    fn look_for(&mut self, name: String, folder: Option<&PathBuf>) {
        if name.contains(char::REPLACEMENT_CHARACTER) {
            // The file is not Unicode.
            self.includes.unknown.insert(Unknown::Unreadable);
            return;
        }
        let folders = folder.into_iter().chain(&self.folders);
        let candidates: Vec<_> = folders.map(|folder| folder.join(&name)).collect();
        let own = folder.map(|folder| self.real(folder));
        if self.looked_for.insert((own, name)) {
            for candidate in candidates {
                self.visit(candidate);
            }
        }
    }

    /// Returns the canonical folder, or the path as written if the folder does not exist.
    fn real(&mut self, folder: &Path) -> PathBuf {
        if let Some(real) = self.real.get(folder) {
            return real.clone();
        }
        let path = self.root.join(folder);
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { &path };
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.real.insert(folder.to_owned(), real.clone());
        real
    }

    fn visit(&mut self, path: PathBuf) {
        let folder = folder_of(&path);
        let real = match path.file_name() {
            Some(name) => self.real(&folder).join(name),
            None => path.clone(),
        };
        if !self.visited.insert(real) {
            return;
        }
        if self.visited.len() > FILES || self.bytes > BYTES {
            self.includes.unknown.insert(Unknown::Large);
            return;
        }
        let text = match read_file(&self.root.join(&path), BYTES - self.bytes) {
            Ok(text) => text.map(Arc::<[u8]>::from),
            Err(error) => {
                let is_large = error.kind() == std::io::ErrorKind::FileTooLarge;
                self.includes.unknown.insert(if is_large { Unknown::Large } else { Unknown::Unreadable });
                return;
            }
        };
        if let Some(text) = &text {
            self.bytes += text.len();
            self.texts.push((Arc::clone(text), folder));
        }
        self.includes.files.insert(path, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new(files: &[(&str, &str)]) -> Self {
            let root = tempfile::tempdir().unwrap();
            for (file, text) in files {
                let path = root.path().join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Self(root)
        }

        fn search<'a>(&'a self, files: &[&str], texts: Vec<Text<'a>>) -> Search<'a> {
            let files = files.iter().map(PathBuf::from).collect();
            Search { root: self.0.path(), folders: vec!["inc".into()], texts, files }
        }

        /// Returns the files; missing files are in parentheses.
        fn found(&self, files: &[&str], texts: Vec<Text<'_>>) -> Vec<String> {
            let found = includes(&self.search(files, texts));
            let spelled = |(path, text): (&PathBuf, &Option<_>)| {
                let path = path.to_string_lossy().replace('\\', "/");
                match text {
                    Some(_) => path,
                    None => format!("({path})"),
                }
            };
            found.files.iter().map(spelled).collect()
        }
    }

    #[test]
    fn headers_are_looked_for_where_the_compiler_looks() {
        let folder = Folder::new(&[
            ("src/k.cu", "#include \"near.h\"\n#include <far.h>\n#include \"deep/d.h\"\n#include <none.h>"),
            ("src/near.h", "#include \"k.cu\""),
            ("src/far.h", "angle brackets do not find a file next to the source"),
            ("inc/far.h", "#include \"near.h\""),
            ("inc/near.h", ""),
            ("src/deep/d.h", "#include \"e.h\""),
            ("inc/e.h", ""),
        ]);
        assert_eq!(
            folder.found(&["src/k.cu"], Vec::new()),
            [
                "(inc/deep/d.h)",
                "inc/e.h",
                "inc/far.h",
                "(inc/k.cu)",
                "inc/near.h",
                "(inc/none.h)",
                "src/deep/d.h",
                "(src/deep/e.h)",
                "src/k.cu",
                "src/near.h",
            ]
        );
    }

    #[test]
    fn a_text_is_in_the_folder_of_its_name() {
        let folder = Folder::new(&[("a/b/x.h", ""), ("a/y.h", "")]);
        let texts = [
            ("a/b/text.h", "#include \"x.h\""),
            ("a/k.cu", "#include \"y.h\"\n#include <z.h>"),
            ("", "#include \"w.h\""),
        ];
        let texts = texts.map(|(name, text)| Text { name, text });
        assert_eq!(
            folder.found(&[], texts.into()),
            ["a/b/x.h", "a/y.h", "(inc/w.h)", "(inc/x.h)", "(inc/y.h)", "(inc/z.h)", "(w.h)"]
        );
    }

    /// Each file is read once, even if its path is spelled in several ways, so the search ends.
    #[test]
    fn folders_that_include_each_other_are_one_each() {
        let folder = Folder::new(&[("one/a.h", "#include \"../two/b.h\""), ("two/b.h", "#include \"../one/a.h\"")]);
        let found = includes(&folder.search(&["one/a.h"], Vec::new()));
        assert_eq!(found.unknown, [].into());
        assert_eq!(found.files.values().flatten().count(), 2);
    }

    #[test]
    fn a_macro_around_has_include_counts_in_files_that_were_read_before() {
        let folder = Folder::new(&[
            ("k.cu", "#include \"inner.h\"\n#if ALSO(<asked.h>)\n#endif"),
            ("inner.h", "#include \"outer.h\"\n#define ALSO(x) HAS(x)"),
            ("outer.h", "#define HAS(x) __has_include(x)"),
        ]);
        let found = folder.found(&["k.cu"], Vec::new());
        assert!(found.contains(&"(inc/asked.h)".into()), "{found:?}");
    }

    #[test]
    fn what_cannot_be_followed_is_reported() {
        let folder = Folder::new(&[
            ("computed.cu", "#include KIND"),
            ("folder/x", ""),
            ("names.cu", "#include \"folder\""),
            ("zero.cu", "#include \"/dev/zero\""),
        ]);
        let unknown = |file: &str| includes(&folder.search(&[file], Vec::new())).unknown;
        assert_eq!(unknown("computed.cu"), [Unknown::Computed].into());
        assert_eq!(unknown("names.cu"), [].into(), "a folder is not a file");
        if cfg!(unix) {
            assert_eq!(unknown("zero.cu"), [Unknown::Unreadable].into());
        }
        let many: Vec<_> = (0..=FILES).map(|number| format!("#include <{number}>\n")).collect();
        let text = Text { name: "", text: &many.concat() };
        let found = includes(&folder.search(&[], vec![text]));
        assert_eq!(found.unknown, [Unknown::Large].into());
    }
}
