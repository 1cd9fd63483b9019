//! Writes structs, enums, lists of parameters and bodies, which `kernel_args_abi::signature::stored` reads.

use super::writer::{Writer, flag, index};
use crate::prelude::*;
use kernel_args_abi::{
    Body, Opaque, Parameter, Variant,
    signature::{
        Certainty, ElementClass, Evidence, Slot, SlotKind,
        reader::{PLACE, STORED},
        stored::{
            ACCESS, ARITHMETIC, ATOMIC, COMPUTED, ELEMENTS, ENUM, ESCAPES, FIRST, FIRST_BODY, INDIRECT, SIGNED, STRUCT,
            UNKNOWN, UNSIGNED, UNUSED, WRITE,
        },
    },
};

#[derive(Clone, Debug)]
pub(crate) struct TypeWriter {
    bytes: Vec<u8>,
    /// What was written, if equal content is written only once.
    known: Option<BTreeMap<Vec<u8>, usize>>,
}

/// Equal content is written once.
impl Default for TypeWriter {
    fn default() -> Self {
        Self { known: Some(BTreeMap::new()), ..Self::new() }
    }
}

impl TypeWriter {
    /// Equal content may be written several times.
    pub(crate) fn new() -> Self {
        Self { bytes: vec![0; PLACE], known: None }
    }

    #[cfg(feature = "debug-info")]
    pub(crate) const fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn structure(&mut self, places: &[u32]) -> usize {
        FIRST + 4 * self.list(places) + STRUCT
    }

    pub(crate) fn enumeration(&mut self, places: &[u32], is_signed: Option<bool>) -> usize {
        let kind = match is_signed {
            Some(true) => SIGNED,
            Some(false) => UNSIGNED,
            None => ENUM,
        };
        FIRST + 4 * self.list(places) + kind
    }

    /// With these numbers of its members and its referent. `named` is the position of the name of its type, if it was
    /// written.
    pub(crate) fn record(
        &mut self,
        parameter: &Parameter<'_>,
        named: Option<u32>,
        members: usize,
        referent: usize,
    ) -> u32 {
        let body = self.body(parameter.body);
        self.written(|writer| {
            writer.text(parameter.name);
            writer.text(parameter.spelling);
            writer.ty(parameter, named);
            writer.lengths(parameter.cpp.extents);
            writer.number(members);
            writer.number(body);
            writer.number(referent);
        })
    }

    pub(crate) fn variant(&mut self, variant: Variant<'_>) -> u32 {
        self.written(|writer| {
            writer.integer(variant.value);
            writer.text(variant.name);
        })
    }

    pub(crate) fn text(&mut self, text: &str) -> u32 {
        self.written(|writer| writer.text(text))
    }

    fn written(&mut self, write: impl FnOnce(&mut Writer<'_>)) -> u32 {
        let mut bytes = Vec::new();
        write(&mut Writer::new(&mut bytes));
        self.place(bytes)
    }

    /// Returns all bytes, with the positions of the types that members and parameters point to; 0 for an unknown type.
    pub(crate) fn finish(mut self, types: &[u32]) -> Vec<u8> {
        if !types.is_empty() {
            let at = self.list(types) as u32;
            self.bytes[..PLACE].copy_from_slice(&at.to_le_bytes());
        }
        self.bytes
    }

    fn list(&mut self, places: &[u32]) -> usize {
        let mut bytes = Vec::with_capacity(PLACE * (1 + places.len()));
        bytes.extend(narrow(places.len()).to_le_bytes());
        for place in places {
            bytes.extend(place.to_le_bytes());
        }
        self.place(bytes) as usize
    }

    fn place(&mut self, bytes: Vec<u8>) -> u32 {
        let next = narrow(self.bytes.len());
        if let Some(known) = &mut self.known {
            if let Some(&at) = known.get(&bytes) {
                return at as u32;
            }
            known.insert(bytes.clone(), next as usize);
        }
        self.bytes.extend(bytes);
        next
    }

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

pub(crate) fn opaque(why: Opaque) -> usize {
    1 + usize::from(index(&Opaque::ALL, why))
}

impl Writer<'_> {
    /// What a comparison reads of a body: everything but its evidence.
    pub(crate) fn facts(&mut self, body: Body<'_>) {
        self.number(if body.is_known() { 1 + body.len() } else { 0 });
        body.slots().for_each(|slot| self.slot(&slot));
    }

    fn slot(&mut self, slot: &Slot<'_>) {
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

/// Returns the evidence of a slot, each with its flag.
fn evidence<'s>(slot: &Slot<'s>) -> [(u8, Option<Evidence<'s>>); 4] {
    [(ACCESS, slot.access), (WRITE, slot.write), (ARITHMETIC, slot.arithmetic), (INDIRECT, slot.indirect)]
}
