//! Where a PTX text begins, and where it ends if other bytes follow: by as much of its grammar as that takes.

/// What a PTX text begins with, apart from comments.
pub(super) const VERSION: &[u8] = b".version";

/// The longest string or comment that counts as one: compilers write shorter ones.
const LONGEST: usize = 16 << 10;

/// Whether a text begins with `.version`, behind comments and spaces; or with a comment that goes on behind it.
pub(super) fn begins(mut text: &[u8]) -> bool {
    loop {
        text = text.trim_ascii_start();
        match comment(text) {
            Ok(0) => return text.starts_with(VERSION),
            Ok(length) => text = &text[length..],
            Err(_) => return text.len() > 1,
        }
    }
}

/// Where the last statement of a PTX text ends; `None` where that may lie behind `bytes`, unless they are all that there are.
pub(super) fn end(bytes: &[u8], is_all: bool) -> Option<usize> {
    let mut end = 0;
    loop {
        match statement(&bytes[end..], end == 0) {
            Ok(length) => end += length,
            Err(Other::Cut) if !is_all => return None,
            Err(_) => return Some(end),
        }
    }
}

/// What is no statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Other {
    /// The bytes end in it.
    Cut,
    NotPtx,
}

/// What a statement of a module begins with.
const STATEMENTS: [&[u8]; 16] = [
    b"alias",
    b"common",
    b"const",
    b"entry",
    b"extern",
    b"func",
    b"global",
    b"pragma",
    b"section",
    b"shared",
    b"tex",
    b"visible",
    b"weak",
    b"address_size",
    b"file",
    b"target",
];

/// Those which end with their line.
const LINES: [&[u8]; 4] = [b"address_size", b"file", b"target", b"version"];

/// The length of the statement that a text begins with.
fn statement(text: &[u8], is_first: bool) -> Result<usize, Other> {
    let start = blanks(text)?;
    let [b'.', rest @ ..] = &text[start..] else {
        return Err(Other::NotPtx);
    };
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let length = rest.iter().take_while(|b| is_word(b)).count();
    let word = &rest[..length];
    if length == rest.len() {
        return Err(Other::Cut);
    }
    if !(STATEMENTS.contains(&word) || is_first && word == b"version") {
        return Err(Other::NotPtx);
    }
    let is_line = LINES.contains(&word);
    let (mut at, mut depth) = (start + 1 + length, 0_u32);
    // `= { 1, 2 };` ends with `;`.
    let mut has_value = false;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\n' if is_line => return Ok(at + 1),
            b';' if depth == 0 => return Ok(at + 1),
            b'=' if depth == 0 => has_value = true,
            b'{' => depth += 1,
            b'}' => {
                depth = depth.checked_sub(1).ok_or(Other::NotPtx)?;
                if depth == 0 && !has_value {
                    return Ok(at + 1);
                }
            }
            b'"' => at += 1 + string(&text[at + 1..])?,
            b'/' => at += comment(&text[at..])?.saturating_sub(1),
            b'.' if text[at..].starts_with(VERSION) => return Err(Other::NotPtx),
            b'\t'..=b'\r' | b' '..=b'~' => {}
            _ => return Err(Other::NotPtx),
        }
        at += 1;
    }
    Err(Other::Cut)
}

/// The length of a string with its last quote.
fn string(text: &[u8]) -> Result<usize, Other> {
    let searched = &text[..text.len().min(LONGEST)];
    let end = searched.iter().position(|b| matches!(b, b'"' | b'\n' | 0));
    match end.map(|end| (text[end], end)) {
        Some((b'"', end)) => Ok(end),
        None if text.len() < LONGEST => Err(Other::Cut),
        _ => Err(Other::NotPtx),
    }
}

/// The length of the comment that a text begins with; 0 where it begins with none.
fn comment(text: &[u8]) -> Result<usize, Other> {
    let last: &[u8] = match text {
        [b'/'] => return Err(Other::Cut),
        [b'/', b'/', ..] => b"\n",
        [b'/', b'*', ..] => b"*/",
        _ => return Ok(0),
    };
    let searched = &text[2..text.len().min(LONGEST)];
    match memchr::memmem::find(searched, last) {
        Some(at) => Ok(2 + at + last.len()),
        None if text.len() < LONGEST => Err(Other::Cut),
        None => Err(Other::NotPtx),
    }
}

/// The length of the blanks and comments that a text begins with. Something follows them.
fn blanks(text: &[u8]) -> Result<usize, Other> {
    let mut at = 0;
    loop {
        at += text[at..]
            .iter()
            .take_while(|b| b.is_ascii_whitespace())
            .count();
        match text.get(at) {
            None => return Err(Other::Cut),
            Some(b'/') => match comment(&text[at..])? {
                0 => return Ok(at),
                length => at += length,
            },
            Some(_) => return Ok(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{begins, end};

    const PTX: &str = "\
.version 9.0 // {
.target sm_75, debug
.address_size 64
.file 1 \"a;{b.cu\"
.extern .func  (.param .b32 r) f(.param .b32 x);
.global .align 4 .b8 table[4] = {1, 2, 3, 4};
.visible .entry k(
	.param .u64 k_param_0
)
.maxntid 256, 1, 1
{
	.reg .b32 %r<2>; /* } */
	{ ret; }
}
	.section	.debug_abbrev
	{
.b8 1
	}";

    #[test]
    fn a_text_begins_with_its_version() {
        for text in [".version 9.0", "\n  // a\n/* b */ .version", "/* long"] {
            assert!(begins(text.as_bytes()), "{text}");
        }
        for text in ["", "/", "version", "# .version", "//\nfn"] {
            assert!(!begins(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_text_ends_with_its_last_statement() {
        for behind in [
            "",
            "\n",
            "called `Option::unwrap()`",
            ".so",
            "\0.entry",
            ".version 9.0\n",
            ";",
        ] {
            let text = format!("{PTX}{behind}");
            assert_eq!(end(text.as_bytes(), true), Some(PTX.len()), "{behind:?}");
        }
        let first = PTX.find("\t.section").unwrap() - 1;
        for cut in first + 1..PTX.len() {
            assert_eq!(end(&PTX.as_bytes()[..cut], true), Some(first), "{cut}");
            assert_eq!(end(&PTX.as_bytes()[..cut], false), None, "{cut}");
        }
    }

    #[test]
    fn what_is_no_ptx_ends_early() {
        for text in [
            ".version 9.0\n.target sm_75\nplease",
            ".version 9.0\n.target sm_75\n.visible .entry k(\x01",
            ".version 9.0\n.target sm_75\n.visible .entry .version",
            ".version 9.0\n.target sm_75\n}",
            ".version 9.0\n.target sm_75\n.pragma \"a\nb\";",
        ] {
            assert_eq!(end(text.as_bytes(), false), Some(27), "{text}");
        }
        let comment = format!(".version 9.0\n.target sm_75\n/*{}", " ".repeat(1 << 20));
        assert_eq!(end(comment.as_bytes(), false), Some(27));
    }
}
