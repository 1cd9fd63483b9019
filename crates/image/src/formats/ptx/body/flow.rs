//! The values of all registers and of local memory: a fixpoint over the instructions of a body, in any order.

use super::{
    Action, Object, Program, Step,
    lists::{Atom, List, Lists, SlotId, SymbolId},
    names::{NoClaim, Register},
    value::{Derivation, Number, Value},
};
use crate::prelude::*;
use core::ops::Range;

pub(super) struct Flow<'c, 't> {
    pub(super) code: &'c Program<'t>,
    pub(super) lists: &'c mut Lists,
    values: Vec<Option<Value>>,
    /// 8 bytes of local memory, by symbol and offset.
    cells: Map<u128, Value>,
    pub(super) memory: Vec<Memory>,
    /// Whether a store or code that is not known could access all of local memory.
    is_lost: bool,
    pub(super) used: Vec<bool>,
    has_changed: bool,
    /// Whether a load found nothing, because nothing was stored yet or only parts were.
    has_unset: bool,
    /// Whether such a load is a value from elsewhere.
    is_sealed: bool,
}

/// A symbol, without regard to the offset.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) struct Memory {
    all: List,
    is_scattered: bool,
    pub(super) is_indexed: bool,
    is_shared: bool,
}

/// Compilers' output needs up to 8.
const MOST_PASSES: usize = 32;

impl<'c, 't> Flow<'c, 't> {
    pub(super) fn run(code: &'c Program<'t>, lists: &'c mut Lists) -> Result<Self, NoClaim> {
        let mut flow = Self {
            values: code.values.clone(),
            cells: Map::default(),
            memory: vec![Memory::default(); code.symbols.len()],
            is_lost: false,
            used: vec![false; code.slots],
            has_changed: true,
            has_unset: false,
            is_sealed: false,
            code,
            lists,
        };
        for _ in 0..MOST_PASSES {
            if !flow.has_changed && !flow.share_contents() {
                if flow.is_sealed || !flow.has_unset {
                    return Ok(flow);
                }
                flow.is_sealed = true;
            }
            (flow.has_changed, flow.has_unset) = (false, false);
            flow.lists.pay(code.steps.len())?;
            for step in &code.steps {
                flow.step(step);
            }
        }
        Err(NoClaim)
    }

    /// A right program reads no register that is never set.
    pub(super) fn get(&self, register: Register) -> Value {
        self.values[register as usize].unwrap_or(Value::NUMBER)
    }

    fn step(&mut self, step: &Step) {
        let (Some(a), Some(b)) = (self.values[step.a as usize], self.values[step.b as usize]) else {
            return;
        };
        let value = match step.action {
            Action::Pass => return self.share(a.atoms),
            Action::Store => return self.store(a, step, b),
            Action::Add => a.sum(b, false, self.lists),
            Action::Subtract => a.sum(b, true, self.lists),
            Action::Multiply => a.product(b, self.lists),
            Action::Divide => a.scaled(Derivation::Number, Number::ANY, self.lists),
            Action::ShiftLeft => a.shifted(b, self.lists),
            Action::And => a.and(b, step.bytes, self.lists),
            Action::Or => a.or(b, step.bytes, self.lists),
            Action::Bits => a.bits(step.bytes, self.lists),
            Action::Resize => match a.sole(self.lists) {
                // An address in a window of 32 bits.
                Some(Atom::Address(_) | Atom::Variable) => a,
                _ => a.scaled(Derivation::Part.min(a.kind), a.as_number(), self.lists),
            },
            Action::Generic if a.is_number() => Value { number: a.number, ..Value::VARIABLE },
            Action::Generic if matches!(a.sole(self.lists), Some(Atom::Slot(_))) => Value::VARIABLE,
            Action::Copy | Action::Generic => a,
            Action::Load => match self.load(a, step) {
                Some(value) => value,
                None => return,
            },
        };
        let old = self.values[step.to as usize];
        let new = Some(old.map_or(value, |old| old.join(value, self.lists)));
        self.has_changed |= new != old;
        self.values[step.to as usize] = new;
    }

