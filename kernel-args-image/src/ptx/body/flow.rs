//! The values of all registers: a fixpoint over the instructions of a body, in any order.

use super::{
    code::{Code, Step},
    forms::{Arena, Set},
    names::Register,
    summary::Summary,
    value::{Place, Stride, SymbolId, Value},
};
use alloc::{collections::BTreeMap, rc::Rc, vec, vec::Vec};

/// The values of the registers of a body.
pub(super) struct Flow<'c, 't> {
    pub(super) code: &'c Code<'t>,
    pub(super) arena: &'c mut Arena,
    /// What is known about the function of each call.
    pub(super) summaries: &'c [Option<Rc<Summary>>],
    pub(super) values: Vec<Value>,
    /// 8 bytes of local memory, by symbol and offset.
    pub(super) cells: BTreeMap<(SymbolId, i32), Value>,
    pub(super) memory: Vec<Memory>,
    /// The slots that were loaded as a whole or in part.
    pub(super) used: Vec<bool>,
    pub(super) has_changed: bool,
}

/// Local memory, without regard to the offset.
#[derive(Clone, Copy, Default)]
pub(super) struct Memory {
    /// What is stored at unknown offsets, or not as 8 bytes.
    pub(super) anywhere: Value,
    /// What is stored.
    pub(super) all: Value,
    /// Whether code that is not analysed can access it.
    pub(super) is_shared: bool,
}

/// The maximum number of passes. Compilers' output needs up to 8.
const MOST_PASSES: usize = 64;
/// The maximum work, for each instruction and in addition.
const WORK: u64 = 64;
const MOST_WORK: u64 = 1 << 20;

/// A body that needs too much time or memory. No claim is made about it.
pub(super) struct TooComplex;

impl<'c, 't> Flow<'c, 't> {
    /// Computes the values.
    pub(super) fn run(
        code: &'c Code<'t>,
        arena: &'c mut Arena,
        summaries: &'c [Option<Rc<Summary>>],
    ) -> Result<Self, TooComplex> {
        let limit = arena.work + WORK * code.steps.len() as u64 + MOST_WORK;
        let mut flow = Self {
            values: code.values.clone(),
            cells: BTreeMap::new(),
            memory: vec![Memory::default(); code.symbols.len()],
            used: vec![false; code.slots],
            has_changed: true,
            code,
            arena,
            summaries,
        };
        for _ in 0..MOST_PASSES {
            if !core::mem::replace(&mut flow.has_changed, false) {
                flow.share_escaped();
                if !core::mem::replace(&mut flow.has_changed, false) {
                    return Ok(flow);
                }
            }
            for step in &code.steps {
                flow.step(*step);
                if flow.arena.is_full || flow.arena.work > limit {
                    return Err(TooComplex);
                }
            }
        }
        Err(TooComplex)
    }

    pub(super) fn get(&self, register: Register) -> Value {
        self.values[register as usize]
    }

    fn set(&mut self, register: Register, value: Value) {
        let old = self.values[register as usize];
        let new = old.join(value, self.arena);
        if new != old {
            self.values[register as usize] = new;
            self.has_changed = true;
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Copy { to, from } => self.set(to, self.get(from)),
            Step::Plus { to, from, number } => self.set(to, self.get(from).plus(number)),
            Step::Sum { to, a, b, is_difference } => {
                let sum = self.get(a).sum(self.get(b), is_difference, self.arena);
                self.set(to, sum);
            }
            Step::Scaled { to, from, by } => self.set(to, self.get(from).multiplied(by)),
            Step::Product { to, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                if b.forms != Set::NONE {
                    self.set(to, a.multiplied(b.number()));
                }
            }
            Step::Bits { to, from, is_wide } => {
                let bits = self.get(from).bits(is_wide, self.arena);
                self.set(to, bits);
            }
            Step::Resized { to, from, is_wide } => {
                let value = self.get(from);
                let stride = value.number();
                let bits = value.bits(is_wide, self.arena);
                self.set(to, Value { stride, ..bits });
            }
            Step::Masked { to, from, mask, is_wide } => self.masked(to, self.get(from), mask, is_wide),
            Step::BitsSet { to, from, number } => {
                let value = self.get(from);
                let stride = Stride::constant(number).join(value.stride).powers_of_two();
                self.set(to, Value { stride, ..value.plus(number) });
            }
            Step::Load { to, base, offset, bytes } => {
                let address = self.get(base);
                if address.forms == Set::NONE {
                    return;
                }
                let mut value = self.load(address.place.plus(offset.into()), bytes);
                if address.forms != Set::NUMBER {
                    // The address can also be one of memory.
                    let from_memory = self.load(Place::Nowhere, bytes);
                    value = value.join(from_memory, self.arena);
                }
                self.set(to, value);
            }
            Step::Store { base, offset, bytes, from } => {
                let place = self.get(base).place.plus(offset.into());
                self.store(place, bytes, self.get(from));
            }
            Step::Call { index } => self.call(index as usize),
        }
    }

    /// A negative mask clears the lowest bits of an address.
    fn masked(&mut self, to: Register, value: Value, mask: i64, is_wide: bool) {
        let cleared = Stride::constant(mask).powers_of_two();
        if value.forms == Set::NUMBER && value.place == Place::Nowhere {
            let own = value.stride.powers_of_two();
            let weak = value.weak;
            let all = own.all.max(cleared.all);
            let stride = Stride { all, variable: all };
            self.set(to, Value { weak, stride, ..Value::NUMBER });
        } else if is_wide && mask < 0 {
            let place = value.place.moved();
            let stride = Stride::ANY;
            self.set(to, Value { stride, place, ..value });
        } else {
            let bits = value.bits(is_wide, self.arena);
            let stride = Stride { all: cleared.all, variable: cleared.all };
            self.set(to, Value { stride, ..bits });
        }
    }
}
