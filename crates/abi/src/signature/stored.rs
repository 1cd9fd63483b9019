//! Structs, enums and lists of parameters, stored as bytes. The bytes can be constants of a program or owned by a
//! reader.
//!
//! The first bytes are the position of the list of types to which members and parameters refer.
//!
//! | bytes | of a list |
//! |---|---|
//! | 4 | the number of members, parameters or variants |
//! | 4 for each | its position, in bytes from the beginning |
//!
//! A variant is its value, zigzag-encoded, and its name. A member or parameter consists of numbers and texts in the
//! format of `reader`. They are its name (first, because it is searched for), spelling, size, offset + 1 (0: unknown),
//! alignment, class, C++ type, the lengths of an array, its members, its body, and its referent.
//!
//! The members are a number: 0 if they are unknown, then one number per reason why they are opaque, then two for
//! objects. Larger numbers are four times the position of a list plus the kind of the list. The referent is 0 if it is
//! not stored, 1 for a texture object, 2 for a surface object, otherwise 3 plus the index of the type.
//!
//! A body is 0 if the code is not known, 1 if the parameter is never loaded, otherwise 2 plus the position of the list
//! of its slots. A slot consists of its offset divided by 8 and two bytes of flags. The flags specify what follows: the
//! elements (class, size, step), and each evidence (opcode, line, and the file if the line is not 0).

use super::{
    Body, Certainty, ElementClass, Elements, Evidence, Meaning, Members, Opaque, Parameter, Pointee, Referent, Slot,
    SlotKind, Variant,
    reader::{List, PLACE, Reader, number_at},
};
use crate::{class::Class, layout::Alignment};
use core::fmt;

/// The numbers of texture and surface objects, and of the first list.
pub const TEXTURES: usize = 1 + Opaque::ALL.len();
pub const SURFACES: usize = TEXTURES + 1;
pub const FIRST: usize = SURFACES + 1;

/// The kinds of lists: a struct, or an enum whose integer is signed, unsigned, or of unknown signedness.
pub const STRUCT: usize = 0;
pub const SIGNED: usize = 1;
pub const UNSIGNED: usize = 2;
pub const ENUM: usize = 3;

/// The kinds of referents.
pub const NOTHING: usize = 0;
pub const TEXTURE: usize = 1;
pub const SURFACE: usize = 2;
pub const FIRST_TYPE: usize = 3;

/// The classes by number.
pub const CLASSES: [Class; 6] =
    [Class::Unknown, Class::Bits, Class::Integer, Class::Float, Class::Pointer, Class::Bytes];

impl<'a> List<'a> {
    pub(super) fn key(self) -> (usize, usize) {
        (self.bytes.as_ptr().addr(), self.at)
    }

    pub(super) const fn variant(self, index: usize) -> Option<Variant<'a>> {
        let mut reader = some!(self.record(index));
        let value = reader.integer();
        Some(Variant { name: reader.text(&[]), value })
    }

    /// Returns whether the member at `index` has this name. Compares the stored bytes, because many members are
    /// checked.
    pub(super) const fn is_named(self, index: usize, name: &[u8]) -> bool {
        some!(self.record(index), false).is_text(name)
    }

    /// Returns the member of a struct, possibly without its spelling.
    pub(super) const fn get(self, index: usize, has_spelling: bool) -> Option<Parameter<'a>> {
        Some(parameter(&mut some!(self.record(index)), has_spelling))
    }

    pub(super) const fn referent(self, index: usize) -> Option<Referent<'a>> {
        Some(match record(&mut some!(self.record(index)), false).1 {
            NOTHING => return None,
            TEXTURE => Referent::Texture,
            SURFACE => Referent::Surface,
            number => Referent::Type(some!(stored_type(self.bytes, number))),
        })
    }
}

/// A named struct, union or enum from debug information.
#[derive(Clone, Copy)]
pub struct StoredType<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> StoredType<'a> {
    /// Returns the type as an unnamed parameter: size, C++ type, and members or variants.
    pub const fn parameter(self) -> Parameter<'a> {
        parameter(&mut Reader::new(self.bytes, self.at), true)
    }

    const fn size(self) -> usize {
        let mut reader = Reader::new(self.bytes, self.at);
        reader.pass_text();
        reader.pass_text();
        reader.number()
    }

    pub(crate) const fn is_same(self, other: Self) -> bool {
        self.at == other.at && self.bytes.len() == other.bytes.len()
    }

    pub(crate) fn key(self) -> (usize, usize) {
        (self.bytes.as_ptr().addr(), self.at)
    }
}

impl PartialEq for StoredType<'_> {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.bytes, other.bytes) && self.at == other.at
    }
}

impl Eq for StoredType<'_> {}

impl fmt::Debug for StoredType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the members: a struct may contain a pointer to itself.
        let Parameter { cpp, size, .. } = self.parameter();
        write!(f, "{cpp} of {size} bytes")
    }
}

/// Returns the type with this number. `None` if the source does not define it.
const fn stored_type(bytes: &[u8], number: usize) -> Option<StoredType<'_>> {
    let types = number_at(bytes, 0);
    match number_at(bytes, types + PLACE * (1 + number - FIRST_TYPE)) {
        0 => None,
        at => Some(StoredType { bytes, at }),
    }
}

/// Returns what a pointer with this referent points to, in `bytes`.
pub const fn pointee(bytes: &[u8], referent: usize) -> Pointee<'_> {
    if referent < FIRST_TYPE {
        return Pointee::UNKNOWN;
    }
    match stored_type(bytes, referent) {
        // NVIDIA's compilers write a struct of size 0 for a struct that is only declared.
        Some(ty) if ty.size() > 0 => Pointee::stored(ty),
        _ => Pointee::DECLARED,
    }
}

