//! Sections of debug information in a PTX text. PTX ISA, "Debugging Directives: .section".
//!
//! ```text
//! .section .debug_info {
//!     .b32 3298            // 4 bytes
//!     .b8 97,110,115       // 3 bytes
//! //     .b32 .debug_abbrev   // the beginning of that section: 0
//!     .b32 $L__info+8      // 8 bytes after a label
//!     $L__info:
//! }
//! ```

use super::{
    Error,
    lexer::{Lexer, Token},
};
use crate::formats::bytes::before_nul;
use crate::prelude::*;

/// Returns the sections with these names, empty if the text has none. Several of one name are read as one. Addresses of
/// code and data are 0.
pub(crate) fn debug_sections<const N: usize>(text: &[u8], names: [&str; N]) -> Result<[Vec<u8>; N], Error> {
    let lexer = &mut Lexer::new(before_nul(text));
    let mut sections =
        DebugSections { names, bytes: [const { Vec::new() }; N], labels: BTreeMap::new(), references: Vec::new() };
    while let Some(word) = lexer.next_directive()? {
        if word != "section" {
            continue;
        }
        let (_, Token::Directive(name)) = lexer.token()? else {
            continue;
        };
        let wanted = names.iter().position(|wanted| wanted.strip_prefix('.') == Some(name));
        if let Some(section) = wanted
            && lexer.take(b'{')?
        {
            sections.read(lexer, section)?;
        }
    }
    sections.resolve();
    Ok(sections.bytes)
}

struct DebugSections<'a, const N: usize> {
    names: [&'a str; N],
    bytes: [Vec<u8>; N],
    labels: BTreeMap<&'a [u8], usize>,
    references: Vec<Reference<'a>>,
}

struct Reference<'a> {
    section: usize,
    at: usize,
    width: usize,
    /// The label, and the label that is subtracted from it.
    labels: (&'a str, Option<&'a str>),
    add: u64,
}

impl<'a, const N: usize> DebugSections<'a, N> {
    fn read(&mut self, lexer: &mut Lexer<'a>, section: usize) -> Result<(), Error> {
        const LINE: &str = "`.b8`, `.b16`, `.b32`, `.b64`, a label, or `}` in a section of debug information";
        loop {
            let (at, token) = lexer.token()?;
            match token {
                Token::Sign(b'}') => return Ok(()),
                Token::Directive(width) => {
                    let width = match width {
                        "b8" => 1,
                        "b16" => 2,
                        "b32" => 4,
                        "b64" => 8,
                        _ => return Err(lexer.error(at, LINE)),
                    };
                    self.value(lexer, section, width)?;
                    while lexer.take(b',')? {
                        self.value(lexer, section, width)?;
                    }
                }
                Token::Identifier(label) if lexer.take(b':')? => {
                    self.labels.insert(label.as_bytes(), self.bytes[section].len());
                }
                _ => return Err(lexer.error(at, LINE)),
            }
        }
    }

    fn value(&mut self, lexer: &mut Lexer<'a>, section: usize, width: usize) -> Result<(), Error> {
        const VALUE: &str = "a number or a label in a section of debug information";
        let is_negative = lexer.take(b'-')?;
        let (at, token) = lexer.token()?;
        let value = match token {
            Token::Number(_) => {
                let number = lexer.back_to(at).integer(VALUE)?;
                if is_negative { number.wrapping_neg() } else { number }
            }
            Token::Identifier(label) | Token::Directive(label) if !is_negative => {
                let mut reference =
                    Reference { section, at: self.bytes[section].len(), width, labels: (label, None), add: 0 };
                if lexer.take(b'+')? {
                    reference.add = lexer.integer(VALUE)?;
                } else if lexer.take(b'-')? {
                    reference.labels.1 = Some(lexer.identifier(VALUE)?.1);
                }
                self.references.push(reference);
                0
            }
            _ => return Err(lexer.error(at, VALUE)),
        };
        self.bytes[section].extend(&value.to_le_bytes()[..width]);
        Ok(())
    }

    fn resolve(&mut self) {
        for reference in &self.references {
            let &Reference { section, at, width, labels: (label, subtracted), add } = reference;
            let subtracted = subtracted.map_or(Some(0), |label| self.offset(label));
            if let (Some(value), Some(subtracted)) = (self.offset(label), subtracted) {
                let value = value.wrapping_sub(subtracted).wrapping_add(add).to_le_bytes();
                self.bytes[section][at..at + width].copy_from_slice(&value[..width]);
            }
        }
    }

    /// `None` for the address of code or data.
    fn offset(&self, label: &str) -> Option<u64> {
        if self.names.iter().any(|name| name.strip_prefix('.') == Some(label)) {
            return Some(0);
        }
        self.labels.get(label.as_bytes()).map(|&offset| offset as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{format, string::String, string::ToString};

    fn read(lines: &str) -> Result<[Vec<u8>; 2], Error> {
        let text = format!(".version 9.0\n.target sm_90, debug\n.file 1 \"a .section .debug_info {{\"\n{lines}");
        debug_sections(text.as_bytes(), [".debug_info", ".debug_str"])
    }

    #[test]
    fn numbers_and_labels_are_bytes() {
        let [info, strings] = read(
            ".section .debug_info {
                .b8 1, 0xff,-1 // a comment
                .b16 258
                second: .b32 .debug_str, name + 1
                .b32 second
                .b64 after-second
                .b64 some_kernel
                after:
             }
             .section .debug_loc { .b8 nonsense nonsense }
             .entry k() { .reg .b32 %r1; }
             .section .debug_str { .b8 97,0 name: .b8 98,0
             }",
        )
        .unwrap();
        let expected: [&[u8]; 8] = [
            &[1, 0xff, 0xff],
            &[2, 1],
            &[0; 4],
            &[3, 0, 0, 0],
            &[5, 0, 0, 0],
            &[28, 0, 0, 0, 0, 0, 0, 0],
            &[0; 8],
            &[],
        ];
        assert_eq!(info, expected.concat());
        assert_eq!(strings, b"a\0b\0");
        assert_eq!(read("").unwrap(), [const { Vec::<u8>::new() }; 2]);
    }

    #[test]
    fn what_is_no_section_is_refused_with_its_place() {
        for (line, message) in [
            (".section .debug_info { .b8 }", "a number or a label"),
            (".section .debug_info { .b24 1 }", "`.b8`, `.b16`"),
            (".section .debug_info { .b8 1 2 }", "`.b8`, `.b16`"),
            (".section .debug_info { label }", "`.b8`, `.b16`"),
            (".section .debug_info { .b8 -label }", "a number or a label"),
            (".section .debug_info { .b8 1", "the end of the text"),
        ] {
            let error: String = read(line).unwrap_err().to_string();
            assert!(error.contains(message) && error.contains("line 4"), "{error}");
        }
    }
}
