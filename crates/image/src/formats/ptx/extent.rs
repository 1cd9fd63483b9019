//! The beginning and the end of a PTX text among other bytes, such as a program's data.

use super::lexer::{Lexer, Token};

/// The longest string or comment, in bytes. Compilers write shorter ones.
const LONGEST: usize = 16 << 10;

/// Returns whether the first bytes of a file can begin a PTX text: `.version` after comments and white space, or a
/// comment that continues. `is_all` means that nothing follows `head`.
#[must_use]
pub fn begins(head: &[u8], is_all: bool) -> bool {
    match Lexer::bounded(head, LONGEST).token() {
        Ok((_, Token::Directive("version"))) => true,
        Ok((_, Token::End)) | Err(_) => !is_all && !head.trim_ascii_start().is_empty(),
        Ok(_) => false,
    }
}

/// Returns the size of the PTX text at the beginning of `bytes`: the end of its last statement. `None` if it may
/// continue. `is_all` means that nothing follows `bytes`.
#[must_use]
pub fn extent(bytes: &[u8], is_all: bool) -> Option<usize> {
    let lexer = &mut Lexer::bounded(bytes, LONGEST);
    let mut end = 0;
    loop {
        match statement(lexer, end == 0) {
            Ok(()) => end = lexer.at,
            Err(Other::Cut) if !is_all => return None,
            Err(_) => return Some(end),
        }
    }
}

enum Other {
    /// The bytes end inside a statement.
    Cut,
    NotPtx,
}

/// Those that end with a sign.
const STATEMENTS: [&str; 13] = [
    "alias", "common", "const", "entry", "extern", "func", "global", "pragma", "section", "shared", "tex", "visible",
    "weak",
];

fn statement(lexer: &mut Lexer<'_>, is_first: bool) -> Result<(), Other> {
    match next(lexer)? {
        Token::Directive(_) if lexer.remaining() == 0 => return Err(Other::Cut),
        Token::Directive("version") if is_first => return operands(lexer),
        Token::Directive("target" | "address_size") => return operands(lexer),
        Token::Directive("file") => {
            operand(lexer)?;
            return operands(lexer);
        }
        Token::Directive(word) if STATEMENTS.contains(&word) => {}
        _ => return Err(Other::NotPtx),
    }
    let mut depth = 0_usize;
    // `= { 1, 2 };` ends with `;`.
    let mut has_value = false;
    loop {
        match next(lexer)? {
            Token::Sign(b';') if depth == 0 => return Ok(()),
            Token::Sign(b'=') if depth == 0 => has_value = true,
            Token::Sign(b'{') => depth += 1,
            Token::Sign(b'}') => {
                depth = depth.checked_sub(1).ok_or(Other::NotPtx)?;
                if depth == 0 && !has_value {
                    return Ok(());
                }
            }
            Token::Directive("version") => return Err(Other::NotPtx),
            _ => {}
        }
    }
}

fn operands(lexer: &mut Lexer<'_>) -> Result<(), Other> {
    loop {
        operand(lexer)?;
        let end = lexer.at;
        if !matches!(next(lexer), Ok(Token::Sign(b','))) {
            *lexer = lexer.back_to(end);
            return Ok(());
        }
    }
}

fn operand(lexer: &mut Lexer<'_>) -> Result<(), Other> {
    match next(lexer)? {
        Token::Identifier(_) | Token::Number(_) | Token::String => Ok(()),
        _ => Err(Other::NotPtx),
    }
}

/// Bytes that PTX does not allow are an error, and so is the end of the bytes.
fn next<'a>(lexer: &mut Lexer<'a>) -> Result<Token<'a>, Other> {
    match lexer.token() {
        Ok((_, Token::End)) => Err(Other::Cut),
        Ok((_, Token::Sign(sign))) if !matches!(sign, b' '..=b'~') => Err(Other::NotPtx),
        Ok((_, token)) => Ok(token),
        // An unterminated string or comment.
        Err(_) if lexer.remaining() < LONGEST => Err(Other::Cut),
        Err(_) => Err(Other::NotPtx),
    }
}

#[cfg(test)]
mod tests {
    use super::{begins, extent};
    use std::format;

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
	{ ret; } }
	.section	.debug_abbrev
	{
.b8 1
	}";

    #[test]
    fn a_text_begins_with_its_version() {
        for text in [".version 9.0", "\n  // a\n/* b */ .version", "/* long", "// long"] {
            assert!(begins(text.as_bytes(), false), "{text}");
        }
        for text in ["", "/", "version", "# .version", "//\nfn"] {
            assert!(!begins(text.as_bytes(), false), "{text}");
        }
        assert!(begins(b"// a\n.version", true));
        assert!(!begins(b"/* long", true) && !begins(b"// long", true));
    }

    #[test]
    fn a_text_ends_with_its_last_statement() {
        for behind in ["", "\n", "called `Option::unwrap()`", ".so", "\0.entry", ".version 9.0\n", ";"] {
            let text = format!("{PTX}{behind}");
            assert_eq!(extent(text.as_bytes(), true), Some(PTX.len()), "{behind:?}");
        }
        let first = PTX.find("\n\t.section").unwrap();
        for cut in first + 1..PTX.len() {
            assert_eq!(extent(&PTX.as_bytes()[..cut], true), Some(first), "{cut}");
            assert_eq!(extent(&PTX.as_bytes()[..cut], false), None, "{cut}");
        }
    }

    #[test]
    fn what_is_no_ptx_ends_early() {
        for text in [
            ".version 9.0\n.target sm_75\nplease",
            ".version 9.0\n.target sm_75\n.visible .entry k(\x01",
            ".version 9.0\n.target sm_75\n.visible .entry .version",
            ".version 9.0\n.target sm_75\n}",
            ".version 9.0\n.target sm_75\n.file \"a\", 1, 2;",
        ] {
            assert_eq!(extent(text.as_bytes(), false), Some(26), "{text}");
        }
        for begin in ["/*", "\"", "//"] {
            let text = format!(".version 9.0\n.target sm_75\n.pragma {begin}{}", " ".repeat(1 << 20));
            assert_eq!(extent(text.as_bytes(), false), Some(26), "{begin}");
            let text = &text.as_bytes()[..1000];
            assert_eq!(extent(text, false), None, "{begin}");
        }
    }
}