    /// Returns the symbol that an address is certainly in, and its offset there if it is known.
    fn place(&self, address: Value, offset: i32) -> Option<(SymbolId, Option<i32>)> {
        let Some(Atom::Address(symbol)) = address.sole(self.lists) else {
            return None;
        };
        let at = address.number.plus(Number::constant(offset.into()));
        Some((symbol, (at.step == 0).then_some(at.rest)))
    }

    pub(super) fn is_local(&self, address: Value) -> bool {
        self.place(address, 0).is_some()
    }

    fn is_in_symbol(&self, atom: Atom) -> bool {
        let can_be = |other| match other {
            Atom::Any | Atom::Address(_) => true,
            Atom::Contents(symbol) => other != atom && self.code.symbols[symbol as usize] == Object::Memory,
            _ => false,
        };
        match atom {
            Atom::Contents(symbol) => {
                self.lists.get(self.memory[symbol as usize].all).iter().any(|(other, _)| can_be(*other))
            }
            atom => can_be(atom),
        }
    }

    fn load(&mut self, address: Value, step: &Step) -> Option<Value> {
        let value = match self.place(address, step.offset) {
            // An opcode without a type, which PTX does not allow.
            Some((_, Some(_))) if step.bytes == 0 => Value::ELSEWHERE,
            Some((symbol, Some(at))) => match self.code.symbols[symbol as usize] {
                Object::Parameter { bytes, first, .. } => self.parameter((bytes, first), at, step.bytes),
                Object::Memory => self.cell(symbol, at, step.bytes)?,
            },
            _ => self.unknown_load(address),
        };
        Some(if step.bytes < 8 { value.bits(step.bytes, self.lists) } else { value })
    }

    fn unknown_load(&mut self, address: Value) -> Value {
        if let Some(Atom::Slot(slot)) = address.sole(self.lists) {
            return Value::atom(Atom::Loaded(slot), self.lists);
        }
        let mut value = address.is_number().then_some(Value::ELSEWHERE);
        for at in 0..self.lists.get(address.atoms).len() {
            let own = match self.lists.get(address.atoms)[at].0 {
                Atom::Address(symbol) => {
                    self.change(symbol, |memory| memory.is_indexed = true);
                    Value::mixed(self.lists.atom(Atom::Contents(symbol)))
                }
                atom if self.is_in_symbol(atom) => Value::mixed(List::ANY),
                _ => Value::ELSEWHERE,
            };
            value = Some(value.map_or(own, |value| value.join(own, self.lists)));
        }
        value.unwrap_or(Value::ELSEWHERE)
    }

    fn parameter(&mut self, (size, first): (u32, SlotId), offset: i32, bytes: u8) -> Value {
        let start = u32::try_from(offset).unwrap_or(size);
        let end = start.saturating_add(bytes.into());
        if end > size {
            return Value::ELSEWHERE;
        }
        let mut parts = List::EMPTY;
        for index in start / 8..=(end - 1) / 8 {
            let slot = first + index as SlotId;
            self.used[slot as usize] = true;
            let own = self.lists.atom(Atom::Slot(slot));
            parts = self.lists.unite(parts, own);
        }
        match bytes {
            8 if start % 8 == 0 => Value { kind: Derivation::Sum, atoms: parts, number: Number::default() },
            // A parameter that is too small for an address.
            _ if size < 8 => Value::NUMBER,
            _ => Value::mixed(parts),
        }
    }

    fn cell(&mut self, symbol: SymbolId, offset: i32, bytes: u8) -> Option<Value> {
        let memory = self.memory[symbol as usize];
        let crosses = offset % 8 + i32::from(bytes) > 8;
        let scattered = (memory.is_scattered || crosses).then(|| Value::mixed(memory.all));
        let shared = self.is_shared(symbol as usize).then_some(Value::ELSEWHERE);
        let lost = self.is_lost.then(|| Value::mixed(List::ANY));
        let stored = self.cells.get(&key((symbol, offset & !7))).copied();
        let all = [stored, scattered, shared, lost].into_iter().flatten();
        all.reduce(|a, b| a.join(b, self.lists)).or_else(|| {
            self.has_unset |= bytes >= 8;
            if bytes < 8 { Some(Value::NUMBER) } else { self.is_sealed.then_some(Value::ELSEWHERE) }
        })
    }

