//! Values that nothing has written: which bits of registers are undefined, and where such a value decides something.
//! Copies of such values are no error: a struct is copied with its padding.

use super::{
    Accessed, Kind,
    checks::{Origin, UndefinedBits},
    code::{Flow, Instruction, Op, Source, Space, Uses},
    step::{Next, Step, Stop, fault},
    types::{LANES, Lanes, low},
};

impl Step<'_, '_> {
    /// Runs an instruction, and what it does with undefined values.
    pub(super) fn run_undefined(&mut self, instruction: &Instruction) -> Result<Next, Stop> {
        if matches!(instruction.op, Op::Together(_)) {
            self.warp.gather(self.group);
            if self.warp.alive & !self.group.mask != 0 {
                return self.run(instruction);
            }
            self.mask = self.group.mask & self.condition(instruction.guard);
        }
        let Some(undefined) = &self.warp.undefined else { return self.run(instruction) };
        let (base, first) = (self.group.at.base, self.group.at.predicates);
        let uses = &*instruction.uses;
        let guard = undefined.predicates.get(&(first + instruction.guard.slot));
        if let Some((lanes, origin)) = guard.filter(|(lanes, _)| lanes & self.group.mask != 0) {
            return Err(self.decided(instruction, lanes & self.group.mask, *origin));
        }
        if self.mask == 0 {
            return Ok(Next::On);
        }
        let is_here = |slot: &u32| undefined.lanes(base + slot) & self.mask != 0;
        let decides: &[u32] = if uses.flow == Flow::Decides { &uses.reads } else { &uses.addresses };
        if let Some(slot) = decides.iter().find(|slot| is_here(slot)) {
            let origin = undefined.registers[&(base + slot)].origin;
            return Err(self.decided(instruction, undefined.lanes(base + slot) & self.mask, origin));
        }
        let mut registers: Vec<u32> = uses.reads.iter().filter(|slot| is_here(slot)).map(|slot| base + slot).collect();
        let conditions = uses.conditions.iter().map(|slot| first + slot);
        let held = |slot: &u32| undefined.predicates.get(slot).is_some_and(|(lanes, _)| lanes & self.mask != 0);
        let mut predicates: Vec<u32> = conditions.filter(held).collect();
        registers.dedup();
        predicates.dedup();
        if uses.flow == Flow::Decides && !predicates.is_empty() {
            let (lanes, origin) = undefined.predicates[&predicates[0]];
            return Err(self.decided(instruction, lanes & self.mask, origin));
        }
        let origin = registers.first().map(|slot| undefined.registers[slot].origin);
        let origin = origin.or_else(|| predicates.first().map(|slot| undefined.predicates[slot].1));
        let is_together = self.group.mask == self.warp.alive;
        let Some(origin) = origin.filter(|_| uses.flow != Flow::Memory && (is_together || !is_exchange(instruction)))
        else {
            self.clear(uses, self.mask);
            return self.run(instruction);
        };
        let mask = self.mask;
        // A predicate is computed.
        let matters = predicates.iter().fold(0, |all, slot| all | undefined.predicates[slot].0);
        let matters = registers.iter().fold(matters, |all, slot| all | undefined.registers[slot].matters);
        let lanes = registers.iter().fold(0, |all, slot| all | undefined.lanes(*slot));
        let lanes = predicates.iter().fold(lanes, |all, slot| all | undefined.predicates[slot].0) & mask;
        let new = if let Op::Test { test, from, with, .. } = &instruction.op {
            let held = test(self.source(from[0]), self.source(from[1]));
            let of_test = registers.iter().fold(0, |all, slot| all | undefined.lanes(*slot));
            let of_condition = predicates.iter().fold(0, |all, slot| all | undefined.predicates[slot].0);
            let changed = |held: u32| match with {
                None => of_test,
                Some((logic, condition)) => {
                    let with = self.condition(*condition);
                    let result = logic(held, with);
                    (result ^ logic(!held, with)) & of_test
                        | (result ^ logic(held, !with)) & of_condition
                        | (result ^ logic(!held, !with)) & of_test & of_condition
                }
            };
            let new = vec![changed(held), changed(!held)];
            self.run(instruction)?;
            (Vec::new(), new)
        } else if uses.flow == Flow::Bits {
            self.differences(instruction, &registers, &predicates)?
        } else {
            self.run(instruction)?;
            let all = |(_, width): &(u32, u32)| {
                std::array::from_fn(|lane| if lanes >> lane & 1 == 1 { low(*width) } else { 0 })
            };
            (uses.writes.iter().map(all).collect(), vec![lanes; uses.predicates.len()])
        };
        let Some(undefined) = &mut self.warp.undefined else { return Ok(Next::On) };
        let matters = match uses.flow {
            Flow::Bits if is_exchange(instruction) && matters != 0 => u32::MAX,
            Flow::Bits => matters,
            _ => u32::MAX,
        };
        for ((slot, _), bits) in uses.writes.iter().zip(new.0) {
            if *slot != 0 {
                undefined.set(base + slot, mask, &UndefinedBits { bits, matters, origin });
            }
        }
        for (slot, lanes) in uses.predicates.iter().zip(new.1) {
            undefined.set_predicate(first + slot, mask, lanes, origin);
        }
        Ok(Next::On)
    }

