//! What a body does with each slot.

use super::{
    Access, Action, Object, PointerAccess,
    flow::Flow,
    lists::{Atom, List, SlotId, SymbolId},
    names::NoClaim,
    value::{Derivation, Number, Value},
};
use crate::prelude::*;
use core::{mem, ops::Range};
use kernel_args_abi::{
    Alignment,
    signature::{Certainty, ElementClass, Elements, Evidence, Slot, SlotKind},
};

#[derive(Default)]
pub(super) struct SlotUse<'t> {
    pub(super) is_used: bool,
    slot: Slot<'t>,
    shown: Option<Shown<'t>>,
    /// The least alignment in bytes of all accesses. 0 without an access.
    alignment: u32,
    /// As in [`PointerAccess`].
    is_at_start: bool,
    is_always: bool,
}

#[derive(Clone, Copy)]
struct Shown<'t> {
    elements: Elements,
    number: Number,
    evidence: Evidence<'t>,
}

impl<'t> Shown<'t> {
    /// Copies of several elements at once, and elements that are both floats and integers, show nothing.
    fn of(access: &Access<'t>, classes: &[u8], number: Number) -> Option<Self> {
        let own = if access.is_computed { 1 << access.class as u8 & !1 } else { 0 };
        let seen = classes[access.element as usize] | own;
        let class = ElementClass::ALL.into_iter().find(|class| seen == 1 << *class as u8);
        if access.size == 0 || seen > 0 && class.is_none() || seen == 0 && access.width > access.size {
            return None;
        }
        let (class, is_computed) = (class.unwrap_or(access.class), seen > 0);
        let size = if is_computed && class.is_float() { access.width } else { access.size };
        let elements = Elements { class, is_computed, size, step: 0 };
        Some(Self { elements, number, evidence: access.evidence })
    }

    fn and(self, other: Self) -> Option<Self> {
        let (own, others) = (self.elements, other.elements);
        if own.class != others.class || own.size != others.size && !own.class.is_float() {
            return None;
        }
        let first = if own.is_computed || !others.is_computed { self } else { other };
        let elements = Elements { size: own.size.min(others.size), ..first.elements };
        Some(Self { elements, number: self.number.join(other.number), ..first })
    }
}

impl<'t> SlotUse<'t> {
    /// An access at `distance` from the slot. If the distance is not known, another slot is a part of it.
    fn add(&mut self, access: &Access<'t>, classes: &[u8], distance: Option<Number>) {
        let number = distance.unwrap_or(Number::ANY).plus(Number::constant(access.offset.into()));
        let is_first = self.slot.access.is_none();
        self.slot.access.get_or_insert(access.evidence);
        if access.is_read {
            self.slot.read = Certainty::Certain;
        }
        if access.is_written {
            self.slot.written = Certainty::Certain;
            self.slot.write.get_or_insert(access.evidence);
        }
        self.slot.is_atomic |= access.is_read && access.is_written;
        self.needs(if distance.is_some() { number.alignment(access.width.max(1).into()) } else { 1 });
        // A copy can have 0 bytes.
        if number.step == 0 && access.width > 0 {
            self.is_at_start |= number.rest >= 0;
            self.is_always |= access.is_always;
        }
        let shown = Shown::of(access, classes, number);
        self.shown = if is_first { shown } else { self.shown.and_then(|own| own.and(shown?)) };
    }

    /// Possible accesses, or the value gets to memory or code that is not known.
    fn may(&mut self, is_read: bool, is_written: bool, escapes: bool) {
        let at_least = |possible, own: Certainty| if possible { own.max(Certainty::Possible) } else { own };
        self.slot.read = at_least(is_read, self.slot.read);
        self.slot.written = at_least(is_written, self.slot.written);
        self.slot.escapes |= escapes;
        self.is_used = true;
        self.needs(1);
    }

    fn needs(&mut self, alignment: u32) {
        self.alignment = if self.alignment == 0 { alignment } else { self.alignment.min(alignment) };
    }

    pub(super) fn needs_of_memory(&self, parameter: usize, offset: usize) -> Option<PointerAccess> {
        let align = Alignment::new(if self.slot.escapes { 1 } else { self.alignment as usize })?;
        Some(PointerAccess { parameter, offset, align, is_at_start: self.is_at_start, is_always: self.is_always })
    }

