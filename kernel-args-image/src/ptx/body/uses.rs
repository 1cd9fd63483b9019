//! Which slot each access uses.

use super::{
    code::{Action, Origin, Symbol, Use},
    flow::Flow,
    lists::{Atom, List, SlotId},
    names::TooMany,
    slot_use::{SlotUse, Summary},
    value::{Kind, Value},
};
use alloc::{vec, vec::Vec};
use kernel_args_abi::signature::SlotKind;

/// The uses of all slots, by number.
pub(super) struct Uses<'f, 'c, 't> {
    flow: &'f mut Flow<'c, 't>,
    slots: Vec<SlotUse>,
    /// What happens to the slots of each list: bits.
    marks: Vec<u8>,
}

/// The bits of a mark.
const READ: u8 = 1;
const WRITTEN: u8 = 2;
/// A value is stored in memory.
const STORED: u8 = 4;
/// A value gets to code that is not known, which can access what it points to.
const PASSED: u8 = 8;

/// What an address is computed from.
enum Base {
    /// Other memory than that behind a parameter.
    Other,
    /// This slot; whether only a number is added.
    Slot(SlotId, bool),
    /// A value that was loaded through this slot.
    Loaded(SlotId),
    /// One of several slots.
    Unclear,
}

/// The maximum number of times that a slot that was found to be a pointer can decide further sums.
const MOST_ROUNDS: usize = 4;

impl<'f, 'c, 't> Uses<'f, 'c, 't> {
    /// `pointers` are the slots that are declared as pointers.
    pub(super) fn of(flow: &'f mut Flow<'c, 't>, pointers: &[SlotId]) -> Result<Vec<SlotUse>, TooMany> {
        let slots = flow.used.iter().map(|&is_used| SlotUse::new(is_used)).collect();
        let mut uses = Self { slots, flow, marks: Vec::new() };
        for &slot in pointers {
            uses.slots[slot as usize].is_pointer = true;
        }
        uses.kinds();
        let code = uses.flow.code;
        for call in 0..code.calls.len() {
            uses.call(call, Self::kinds_of)?;
        }
        uses.pointers()?;
        for access in &code.accesses {
            let address = uses.flow.get(access.base);
            uses.access(address, &SlotUse::of(access, &code.classes));
        }
        for call in 0..code.calls.len() {
            uses.call(call, Self::access)?;
        }
        uses.escapes();
        uses.apply()?;
        // Loading arguments of calls can use further slots.
        for (slot, is_used) in uses.slots.iter_mut().zip(&uses.flow.used) {
            slot.is_used |= is_used;
        }
        Ok(uses.slots)
    }

    /// A value gets to memory or to code that is not known. A number that was computed from it is no address there.
    fn escape(&mut self, value: Value, mark: u8) {
        if value.kind != Kind::Number {
            self.mark(value.atoms, mark);
        }
    }

    fn mark(&mut self, list: List, mark: u8) {
        let at = list.index();
        if at >= self.marks.len() {
            self.marks.resize(self.flow.lists.len().max(at + 1), 0);
        }
        self.marks[at] |= mark;
    }

    /// What shows the kind of a slot.
    fn kinds(&mut self) {
        for &(register, kind) in &self.flow.code.uses {
            let value = self.flow.get(register);
            match (kind, value.sole_slot(self.flow.lists)) {
                (Use::Arithmetic(origin), Some(slot)) => {
                    self.slots[slot as usize].arithmetic.get_or_insert(origin);
                }
                (Use::Pointer, Some(slot)) => self.slots[slot as usize].is_pointer = true,
                (Use::Object(kind, origin), _) => self.object(value, kind, origin),
                (Use::Arithmetic(_) | Use::Pointer, None) => {}
            }
        }
    }

    fn object(&mut self, value: Value, kind: SlotKind, origin: Origin) {
        let slots = match value.sole(self.flow.lists) {
            Some(Atom::Slot(slot)) => slot..slot + 1,
            Some(Atom::Address(symbol)) => match self.flow.code.symbols[symbol as usize] {
                Symbol::Parameter { bytes, first } => tensor_map(bytes, first, value),
                Symbol::Memory => 0..0,
            },
            _ => return self.mark(value.atoms, READ),
        };
        for slot in slots {
            let own = &mut self.slots[slot as usize];
            (own.is_used, own.object) = (true, Some((kind, origin)));
        }
    }