    /// Runs an instruction that only computes registers. Returns the bits of its results that change with undefined
    /// bits of its operands.
    fn differences(
        &mut self,
        instruction: &Instruction,
        registers: &[u32],
        predicates: &[u32],
    ) -> Result<(Vec<Lanes>, Vec<u32>), Stop> {
        let (base, first) = (self.group.at.base, self.group.at.predicates);
        let uses = &*instruction.uses;
        let (mask, epoch) = (self.mask, self.warp.epoch);
        let slots: Vec<u32> = uses.writes.iter().map(|(slot, _)| base + slot).collect();
        let conditions: Vec<u32> = uses.predicates.iter().map(|slot| first + slot).collect();
        let all: Vec<u32> = registers.iter().chain(&slots).copied().collect();
        let all_conditions: Vec<u32> = predicates.iter().chain(&conditions).copied().collect();
        let kept: Vec<Lanes> = all.iter().map(|slot| self.warp.registers[*slot as usize]).collect();
        let kept_conditions: Vec<u32> =
            all_conditions.iter().map(|slot| self.warp.predicates[*slot as usize]).collect();
        let count = registers.len() + predicates.len();
        let mut results: Vec<(Vec<Lanes>, Vec<u32>)> = Vec::new();
        // Each operand is changed alone, then all of them, then none.
        for turn in 0..count + 2 {
            let changes = |index: usize| turn == index || turn == count;
            for (index, slot) in registers.iter().enumerate().filter(|(index, _)| changes(*index)) {
                let Some(bits) = self.warp.undefined.as_ref().and_then(|undefined| undefined.registers.get(slot))
                else {
                    continue;
                };
                let bits = bits.bits;
                let value = &mut self.warp.registers[*slot as usize];
                for lane in 0..LANES {
                    value[lane] = kept[index][lane] ^ bits[lane];
                }
            }
            for (index, slot) in predicates.iter().enumerate() {
                let lanes = self.warp.undefined.as_ref().and_then(|undefined| undefined.predicates.get(slot));
                let lanes = lanes.map_or(0, |(lanes, _)| *lanes);
                if changes(registers.len() + index) {
                    self.warp.predicates[*slot as usize] ^= lanes;
                }
            }
            (self.mask, self.warp.epoch) = (mask, epoch);
            self.run(instruction)?;
            results.push((
                slots.iter().map(|slot| self.warp.registers[*slot as usize]).collect(),
                conditions.iter().map(|slot| self.warp.predicates[*slot as usize]).collect(),
            ));
            if turn <= count {
                for (slot, value) in all.iter().zip(&kept) {
                    self.warp.registers[*slot as usize] = *value;
                }
                for (slot, value) in all_conditions.iter().zip(&kept_conditions) {
                    self.warp.predicates[*slot as usize] = *value;
                }
            }
        }
        let real = results.pop().unwrap_or_default();
        let (mut bits, mut lanes) = (vec![[0; LANES]; slots.len()], vec![0; conditions.len()]);
        for (values, held) in &results {
            for (index, value) in values.iter().enumerate() {
                for lane in 0..LANES {
                    bits[index][lane] |= value[lane] ^ real.0[index][lane];
                }
            }
            for (index, value) in held.iter().enumerate() {
                lanes[index] |= value ^ real.1[index];
            }
        }
        Ok((bits, lanes))
    }

