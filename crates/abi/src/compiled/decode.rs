//! Reads the table of a [`CompiledImage`] while a program compiles.
//!
//! `kernel_args_image` writes the table. `signature::reader` reads its numbers and texts.

use super::{
    image::{CompiledImage, place_at},
    names::{NAMES, Names},
};
use crate::{
    cpp::CppType,
    layout::Alignment,
    signature::{
        Body, Members, Parameter, Pointee,
        reader::{PLACE, Reader, base, part},
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

/// Reads a number, without a call if it has only one or two bytes.
macro_rules! number {
    ($reader:expr) => {
        match $reader.bytes[$reader.at] {
            byte @ ..0x80 => {
                $reader.at += 1;
                byte as usize
            }
            low => match $reader.bytes[$reader.at + 1] {
                high @ ..0x80 => {
                    $reader.at += 2;
                    low as usize & 0x7f | (high as usize) << 7
                }
                _ => $reader.number(),
            },
        }
    };
}

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
        let length = number!(reader);
        let (mut declaration, mut fingerprint): (&'static [u8], usize) = (&[], 0);
        if length > 0 {
            let at = number!(reader);
            declaration = part(image.bytes, at, length);
            fingerprint = number!(reader);
        }
        let list = number!(reader);
        let length = number!(reader);
        let mut list = Reader { bytes, at: lists(bytes) + list };
        let parameters = number!(list);
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
        let size = number!(reader);
        let offset = match number!(reader) {
            0 => None,
            more => Some(more - 1),
        };
        let align = match reader.bytes[reader.at] {
            0 => None,
            more => Some(Alignment { log2: more - 1 }),
        };
        let class = CLASSES[reader.bytes[reader.at + 1] as usize];
        reader.at += 2;
        // Most kernels that are described by PTX alone have no C++ types.
        let at = reader.at;
        let cpp = if reader.bytes[at] == base::UNKNOWN && reader.bytes[at + 1] == 0 && reader.bytes[at + 2] == 0 {
            reader.at += 3;
            CppType::UNKNOWN
        } else {
            let base = reader.base(names.text, names.name.0);
            reader.pointers(base)
        };
        let (mut members_of, mut pointee_of) = (Members::UNKNOWN, Pointee::UNKNOWN);
        if self.has_debug_info {
            match number!(reader) {
                0 => {}
                number if cpp.depth > 0 => pointee_of = pointee(structs(reader.bytes), number),
                number => members_of = members(structs(reader.bytes), number),
            }
        }
        let body = if self.flags & BODY != 0 { body(structs(reader.bytes), reader.number()) } else { Body::UNKNOWN };
        Parameter {
            name: "",
            kernel_name: "",
            has_implied_name: false,
            spelling: "",
            offset,
            size,
            align,
            class,
            cpp,
            members: members_of,
            pointee: pointee_of,
            body,
            is_strict: false,
        }
    }
}
