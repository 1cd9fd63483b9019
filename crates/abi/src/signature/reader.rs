//! Reads numbers and texts from a table: the bytes that store parameters, structs and enums.
//!
//! A number has seven bits in each byte, the lowest first. The eighth bit is set if more bytes follow. A text begins
//! with a number. The two lowest bits of this number are the kind; the other bits are a length or a position:
//!
//! | kind | the text |
//! |---|---|
//! | 0 | its bytes follow; the number is the length |
//! | 1 | it is at this position of the kernel's declaration in the image; its length follows as a number |
//! | 2 | it is stored at this position of the table, as a text of kind 0 |

use crate::{
    bytes::utf8,
    cpp::{CppBase, CppType},
};

/// The kinds of texts.
pub const INLINE: usize = 0;
pub const IN_DECLARATION: usize = 1;
pub const STORED: usize = 2;

/// The codes of C++ types in the table. Additional data that follows a code is in parentheses.
pub mod base {
    pub const UNKNOWN: u8 = 0;
    pub const VOID: u8 = 1;
    pub const BOOL: u8 = 2;
    pub const CHAR: u8 = 3;
    /// (bits)
    pub const SIGNED: u8 = 4;
    /// (bits)
    pub const UNSIGNED: u8 = 5;
    pub const LONG: u8 = 6;
    pub const UNSIGNED_LONG: u8 = 7;
    /// (bits)
    pub const FLOAT: u8 = 8;
    /// (start and length in the readable name)
    pub const NAMED: u8 = 9;
    /// (a text: the name)
    pub const SPELLED: u8 = 10;
    pub const FUNCTION: u8 = 11;
}

/// Set in the number of pointers if lengths of the array behind the outermost pointer follow.
pub const TO_ARRAY: u8 = 0x80;

/// The size of a position in the header of the table, in bytes.
pub const PLACE: usize = 4;

pub(crate) const fn number_at(bytes: &[u8], at: usize) -> usize {
    bytes[at] as usize | (bytes[at + 1] as usize) << 8 | (bytes[at + 2] as usize) << 16 | (bytes[at + 3] as usize) << 24
}

/// Returns a part of a text; empty if it is out of bounds, because the image has changed.
pub(crate) const fn part(text: &[u8], start: usize, length: usize) -> &[u8] {
    let rest = some!(text.split_at_checked(start), &[]).1;
    some!(rest.split_at_checked(length), &[]).0
}

/// A list of records in the table: their number, and the position of each.
#[derive(Clone, Copy)]
pub(super) struct List<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> List<'a> {
    pub(super) const fn len(self) -> usize {
        number_at(self.bytes, self.at)
    }

    pub(super) const fn record(self, index: usize) -> Option<Reader<'a>> {
        if index >= self.len() {
            return None;
        }
        Some(Reader::new(self.bytes, number_at(self.bytes, self.at + PLACE * (1 + index))))
    }
}

/// The loop of [`Reader::number`] and [`Reader::integer`]: a `const fn` cannot be generic over integers.
macro_rules! number {
    ($reader:ident as $ty:ty) => {{
        let (mut number, mut shift): ($ty, u32) = (0, 0);
        loop {
            let byte = $reader.bytes[$reader.at];
            $reader.at += 1;
            number |= (byte as $ty & 0x7f) << shift;
            if byte < 0x80 {
                break number;
            }
            shift += 7;
        }
    }};
}

/// A position in the table. It moves by operators only.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Reader<'a> {
    pub const fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    pub const fn byte(&mut self) -> u8 {
        let byte = self.bytes[self.at];
        self.at += 1;
        byte
    }

    pub const fn number(&mut self) -> usize {
        number!(self as usize)
    }

    /// Returns a signed number of any size.
    pub const fn integer(&mut self) -> i128 {
        let number = number!(self as u128);
        (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
    }

    pub(crate) const fn pointers(&mut self, base: CppBase<'a>) -> CppType<'a> {
        let (depth, const_mask) = (self.bytes[self.at], self.bytes[self.at + 1]);
        self.at += 2;
        let rows = if depth & TO_ARRAY == 0 { [0; 3] } else { self.lengths() };
        CppType { base, depth: depth & !TO_ARRAY, const_mask, extents: [0; 3], rows }
    }

    /// Returns the number of dimensions of an array, and the lengths, the innermost first.
    pub(crate) const fn lengths(&mut self) -> [u32; 3] {
        let mut lengths = [0; 3];
        let mut dimensions = self.byte() as usize;
        while dimensions > 0 {
            dimensions -= 1;
            lengths[dimensions] = self.number() as u32;
        }
        lengths
    }

    /// Returns the base of a C++ type. Its name can be part of the kernel's readable name, which begins at `readable`
    /// in `names`.
    pub(crate) const fn base(&mut self, names: &'a str, readable: usize) -> CppBase<'a> {
        let code = self.bytes[self.at];
        self.at += 1;
        match code {
            base::VOID => CppBase::Void,
            base::FUNCTION => CppBase::FunctionType,
            base::BOOL => CppBase::Bool,
            base::CHAR => CppBase::Char,
            base::SIGNED => CppBase::Integer { signed: true, bits: self.number() as u16 },
            base::UNSIGNED => CppBase::Integer { signed: false, bits: self.number() as u16 },
            base::LONG => CppBase::Long { signed: true },
            base::UNSIGNED_LONG => CppBase::Long { signed: false },
            base::FLOAT => CppBase::Float { bits: self.number() as u16 },
            base::NAMED => {
                let (start, length) = (self.number(), self.number());
                CppBase::Named(names.split_at(readable + start).1.split_at(length).0)
            }
            base::SPELLED => CppBase::Named(self.text(&[])),
            _ => CppBase::Unknown,
        }
    }

    pub(crate) const fn is_text(mut self, text: &[u8]) -> bool {
        self.number() == text.len() << 2 | INLINE && !any!(i < text.len(), self.bytes[self.at + i] != text[i])
    }

    /// Returns a text, possibly in the `declaration` of a kernel.
    pub(crate) const fn text(&mut self, declaration: &'a [u8]) -> &'a str {
        let number = self.number();
        let value = number >> 2;
        utf8(match number & 3 {
            INLINE => {
                self.at += value;
                part(self.bytes, self.at - value, value)
            }
            STORED => {
                let mut stored = Self::new(self.bytes, value);
                let length = stored.number() >> 2;
                part(self.bytes, stored.at, length)
            }
            _ => part(declaration, value, self.number()),
        })
    }

    pub(crate) const fn pass_text(&mut self) {
        let number = self.number();
        match number & 3 {
            INLINE => self.at += number >> 2,
            STORED => {}
            _ => {
                self.number();
            }
        }
    }

    /// Returns whether all bytes were read.
    pub const fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }
}
