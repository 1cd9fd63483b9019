//! What the table of a [`CompiledImage`] says of a kernel, read while a program compiles.
//!
//! The format is `encode`'s. A number has seven bits in each byte, the lowest first; the eighth bit says that there are more. A
//! text is a number, of which the two lowest bits say where it stands:
//!
//! | bits | the text |
//! |---|---|
//! | 0 | that many bytes follow |
//! | 1 | it stands in the kernel's declaration in the image from there on; its length follows |

use super::{CompiledImage, members::members};
use crate::{
    class::Class,
    cpp::{CppBase, CppType},
    layout::Alignment,
    signature::{Members, Parameter},
};

pub(super) const INLINE: usize = 0;
#[cfg(feature = "read")]
pub(super) const IN_DECLARATION: usize = 1;

/// What is set in the byte behind a kernel's names.
pub(super) const VARIES: u8 = 1;
pub(super) const NAMED: u8 = 2;
/// Debug information tells of its parameters: each is followed by its members.
pub(super) const TOLD: u8 = 4;

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
    /// (start and length in the readable name)
    pub(crate) const NAMED: u8 = 9;
    /// (length, and that many bytes: the name)
    pub(crate) const SPELLED: u8 = 10;
}

/// How many kernels the table has.
pub(super) const fn count(table: &[u8]) -> usize {
    place_at(table, 0)
}

/// How many bytes a place takes at the beginning of the table.
pub(super) const PLACE: usize = 4;

/// A number of the beginning of the table: how many kernels there are, where each stands, and where structs do.
const fn place_at(table: &[u8], index: usize) -> usize {
    number_at(table, PLACE * index)
}

/// A number of 4 bytes.
pub(super) const fn number_at(bytes: &[u8], at: usize) -> usize {
    let (mut number, mut i) = (0, PLACE);
    while i > 0 {
        i -= 1;
        number = number << 8 | bytes[at + i] as usize;
    }
    number
}

/// The structs of a table.
const fn structs(table: &[u8]) -> &[u8] {
    table.split_at(place_at(table, 1 + count(table))).1
}

/// A number of 3 bytes, without a call: names are shorter than 64 KiB.
macro_rules! short_at {
    ($bytes:expr, $at:expr) => {
        $bytes[$at] as usize | ($bytes[$at + 1] as usize) << 8 | ($bytes[$at + 2] as usize) << 16
    };
}

/// Where a kernel's names stand in the text of all names.
///
/// That text is a literal, and not in a `static` itself as the table is: clippy 1.95 panics where a user compares a constant `&str`
/// with another whose bytes are in a `static` (`ConstValue::try_get_slice_bytes_for_diagnostics`).
#[derive(Clone, Copy)]
pub(super) struct Names {
    text: &'static str,
    /// The readable name: from here to there.
    pub(super) name: (usize, usize),
    /// The symbol, which may be the same.
    pub(super) symbol: (usize, usize),
    /// Where the qualified name begins, `sim::step` of `void sim::step<float>(int)`.
    pub(super) qualified: usize,
    /// Where it begins without namespaces.
    pub(super) unqualified: usize,
    /// Where both end.
    pub(super) end: usize,
    /// Where the template arguments end.
    pub(super) arguments_end: usize,
}

/// How many bytes the numbers of [`Names`] take: one of 4 bytes, six of 3.
pub(super) const NAMES: usize = 22;

impl Names {
    pub(super) const fn read(image: &CompiledImage, index: usize) -> Self {
        let table = image.table;
        let at = place_at(table, 1 + index);
        let name = short_at!(table, at) | (table[at + 3] as usize) << 24;
        let name_end = name + short_at!(table, at + 4);
        let symbol_end = name_end + short_at!(table, at + 7);
        Self {
            text: image.names,
            name: (name, name_end),
            symbol: if symbol_end == name_end {
                (name, name_end)
            } else {
                (name_end, symbol_end)
            },
            qualified: name + short_at!(table, at + 10),
            unqualified: name + short_at!(table, at + 13),
            end: name + short_at!(table, at + 16),
            arguments_end: name + short_at!(table, at + 19),
        }
    }