    fn store(&mut self, address: Value, step: &Step, value: Value) {
        match self.place(address, step.offset) {
            // A number at an unknown offset is no address, and no part of one.
            Some((_, None)) if value.is_plain_number() => {}
            Some((symbol, at)) => {
                let all = self.memory[symbol as usize].all;
                let all = if value.kind == Derivation::Number { all } else { self.lists.unite(all, value.atoms) };
                self.change(symbol, |memory| {
                    (memory.all, memory.is_scattered) = (all, memory.is_scattered || at.is_none());
                });
                match at {
                    Some(at) if step.bytes == 8 && at % 8 == 0 => self.store_cell((symbol, at), value),
                    Some(at) => {
                        let part = value.bits(8, self.lists).join(Value::ELSEWHERE, self.lists);
                        self.store_cell((symbol, at & !7), part);
                        self.store_cell((symbol, (at + i32::from(step.bytes).max(1) - 1) & !7), part);
                    }
                    None => {}
                }
            }
            None => {
                self.share(value.atoms);
                let mut terms = self.lists.get(address.atoms).iter();
                if !value.is_plain_number() && terms.any(|(atom, _)| self.is_in_symbol(*atom)) {
                    self.lose();
                }
            }
        }
    }

    fn store_cell(&mut self, place: (SymbolId, i32), value: Value) {
        let old = self.cells.get(&key(place)).copied();
        let new = old.map_or(value, |old| old.join(value, self.lists));
        if old != Some(new) {
            self.cells.insert(key(place), new);
            self.has_changed = true;
        }
    }

    fn change(&mut self, symbol: SymbolId, change: impl FnOnce(&mut Memory)) {
        let memory = &mut self.memory[symbol as usize];
        let old = *memory;
        change(memory);
        self.has_changed |= *memory != old;
    }

    fn lose(&mut self) {
        self.has_changed |= !core::mem::replace(&mut self.is_lost, true);
    }

    /// Code that is not known can access the local memory whose address these values are.
    fn share(&mut self, atoms: List) {
        for at in 0..self.lists.get(atoms).len() {
            match self.lists.get(atoms)[at].0 {
                Atom::Address(symbol) => self.change(symbol, |memory| memory.is_shared = true),
                atom if self.is_in_symbol(atom) => self.lose(),
                _ => {}
            }
        }
    }

    /// Passes the content of shared memory to code that is not known. Returns whether something has changed.
    fn share_contents(&mut self) -> bool {
        for symbol in 0..self.memory.len() {
            if !self.is_lost && self.memory[symbol].is_shared {
                self.share(self.memory[symbol].all);
            }
        }
        self.has_changed
    }

    pub(super) fn is_shared(&self, symbol: usize) -> bool {
        self.is_lost || self.memory[symbol].is_shared
    }

    /// Returns the slots that an atom can contain, and the other atoms.
    pub(super) fn contents(&self, atom: Atom) -> (Range<SlotId>, List) {
        match atom {
            Atom::Slot(slot) => (slot..slot + 1, List::EMPTY),
            Atom::Any => (0..self.code.slots as SlotId, List::EMPTY),
            Atom::Address(symbol) | Atom::Contents(symbol) => {
                (self.code.symbols[symbol as usize].slots(), self.memory[symbol as usize].all)
            }
            Atom::Elsewhere | Atom::Variable | Atom::Loaded(_) => (0..0, List::EMPTY),
        }
    }
}

fn key((symbol, offset): (SymbolId, i32)) -> u128 {
    u128::from(symbol) << 32 | u128::from(offset.cast_unsigned())
}
