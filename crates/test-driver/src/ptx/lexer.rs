//! PTX tokens (PTX ISA, 4.2 to 4.5).

use super::Mistake;

/// The kind of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier, a directive or an opcode with its dots: `saxpy`, `.align`, `ld.param.u64`, `%r1`.
    Word(String),
    /// As in the text: integers and floats of every spelling.
    Number(String),
    Text(String),
    Mark(char),
}

/// A token and its line, counted from 1.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) line: u32,
}

impl Token {
    pub(crate) fn is(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }

    pub(crate) fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Returns the token as in the text, for messages.
    pub(crate) fn spelling(&self) -> String {
        match &self.kind {
            Kind::Word(text) | Kind::Number(text) => text.clone(),
            Kind::Text(text) => format!("\"{text}\""),
            Kind::Mark(mark) => mark.to_string(),
        }
    }
}

/// Returns the value of an integer literal: decimal, `0x`, octal, `0b`, with or without `U`.
pub(crate) fn integer(literal: &str) -> Option<u64> {
    let digits = literal.strip_suffix(['U', 'u']).unwrap_or(literal);
    let lower = digits.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0x") {
        u64::from_str_radix(hex, 16).ok()
    } else if let Some(binary) = lower.strip_prefix("0b") {
        u64::from_str_radix(binary, 2).ok()
    } else if lower.len() > 1 && lower.starts_with('0') {
        u64::from_str_radix(&lower[1..], 8).ok()
    } else {
        lower.parse().ok()
    }
}

fn begins_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'%' | b'.')
}

fn continues_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
}

/// Splits `text`, which may end at a NUL.
pub(crate) fn tokens(text: &[u8]) -> Result<Vec<Token>, Mistake> {
    let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(&byte) = text.get(at) {
        let rest = &text[at..];
        let length = match byte {
            b'\n' => {
                line += 1;
                1
            }
            _ if byte.is_ascii_whitespace() => 1,
            b'"' => {
                let end = rest[1..].iter().position(|&byte| byte == b'"' || byte == b'\n');
                let end = end.filter(|end| rest[1 + end] == b'"');
                let end = end.ok_or_else(|| Mistake::new(line, "Unterminated string"))?;
                tokens.push(Token { kind: Kind::Text(lossy(&rest[1..=end])), line });
                end + 2
            }
            b'/' if rest.starts_with(b"//") => rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with(b"/*") => {
                let end = rest.windows(2).skip(2).position(|pair| pair == b"*/");
                let length = end.ok_or_else(|| Mistake::new(line, "Unterminated comment"))? + 4;
                line += rest[..length].split(|&byte| byte == b'\n').count() as u32 - 1;
                length
            }
            b'0'..=b'9' => {
                let length = span(rest, |byte| byte.is_ascii_alphanumeric() || byte == b'.');
                tokens.push(Token { kind: Kind::Number(lossy(&rest[..length])), line });
                length
            }
            _ if begins_word(byte) => {
                let length = word_length(rest);
                tokens.push(Token { kind: Kind::Word(lossy(&rest[..length])), line });
                length
            }
            b';' | b',' | b'(' | b')' | b'{' | b'}' | b'[' | b']' | b':' | b'@' | b'!' | b'+' | b'-' | b'*' | b'/'
            | b'<' | b'>' | b'=' | b'&' | b'|' | b'^' | b'~' | b'?' => {
                tokens.push(Token { kind: Kind::Mark(char::from(byte)), line });
                1
            }
            _ => {
                let shown = char::from(byte).escape_default();
                return Err(Mistake::new(line, format!("Parsing error near '{shown}': syntax error")));
            }
        };
        at += length;
    }
    Ok(tokens)
}

fn span(text: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    text.iter().position(|&byte| !belongs(byte)).unwrap_or(text.len())
}

/// Returns a word's length. `::` belongs to an opcode (`cp.async.bulk.shared::cluster`), one `:` ends a label.
fn word_length(text: &[u8]) -> usize {
    let mut length = 1 + span(&text[1..], continues_word);
    while text[..length].contains(&b'.') && text[length..].starts_with(b"::") {
        length += 2;
        length += span(&text[length..], continues_word);
    }
    length
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
