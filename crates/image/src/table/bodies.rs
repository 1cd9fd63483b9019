//! Writes what `kernel_args_abi::signature::stored_body` reads.

use super::{types::TypeWriter, writer::Writer};
use alloc::vec::Vec;
use kernel_args_abi::{
    Body,
    signature::{
        Certainty, ElementClass, Evidence, Slot, SlotKind,
        reader::STORED,
        stored_body::{
            ACCESS, ARITHMETIC, ATOMIC, COMPUTED, ELEMENTS, ESCAPES, FIRST_BODY, INDIRECT, UNKNOWN, UNUSED, WRITE,
        },
    },
};

impl TypeWriter {
    pub(crate) fn body(&mut self, body: Body<'_>) -> usize {
        if !body.is_known() {
            return UNKNOWN;
        }
        if body.is_empty() {
            return UNUSED;
        }
        let places: Vec<u32> = body.slots().map(|slot| self.slot(&slot)).collect();
        FIRST_BODY + self.list(&places)
    }

    fn slot(&mut self, slot: &Slot<'_>) -> u32 {
        let mut bytes = Vec::new();
        Writer::new(&mut bytes).slot(slot);
        for (_, evidence) in evidence(slot) {
            self.evidence(evidence, &mut Writer::new(&mut bytes));
        }
        self.place(bytes)
    }

    fn evidence(&mut self, evidence: Option<Evidence<'_>>, writer: &mut Writer<'_>) {
        let Some(evidence) = evidence else {
            return;
        };
        writer.number((self.text(evidence.opcode) as usize) << 2 | STORED);
        writer.number(evidence.line as usize);
        if evidence.line > 0 {
            writer.number((self.text(evidence.file) as usize) << 2 | STORED);
        }
    }
}

impl Writer<'_> {
    /// What a comparison reads of a body: everything but its evidence.
    pub(crate) fn facts(&mut self, body: Body<'_>) {
        self.number(if body.is_known() { 1 + body.len() } else { 0 });
        body.slots().for_each(|slot| self.slot(&slot));
    }

    fn slot(&mut self, slot: &Slot<'_>) {
        let flag = |flag, is_set: bool| if is_set { flag } else { 0 };
        let mut flags = flag(ATOMIC, slot.is_atomic)
            | flag(ESCAPES, slot.escapes)
            | flag(ELEMENTS, slot.elements.is_some())
            | flag(COMPUTED, slot.elements.is_some_and(|elements| elements.is_computed));
        for (bit, evidence) in evidence(slot) {
            flags |= flag(bit, evidence.is_some());
        }
        let kind = index(&SlotKind::ALL, slot.kind);
        let (read, written) = (index(&Certainty::ALL, slot.read), index(&Certainty::ALL, slot.written));
        self.number(slot.offset / 8);
        let certainties = Certainty::ALL.len() as u8;
        self.bytes.extend([(kind * certainties + read) * certainties + written, flags]);
        if let Some(elements) = slot.elements {
            let class = index(&ElementClass::ALL, elements.class);
            self.bytes.extend([class, elements.size]);
            self.number(elements.step as usize);
        }
    }
}

/// The evidence of a slot, each with its flag.
fn evidence<'s>(slot: &Slot<'s>) -> [(u8, Option<Evidence<'s>>); 4] {
    [(ACCESS, slot.access), (WRITE, slot.write), (ARITHMETIC, slot.arithmetic), (INDIRECT, slot.indirect)]
}

fn index<T: PartialEq + Copy>(all: &[T], value: T) -> u8 {
    let index = all.iter().position(|known| *known == value);
    index.unwrap_or_default() as u8
}
