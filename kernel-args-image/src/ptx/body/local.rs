//! Parameters and local memory: what is loaded from them and stored to them.

use super::{
    code::{Symbol, Use},
    flow::{Flow, Memory},
    forms::{Arena, Set, SlotId, Slots},
    value::{Place, Stride, SymbolId, Value},
};
use alloc::vec::Vec;

impl Flow<'_, '_> {
    /// What 8 bytes, or less, at this place are.
    pub(super) fn load(&mut self, place: Place, bytes: u8) -> Value {
        let unknown = if bytes >= 8 { Value::ELSEWHERE } else { Value::NUMBER };
        match place {
            Place::Nowhere => unknown,
            // An opcode without a type, which PTX does not allow.
            Place::At(symbol, _) if bytes == 0 => self.somewhere(symbol, unknown),
            Place::At(symbol, offset) => match self.code.symbols[symbol as usize] {
                Symbol::Parameter { bytes: size, first } => self.parameter(first, size, offset, bytes),
                Symbol::Memory => self.cell(symbol, offset, bytes),
            },
            Place::In(symbol) => self.somewhere(symbol, unknown),
            Place::Anywhere => {
                (0..self.code.symbols.len() as u32).fold(unknown, |value, symbol| self.somewhere(symbol, value))
            }
        }
    }

    /// A value, or the bits of anything in a symbol.
    pub(super) fn somewhere(&mut self, symbol: SymbolId, value: Value) -> Value {
        let weak = self.contents(symbol);
        for at in 0..self.arena.list(weak).len() {
            let slot = self.arena.list(weak)[at];
            if matches!(self.code.symbols[symbol as usize], Symbol::Parameter { .. }) {
                self.used[slot as usize] = true;
            }
        }
        let weak = self.arena.unite_slots(weak, value.weak);
        Value { weak, ..value }
    }

    /// All slots in a symbol.
    pub(super) fn contents(&mut self, symbol: SymbolId) -> Slots {
        match self.code.symbols[symbol as usize] {
            Symbol::Parameter { bytes, first } => {
                let count = bytes.div_ceil(8) as SlotId;
                let all: Vec<SlotId> = (first..first + count).collect();
                self.arena.slots(&all)
            }
            Symbol::Memory => {
                let all = self.memory[symbol as usize].all;
                all.all_slots(self.arena, Slots::NONE)
            }
        }
    }

    pub(super) fn parameter(&mut self, first: SlotId, size: u32, offset: i32, bytes: u8) -> Value {
        let Ok(start) = u32::try_from(offset) else {
            return Value::ELSEWHERE;
        };
        let end = start.saturating_add(bytes.into());
        if end > size {
            return Value::ELSEWHERE;
        }
        let indices = start / 8..=(end - 1).max(start) / 8;
        let slots: Vec<SlotId> = indices.map(|index| first + index as SlotId).collect();
        for &slot in &slots {
            self.used[slot as usize] = true;
        }
        match slots[..] {
            [slot] if bytes == 8 => Value { forms: self.arena.slot(slot), stride: Stride::default(), ..Value::NUMBER },
            // A parameter that is too small for an address.
            _ if size < 8 => Value::NUMBER,
            _ => {
                let weak = self.arena.slots(&slots);
                Value { weak, ..Value::NUMBER }.bits(bytes >= 8, self.arena)
            }
        }
    }

    pub(super) fn cell(&mut self, symbol: SymbolId, offset: i32, bytes: u8) -> Value {
        let memory = self.memory[symbol as usize];
        let mut value = memory.anywhere;
        if memory.is_shared {
            value = value.join(Value::ELSEWHERE, self.arena);
        }
        let cell = self.cells.get(&(symbol, offset & !7)).copied();
        if offset % 8 == 0 && bytes == 8 {
            return value.join(cell.unwrap_or_default(), self.arena);
        }
        let parts = if offset % 8 + i32::from(bytes) <= 8 {
            cell.unwrap_or(Value::NUMBER)
        } else {
            // Several cells.
            let weak = self.contents(symbol);
            Value { weak, ..Value::NUMBER }
        };
        let bits = parts.bits(bytes >= 8, self.arena);
        value.join(bits, self.arena)
    }

