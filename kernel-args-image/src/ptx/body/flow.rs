//! The values of all registers and of local memory: a fixpoint over the instructions of a body, in any order.

use super::{
    code::{Action, Code, Step, Symbol},
    lists::{Atom, List, Lists, SlotId, SymbolId},
    names::{NO_REGISTER, Register, TooMany},
    number::Number,
    slot_use::Summary,
    value::{Kind, Value},
};
use alloc::{collections::BTreeMap, rc::Rc, vec, vec::Vec};

/// The values of the registers of a body.
pub(super) struct Flow<'c, 't> {
    pub(super) code: &'c Code<'t>,
    pub(super) lists: &'c mut Lists,
    /// What is known about the function of each call.
    pub(super) summaries: &'c [Option<Rc<Summary>>],
    pub(super) values: Vec<Value>,
    /// 8 bytes of local memory, by symbol and offset.
    cells: BTreeMap<(SymbolId, i32), Value>,
    pub(super) memory: Vec<Memory>,
    /// What is stored at addresses in one of several symbols.
    everywhere: List,
    /// Whether code that is not known can access all symbols.
    is_all_shared: bool,
    /// The slots that are loaded as a whole or in part.
    pub(super) used: Vec<bool>,
    has_changed: bool,
    /// Whether a load found nothing, because nothing was stored yet or only parts were.
    has_unset: bool,
    /// Whether such a load is a value from elsewhere.
    is_sealed: bool,
}

/// A symbol, without regard to the offset.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Memory {
    /// What is stored at unknown offsets.
    anywhere: List,
    /// What is stored.
    pub(super) all: List,
    /// Whether code that is not known can access it.
    is_shared: bool,
    /// Whether it is loaded from at unknown offsets.
    pub(super) is_indexed: bool,
}

/// The maximum number of passes. Compilers' output needs up to 8.
const MOST_PASSES: usize = 32;

