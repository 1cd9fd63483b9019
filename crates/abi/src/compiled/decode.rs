//! Reads the table of a [`CompiledImage`], which `kernel_args_image` writes, while a program compiles.

use super::{
    image::{CompiledImage, place_at},
    names::{NAMES, Names},
};
use crate::signature::{
    Parameter,
    reader::{PLACE, Reader, part},
    stored::{body, members, pointee, value},
};

/// The bits of the byte after a kernel's names.
pub const VARIES: u8 = 1;
/// A parameter has a name from the source, not only one of PTX.
pub const NAMED: u8 = 2;
/// Each parameter is followed by its members or, for a pointer, by the referent of its pointee.
pub const DEBUG_INFO: u8 = 4;
/// Each parameter is followed by its body, after its members.
pub const BODY: u8 = 8;

const fn lists(table: &[u8]) -> usize {
    PLACE * (2 + place_at(table, 0))
}

const fn structs(table: &[u8]) -> &[u8] {
    table.split_at(place_at(table, 1 + place_at(table, 0))).1
}

#[derive(Clone, Copy)]
pub(super) struct Head {
    /// The kernel's declaration in the image. Empty if the table does not contain its position.
    pub(super) declaration: &'static [u8],
    pub(super) fingerprint: usize,
    pub(super) names: Names,
    pub(super) flags: u8,
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

    /// Returns the data at this position, about the kernel with these names.
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
            flags,
            records: list.at,
            parameters,
            types: reader,
            texts: Reader { bytes, at: reader.at + length },
        }
    }

    pub(super) const fn next_parameter(&mut self) -> Parameter<'static> {
        let declaration = self.declaration;
        Parameter { name: self.texts.text(declaration), spelling: self.texts.text(declaration), ..self.next_type() }
    }

    /// Returns the next parameter without its texts. A comparison that succeeds does not need them.
    pub(super) const fn next_type(&mut self) -> Parameter<'static> {
        let reader = &mut self.types;
        let mut parameter = value(reader, self.names.text, self.names.name.0);
        if self.flags & DEBUG_INFO != 0 {
            match reader.number() {
                0 => {}
                number if parameter.cpp.depth > 0 => parameter.pointee = pointee(structs(reader.bytes), number),
                number => parameter.members = members(structs(reader.bytes), number),
            }
        }
        if self.flags & BODY != 0 {
            parameter.body = body(structs(reader.bytes), reader.number());
        }
        parameter
    }
}
