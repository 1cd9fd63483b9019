//! Reads the bytes of the table of a [`CompiledImage`](super::CompiledImage).
//!
//! A number has seven bits in each byte, the lowest first; the eighth bit says that there are more. A
//! text is a number, of which the two lowest bits say where it stands:
//!
//! | bits | the text |
//! |---|---|
//! | 0 | that many bytes follow |
//! | 1 | it stands in the kernel's declaration in the image from there on; its length follows |

use crate::cpp::CppBase;

pub(super) const INLINE: usize = 0;
#[cfg(feature = "read")]
pub(super) const IN_DECLARATION: usize = 1;

/// The numbers of C++ types in the table; what follows some of them is in brackets.
pub(super) mod base {
    #[cfg(feature = "read")]
    pub(crate) const UNKNOWN: u8 = 0;
    pub(crate) const VOID: u8 = 1;
    pub(crate) const BOOL: u8 = 2;
    pub(crate) const CHAR: u8 = 3;
    /// (bits)
    pub(crate) const SIGNED: u8 = 4;
    /// (bits)
    pub(crate) const UNSIGNED: u8 = 5;
    pub(crate) const LONG: u8 = 6;
    pub(crate) const UNSIGNED_LONG: u8 = 7;
    /// (bits)
    pub(crate) const FLOAT: u8 = 8;
    /// (start and length in the readable name)
    pub(crate) const NAMED: u8 = 9;
    /// (length, and that many bytes: the name)
    pub(crate) const SPELLED: u8 = 10;
}

/// How many bytes a place takes at the beginning of the table.
pub(super) const PLACE: usize = 4;

/// A number of 4 bytes.
pub(super) const fn number_at(bytes: &[u8], at: usize) -> usize {
    let [a, b, c, d] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
    u32::from_le_bytes([a, b, c, d]) as usize
}

/// A text; only whole texts are ever written.
pub(super) const fn utf8(bytes: &[u8]) -> &str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}

/// A part of a text, empty where it would end outside: then an image that has changed is being read.
pub(super) const fn part(text: &[u8], start: usize, length: usize) -> &[u8] {
    match text.split_at_checked(start) {
        Some((_, rest)) => match rest.split_at_checked(length) {
            Some((part, _)) => part,
            None => &[],
        },
        None => &[],
    }
}

/// A place in the table. It is moved by operators alone: each call takes rustc as long as some dozens of them.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    pub(super) const fn byte(&mut self) -> u8 {
        let byte = self.bytes[self.at];
        self.at += 1;
        byte
    }

    pub(super) const fn number(&mut self) -> usize {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.bytes[self.at];
            self.at += 1;
            number |= (byte as usize & 0x7f) << shift;
            if byte < 0x80 {
                return number;
            }
            shift += 7;
        }
    }

    /// A number with a sign, of any size.
    pub(super) const fn integer(&mut self) -> i128 {
        let (mut number, mut shift) = (0u128, 0);
        loop {
            let byte = self.byte();
            number |= (byte as u128 & 0x7f) << shift;
            if byte < 0x80 {
                return (number >> 1).cast_signed() ^ -(number & 1).cast_signed();
            }
            shift += 7;
        }
    }

    /// The base of a C++ type, of a kernel with this readable name.
    pub(super) const fn base(&mut self, readable: &'a str) -> CppBase<'a> {
        match self.byte() {
            base::VOID => CppBase::Void,
            base::BOOL => CppBase::Bool,
            base::CHAR => CppBase::Char,
            base::SIGNED => CppBase::Integer {
                signed: true,
                bits: self.number() as u16,
            },
            base::UNSIGNED => CppBase::Integer {
                signed: false,
                bits: self.number() as u16,
            },
            base::LONG => CppBase::Long { signed: true },
            base::UNSIGNED_LONG => CppBase::Long { signed: false },
            base::FLOAT => CppBase::Float {
                bits: self.number() as u16,
            },
            base::NAMED => {
                let (start, length) = (self.number(), self.number());
                CppBase::Named(readable.split_at(start).1.split_at(length).0)
            }
            base::SPELLED => CppBase::Named(utf8(self.inline())),
            _ => CppBase::Unknown,
        }
    }

    /// A text that stands in the table.
    const fn inline(&mut self) -> &'a [u8] {
        let length = self.number() >> 2;
        let start = self.at;
        self.at += length;
        part(self.bytes, start, length)
    }

    /// Whether this text stands here, in the table itself.
    pub(super) const fn is_text(mut self, text: &[u8]) -> bool {
        if self.number() != text.len() << 2 | INLINE {
            return false;
        }
        let mut i = 0;
        while i < text.len() && self.bytes[self.at + i] == text[i] {
            i += 1;
        }
        i == text.len()
    }

    pub(super) const fn text(&mut self, declaration: &'a [u8]) -> &'a str {
        let start = self.at;
        let number = self.number();
        if number & 3 == INLINE {
            self.at = start;
            return utf8(self.inline());
        }
        utf8(part(declaration, number >> 2, self.number()))
    }
}

#[cfg(all(test, feature = "read"))]
mod tests {
    use super::{super::encode::Writer, Reader};
    use std::vec::Vec;

    #[test]
    fn integers_of_any_size_are_read_as_they_are_written() {
        let mut bytes = Vec::new();
        let all = [
            0,
            1,
            -1,
            63,
            64,
            -64,
            -65,
            i128::from(u64::MAX),
            i128::MAX,
            i128::MIN,
        ];
        for integer in all {
            Writer::new(&mut bytes).integer(integer);
        }
        let reader = &mut Reader::new(&bytes, 0);
        assert_eq!(all.map(|_| reader.integer()), all);
        assert_eq!(reader.at, bytes.len());
    }
}