    pub(super) fn slot(&self, offset: usize) -> Slot<'t> {
        let is_accessed = self.slot.read.is_possible() || self.slot.written.is_possible();
        let is_integer = self.slot.arithmetic.is_some() && !is_accessed && !self.slot.escapes;
        let kind = match self.slot.kind {
            SlotKind::Unknown if is_integer => SlotKind::Integer,
            kind => kind,
        };
        // Floats at other distances than their size are a copy in units of this size.
        let is_element = |Shown { elements: Elements { class, is_computed, size, .. }, number, .. }: &Shown<'t>| {
            *is_computed || !class.is_float() || number.alignment((*size).into()) == u32::from(*size)
        };
        let shown = self.shown.filter(is_element);
        let elements = shown.map(|shown| Elements { step: shown.number.step, ..shown.elements });
        let access = shown.map(|shown| shown.evidence).or(self.slot.access);
        let arithmetic = self.slot.arithmetic.filter(|_| kind == SlotKind::Integer);
        Slot { offset, kind, elements, access, arithmetic, ..self.slot }
    }
}

pub(super) struct Uses<'f, 'c, 't> {
    flow: &'f mut Flow<'c, 't>,
    slots: Vec<SlotUse<'t>>,
    marks: Map<u128, (List, u8)>,
}

const READ: u8 = 1;
const WRITTEN: u8 = 2;
const STORED: u8 = 4;
/// A value gets to code that is not known, which can access what it points to.
const PASSED: u8 = 8;

enum AddressBase {
    /// Other memory than that behind a parameter.
    Other,
    /// This slot, and a number if only a number is added.
    Slot(SlotId, Option<Number>),
    /// A value that was loaded through this slot.
    Loaded(SlotId),
    Unclear,
}

/// How often a slot that was found to be a pointer can decide further sums.
const MOST_ROUNDS: usize = 4;