    /// What a called function shows about the kind of its argument.
    fn kinds_of(&mut self, argument: Value, of: &SlotUse) {
        if of.escapes {
            self.escape(argument, STORED);
        }
        if let Some((kind, origin)) = of.object {
            self.object(argument, kind, origin);
        }
        if let Some(slot) = argument.sole_slot(self.flow.lists) {
            let own = &mut self.slots[slot as usize];
            own.is_pointer |= of.is_pointer;
            own.arithmetic = own.arithmetic.or(of.arithmetic);
        }
    }

    /// Calls `each` for the arguments of a call, with what the function does with them.
    fn call(&mut self, call: usize, each: impl Fn(&mut Self, Value, &SlotUse)) -> Result<(), TooMany> {
        if let Some(summary) = self.flow.callee(call) {
            self.flow.lists.pay(summary.slots.len())?;
            for (slot, of) in &summary.slots {
                let argument = self.flow.argument(call, &summary, *slot);
                each(self, argument, of);
            }
        }
        Ok(())
    }

    /// A slot through which memory is certainly accessed is a pointer. This can decide which slot of a sum is the address.
    fn pointers(&mut self) -> Result<(), TooMany> {
        let code = self.flow.code;
        for _ in 0..MOST_ROUNDS {
            let mut has_changed = false;
            self.flow.lists.pay(code.accesses.len())?;
            for access in &code.accesses {
                if let Base::Slot(slot, _) = self.base(self.flow.get(access.base)) {
                    has_changed |= !core::mem::replace(&mut self.slots[slot as usize].is_pointer, true);
                }
            }
            if !has_changed {
                break;
            }
        }
        Ok(())
    }

    /// What an address that is accessed is computed from.
    fn base(&self, value: Value) -> Base {
        let terms = self.flow.lists.get(value.atoms);
        let is_sum = matches!(value.kind, Kind::Sum);
        let atom = match terms {
            [] => return Base::Other,
            _ if value.is_number() => return Base::Unclear,
            [(atom, false)] => Some(*atom),
            _ => {
                // In a sum of one address and numbers, what is known to be an address is the address. Everything else can be an
                // address, unless the code computes with it as an integer.
                let can_differ = !is_sum || self.flow.lists.is_difference(value.atoms);
                let can_be = |atom: &Atom| self.is_address(*atom) || can_differ && !self.is_integer(*atom);
                only(terms.iter().map(|term| term.0).filter(can_be)).filter(|atom| self.is_address(*atom))
            }
        };
        match atom {
            Some(Atom::Slot(slot)) => Base::Slot(slot, is_sum && terms.len() == 1),
            Some(Atom::Loaded(slot)) if is_sum && terms.len() == 1 => Base::Loaded(slot),
            Some(Atom::Loaded(_) | Atom::Elsewhere | Atom::Variable | Atom::Address(_)) => Base::Other,
            Some(Atom::Any | Atom::Contents(_)) | None => Base::Unclear,
        }
    }

    fn is_address(&self, atom: Atom) -> bool {
        match atom {
            Atom::Slot(slot) => self.slots[slot as usize].is_pointer,
            Atom::Variable | Atom::Address(_) => true,
            _ => false,
        }
    }

    /// Whether an atom is a number, and certainly no address.
    fn is_integer(&self, atom: Atom) -> bool {
        let Atom::Slot(slot) = atom else {
            return false;
        };
        let own = &self.slots[slot as usize];
        own.arithmetic.is_some() && !own.is_pointer
    }

    /// An access at an address, by this body or by a function that it calls.
    fn access(&mut self, address: Value, of: &SlotUse) {
        match self.base(address) {
            Base::Slot(slot, is_plain) => self.slots[slot as usize].add(of, address.number, is_plain),
            Base::Loaded(slot) => {
                let own = &mut self.slots[slot as usize];
                own.address = own.address.or(of.certain_access());
            }
            Base::Unclear => {
                let mark = |is_possible, mark| if is_possible { mark } else { 0 };
                let mark = mark(of.read.is_possible(), READ) | mark(of.written.is_possible(), WRITTEN);
                self.mark(address.atoms, mark);
            }
            Base::Other => {}
        }
    }