    /// The results of an instruction are defined.
    fn clear(&mut self, uses: &Uses, mask: u32) {
        let (base, first) = (self.group.at.base, self.group.at.predicates);
        let Some(undefined) = &mut self.warp.undefined else { return };
        for (slot, _) in &uses.writes {
            undefined.set(base + slot, mask, &UndefinedBits { bits: [0; LANES], matters: 0, origin: 0 });
        }
        for slot in &uses.predicates {
            undefined.set_predicate(first + slot, mask, 0, 0);
        }
        if undefined.registers.is_empty() && undefined.predicates.is_empty() {
            self.warp.undefined = None;
        }
    }

    /// A load has read undefined bits into registers. `wholly`: lanes that have read nothing else.
    pub(super) fn undefine(
        &mut self,
        results: Vec<(u32, Lanes)>,
        wholly: u32,
        (space, size, addresses): (Space, u32, &Lanes),
    ) {
        let (mask, base) = (self.mask, self.group.at.base);
        let at = (self.group.at.function, self.group.at.pc);
        let undefined = self.warp.undefined.get_or_insert_default();
        let new = Origin { at, space, size, addresses: *addresses, mask };
        let known = undefined.origins.iter().position(|origin| origin.at == at);
        let origin = known.unwrap_or(undefined.origins.len());
        match undefined.origins.get_mut(origin) {
            Some(held) => *held = new,
            None => undefined.origins.push(new),
        }
        for (slot, bits) in results {
            if slot != 0 {
                undefined.set(base + slot, mask, &UndefinedBits { bits, matters: wholly, origin: origin as u32 });
            }
        }
    }

    /// Returns the undefined bits of an operand.
    pub(super) fn undefined_bits(&self, source: Source) -> Option<&Lanes> {
        self.undefined_register(source).map(|held| &held.bits)
    }

    fn undefined_register(&self, source: Source) -> Option<&UndefinedBits> {
        let Source::Register(slot) = source else { return None };
        self.warp.undefined.as_ref()?.registers.get(&(self.group.at.base + slot))
    }

    /// A lane stores an operand where other code sees it.
    ///
    /// # Errors
    /// If it is computed from undefined bits, or wholly undefined.
    pub(super) fn leaves(&self, source: Source, lane: usize, bits: u64) -> Result<(), Stop> {
        match self.undefined_register(source) {
            Some(held) if held.bits[lane] & bits != 0 && held.matters >> lane & 1 == 1 => {
                let executable = self.worker.launch.executable;
                let function = &executable.functions[self.group.at.function as usize];
                Err(self.decided(&function.instructions[self.group.at.pc as usize], 1 << lane, held.origin))
            }
            _ => Ok(()),
        }
    }

    /// Returns the error of lanes whose undefined value decides what an instruction does. It is the error of the load.
    fn decided(&self, instruction: &Instruction, lanes: u32, origin: u32) -> Stop {
        let lane = lanes.trailing_zeros() as usize;
        let Some(origin) = self.warp.undefined.as_ref().and_then(|held| held.origins.get(origin as usize)) else {
            return fault(Kind::Check, lane);
        };
        let executable = self.worker.launch.executable;
        let lane = if origin.mask >> lane & 1 == 1 { lane } else { origin.mask.trailing_zeros() as usize };
        let load = &executable.functions[origin.at.0 as usize].instructions[origin.at.1 as usize];
        let mut found = fault(Kind::Check, lane);
        let source = executable.source(instruction).map(|source| format!(" ({source})")).unwrap_or_default();
        let memory = if origin.space == Space::Shared { "shared memory" } else { "memory" };
        found.text = format!(
            "reads {memory} that nothing has written, and `{}` in line {} of the PTX{source} depends on the value",
            instruction.name, instruction.line
        );
        let address = origin.addresses[lane];
        found.access = Some(Accessed { space: origin.space, address, size: origin.size, is_store: false });
        let function = &executable.functions[origin.at.0 as usize].name;
        self.located(found, load, function)
    }
}

/// Returns whether lanes take values of other lanes.
fn is_exchange(instruction: &Instruction) -> bool {
    matches!(instruction.op, Op::Exchange(_) | Op::Together(_))
}
