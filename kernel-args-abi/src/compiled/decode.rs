//! What the table of a [`CompiledImage`] says of a kernel, read while a program compiles.
//!
//! The format is `encode`'s. A number is LEB128. A text is a number, of which the two lowest bits say where it stands:
//!
//! | bits | the text |
//! |---|---|
//! | 0 | that many bytes follow |
//! | 1 | it stands in the kernel's declaration in the image from there on; its length follows |
//! | 2 | it stands in the kernel's readable name from there on; its length follows |

use super::CompiledImage;
use crate::{
    class::Class,
    cpp::{CppBase, CppType},
    layout::Alignment,
    signature::Parameter,
};

#[cfg(feature = "read")]
pub(super) const INLINE: usize = 0;
pub(super) const IN_DECLARATION: usize = 1;
pub(super) const IN_NAME: usize = 2;

/// The classes by their number in the table.
pub(super) const CLASSES: [Class; 6] = [
    Class::Unknown,
    Class::Bits,
    Class::Integer,
    Class::Float,
    Class::Pointer,
    Class::Bytes,
];

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
    /// (text)
    pub(crate) const NAMED: u8 = 9;
}

/// How many kernels the table has.
pub(super) const fn count(table: &[u8]) -> usize {
    number_at(table, 0)
}

/// A number of 4 bytes.
const fn number_at(table: &[u8], at: usize) -> usize {
    table[at] as usize
        | (table[at + 1] as usize) << 8
        | (table[at + 2] as usize) << 16
        | (table[at + 3] as usize) << 24
}

/// What the table says of a kernel, up to its parameters.
#[derive(Clone, Copy)]
pub(super) struct Head {
    /// Where the kernel's declaration stands in the image; nowhere if it has no length.
    pub(super) declaration: &'static [u8],
    /// The declaration's fingerprint.
    pub(super) fingerprint: u64,
    pub(super) symbol: &'static [u8],
    pub(super) name: &'static [u8],
    /// Where parts of the name begin and end: namespace, unqualified name, template arguments.
    pub(super) parts: Parts,
    /// Whether its parameters are others on other GPUs.
    pub(super) varies: bool,
    pub(super) parameters: usize,
    reader: Reader,
}

/// The parts of a readable name, as places in it.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    pub(super) start: usize,
    pub(super) unqualified: usize,
    pub(super) end: usize,
    pub(super) arguments_end: usize,
}

impl Head {
    pub(super) const fn read(image: &'static CompiledImage, index: usize) -> Self {
        let start = number_at(image.table, 4 + 4 * index);
        let mut reader = Reader {
            bytes: image.table,
            at: start,
        };
        let varies = reader.byte() != 0;
        let length = reader.number();
        let (mut declaration, mut fingerprint): (&'static [u8], u64) = (&[], 0);
        if length > 0 {
            let at = reader.number();
            declaration = part(image.bytes, at, length);
            let mut shift = 0;
            while shift < 64 {
                fingerprint |= (reader.byte() as u64) << shift;
                shift += 8;
            }
        }
        let name = reader.text(declaration, &[]);
        let symbol = reader.text(declaration, name);
        let parts = Parts {
            start: reader.number(),
            unqualified: reader.number(),
            end: reader.number(),
            arguments_end: reader.number(),
        };
        Self {
            declaration,
            fingerprint,
            symbol,
            name,
            parts,
            varies,
            parameters: reader.number(),
            reader,
        }
    }

    /// The first parameter that was not read yet.
    pub(super) const fn next_parameter(&mut self) -> Parameter<'static> {
        let (declaration, name) = (self.declaration, self.name);
        let reader = &mut self.reader;
        Parameter {
            name: utf8(reader.text(declaration, name)),
            spelling: utf8(reader.text(declaration, name)),
            offset: reader.number().checked_sub(1),
            size: reader.number(),
            align: match (reader.byte() as u32).checked_sub(1) {
                Some(power) => Alignment::new(1 << power),
                None => None,
            },
            class: CLASSES[reader.byte() as usize],
            cpp: CppType {
                base: reader.base(declaration, name),
                depth: reader.byte(),
                const_mask: reader.byte(),
            },
        }
    }
}

/// A text; only whole texts are ever written.
pub(super) const fn utf8(bytes: &'static [u8]) -> &'static str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}

/// A part of a text, empty where it would end outside: then an image that has changed is being read.
const fn part(text: &'static [u8], start: usize, length: usize) -> &'static [u8] {
    match text.split_at_checked(start) {
        Some((_, rest)) => match rest.split_at_checked(length) {
            Some((part, _)) => part,
            None => &[],
        },
        None => &[],
    }
}

/// A place in the table. It is moved by operators alone: each call takes rustc as long as some of them.
#[derive(Clone, Copy)]
struct Reader {
    bytes: &'static [u8],
    at: usize,
}

impl Reader {
    const fn byte(&mut self) -> u8 {
        let byte = self.bytes[self.at];
        self.at += 1;
        byte
    }

    const fn number(&mut self) -> usize {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            number |= (byte as usize & 0x7f) << shift;
            if byte < 0x80 {
                return number;
            }
            shift += 7;
        }
    }

    const fn text(&mut self, declaration: &'static [u8], name: &'static [u8]) -> &'static [u8] {
        let number = self.number();
        match number & 3 {
            IN_DECLARATION => part(declaration, number >> 2, self.number()),
            IN_NAME => part(name, number >> 2, self.number()),
            _ => {
                self.at += number >> 2;
                part(self.bytes, self.at - (number >> 2), number >> 2)
            }
        }
    }

    const fn base(&mut self, declaration: &'static [u8], name: &'static [u8]) -> CppBase<'static> {
        match self.byte() {
            base::VOID => CppBase::Void,
            base::BOOL => CppBase::Bool,
            base::CHAR => CppBase::Char,
            base::SIGNED => CppBase::Integer {
                signed: true,
                bits: self.byte() as u16,
            },
            base::UNSIGNED => CppBase::Integer {
                signed: false,
                bits: self.byte() as u16,
            },
            base::LONG => CppBase::Long { signed: true },
            base::UNSIGNED_LONG => CppBase::Long { signed: false },
            base::FLOAT => CppBase::Float {
                bits: self.byte() as u16,
            },
            base::NAMED => CppBase::Named(utf8(self.text(declaration, name))),
            _ => CppBase::Unknown,
        }
    }
}