    /// Values that get to memory or code that is not known.
    fn escapes(&mut self) {
        for step in &self.flow.code.steps {
            match step.action {
                Action::Pass => self.escape(self.flow.get(step.a), PASSED),
                Action::Store => {
                    let is_local = self.flow.is_local(self.flow.get(step.a));
                    if !is_local {
                        self.escape(self.flow.get(step.b), STORED);
                    }
                }
                _ => {}
            }
        }
        for call in 0..self.flow.code.calls.len() {
            if self.flow.is_unknown(call) {
                for &register in &self.flow.code.calls[call].arguments {
                    self.mark(self.flow.stored(register), PASSED);
                }
            }
        }
        for symbol in 0..self.flow.memory.len() {
            if self.flow.is_shared(symbol) {
                let address = self.flow.lists.atom(Atom::Address(symbol as u32));
                self.mark(address, PASSED);
            }
        }
    }

    /// Does to the slots of each list what its mark says.
    fn apply(&mut self) -> Result<(), TooMany> {
        for list in 0..self.marks.len() {
            let mark = self.marks[list];
            if mark == 0 {
                continue;
            }
            for slot in self.slots_of(List::of_index(list), mark & (STORED | PASSED) != 0)? {
                let own = &mut self.slots[slot as usize];
                own.is_used = true;
                own.escapes |= mark & (STORED | PASSED) != 0;
                let is_passed = mark & PASSED != 0;
                own.may_access(is_passed || mark & READ != 0, is_passed || mark & WRITTEN != 0);
            }
        }
        for (symbol, memory) in self.flow.code.symbols.iter().zip(&self.flow.memory) {
            if let (Symbol::Parameter { bytes, first }, true) = (symbol, memory.is_indexed) {
                for slot in *first..*first + bytes.div_ceil(8) as SlotId {
                    self.slots[slot as usize].is_used = true;
                }
            }
        }
        Ok(())
    }

    /// The slots that the values of a list can contain; with `is_followed`, also those in memory that they are the address of.
    fn slots_of(&mut self, list: List, is_followed: bool) -> Result<Vec<SlotId>, TooMany> {
        let (mut slots, mut open, mut seen) = (Vec::new(), vec![list], vec![list]);
        while let Some(list) = open.pop() {
            for at in 0..self.flow.lists.get(list).len() {
                let (atom, _) = self.flow.lists.get(list)[at];
                if matches!(atom, Atom::Address(_)) && !is_followed {
                    continue;
                }
                let (own, contents) = self.flow.contents(atom);
                self.flow.lists.pay(1 + own.len() + seen.len())?;
                slots.extend(own);
                if !seen.contains(&contents) {
                    seen.push(contents);
                    open.push(contents);
                }
            }
        }
        Ok(slots)
    }
}

/// The slots of the tensor map at an address in a parameter.
fn tensor_map(bytes: u32, first: SlotId, address: Value) -> core::ops::Range<SlotId> {
    const BYTES: u32 = 128;
    let start = if address.number.step == 0 { u32::try_from(address.number.rest).unwrap_or(0) } else { 0 };
    let end = if address.number.step == 0 { bytes.min(start.saturating_add(BYTES)) } else { bytes };
    first + (start.min(end) / 8) as SlotId..first + end.div_ceil(8) as SlotId
}

fn only(mut atoms: impl Iterator<Item = Atom>) -> Option<Atom> {
    let first = atoms.next();
    first.filter(|_| atoms.next().is_none())
}

impl Summary {
    /// `uses` are the uses of all slots.
    pub(super) fn new(flow: &Flow<'_, '_>, uses: Vec<SlotUse>) -> Self {
        let first = |symbol: &Symbol| match symbol {
            Symbol::Parameter { first, .. } => Some(*first),
            Symbol::Memory => None,
        };
        let code = flow.code;
        let mut returns = Vec::new();
        for (index, &register) in code.returns.iter().enumerate() {
            returns.extend(flow.cells(register).into_iter().map(|(offset, value)| (index, offset, value)));
        }
        Self {
            firsts: code.symbols.iter().filter_map(first).collect(),
            slots: (0..).zip(uses).filter(|(_, slot)| slot.is_used).collect(),
            returns,
            return_count: code.returns.len(),
        }
    }
}
