//! Calls of functions of the same text: what a function does with its parameters happens to the arguments.

use super::{
    accesses::{At, Uses},
    code::{Code, Mode, Symbol},
    flow::Flow,
    forms::{ELSEWHERE, Factor, Set, SlotId, Slots},
    slot_use::{SlotUse, weaken},
    summary::Summary,
    value::{Place, Value},
};
use alloc::{rc::Rc, vec::Vec};
use kernel_args_abi::signature::Certainty;

impl Summary {
    /// `uses` are the uses of all slots.
    pub(super) fn new(code: &Code<'_>, flow: &Flow<'_, '_>, uses: Vec<SlotUse>) -> Self {
        let first = |symbol: &Symbol| match symbol {
            Symbol::Parameter { first, .. } => Some(*first),
            Symbol::Memory => None,
        };
        let slots = (0..).zip(uses).filter(|(_, slot)| slot.is_used);
        let mut returns = Vec::new();
        for (index, &register) in code.returns.iter().enumerate() {
            for (offset, value) in flow.stored(flow.get(register).place) {
                returns.push((index, offset, value));
            }
        }
        Self {
            firsts: code.symbols.iter().filter_map(first).collect(),
            slots: slots.collect(),
            returns,
            return_count: code.returns.len(),
        }
    }

    /// The parameter of a slot, and the offset in it.
    fn parameter(&self, slot: SlotId) -> (usize, i32) {
        let index = self.firsts.partition_point(|first| *first <= slot) - 1;
        (index, 8 * i32::from(slot - self.firsts[index]))
    }
}

impl Flow<'_, '_> {
    /// The function of a call, if it is known and has these numbers of parameters and return values.
    fn callee(&self, call: usize) -> Option<Rc<Summary>> {
        let summary = self.summaries.get(call)?.as_ref()?;
        let call = &self.code.calls[call];
        let fits = call.arguments.len() == summary.firsts.len() && call.returns.len() == summary.return_count;
        fits.then(|| summary.clone())
    }

    /// The argument for a slot of a called function.
    fn argument(&mut self, call: usize, summary: &Summary, slot: SlotId) -> Value {
        let (index, offset) = summary.parameter(slot);
        let register = self.code.calls[call].arguments[index];
        let place = self.get(register).place.plus(offset.into());
        self.load(place, 8)
    }

    /// What a called function returns.
    pub(super) fn call(&mut self, call: usize) {
        let code = self.code;
        let Some(summary) = self.callee(call) else {
            for &register in &code.calls[call].arguments {
                for (_, value) in self.stored(self.get(register).place) {
                    self.share_place(value.place);
                }
            }
            for &register in &code.calls[call].returns {
                let place = self.get(register).place.moved();
                self.store(place, 8, Value::ELSEWHERE);
            }
            return;
        };
        for (slot, _) in &summary.slots {
            // A function can store through an address of local memory.
            let argument = self.argument(call, &summary, *slot);
            self.share_place(argument.place);
        }
        for &(index, offset, value) in &summary.returns {
            let value = self.substituted(call, &summary, value);
            let place = self.get(code.calls[call].returns[index]).place;
            let place = offset.map_or(place.moved(), |offset| place.plus(offset.into()));
            self.store(place, 8, value);
        }
    }

    /// A value of a called function in terms of the caller.
    fn substituted(&mut self, call: usize, summary: &Summary, value: Value) -> Value {
        let mut result = Value::default();
        let forms: Vec<_> = self.arena.forms(value.forms).map(<[_]>::to_vec).collect();
        for form in forms {
            let mut sum = Value { stride: value.stride, ..Value::NUMBER };
            for (slot, factor) in form {
                if slot == ELSEWHERE {
                    sum = sum.sum(Value::ELSEWHERE, false, self.arena);
                    continue;
                }
                let argument = self.argument(call, summary, slot);
                sum = match factor {
                    Factor::Plus => sum.sum(argument, false, self.arena),
                    Factor::Minus => sum.sum(argument, true, self.arena),
                    Factor::Other => sum.sum(argument, false, self.arena).bits(true, self.arena),
                };
            }
            result = result.join(sum, self.arena);
        }
        let weak = self.arena.list(value.weak).to_vec();
        for slot in weak {
            let argument = self.argument(call, summary, slot);
            let bits = argument.bits(true, self.arena);
            result = result.join(bits, self.arena);
        }
        if value.forms == Set::ANY {
            result = result.join(Value::ELSEWHERE, self.arena);
        }
        result
    }
}

impl Uses<'_, '_, '_> {
    /// What a called function does with its arguments: with `kinds`, what shows the kind of a slot, otherwise
    /// accesses.
    pub(super) fn call(&mut self, call: usize, kinds: bool) {
        let code = self.flow().code;
        let Some(summary) = self.flow().callee(call) else {
            for &register in &code.calls[call].arguments {
                let place = self.flow().get(register).place;
                for (_, value) in self.flow().stored(place) {
                    self.escape(value);
                }
            }
            return;
        };
        for (slot, slot_use) in &summary.slots {
            let argument = self.flow().argument(call, &summary, *slot);
            if kinds {
                self.kinds_of(argument, slot_use);
            } else {
                self.accesses_of(argument, slot_use);
            }
        }
    }

    fn kinds_of(&mut self, argument: Value, slot_use: &SlotUse) {
        if slot_use.escapes {
            self.escape(argument);
        }
        if slot_use.is_handle {
            self.handle(argument);
        }
        let sole = self.flow().arena.sole(argument.forms);
        let Some(slot) = sole.filter(|_| argument.place == Place::Nowhere) else {
            return;
        };
        let own = &mut self.slots[slot as usize];
        own.is_pointer |= slot_use.is_pointer;
        own.arithmetic = own.arithmetic.or(slot_use.arithmetic);
    }

    fn accesses_of(&mut self, argument: Value, slot_use: &SlotUse) {
        let at = At { address: argument, is_generic: true };
        for pattern in &slot_use.patterns {
            self.access(at, *pattern);
        }
        let possible = [(slot_use.read, Mode::Read), (slot_use.written, Mode::Write)];
        let slots = argument.all_slots(self.flow().arena, Slots::NONE);
        for (certainty, mode) in possible {
            if certainty != Certainty::Never {
                for slot in self.flow().arena.list(slots).to_vec() {
                    weaken(&mut self.slots[slot as usize], mode);
                }
            }
        }
        if slot_use.has_more {
            for slot in self.flow().arena.list(slots).to_vec() {
                self.slots[slot as usize].has_more = true;
            }
        }
    }
}