/// Reads a member or parameter. A comparison does not need its spelling.
const fn parameter<'a>(reader: &mut Reader<'a>, has_spelling: bool) -> Parameter<'a> {
    let (parameter, referent) = record(reader, has_spelling);
    if parameter.cpp.depth > 0 {
        return Parameter { pointee: pointee(reader.bytes, referent), ..parameter };
    }
    let members = match referent {
        TEXTURE => Members::meaning(Meaning::Texture),
        SURFACE => Members::meaning(Meaning::Surface),
        _ => return parameter,
    };
    Parameter { members, ..parameter }
}

const fn record<'a>(reader: &mut Reader<'a>, has_spelling: bool) -> (Parameter<'a>, usize) {
    let name = reader.text(&[]);
    let spelling = if has_spelling {
        reader.text(&[])
    } else {
        reader.pass_text();
        ""
    };
    let mut value = value(reader, "", 0);
    value.cpp.extents = reader.lengths();
    let members = members(reader.bytes, reader.number());
    let body = body(reader.bytes, reader.number());
    (Parameter { name, spelling, members, body, ..value }, reader.number())
}

/// Reads a size, an offset, an alignment, a class, and a C++ type without the lengths of an array. `names` and
/// `readable` are arguments of [`Reader::base`].
pub(crate) const fn value<'a>(reader: &mut Reader<'a>, names: &'a str, readable: usize) -> Parameter<'a> {
    let size = reader.number();
    let offset = reader.number().checked_sub(1);
    let align = match reader.byte() {
        0 => None,
        more => Some(Alignment { log2: more - 1 }),
    };
    let class = CLASSES[reader.byte() as usize];
    let base = reader.base(names, readable);
    Parameter { offset, align, class, cpp: reader.pointers(base), ..Parameter::record(0, size) }
}

/// Returns the members with this number in `bytes`.
pub const fn members(bytes: &[u8], number: usize) -> Members<'_> {
    match number {
        0 => Members::UNKNOWN,
        TEXTURES => Members::meaning(Meaning::Texture),
        SURFACES => Members::meaning(Meaning::Surface),
        _ if number < FIRST => Members::opaque(Opaque::ALL[number - 1]),
        _ => {
            let list = List { bytes, at: (number - FIRST) / 4 };
            let is_signed = match (number - FIRST) % 4 {
                STRUCT => return Members::stored(list),
                SIGNED => Some(true),
                UNSIGNED => Some(false),
                _ => None,
            };
            Members::stored_enum(list, is_signed)
        }
    }
}

/// The numbers of bodies without slots, and the first number of other bodies.
pub const UNKNOWN: usize = 0;
pub const UNUSED: usize = 1;
pub const FIRST_BODY: usize = 2;

/// The second byte of flags.
pub const ATOMIC: u8 = 1;
pub const ESCAPES: u8 = 2;
pub const ELEMENTS: u8 = 4;
pub const ACCESS: u8 = 8;
pub const WRITE: u8 = 16;
pub const ARITHMETIC: u8 = 32;
pub const INDIRECT: u8 = 64;
/// The elements are computed with.
pub const COMPUTED: u8 = 128;

impl<'a> List<'a> {
    pub(super) const fn slot(self, index: usize) -> Option<Slot<'a>> {
        let mut reader = some!(self.record(index));
        let (slot, flags) = facts(&mut reader);
        Some(Slot {
            access: evidence(&mut reader, flags & ACCESS),
            write: evidence(&mut reader, flags & WRITE),
            arithmetic: evidence(&mut reader, flags & ARITHMETIC),
            indirect: evidence(&mut reader, flags & INDIRECT),
            ..slot
        })
    }

    pub(super) const fn facts(self, index: usize) -> Option<Slot<'a>> {
        Some(facts(&mut some!(self.record(index))).0)
    }
}

const fn facts<'a>(reader: &mut Reader<'a>) -> (Slot<'a>, u8) {
    let offset = 8 * reader.number();
    // Three digits: kind, read, written.
    let (uses, flags) = (reader.byte() as usize, reader.byte());
    let certainties = Certainty::ALL.len();
    let elements = if flags & ELEMENTS != 0 {
        Some(Elements {
            class: ElementClass::ALL[reader.byte() as usize],
            is_computed: flags & COMPUTED != 0,
            size: reader.byte(),
            step: reader.number() as u32,
        })
    } else {
        None
    };
    let slot = Slot {
        offset,
        kind: SlotKind::ALL[uses / (certainties * certainties)],
        read: Certainty::ALL[uses / certainties % certainties],
        written: Certainty::ALL[uses % certainties],
        is_atomic: flags & ATOMIC != 0,
        escapes: flags & ESCAPES != 0,
        elements,
        // The comparison needs to know whether there is one.
        indirect: if flags & INDIRECT != 0 { Some(Evidence { opcode: "", file: "", line: 0 }) } else { None },
        ..Slot::at(0)
    };
    (slot, flags)
}

const fn evidence<'a>(reader: &mut Reader<'a>, flag: u8) -> Option<Evidence<'a>> {
    if flag == 0 {
        return None;
    }
    let (opcode, line) = (reader.text(&[]), reader.number() as u32);
    let file = if line == 0 { "" } else { reader.text(&[]) };
    Some(Evidence { opcode, file, line })
}

/// Returns the body with this number in `bytes`.
pub const fn body(bytes: &[u8], number: usize) -> Body<'_> {
    match number {
        UNKNOWN => Body::UNKNOWN,
        UNUSED => Body::UNUSED,
        _ => Body::stored(List { bytes, at: number - FIRST_BODY }),
    }
}