    /// The text of all names, in which the places are.
    pub(super) const fn bytes(&self) -> &'static [u8] {
        self.text.as_bytes()
    }

    /// Whether the symbol is mangled, so that the readable name is another one.
    pub(super) const fn is_mangled(&self) -> bool {
        self.symbol.0 != self.name.0
    }

    /// The readable name.
    pub(super) const fn name(&self) -> &'static str {
        let (start, end) = self.name;
        self.text.split_at(end).0.split_at(start).1
    }

    /// The symbol.
    pub(super) const fn symbol(&self) -> &'static str {
        let (start, end) = self.symbol;
        self.text.split_at(end).0.split_at(start).1
    }
}

/// What the table says of a kernel, up to its parameters.
#[derive(Clone, Copy)]
pub(super) struct Head {
    /// The kernel's declaration in the image; nothing where that is not told.
    pub(super) declaration: &'static [u8],
    /// The declaration's fingerprint.
    pub(super) fingerprint: usize,
    pub(super) names: Names,
    /// Whether its parameters are others on other GPUs.
    pub(super) varies: bool,
    /// Whether a parameter has a name of the program's, which PTX that a compiler wrote does not.
    pub(super) named: bool,
    /// Whether debug information tells of its parameters.
    pub(super) told: bool,
    pub(super) parameters: usize,
    types: Reader<'static>,
    texts: Reader<'static>,
}

impl Head {
    pub(super) const fn read(image: &'static CompiledImage, index: usize) -> Self {
        let names = Names::read(image, index);
        let mut reader = Reader {
            bytes: image.table,
            at: place_at(image.table, 1 + index) + NAMES,
        };
        let flags = reader.byte();
        let length = reader.number();
        let (mut declaration, mut fingerprint): (&'static [u8], usize) = (&[], 0);
        if length > 0 {
            let at = reader.number();
            declaration = part(image.bytes, at, length);
            fingerprint = reader.number();
        }
        let parameters = reader.number();
        let length = reader.number();
        Self {
            declaration,
            fingerprint,
            names,
            varies: flags & VARIES != 0,
            named: flags & NAMED != 0,
            told: flags & TOLD != 0,
            parameters,
            types: reader,
            texts: Reader {
                bytes: reader.bytes,
                at: reader.at + length,
            },
        }
    }

    /// The first parameter that was not read yet.
    pub(super) const fn next_parameter(&mut self) -> Parameter<'static> {
        let declaration = self.declaration;
        Parameter {
            name: self.texts.text(declaration),
            spelling: self.texts.text(declaration),
            ..self.next_type()
        }
    }

    /// The first parameter that was not read yet, without its texts: the comparison of one that fits does not need them.
    pub(super) const fn next_type(&mut self) -> Parameter<'static> {
        let names = self.names;
        let reader = &mut self.types;
        let size = reader.number();
        let offset = match reader.number() {
            0 => None,
            more => Some(more - 1),
        };
        let align = match reader.byte() {
            0 => None,
            more => Some(Alignment { log2: more - 1 }),
        };
        let class = CLASSES[reader.byte() as usize];
        let base = reader.base(names.name());
        let (depth, const_mask) = (reader.byte(), reader.byte());
        let members = if self.told {
            members(structs(reader.bytes), reader.number())
        } else {
            Members::UNKNOWN
        };
        Parameter {
            name: "",
            kernel_name: "",
            spelling: "",
            offset,
            size,
            align,
            class,
            cpp: CppType {
                base,
                depth,
                const_mask,
                extents: [0; 3],
            },
            members,
        }
    }
}

/// A text; only whole texts are ever written.
pub(super) const fn utf8(bytes: &[u8]) -> &str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}

/// A part of a text, empty where it would end outside: then an image that has changed is being read.
const fn part(text: &[u8], start: usize, length: usize) -> &[u8] {
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
    bytes: &'a [u8],
    at: usize,
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