impl<'f, 'c, 't> Uses<'f, 'c, 't> {
    pub(super) fn of(flow: &'f mut Flow<'c, 't>) -> Result<Vec<SlotUse<'t>>, NoClaim> {
        let slots = flow.used.iter().map(|&is_used| SlotUse { is_used, ..SlotUse::default() }).collect();
        let mut uses = Self { slots, flow, marks: Map::default() };
        uses.kinds();
        let code = uses.flow.code;
        // A slot through which memory is certainly accessed is a pointer: this can decide which slot of a sum is one.
        let (mut has_changed, mut rounds) = (true, 0..MOST_ROUNDS);
        while mem::take(&mut has_changed) && rounds.next().is_some() {
            uses.flow.lists.pay(code.accesses.len())?;
            for access in &code.accesses {
                if let AddressBase::Slot(slot, _) = uses.base(uses.flow.get(access.base)) {
                    let kind = &mut uses.slots[slot as usize].slot.kind;
                    has_changed |= mem::replace(kind, SlotKind::Pointer) != SlotKind::Pointer;
                }
            }
        }
        for access in &code.accesses {
            uses.access(access);
        }
        uses.escapes();
        uses.apply()?;
        Ok(uses.slots)
    }

    fn kinds(&mut self) {
        for symbol in &self.flow.code.symbols {
            if let Object::Parameter { first, is_pointer: true, .. } = symbol {
                self.slots[*first as usize].slot.kind = SlotKind::Pointer;
            }
        }
        for &(register, kind, evidence) in &self.flow.code.kinds {
            let value = self.flow.get(register);
            let object = match (kind, value.sole(self.flow.lists)) {
                (SlotKind::Integer, Some(Atom::Slot(slot))) => {
                    self.slots[slot as usize].slot.arithmetic.get_or_insert(evidence);
                    0..0
                }
                (SlotKind::Pointer | SlotKind::TensorMap, Some(Atom::Slot(slot))) => {
                    let own = &mut self.slots[slot as usize].slot;
                    own.kind = SlotKind::Pointer;
                    if kind == SlotKind::TensorMap {
                        own.read = Certainty::Certain;
                    }
                    0..0
                }
                (SlotKind::Integer | SlotKind::Pointer, _) => 0..0,
                (SlotKind::TensorMap, Some(Atom::Address(symbol))) => self.tensor_map(symbol, value.number),
                (_, Some(Atom::Slot(slot))) => slot..slot + 1,
                _ => {
                    self.mark(value.atoms, READ);
                    0..0
                }
            };
            for slot in object {
                let own = &mut self.slots[slot as usize];
                (own.is_used, own.slot.kind, own.slot.access) = (true, kind, Some(evidence));
            }
        }
    }

    fn tensor_map(&self, symbol: SymbolId, offset: Number) -> Range<SlotId> {
        const SLOTS: u16 = 16;
        let Range { start, end } = self.flow.code.symbols[symbol as usize].slots();
        if offset.step > 0 || offset.rest < 0 {
            return start..end;
        }
        let first = u32::from(end).min(u32::from(start) + offset.rest.unsigned_abs() / 8) as SlotId;
        first..end.min(first + SLOTS)
    }

    fn mark(&mut self, list: List, mark: u8) {
        self.marks.entry(list.0.into(), (list, 0)).0.1 |= mark;
    }

    fn base(&self, value: Value) -> AddressBase {
        let (lists, is_sum) = (&self.flow.lists, matches!(value.kind, Derivation::Sum));
        let terms = lists.get(value.atoms);
        let atom = match terms {
            [] => return AddressBase::Other,
            _ if value.is_number() => return AddressBase::Unclear,
            [(atom, false)] => Some(*atom),
            _ => {
                // In a sum of one address and numbers, what is known to be an address is the address. Everything else
                // can be one, unless the code computes with it as an integer.
                let can_differ = !is_sum || lists.is_difference(value.atoms);
                let is_integer =
                    |atom| matches!(atom, Atom::Slot(slot) if self.slots[slot as usize].slot.arithmetic.is_some());
                let mut all = terms
                    .iter()
                    .map(|term| term.0)
                    .filter(|atom| self.is_address(*atom) || can_differ && !is_integer(*atom));
                let first = all.next().filter(|atom| self.is_address(*atom));
                if all.next().is_some() { None } else { first }
            }
        };
        let is_plain = is_sum && terms.len() == 1;
        match atom {
            Some(Atom::Slot(slot)) => AddressBase::Slot(slot, is_plain.then_some(value.number)),
            Some(Atom::Loaded(slot)) if is_plain => AddressBase::Loaded(slot),
            Some(Atom::Loaded(_) | Atom::Elsewhere | Atom::Variable | Atom::Address(_)) => AddressBase::Other,
            Some(Atom::Any | Atom::Contents(_)) | None => AddressBase::Unclear,
        }
    }

    fn is_address(&self, atom: Atom) -> bool {
        match atom {
            Atom::Slot(slot) => self.slots[slot as usize].slot.kind == SlotKind::Pointer,
            Atom::Variable | Atom::Address(_) => true,
            _ => false,
        }
    }

    fn access(&mut self, access: &Access<'t>) {
        let address = self.flow.get(access.base);
        match self.base(address) {
            AddressBase::Slot(slot, distance) => {
                self.slots[slot as usize].add(access, &self.flow.code.classes, distance);
            }
            AddressBase::Loaded(slot) => _ = self.slots[slot as usize].slot.indirect.get_or_insert(access.evidence),
            AddressBase::Unclear => {
                let mark = u8::from(access.is_read) * READ + u8::from(access.is_written) * WRITTEN;
                self.mark(address.atoms, mark);
            }
            AddressBase::Other => {}
        }
    }

    /// Values that get to memory or code that is not known. A number computed from a value is no address there.
    fn escapes(&mut self) {
        for step in &self.flow.code.steps {
            let (value, mark) = match step.action {
                Action::Pass => (step.a, PASSED),
                Action::Store if !self.flow.is_local(self.flow.get(step.a)) => (step.b, STORED),
                _ => continue,
            };
            let value = self.flow.get(value);
            if value.kind != Derivation::Number {
                self.mark(value.atoms, mark);
            }
        }
        for symbol in 0..self.flow.memory.len() {
            if self.flow.is_shared(symbol) {
                let address = self.flow.lists.atom(Atom::Address(symbol as SymbolId));
                self.mark(address, PASSED);
            }
        }
    }

    /// Does what the marks say to the slots of each list. What is stored or passed leads to everything in its memory.
    fn apply(&mut self) -> Result<(), NoClaim> {
        for &(list, mark) in mem::take(&mut self.marks).values() {
            let has = |bits| mark & bits != 0;
            let (mut next, mut seen) = (vec![list], Map::<u128, ()>::default());
            while let Some(list) = next.pop() {
                if !seen.entry(list.0.into(), ()).1 {
                    continue;
                }
                for at in 0..self.flow.lists.get(list).len() {
                    let (atom, _) = self.flow.lists.get(list)[at];
                    if matches!(atom, Atom::Address(_)) && !has(STORED | PASSED) {
                        continue;
                    }
                    let (slots, contents) = self.flow.contents(atom);
                    self.flow.lists.pay(1 + slots.len())?;
                    for slot in slots {
                        let own = &mut self.slots[slot as usize];
                        own.may(has(READ | PASSED), has(WRITTEN | PASSED), has(STORED | PASSED));
                    }
                    next.push(contents);
                }
            }
        }
        for (symbol, memory) in self.flow.code.symbols.iter().zip(&self.flow.memory) {
            for slot in symbol.slots().filter(|_| memory.is_indexed) {
                self.slots[slot as usize].is_used = true;
            }
        }
        Ok(())
    }
}
