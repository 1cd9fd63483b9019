//! What the code of a kernel does with a parameter, stored as bytes.
//!
//! The number of a body is 0 if the code is not known, 1 if the parameter is never loaded, otherwise 2 plus the
//! position of its slots. They are a list as in `stored`. A slot consists of its offset divided by 8 and two bytes of
//! flags. The flags specify what follows: the elements (class, size, step), and each evidence (opcode, line, and the
//! file if the line is not 0).

use super::{
    Body, Certainty, ElementClass, Elements, Evidence, Slot, SlotKind,
    reader::{List, Reader},
};

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

/// The body with this number in `bytes`.
pub const fn body(bytes: &[u8], number: usize) -> Body<'_> {
    match number {
        UNKNOWN => Body::UNKNOWN,
        UNUSED => Body::UNUSED,
        _ => Body::stored(List { bytes, at: number - FIRST_BODY }),
    }
}
