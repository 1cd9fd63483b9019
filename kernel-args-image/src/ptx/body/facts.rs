//! What a body shows about a slot, in the common model.

use super::{
    code::Origin,
    slot_use::{Pattern, SlotUse},
};
use kernel_args_abi::signature::{ElementClass, Elements, Evidence, Slot, SlotKind};

/// Finds the opcode and the source line of an instruction.
pub(super) trait Locate<'t> {
    fn locate(&mut self, origin: Origin) -> Evidence<'t>;
}

/// What a body does with the slot at `offset` of a parameter.
pub(super) fn slot<'t>(offset: usize, slot: &SlotUse, locate: &mut impl Locate<'t>) -> Slot<'t> {
    let is_accessed = slot.read.is_possible() || slot.written.is_possible();
    let kind = if slot.is_handle {
        SlotKind::Handle
    } else if slot.is_pointer {
        SlotKind::Pointer
    } else if slot.arithmetic.is_some() && !is_accessed && !slot.escapes {
        SlotKind::Integer
    } else {
        SlotKind::Unknown
    };
    let elements = elements(slot);
    let access = match elements {
        Some((_, pattern)) => Some(pattern.origin),
        None => slot.patterns.first().map(|pattern| pattern.origin),
    };
    let arithmetic = slot.arithmetic.filter(|_| kind == SlotKind::Integer);
    let mut evidence = |origin: Option<Origin>| origin.map(|origin| locate.locate(origin));
    Slot {
        offset,
        kind,
        read: slot.read,
        written: slot.written,
        is_atomic: slot.is_atomic,
        escapes: slot.escapes,
        elements: elements.map(|(elements, _)| elements),
        access: evidence(access),
        write: evidence(slot.write),
        arithmetic: evidence(arithmetic),
    }
}

/// The elements that all accesses show, and one of these accesses.
fn elements(slot: &SlotUse) -> Option<(Elements, &Pattern)> {
    if slot.has_more {
        return None;
    }
    let mut found: Option<(Elements, &Pattern)> = None;
    for pattern in &slot.patterns {
        let own = element(pattern)?;
        found = match found {
            None => Some((own, pattern)),
            Some((all, first)) => Some((both(all, own)?, first)),
        };
    }
    found
}

/// The elements of two accesses, if they agree.
fn both(a: Elements, b: Elements) -> Option<Elements> {
    if a.class != b.class {
        return None;
    }
    // A vector of two halves counts as two.
    let size = match a.class {
        ElementClass::F16 | ElementClass::BF16 => a.size.min(b.size),
        _ if a.size == b.size => a.size,
        _ => return None,
    };
    let step = if a.step == b.step { a.step } else { 0 };
    Some(Elements { size, step, ..a })
}

/// The elements that an access shows.
fn element(pattern: &Pattern) -> Option<Elements> {
    let size = pattern.bytes;
    // Copies of several elements at once, and elements that are both floats and integers, show nothing.
    if pattern.is_mixed || size == 0 {
        return None;
    }
    let has_arithmetic = pattern.arithmetic != ElementClass::Unknown;
    if pattern.is_vector && !has_arithmetic {
        return None;
    }
    let is_aligned = pattern.stride.all.is_multiple_of(u32::from(size));
    let class = match (pattern.arithmetic, pattern.class) {
        (ElementClass::Unknown, ElementClass::Unknown) => ElementClass::Unknown,
        (ElementClass::Unknown, class) if is_aligned => class,
        // A copy in units of this size.
        (ElementClass::Unknown, _) => return None,
        (class, _) => class,
    };
    Some(Elements { class, size, step: pattern.stride.variable })
}
