//! Which slot each access uses.

use super::{
    code::{Code, Symbol, Use},
    flow::Flow,
    forms::{Arena, ELSEWHERE, Factor, Set, SlotId, Slots, Term},
    slot_use::{Pattern, SlotUse, pattern, weaken},
    value::{Place, Stride, Value},
};
use alloc::vec::Vec;

/// The maximum number of times that a slot that was found to be a pointer can decide further sums.
const MOST_ROUNDS: usize = 4;

/// The uses of all slots, by number.
pub(super) struct Uses<'f, 'c, 't> {
    flow: &'f mut Flow<'c, 't>,
    pub(super) slots: Vec<SlotUse>,
}

/// What happens at an address.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) address: Value,
    pub(super) is_generic: bool,
}

impl<'f, 'c, 't> Uses<'f, 'c, 't> {
    /// `is_pointer` contains the slots that are declared as pointers.
    pub(super) fn of(flow: &'f mut Flow<'c, 't>, is_pointer: &[SlotId]) -> Vec<SlotUse> {
        let slots = flow.used.iter().map(|&is_used| SlotUse { is_used, ..SlotUse::default() });
        let mut uses = Self { slots: slots.collect(), flow };
        for &slot in is_pointer {
            uses.slots[slot as usize].is_pointer = true;
        }
        uses.kinds();
        for call in 0..uses.flow.code.calls.len() {
            uses.call(call, true);
        }
        uses.pointers();
        uses.accesses();
        for call in 0..uses.flow.code.calls.len() {
            uses.call(call, false);
        }
        uses.shared();
        // Loading arguments of calls can mark further slots.
        for (slot, is_used) in uses.slots.iter_mut().zip(&uses.flow.used) {
            slot.is_used |= is_used;
        }
        uses.slots
    }

    /// What shows the kind of a slot.
    fn kinds(&mut self) {
        let code: &Code<'_> = self.flow.code;
        for &(register, kind) in &code.uses {
            let value = self.flow.get(register);
            let sole = self.flow.arena.sole(value.forms);
            match kind {
                Use::Escape => self.escape(value),
                Use::Stored { base } => {
                    let base = self.flow.get(base);
                    let is_elsewhere = base.place == Place::Nowhere || base.forms != Set::NUMBER;
                    if is_elsewhere {
                        self.escape(value);
                    }
                }
                Use::Arithmetic(origin) => {
                    if let Some(slot) = sole {
                        self.slots[slot as usize].arithmetic.get_or_insert(origin);
                    }
                }
                Use::Pointer => {
                    if let Some(slot) = sole {
                        self.slots[slot as usize].is_pointer = true;
                    }
                }
                Use::Handle => self.handle(value),
            }
        }
    }

    fn each(&mut self, slots: Slots, change: impl Fn(&mut SlotUse)) {
        for &slot in self.flow.arena.list(slots) {
            change(&mut self.slots[slot as usize]);
        }
    }

    /// The slots that a value, or what it is the address of, can contain.
    fn reachable(&mut self, value: Value) -> Slots {
        let slots = value.all_slots(self.flow.arena, Slots::NONE);
        let symbols = match value.place {
            Place::Nowhere => 0..0,
            Place::At(symbol, _) | Place::In(symbol) => symbol..symbol + 1,
            Place::Anywhere => 0..self.flow.code.symbols.len() as u32,
        };
        symbols.fold(slots, |slots, symbol| {
            let contents = self.flow.contents(symbol);
            self.flow.arena.unite_slots(slots, contents)
        })
    }

    pub(super) fn escape(&mut self, value: Value) {
        let slots = self.reachable(value);
        self.each(slots, |slot| {
            slot.escapes = true;
            slot.is_used = true;
        });
        self.flow.share_place(value.place);
    }

    pub(super) fn handle(&mut self, value: Value) {
        let slots = self.reachable(value);
        self.each(slots, |slot| {
            slot.is_handle = true;
            slot.is_used = true;
        });
    }

