//! What a source can include: every file that its text, or the text of such a file, names.
//!
//! This sees more than the compiler does: names in branches that are not taken, in comments and in strings count too, and a name is
//! looked for in every folder, not only until it is found. What it finds is a superset, so that a change of any file that the
//! compiler reads is noticed. What it cannot follow, it says.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    vec::Vec,
};

/// The most files that are read, and the most bytes of them.
const FILES: usize = 8192;
const BYTES: usize = 128 << 20;

/// A file that a source can include, or that is not there: a file that appears later would be another one.
pub(super) type Files = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// What makes a source's includes unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Untold {
    /// `#include NAME`.
    Computed,
    /// `__DATE__`, `__TIME__` or `__TIMESTAMP__`.
    Time,
    /// More than this follows.
    Large,
    /// A file is there and cannot be read.
    Unreadable,
}

impl Untold {
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Computed => "a macro names a file that is included",
            Self::Time => "the source names the time at which it is compiled",
            Self::Large => "the source includes too many files",
            Self::Unreadable => "a file that the source may include cannot be read",
        }
    }
}

/// The files that `source` and `headers` (texts) can include, by way of each other, from `folders` and their own folders.
pub(super) fn files<'t>(
    source: &'t str,
    headers: impl Iterator<Item = &'t str>,
    folders: &[PathBuf],
) -> Result<Files, Untold> {
    let mut found = Files::new();
    let mut bytes = 0;
    // Names with the folder of the file that has them.
    let mut wanted: Vec<(PathBuf, Option<PathBuf>)> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut add = |names: Vec<PathBuf>, folder: Option<&Path>, wanted: &mut Vec<_>| {
        for name in names {
            let one = (name, folder.map(Path::to_path_buf));
            if seen.insert(one.clone()) {
                wanted.push(one);
            }
        }
    };
    for text in headers.chain([source]) {
        add(names(text.as_bytes())?, None, &mut wanted);
    }
    while let Some((name, folder)) = wanted.pop() {
        for folder in folders.iter().chain(&folder) {
            let path = folder.join(&name);
            if found.contains_key(&path) {
                continue;
            }
            let text = match fs::read(&path) {
                Ok(text) => Some(text),
                Err(error) if is_absent(&error, &path) => None,
                Err(_) => return Err(Untold::Unreadable),
            };
            if let Some(text) = &text {
                bytes += text.len();
                add(names(text)?, path.parent(), &mut wanted);
            }
            found.insert(path, text);
            if found.len() > FILES || bytes > BYTES {
                return Err(Untold::Large);
            }
        }
    }
    Ok(found)
}

/// Whether there is no file of that name: a folder, or a file in the place of a folder, is none either.
fn is_absent(error: &io::Error, path: &Path) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::InvalidFilename
    ) || path.is_dir()
}

/// The names of files in a text: what stands in quotes or angle brackets after `include`, after `#define NAME`, and in parentheses
/// after any word (`__has_include(<name>)`, also by a macro's name).
fn names(text: &[u8]) -> Result<Vec<PathBuf>, Untold> {
    let text = spliced(text);
    let mut names = Vec::new();
    let mut words = Words { text: &text, at: 0 };
    while let Some((start, word)) = words.next_word() {
        match word {
            b"__DATE__" | b"__TIME__" | b"__TIMESTAMP__" => return Err(Untold::Time),
            b"include" | b"include_next" | b"import" | b"embed" => match name_at(&text, words.at) {
                Some(name) => names.push(name),
                None if is_directive(&text, start) => return Err(Untold::Computed),
                None => {}
            },
            b"define" if is_directive(&text, start) => {
                if words.next_word().is_some() {
                    names.extend(name_at(&text, words.at));
                }
            }
            _ => {
                let open = blank(&text, words.at);
                if text.get(open) == Some(&b'(') {
                    names.extend(name_at(&text, open + 1));
                }
            }
        }
    }
    Ok(names)
}

/// The text with lines joined that a backslash splits.
fn spliced(text: &[u8]) -> Vec<u8> {
    let mut spliced = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        if let (b'\\', [b'\n', next @ ..] | [b'\r', b'\n', next @ ..]) = (first, after) {
            rest = next;
        } else {
            spliced.push(*first);
            rest = after;
        }
    }
    spliced
}

/// The words of a text: names of C++, one after another.
struct Words<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Words<'t> {
    /// The next word and where it begins.
    fn next_word(&mut self) -> Option<(usize, &'t [u8])> {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let start = self.at + self.text.get(self.at..)?.iter().position(is_word)?;
        let rest = &self.text[start..];
        let length = rest.iter().position(|byte| !is_word(byte));
        self.at = start + length.unwrap_or(rest.len());
        Some((start, &self.text[start..self.at]))
    }
}