impl<'c, 't> Flow<'c, 't> {
    /// Computes the values.
    pub(super) fn run(
        code: &'c Code<'t>,
        lists: &'c mut Lists,
        summaries: &'c [Option<Rc<Summary>>],
    ) -> Result<Self, TooMany> {
        let mut flow = Self {
            values: code.values.clone(),
            cells: BTreeMap::new(),
            memory: vec![Memory::default(); code.symbols.len()],
            everywhere: List::EMPTY,
            is_all_shared: false,
            used: vec![false; code.slots],
            has_changed: true,
            has_unset: false,
            is_sealed: false,
            code,
            lists,
            summaries,
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
                flow.step(step)?;
            }
        }
        Err(TooMany)
    }

    pub(super) fn get(&self, register: Register) -> Value {
        self.values[register as usize]
    }

    fn step(&mut self, step: &Step) -> Result<(), TooMany> {
        let a = self.values[step.a as usize];
        let value = match step.action {
            Action::Call => return self.call(step.offset as usize),
            Action::Pass => {
                self.share(a);
                return Ok(());
            }
            Action::Store => {
                self.store(a, step.offset, step.bytes, self.values[step.b as usize]);
                return Ok(());
            }
            _ if a.is_nothing() => return Ok(()),
            Action::Copy => a,
            Action::Add => a.sum(self.values[step.b as usize], false, self.lists),
            Action::Subtract => a.sum(self.values[step.b as usize], true, self.lists),
            Action::Multiply => {
                let b = self.values[step.b as usize];
                if b.is_nothing() {
                    return Ok(());
                }
                let product = a.as_number().times(b.as_number());
                let kind = |by: Value| if by.is_power_of_two() { Kind::Number } else { Kind::Nothing };
                let (of_a, of_b) = (kind(b), kind(a));
                let (a, b) = (a.scaled(of_a, product, self.lists), b.scaled(of_b, product, self.lists));
                a.join(b, self.lists)
            }
            Action::Scale => a.scaled(Kind::Number, Number::ANY, self.lists),
            Action::Bits if step.bytes < 8 => a.scaled(Kind::Part.min(a.kind), Number::ANY, self.lists),
            Action::Bits => a.bits(self.lists),
            Action::And => self.masked(a, self.values[step.b as usize].number),
            Action::Or => {
                let number = self.values[step.b as usize].number.join(Number::default()).join(a.number);
                Value { number: Number { rest: 0, step: number.alignment(1 << 31) }, ..a }
            }
            Action::Resize => match a.sole(self.lists) {
                // An address in a window of 32 bits.
                Some(Atom::Address(_) | Atom::Variable) => a,
                _ => a.scaled(Kind::Part.min(a.kind), a.as_number(), self.lists),
            },
            Action::Generic => match a.is_number() {
                true => Value { number: a.number, ..Value::VARIABLE },
                false => a,
            },
            Action::Load => self.load(a, step.offset, step.bytes),
        };
        let old = self.values[step.to as usize];
        if old != value {
            let new = old.join(value, self.lists);
            if new != old {
                self.values[step.to as usize] = new;
                self.has_changed = true;
            }
        }
        Ok(())
    }

    /// The lowest bits of an address are cleared, or a number is made from them.
    fn masked(&mut self, a: Value, mask: Number) -> Value {
        /// A smaller number is no address.
        const SMALL: i32 = 4096;
        let cleared = mask.alignment(1 << 31);
        let number = Number { rest: 0, step: cleared };
        match a.kind {
            _ if mask.step == 0 && (0..SMALL).contains(&mask.rest) => Value { number, ..Value::NUMBER },
            Kind::Number => Value { number: Number { rest: 0, step: cleared.max(a.number.alignment(1 << 31)) }, ..a },
            _ if mask.step == 0 && mask.rest < 0 => Value { number: Number::ANY, ..a },
            _ => a.bits(self.lists),
        }
    }

    /// The symbol that an address is certainly in, and its offset there if it is known.
    fn place(&self, address: Value, offset: i32) -> Option<(SymbolId, Option<i32>)> {
        match address.sole(self.lists) {
            Some(Atom::Address(symbol)) => {
                let at = address.number.plus(Number::constant(offset.into()));
                Some((symbol, (at.step == 0).then_some(at.rest)))
            }
            _ => None,
        }
    }

    /// Whether a value can be an address of a parameter or of local memory.
    fn is_in_symbol(&self, atom: Atom) -> bool {
        match atom {
            Atom::Any | Atom::Address(_) => true,
            Atom::Contents(symbol) => {
                let is_address = |(atom, _): &(Atom, bool)| match *atom {
                    Atom::Any | Atom::Address(_) => true,
                    Atom::Contents(other) => other != symbol && self.code.symbols[other as usize] == Symbol::Memory,
                    _ => false,
                };
                self.lists.get(self.memory[symbol as usize].all).iter().any(is_address)
            }
            _ => false,
        }
    }

    /// What is loaded from an address.
    fn load(&mut self, address: Value, offset: i32, bytes: u8) -> Value {
        let value = match self.place(address, offset) {
            // An opcode without a type, which PTX does not allow.
            Some((_, Some(_))) if bytes == 0 => Value::ELSEWHERE,
            Some((symbol, Some(at))) => match self.code.symbols[symbol as usize] {
                Symbol::Parameter { bytes: size, first } => self.parameter(first, size, at, bytes),
                Symbol::Memory => self.cell(symbol, at, bytes),
            },
            _ => self.unknown_load(address, bytes),
        };
        if bytes < 8 { value.scaled(Kind::Part.min(value.kind), Number::ANY, self.lists) } else { value }
    }

    /// What is loaded from memory, or from unknown offsets in symbols.
    fn unknown_load(&mut self, address: Value, bytes: u8) -> Value {
        let mut from = List::EMPTY;
        let mut is_memory = address.is_number();
        for at in 0..self.lists.get(address.atoms).len() {
            let contents = match self.lists.get(address.atoms)[at].0 {
                Atom::Address(symbol) => {
                    self.change(symbol, |memory| memory.is_indexed = true);
                    self.lists.atom(Atom::Contents(symbol))
                }
                atom if self.is_in_symbol(atom) => List::ANY,
                _ => {
                    is_memory = true;
                    continue;
                }
            };
            from = self.lists.unite(from, contents);
        }
        if from != List::EMPTY {
            let contents = Value { kind: Kind::Mixed, atoms: from, number: Number::ANY };
            return if is_memory { contents.join(Value::ELSEWHERE, self.lists) } else { contents };
        }
        match address.sole_slot(self.lists) {
            _ if bytes < 8 => Value::NUMBER,
            Some(slot) => Value::atom(Atom::Loaded(slot), self.lists),
            None => Value::ELSEWHERE,
        }
    }

    fn parameter(&mut self, first: SlotId, size: u32, offset: i32, bytes: u8) -> Value {
        let Ok(start) = u32::try_from(offset) else {
            return Value::ELSEWHERE;
        };
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
            8 if start % 8 == 0 => Value { kind: Kind::Sum, atoms: parts, number: Number::default() },
            // A parameter that is too small for an address.
            _ if size < 8 => Value::NUMBER,
            _ => Value { kind: Kind::Mixed, atoms: parts, number: Number::ANY },
        }
    }

    /// What is loaded from local memory.
    fn cell(&mut self, symbol: SymbolId, offset: i32, bytes: u8) -> Value {
        let memory = self.memory[symbol as usize];
        let mut value = self.cells.get(&(symbol, offset & !7)).copied().unwrap_or_default();
        if offset % 8 + i32::from(bytes) > 8 {
            value = Value { kind: Kind::Mixed, atoms: memory.all, number: Number::ANY };
        }
        if value.is_nothing() && bytes >= 8 {
            self.has_unset = true;
            if self.is_sealed {
                value = Value::ELSEWHERE;
            }
        }
        let elsewhere = self.lists.unite(memory.anywhere, self.everywhere);
        if elsewhere != List::EMPTY {
            value = value.join(Value { kind: Kind::Mixed, atoms: elsewhere, number: Number::ANY }, self.lists);
        }
        if self.is_shared(symbol as usize) {
            value = value.join(Value::ELSEWHERE, self.lists);
        }
        if value.is_nothing() && bytes < 8 { Value::NUMBER } else { value }
    }

    fn store(&mut self, address: Value, offset: i32, bytes: u8, value: Value) {
        match self.place(address, offset) {
            _ if value.is_nothing() => {}
            Some((symbol, at)) => {
                // A number at an unknown offset, or as a part of a value, is no address.
                if at.is_none() && value.is_plain_number() {
                    return;
                }
                let atoms = if value.kind == Kind::Number { List::EMPTY } else { self.lists.unite(value.atoms, List::EMPTY) };
                let own = self.memory[symbol as usize];
                let all = self.lists.unite(own.all, atoms);
                match at {
                    Some(at) if bytes == 8 && at % 8 == 0 => self.store_cell((symbol, at), value),
                    Some(at) => {
                        for at in [at & !7, (at + i32::from(bytes).max(1) - 1) & !7] {
                            let part = value.bits(self.lists).join(Value::ELSEWHERE, self.lists);
                            self.store_cell((symbol, at), part);
                        }
                    }
                    None => {
                        let anywhere = self.lists.unite(own.anywhere, atoms);
                        self.change(symbol, |memory| memory.anywhere = anywhere);
                    }
                }
                self.change(symbol, |memory| memory.all = all);
            }
            None => {
                let is_local =
                    |(atom, _): &(Atom, bool)| matches!(atom, Atom::Address(_) | Atom::Contents(_) | Atom::Any);
                if self.lists.get(address.atoms).iter().any(is_local) {
                    let all = self.lists.unite(self.everywhere, value.atoms);
                    self.has_changed |= all != self.everywhere;
                    self.everywhere = all;
                }
                self.share(value);
            }
        }
    }

    fn store_cell(&mut self, place: (SymbolId, i32), value: Value) {
        let cell = self.cells.entry(place).or_default();
        if *cell != value {
            let new = cell.join(value, self.lists);
            self.has_changed |= new != *cell;
            *cell = new;
        }
    }

    fn change(&mut self, symbol: SymbolId, change: impl FnOnce(&mut Memory)) {
        let memory = &mut self.memory[symbol as usize];
        let old = *memory;
        change(memory);
        self.has_changed |= *memory != old;
    }

    /// What is stored in the symbol whose address is in a register.
    pub(super) fn stored(&self, register: Register) -> List {
        let place = self.place(self.get(register), 0);
        place.map_or(List::EMPTY, |(symbol, _)| self.memory[symbol as usize].all)
    }

    /// The same by offset. Without an offset: anywhere in it.
    pub(super) fn cells(&self, register: Register) -> Vec<(Option<i32>, Value)> {
        let Some((symbol, _)) = self.place(self.get(register), 0) else {
            return Vec::new();
        };
        let cells = self.cells.range((symbol, i32::MIN)..=(symbol, i32::MAX));
        let cells = cells.map(|((_, offset), value)| (Some(*offset), *value));
        let anywhere = self.memory[symbol as usize].anywhere;
        let anywhere = Value { kind: Kind::Mixed, atoms: anywhere, number: Number::ANY };
        cells.chain((anywhere.atoms != List::EMPTY).then_some((None, anywhere))).collect()
    }

    /// A value gets to code or memory that is not known: that code can access the local memory whose address it is.
    fn share(&mut self, value: Value) {
        for at in 0..self.lists.get(value.atoms).len() {
            match self.lists.get(value.atoms)[at].0 {
                Atom::Address(symbol) => self.change(symbol, |memory| memory.is_shared = true),
                atom @ (Atom::Contents(_) | Atom::Any) if self.is_in_symbol(atom) => {
                    self.has_changed |= !core::mem::replace(&mut self.is_all_shared, true);
                }
                _ => {}
            }
        }
    }

    /// Whether code that is not known can access a symbol.
    pub(super) fn is_shared(&self, symbol: usize) -> bool {
        self.is_all_shared || self.memory[symbol].is_shared
    }

    /// The same for what is in shared memory. Returns whether something has changed.
    fn share_contents(&mut self) -> bool {
        for symbol in 0..self.memory.len() {
            if !self.is_all_shared && self.memory[symbol].is_shared {
                self.share(Value { atoms: self.memory[symbol].all, ..Value::NUMBER });
            }
        }
        self.has_changed
    }

    /// The function of a call, if it is known and has these numbers of parameters and return values.
    pub(super) fn callee(&self, call: usize) -> Option<Rc<Summary>> {
        let summary = self.summaries.get(call)?.as_ref()?;
        let call = &self.code.calls[call];
        let fits = call.arguments.len() == summary.firsts.len() && call.returns.len() == summary.return_count;
        fits.then(|| summary.clone())
    }

    /// Whether a call can do anything with its arguments.
    pub(super) fn is_unknown(&self, call: usize) -> bool {
        const HARMLESS: [&str; 2] = ["vprintf", "__assertfail"];
        self.callee(call).is_none() && !self.code.calls[call].callee.is_some_and(|name| HARMLESS.contains(&name))
    }

    /// Whether an address is in local memory.
    pub(super) fn is_local(&self, address: Value) -> bool {
        self.place(address, 0).is_some()
    }

    /// The argument for a slot of a called function.
    pub(super) fn argument(&mut self, call: usize, summary: &Summary, slot: SlotId) -> Value {
        let (index, offset) = summary.parameter(slot);
        self.load(self.get(self.code.calls[call].arguments[index]), offset, 8)
    }

    /// What a called function returns, and what it can access.
    fn call(&mut self, call: usize) -> Result<(), TooMany> {
        let code = self.code;
        let Some(summary) = self.callee(call) else {
            let is_unknown = self.is_unknown(call);
            for &register in code.calls[call].arguments.iter().filter(|_| is_unknown) {
                let atoms = self.stored(register);
                self.share(Value { atoms, ..Value::NUMBER });
            }
            for &register in &code.calls[call].returns {
                let address = Value { number: Number::ANY, ..self.get(register) };
                self.store(address, 0, 8, Value::ELSEWHERE);
            }
            return Ok(());
        };
        self.lists.pay(summary.slots.len() + 4 * summary.returns.len())?;
        for (slot, _) in &summary.slots {
            // A function can store through an address of local memory.
            let argument = self.argument(call, &summary, *slot);
            self.share(argument);
        }
        for &(index, offset, value) in &summary.returns {
            let value = self.substituted(call, &summary, value);
            let number = offset.map_or(Number::ANY, |offset| Number::constant(offset.into()));
            let to = self.get(code.calls[call].returns[index]);
            self.store(Value { number, ..to }, 0, 8, value);
        }
        Ok(())
    }

    /// A value of a called function in terms of the caller.
    fn substituted(&mut self, call: usize, summary: &Summary, value: Value) -> Value {
        let mut result = Value { number: value.number, ..Value::NUMBER };
        for at in 0..self.lists.get(value.atoms).len() {
            let (atom, is_minus) = self.lists.get(value.atoms)[at];
            let own = match atom {
                Atom::Slot(slot) => self.argument(call, summary, slot),
                Atom::Loaded(slot) => match self.argument(call, summary, slot).sole_slot(self.lists) {
                    Some(slot) => Value::atom(Atom::Loaded(slot), self.lists),
                    None => Value::ELSEWHERE,
                },
                Atom::Any | Atom::Contents(_) => Value { kind: Kind::Mixed, atoms: List::ANY, number: Number::ANY },
                Atom::Elsewhere | Atom::Variable | Atom::Address(_) => Value::ELSEWHERE,
            };
            result = match value.kind {
                Kind::Sum => result.sum(own, is_minus, self.lists),
                _ => {
                    let bits = own.bits(self.lists);
                    result.join(bits, self.lists)
                }
            };
        }
        match value.kind {
            Kind::Nothing => value,
            Kind::Number | Kind::Part => result.scaled(value.kind, value.number, self.lists),
            Kind::Sum => result,
            kind => {
                Value { kind: if result.kind == Kind::Number { result.kind } else { kind.max(result.kind) }, ..result }
            }
        }
    }

    /// The slots of the caller or of this body that an atom can contain, in addition to `Slot` itself.
    pub(super) fn contents(&self, atom: Atom) -> (core::ops::Range<SlotId>, List) {
        match atom {
            Atom::Slot(slot) => (slot..slot + 1, List::EMPTY),
            Atom::Any => (0..self.code.slots as SlotId, List::EMPTY),
            Atom::Address(symbol) | Atom::Contents(symbol) => match self.code.symbols[symbol as usize] {
                Symbol::Parameter { bytes, first } => (first..first + bytes.div_ceil(8) as SlotId, List::EMPTY),
                Symbol::Memory => (0..0, self.memory[symbol as usize].all),
            },
            Atom::Elsewhere | Atom::Variable | Atom::Loaded(_) => (0..0, List::EMPTY),
        }
    }
}

const _: () = assert!(NO_REGISTER == 0, "a step without an operand reads register 0, which is never set");