    pub(super) fn store(&mut self, place: Place, bytes: u8, value: Value) {
        match place {
            Place::Nowhere => {}
            Place::At(symbol, offset) => {
                if bytes == 8 && offset % 8 == 0 {
                    let old = self.cells.get(&(symbol, offset)).copied().unwrap_or_default();
                    let new = old.join(value, self.arena);
                    if new != old {
                        self.cells.insert((symbol, offset), new);
                        self.has_changed = true;
                    }
                    self.change(symbol, |memory, arena| {
                        memory.all = memory.all.join(value, arena);
                    });
                } else {
                    self.store_anywhere(symbol, value);
                }
            }
            Place::In(symbol) => self.store_anywhere(symbol, value),
            Place::Anywhere => {
                for symbol in 0..self.memory.len() as u32 {
                    self.store_anywhere(symbol, value);
                }
            }
        }
    }

    /// The values of a symbol by offset. Without an offset: anywhere in it.
    pub(super) fn stored(&self, place: Place) -> Vec<(Option<i32>, Value)> {
        let Place::At(symbol, _) = place else {
            return Vec::new();
        };
        let cells = self.cells.range((symbol, i32::MIN)..=(symbol, i32::MAX));
        let cells = cells.map(|((_, offset), value)| (Some(*offset), *value));
        let anywhere = self.memory.get(symbol as usize);
        let anywhere = anywhere.map(|memory| (None, memory.anywhere));
        cells.chain(anywhere).collect()
    }

    /// A number at an unknown offset, or a part of one, changes no address: nothing reads it as an address.
    pub(super) fn store_anywhere(&mut self, symbol: SymbolId, value: Value) {
        if value.forms == Set::NUMBER && value.weak == Slots::NONE {
            return;
        }
        self.change(symbol, |memory, arena| {
            memory.all = memory.all.join(value, arena);
            memory.anywhere = memory.anywhere.join(value.bits(true, arena), arena);
        });
    }

    /// Local memory whose address gets to memory or to code that is not analysed.
    pub(super) fn share_escaped(&mut self) {
        for (register, kind) in &self.code.uses {
            let place = self.get(*register).place;
            if matches!(kind, Use::Escape | Use::Stored { .. }) && place != Place::Nowhere {
                let is_local = match kind {
                    Use::Stored { base } => self.get(*base).place != Place::Nowhere,
                    _ => false,
                };
                if !is_local {
                    self.share_place(place);
                }
            }
        }
        for symbol in 0..self.memory.len() {
            let memory = self.memory[symbol];
            if memory.is_shared {
                self.share_place(memory.all.place);
            }
        }
    }

    /// Code that is not analysed can access a symbol.
    pub(super) fn share(&mut self, symbol: SymbolId) {
        self.change(symbol, |memory, _| memory.is_shared = true);
    }

    pub(super) fn is_shared(&self, symbol: SymbolId) -> bool {
        self.memory[symbol as usize].is_shared
    }

    pub(super) fn change(&mut self, symbol: SymbolId, change: impl FnOnce(&mut Memory, &mut Arena)) {
        let memory = &mut self.memory[symbol as usize];
        let old = *memory;
        change(memory, self.arena);
        self.has_changed |= (old.anywhere, old.all, old.is_shared) != (memory.anywhere, memory.all, memory.is_shared);
    }

    /// Code that is not analysed can access what is at this place.
    pub(super) fn share_place(&mut self, place: Place) {
        match place {
            Place::Nowhere => {}
            Place::At(symbol, _) | Place::In(symbol) => self.share(symbol),
            Place::Anywhere => (0..self.memory.len() as u32).for_each(|symbol| self.share(symbol)),
        }
    }
}