/// Where white space and comments from `at` on end.
fn blank(text: &[u8], mut at: usize) -> usize {
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let space = rest
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t' | 0x0b | 0x0c))
            .count();
        at += space;
        if !text.get(at..).unwrap_or_default().starts_with(b"/*") {
            return at;
        }
        match text[at + 2..].windows(2).position(|pair| pair == b"*/") {
            Some(length) => at += length + 4,
            None => return text.len(),
        }
    }
}

/// The name in quotes or angle brackets at `at`, after white space and comments.
fn name_at(text: &[u8], at: usize) -> Option<PathBuf> {
    let at = blank(text, at);
    let close = match text.get(at)? {
        b'"' => b'"',
        b'<' => b'>',
        _ => return None,
    };
    let rest = text.get(at + 1..)?;
    let end = rest
        .iter()
        .position(|&byte| byte == close || byte == b'\n')?;
    if rest.get(end) != Some(&close) || end == 0 {
        return None;
    }
    let name = core::str::from_utf8(&rest[..end]).ok()?;
    Some(PathBuf::from(name))
}

/// Whether `#`, `%:` or `??=` stands before the word at `start`, but for white space and comments.
fn is_directive(text: &[u8], start: usize) -> bool {
    let before = text[..start].trim_ascii_end();
    before.ends_with(b"#")
        || before.ends_with(b"%:")
        || before.ends_with(b"??=")
        || before.ends_with(b"*/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::{String, ToString as _};

    fn spelled(text: &str) -> Result<Vec<String>, Untold> {
        let names = names(text.as_bytes())?;
        Ok(names
            .into_iter()
            .map(|name| name.display().to_string())
            .collect())
    }

    #[test]
    fn every_way_to_name_a_file_is_seen() {
        for (text, expected) in [
            ("#include \"a.h\"\n#include <b/c.h>", &["a.h", "b/c.h"][..]),
            ("  # \t include/* x */\"a.h\" // no", &["a.h"]),
            ("/* x */ #include \"a.h\"", &["a.h"]),
            ("%:include <a.h>", &["a.h"]),
            ("#inc\\\nlude \"a\\\r\n.h\"", &["a.h"]),
            ("#if 0\n#include \"a.h\"\n#endif", &["a.h"]),
            ("#include_next <a.h>", &["a.h"]),
            (
                "#if __has_include(<a.h>) && __has_include( \"b.h\" )",
                &["a.h", "b.h"],
            ),
            ("#if HAS(<a.h>)", &["a.h"]),
            ("#define HEADER <a.h>", &["a.h"]),
            ("include the file; an #includes", &[]),
            ("int include = 3; f(\"text\");", &["text"]),
            ("#ifdef __has_include\n#endif", &[]),
            ("#include \"unfinished\n", &[]),
        ] {
            match spelled(text) {
                Ok(names) => assert_eq!(names, expected, "{text}"),
                Err(untold) => assert!(
                    untold == Untold::Computed && text.contains("unfinished"),
                    "{text}"
                ),
            }
        }
    }

    #[test]
    fn what_cannot_be_followed_is_told() {
        for text in [
            "#include HEADER",
            "# include /* x */ HEADER(a)",
            "/**/include X",
            "??=include X",
        ] {
            assert_eq!(spelled(text), Err(Untold::Computed), "{text}");
        }
        for text in ["char d[] = __DATE__;", "__TIME__", "__TIMESTAMP__"] {
            assert_eq!(spelled(text), Err(Untold::Time), "{text}");
        }
        assert_eq!(spelled("int MY__DATE__ = 0;"), Ok(Vec::new()));
    }

    #[test]
    fn files_are_followed_in_their_own_folder_and_in_all_others() {
        let folder =
            std::env::temp_dir().join(std::format!("kernel-args-includes-{}", std::process::id()));
        fs::create_dir_all(folder.join("sub")).unwrap();
        fs::write(folder.join("a.h"), "#include \"sub/b.h\"\n#include \"a.h\"").unwrap();
        fs::write(folder.join("sub/b.h"), "#include \"c.h\"").unwrap();
        fs::write(folder.join("sub/c.h"), "").unwrap();
        let folders = [folder.clone()];
        let found = files(
            "#include \"a.h\"\n#include <missing.h>",
            [].into_iter(),
            &folders,
        )
        .unwrap();
        let there = |name: &str| found.get(&folder.join(name)).map(Option::is_some);
        assert_eq!(there("a.h"), Some(true));
        assert_eq!(there("sub/c.h"), Some(true));
        assert_eq!(there("missing.h"), Some(false));
        assert_eq!(there("c.h"), Some(false), "looked for in every folder");
        // By way of a header that is given as a text.
        let headers = ["#include <sub/c.h>"];
        let found = files("", headers.into_iter(), &folders).unwrap();
        assert_eq!(found.len(), 1);
        // A folder of that name is no file.
        let found = files("#include \"sub\"", [].into_iter(), &folders).unwrap();
        assert_eq!(found.get(&folder.join("sub")), Some(&None));
        fs::remove_dir_all(&folder).unwrap();
    }
}