    /// A slot through which memory is certainly accessed is a pointer. This can decide which slot of a sum is the address.
    fn pointers(&mut self) {
        let code: &Code<'_> = self.flow.code;
        for _ in 0..MOST_ROUNDS {
            let mut has_changed = false;
            for access in &code.accesses {
                let value = self.flow.get(access.base);
                if let Some((slot, _)) = self.base(value.forms) {
                    let slot = &mut self.slots[slot as usize];
                    has_changed |= !core::mem::replace(&mut slot.is_pointer, true);
                }
            }
            if !has_changed {
                return;
            }
        }
    }

    fn accesses(&mut self) {
        let code: &'c Code<'t> = self.flow.code;
        for access in &code.accesses {
            let address = self.flow.get(access.base).plus(access.offset.into());
            let at = At { address, is_generic: access.is_generic };
            let pattern = pattern(access.element, access.mode, access.origin, &code.seen);
            if let Some(slot) = self.access(at, pattern) {
                let known = Stride::constant(access.width.max(1).into()).join(address.stride);
                self.slots[slot as usize].needs(known.powers_of_two().all);
            }
        }
    }

    /// The slot that an address is certainly computed from, and whether only a constant or a known step is added.
    fn base(&self, set: Set) -> Option<(SlotId, bool)> {
        let arena: &Arena = self.flow.arena;
        let mut found: Option<(SlotId, bool)> = None;
        for form in arena.forms(set) {
            let base = self.base_of(form)?;
            let is_plain = form.len() == 1;
            found = match found {
                Some((slot, _)) if slot != base => return None,
                Some((slot, was_plain)) => Some((slot, was_plain && is_plain)),
                None => Some((base, is_plain)),
            };
        }
        found
    }

    fn base_of(&self, form: &[Term]) -> Option<SlotId> {
        let slot = |slot: SlotId| self.slots.get(slot as usize);
        let is_pointer = |term: &&Term| slot(term.0).is_some_and(|slot| slot.is_pointer);
        let can_be = |term: &&Term| slot(term.0).is_none_or(|slot| slot.arithmetic.is_none());
        let only = |terms: &mut dyn Iterator<Item = &Term>| {
            let first = terms.next();
            let is_only = terms.next().is_none();
            first.filter(|_| is_only).copied()
        };
        let known = form.iter().filter(is_pointer).count();
        let base = match known {
            0 if form.len() == 1 => form.first().copied(),
            0 => only(&mut form.iter().filter(can_be)),
            _ => only(&mut form.iter().filter(is_pointer)),
        };
        match base {
            Some((slot, Factor::Plus)) if slot != ELSEWHERE => Some(slot),
            _ => None,
        }
    }

    /// An access at an address, by this body or a function that it calls. Returns the slot if only a known number is added to it.
    pub(super) fn access(&mut self, at: At, pattern: Pattern) -> Option<SlotId> {
        let value = at.address;
        if at.is_generic && value.place != Place::Nowhere && value.forms == Set::NUMBER {
            // An access to a parameter or local memory.
            self.each(value.weak, |slot| weaken(slot, pattern.mode));
            return None;
        }
        let Some((slot, is_plain)) = self.base(value.forms) else {
            let slots = value.all_slots(self.flow.arena, Slots::NONE);
            self.each(slots, |slot| weaken(slot, pattern.mode));
            return None;
        };
        self.each(value.weak, |slot| weaken(slot, pattern.mode));
        let own = if is_plain { value.stride } else { Stride::ANY };
        let stride = pattern.stride.join(own);
        let own = &mut self.slots[slot as usize];
        own.access(Pattern { stride, ..pattern });
        if !is_plain {
            own.needs(1);
        }
        is_plain.then_some(slot)
    }

    /// What is in local memory that code outside of the analysis can access, escapes.
    fn shared(&mut self) {
        for symbol in 0..self.flow.code.symbols.len() as u32 {
            let is_memory = self.flow.code.symbols[symbol as usize] == Symbol::Memory;
            if is_memory && self.flow.is_shared(symbol) {
                let slots = self.flow.contents(symbol);
                self.each(slots, |slot| slot.escapes = true);
            }
        }
    }

    pub(super) fn flow(&mut self) -> &mut Flow<'c, 't> {
        self.flow
    }
}
