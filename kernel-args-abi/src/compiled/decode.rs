//! What the table of a [`CompiledImage`] says of a kernel, read while a program compiles.
//!
//! `kernel_args_image` writes it. Its numbers and texts are those of `signature::reader`.

use super::{
    image::{CompiledImage, place_at},
    names::{NAMES, Names},
};
use crate::{
    cpp::CppType,
    layout::Alignment,
    signature::{
        Members, Parameter,
        reader::{Reader, part},
        stored::{CLASSES, members},
    },
};

/// What is set in the byte behind a kernel's names.
pub const VARIES: u8 = 1;
pub const NAMED: u8 = 2;
/// Debug information tells of its parameters: each is followed by its members.
pub const TOLD: u8 = 4;

/// The structs of a table.
const fn structs(table: &[u8]) -> &[u8] {
    table.split_at(place_at(table, 1 + place_at(table, 0))).1
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
