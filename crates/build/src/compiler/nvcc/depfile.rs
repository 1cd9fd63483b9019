//! The list of files that `nvcc -MD` writes, in the syntax of `make`.

use std::path::PathBuf;

/// Returns the files after the colon.
pub(super) fn parse(bytes: &[u8]) -> Vec<PathBuf> {
    let words = words(bytes);
    let colon = words.iter().position(|word| word.ends_with(b":"));
    let files = colon.map_or(&[][..], |colon| &words[colon + 1..]);
    files.iter().map(|word| path(word)).collect()
}

/// Splits at blanks. A backslash joins lines and escapes a blank or `#`; `$$` is `$`.
fn words(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut word: Vec<u8> = Vec::new();
    let mut rest = bytes;
    loop {
        rest = match rest {
            [b'\\', b'\n', after @ ..]
            | [b'\\', b'\r', b'\n', after @ ..]
            | [b' ' | b'\t' | b'\r' | b'\n', after @ ..] => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                after
            }
            [b'\\', kept @ (b' ' | b'#'), after @ ..] | [b'$', kept @ b'$', after @ ..] => {
                word.push(*kept);
                after
            }
            // A backslash in a Windows path.
            [byte, after @ ..] => {
                word.push(*byte);
                after
            }
            [] => break,
        };
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> PathBuf {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    OsStr::from_bytes(bytes).into()
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::parse;
    use std::path::Path;

    #[test]
    fn files_are_read_as_make_reads_them() {
        let text = "out dir\\ x/k.ptx : src/k.cu \\\n    a\\ b/ü.h \\\r\n  c$$d\\#e.h\\\n f\n";
        assert_eq!(parse(text.as_bytes()), ["src/k.cu", "a b/ü.h", "c$d#e.h", "f"].map(Path::new));
        assert_eq!(parse(b"C:\\out\\k.ptx: C:\\src\\k.cu\n"), [Path::new("C:\\src\\k.cu")]);
        assert_eq!(parse(b""), [] as [&Path; 0]);
    }
}
