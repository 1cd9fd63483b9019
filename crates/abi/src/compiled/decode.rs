//! Reads the table of a [`CompiledImage`] while a program compiles.
//!
//! `kernel_args_image` writes the table. `signature::reader` reads its numbers and texts.

use super::{
    image::{CompiledImage, place_at},
    names::{NAMES, Names},
};
use crate::{
    layout::Alignment,
    signature::{
        Body, Members, Parameter, Pointee,
        reader::{PLACE, Reader, part},
        stored::{CLASSES, members, pointee},
        stored_body::body,
    },
};

/// The bits of the byte after a kernel's names.
pub const VARIES: u8 = 1;
pub const NAMED: u8 = 2;
/// Debug information describes the kernel's parameters: each one is followed by its members or, for a
/// pointer, by the referent of its pointee.
pub const DEBUG_INFO: u8 = 4;
/// The kernel's code was analysed: each parameter is followed by its body, after its members.
pub const BODY: u8 = 8;

/// The position of the lists of parameters, after the header.
const fn lists(table: &[u8]) -> usize {
    PLACE * (2 + place_at(table, 0))
}

/// The part of the table that contains the structs.
const fn structs(table: &[u8]) -> &[u8] {
    table.split_at(place_at(table, 1 + place_at(table, 0))).1
}

/// The table's data about a kernel, up to its parameters.
#[derive(Clone, Copy)]
pub(super) struct Head {
    /// The kernel's declaration in the image. Empty if the table does not contain its position.
    pub(super) declaration: &'static [u8],
    pub(super) fingerprint: usize,
    pub(super) names: Names,
    pub(super) varies: bool,
    /// Whether a parameter has a name from the source. Compiler-generated PTX has no such names.
    pub(super) named: bool,
    pub(super) has_debug_info: bool,
    flags: u8,
    /// The position of the records of the parameters, which equal lists of parameters share.
    pub(super) records: usize,
    pub(super) parameters: usize,
    pub(super) types: Reader<'static>,
    texts: Reader<'static>,
}

impl Head {
    pub(super) const fn read(image: &'static CompiledImage, index: usize) -> Self {
        let at = place_at(image.table, 1 + index);
        Self::read_at(image, at, Names::read_at(image, at))
    }

    /// The data about the kernel with these names, which is at this position of the table.
    pub(super) const fn read_at(image: &'static CompiledImage, at: usize, names: Names) -> Self {
        let bytes = image.table;
        let flags = bytes[at + NAMES];
        let mut reader = Reader { bytes, at: at + NAMES + 1 };
        let length = reader.number();
        let (mut declaration, mut fingerprint): (&'static [u8], usize) = (&[], 0);
        if length > 0 {
            let at = reader.number();
            declaration = part(image.bytes, at, length);
            fingerprint = reader.number();
        }
        let list = reader.number();
        let length = reader.number();
        let mut list = Reader { bytes, at: lists(bytes) + list };
        let parameters = list.number();
        Self {
            declaration,
            fingerprint,
            names,
            varies: flags & VARIES != 0,
            named: flags & NAMED != 0,
            has_debug_info: flags & DEBUG_INFO != 0,
            flags,
            records: list.at,
            parameters,
            types: reader,
            texts: Reader { bytes: reader.bytes, at: reader.at + length },
        }
    }

    pub(super) const fn has_bodies(&self) -> bool {
        self.flags & BODY != 0
    }

    pub(super) const fn next_parameter(&mut self) -> Parameter<'static> {
        let declaration = self.declaration;
        Parameter { name: self.texts.text(declaration), spelling: self.texts.text(declaration), ..self.next_type() }
    }

    /// The next parameter without its texts. A comparison that succeeds does not need them.
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
        let base = reader.base(names.text, names.name.0);
        let cpp = reader.pointers(base);
        let (members, pointee) = match if self.has_debug_info { reader.number() } else { 0 } {
            0 => (Members::UNKNOWN, Pointee::UNKNOWN),
            number if cpp.depth > 0 => (Members::UNKNOWN, pointee(structs(reader.bytes), number)),
            number => (members(structs(reader.bytes), number), Pointee::UNKNOWN),
        };
        let body = if self.flags & BODY != 0 { body(structs(reader.bytes), reader.number()) } else { Body::UNKNOWN };
        Parameter { offset, size, align, class, cpp, members, pointee, body, ..Parameter::record(0, 0) }
    }
}
