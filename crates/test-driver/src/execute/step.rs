//! Runs the instructions of a group of lanes.

use super::{
    Fault, Kind,
    arithmetic::Vector,
    code::{Barrier, Call, Callee, Condition, Exchange, Instruction, Logic, Op, SINK, Source, window},
    flow::END,
    machine::{Block, Cluster, Frame, Group, Join, POLLS, State, Warp, Worker},
    types::{LANES, Lanes, each},
};

/// The most calls that have not returned.
const CALLS: usize = 1 << 12;
/// The most registers of a warp, in all functions that have not returned.
pub(super) const REGISTERS: u32 = 1 << 16;

/// The state that an instruction sees.
pub(super) struct Step<'s, 'w> {
    pub(super) worker: &'s mut Worker<'w>,
    pub(super) cluster: &'s mut Cluster,
    pub(super) rank: usize,
    pub(super) warp: &'s mut Warp,
    pub(super) group: &'s mut Group,
    /// The lanes whose guard is true.
    pub(super) mask: u32,
}

/// How an instruction ended.
pub(super) enum Next {
    /// The next one follows.
    On,
    /// `pc` and perhaps more was changed.
    Jumped,
    /// The group waits, at this instruction.
    Waits,
}

/// An error of a lane.
pub(super) type Stop = Box<Fault>;

/// Returns an error of a lane, whose place is not known yet.
pub(super) fn fault(kind: Kind, lane: usize) -> Stop {
    Box::new(Fault { lane, ..Fault::plain(kind, String::new()) })
}

#[inline]
pub(super) fn merge(to: &mut Lanes, from: &Lanes, mask: u32) {
    if mask == u32::MAX {
        *to = *from;
    } else {
        for lane in 0..LANES {
            if mask >> lane & 1 == 1 {
                to[lane] = from[lane];
            }
        }
    }
}

impl Worker<'_> {
    /// Runs a group until it waits, ends or has used up `left`.
    pub(super) fn group(
        &mut self,
        cluster: &mut Cluster,
        rank: usize,
        warp: &mut Warp,
        group: &mut Group,
        left: &mut u32,
    ) -> Result<(), Stop> {
        let launch = self.launch;
        let mask = group.mask;
        let mut step = Step { worker: self, cluster, rank, warp, group, mask };
        match std::mem::replace(&mut step.group.state, State::Ready) {
            State::Joining => drop(step.group.joins.pop()),
            State::Barrier(id, generation) => step.finish_barrier(id, generation),
            State::Cluster(_) => step.group.at.pc += 1,
            State::Ready | State::Together(_) => {}
        }
        let start = *left;
        loop {
            let function = &launch.executable.functions[step.group.at.function as usize];
            let join = step.group.joins.last().filter(|join| join.depth == step.group.depth());
            let stop = join.map_or(END, |join| join.pc);
            let inner = loop {
                let pc = step.group.at.pc;
                if pc == stop {
                    if !step.warp.join(step.group) {
                        break None;
                    }
                    break Some(());
                }
                if *left == 0 || step.worker.polls >= POLLS {
                    break None;
                }
                *left -= 1;
                step.warp.clock += 1;
                let instruction = &function.instructions[pc as usize];
                step.mask = step.group.mask & step.condition(instruction.guard);
                let outcome = match &step.warp.undefined {
                    None if step.mask == 0 => Ok(Next::On),
                    None => step.run(instruction),
                    Some(_) => step.run_undefined(instruction),
                };
                match outcome {
                    Ok(Next::On) => step.group.at.pc = pc + 1,
                    Ok(Next::Jumped) if step.group.mask == 0 => break None,
                    Ok(Next::Jumped) => break Some(()),
                    Ok(Next::Waits) => break None,
                    Err(fault) => {
                        step.worker.spent += i64::from(start - *left);
                        return Err(step.located(fault, instruction, &function.name));
                    }
                }
            };
            if inner.is_none() {
                break;
            }
        }
        self.spent += i64::from(start - *left);
        Ok(())
    }
}

impl Step<'_, '_> {
    #[inline]
    pub(super) fn condition(&self, condition: Condition) -> u32 {
        let held = self.warp.predicates[(self.group.at.predicates + condition.slot) as usize];
        if condition.negated { !held } else { held }
    }

    #[inline]
    pub(super) fn source(&self, source: Source) -> &Lanes {
        let registers = &self.warp.registers[self.group.at.base as usize..];
        source.lanes(registers, &self.worker.launch.constants, &self.warp.specials)
    }

    #[inline]
    pub(super) fn write(&mut self, slot: u32, value: &Lanes) {
        merge(&mut self.warp.registers[(self.group.at.base + slot) as usize], value, self.mask);
    }

    pub(super) fn write_predicate(&mut self, slot: u32, value: u32) {
        if slot != SINK {
            let held = &mut self.warp.predicates[(self.group.at.predicates + slot) as usize];
            *held = *held & !self.mask | value & self.mask;
        }
    }

    /// Returns the value of a lane of which all lanes have the same.
    pub(super) fn uniform(&self, source: Source) -> u64 {
        self.source(source)[self.mask.trailing_zeros() as usize % LANES]
    }

    /// What the block's threads have done is before what follows: for the check of races.
    pub(super) fn orders(&mut self) {
        self.cluster.blocks[self.rank].epoch += 1;
    }

    pub(super) fn block(&self) -> &Block {
        &self.cluster.blocks[self.rank]
    }

    /// Returns an error at an instruction. An error that has a place keeps it.
    pub(super) fn located(&self, mut fault: Stop, instruction: &Instruction, function: &str) -> Stop {
        let executable = self.worker.launch.executable;
        if fault.line != 0 {
            return fault;
        }
        fault.line = instruction.line;
        fault.instruction = instruction.name.to_string();
        function.clone_into(&mut fault.function);
        fault.source = executable.source(instruction);
        fault.block = self.block().index;
        fault.thread = self.thread(fault.lane);
        fault
    }

    /// Returns the index of a lane's thread in its block.
    pub(super) fn thread(&self, lane: usize) -> [u32; 3] {
        self.worker.launch.geometry.thread(self.warp.number * LANES as u32 + lane as u32)
    }

    /// A barrier has let the group go: the result, and the next instruction.
    fn finish_barrier(&mut self, id: u32, generation: u32) {
        let function = &self.worker.launch.executable.functions[self.group.at.function as usize];
        if let Op::Barrier(barrier) = &function.instructions[self.group.at.pc as usize].op {
            let results = self.block().barriers[id as usize].results[generation as usize % 2];
            (barrier.finish)(self, results);
        }
        self.group.at.pc += 1;
    }

    /// The lanes whose guard is false go on at the next instruction, and meet the rest at `join`.
    fn leave(&mut self, join: u32) {
        let rest = self.group.mask & !self.mask;
        if rest != 0 {
            let pc = self.group.at.pc + 1;
            self.split(rest, pc, join);
        }
    }

    pub(super) fn combined(&self, test: u32, with: Option<(Logic, Condition)>) -> u32 {
        match with {
            None => test,
            Some((logic, condition)) => logic(test, self.condition(condition)),
        }
    }

    /// Computes all lanes in the register of the result, if no operand is in it. Returns whether it did.
    fn vector_in_place(&mut self, function: &Vector, to: u32, from: &[Source; 4]) -> bool {
        let base = self.group.at.base;
        let Warp { registers, specials, .. } = &mut *self.warp;
        let (before, after) = registers.split_at_mut((base + to) as usize);
        let Some((to, after)) = after.split_first_mut() else { return false };
        let held = |source: Source| match source {
            Source::Register(slot) => {
                let slot = (base + slot) as usize;
                before.get(slot).or_else(|| after.get(slot.checked_sub(before.len() + 1)?))
            }
            Source::Constant(number) => self.worker.launch.constants.get(number as usize),
            Source::Special(number) => specials.get(number as usize),
        };
        let [a, b, c, d] = *from;
        match (held(a), held(b), held(c), held(d)) {
            (Some(a), Some(b), Some(c), Some(d)) if self.mask == u32::MAX => function(to, &[a, b, c, d]),
            _ => return false,
        }
        true
    }

    pub(super) fn run(&mut self, instruction: &Instruction) -> Result<Next, Stop> {
        match &instruction.op {
            Op::Vector { function, to, from } => {
                if self.vector_in_place(function, *to, from) {
                    return Ok(Next::On);
                }
                let mut out = [0; LANES];
                let [a, b, c, d] = *from;
                function(&mut out, &[self.source(a), self.source(b), self.source(c), self.source(d)]);
                self.write(*to, &out);
                Ok(Next::On)
            }
            Op::Test { test, to, from, with } => {
                let held = test(self.source(from[0]), self.source(from[1]));
                let (first, second) = (self.combined(held, *with), self.combined(!held, *with));
                self.write_predicate(to[0], first);
                self.write_predicate(to[1], second);
                Ok(Next::On)
            }
            Op::Branch { target } => {
                self.leave(instruction.join);
                self.group.at.pc = *target;
                Ok(Next::Jumped)
            }
            Op::BranchIndex { from, targets } => self.branch_index(*from, targets, instruction.join),
            Op::Call(call) => self.call(call),
            Op::Return => Ok(self.return_()),
            Op::Exit => Ok(self.exit()),
            Op::Trap => {
                let mut fault = fault(Kind::Trap, self.mask.trailing_zeros() as usize);
                let launch = self.worker.launch;
                if launch.executable.has_grid_barrier && !launch.geometry.cooperative {
                    fault.text = "it synchronizes its grid, but the launch is not cooperative".into();
                }
                Err(fault)
            }
            Op::Barrier(barrier) => self.barrier(barrier),
            Op::Run(run) => run(self),
            Op::Together(run) => {
                self.warp.gather(self.group);
                if self.warp.alive & !self.group.mask != 0 {
                    self.group.state = State::Together(self.warp.alive);
                    return Ok(Next::Waits);
                }
                self.warp.epoch += 1;
                self.mask = self.group.mask & self.condition(instruction.guard);
                run(self)
            }
            Op::Exchange(exchange) => Ok(self.exchange(exchange, instruction)),
        }
    }

    /// Returns the lanes of each set exchange values when all of them are at an instruction of this name.
    fn exchange(&mut self, exchange: &Exchange, instruction: &Instruction) -> Next {
        self.warp.gather(self.group);
        self.mask = self.group.mask & self.condition(instruction.guard);
        let sets = exchange.set.map_or([u64::from(self.mask); LANES], |source| *self.source(source));
        let (of, named) = (self.condition(exchange.of), each(self.mask).fold(0, |all, lane| all | sets[lane] as u32));
        if named & self.warp.alive & !self.group.mask == 0 && self.warp.done() & self.mask == 0 {
            // All are here. They can name different sets, for example parts of a warp: each set is on its own.
            let mut rest = self.mask;
            while rest != 0 {
                let set = sets[rest.trailing_zeros() as usize];
                let lanes = each(rest).filter(|lane| sets[*lane] == set).fold(0, |lanes, lane| lanes | 1 << lane);
                let from = exchange.from.map(|source| self.source(source));
                let (value, valid) = (exchange.meet)(&from, of, lanes & set as u32);
                self.mask = lanes;
                self.write(exchange.to, &value);
                self.write_predicate(exchange.valid, valid);
                rest &= !lanes;
            }
            self.group.passed = 0;
            self.warp.epoch += 1;
            return Next::On;
        }
        self.meet(exchange, instruction, &sets, of)
    }

    /// Returns the same for lanes that are at different places, or that wait. The last lane of a set computes the
    /// results of all, which take them when they run again.
    fn meet(&mut self, exchange: &Exchange, instruction: &Instruction, sets: &Lanes, of: u32) -> Next {
        let (alive, done) = (self.warp.alive, self.warp.done());
        let own = std::mem::take(&mut self.group.passed) | self.group.mask & !self.mask;
        let executable = self.worker.launch.executable;
        let name_at = |at: &Frame| &executable.functions[at.function as usize].instructions[at.pc as usize].name;
        let others = self.warp.groups.iter().filter(|other| matches!(other.state, State::Together(_)));
        let mut waiting = vec![(self.mask & !done, own)];
        waiting.extend(
            others
                .filter(|other| *name_at(&other.at) == instruction.name)
                .map(|other| (other.mask & !done, other.passed)),
        );
        let from = exchange.from.map(|source| *self.source(source));
        let meeting = self.warp.meeting.get_or_insert_default();
        merge(&mut meeting.sets, sets, self.mask);
        for (brought, from) in meeting.from.iter_mut().zip(&from) {
            merge(brought, from, self.mask);
        }
        meeting.of = meeting.of & !self.mask | of & self.mask;
        let mut rest = self.mask & !done;
        while rest != 0 {
            let set = meeting.sets[rest.trailing_zeros() as usize];
            let (mut lanes, mut passed) = (0, 0);
            for (mask, its) in &waiting {
                let same = each(*mask).filter(|lane| meeting.sets[*lane] == set).fold(0, |same, lane| same | 1 << lane);
                lanes |= same;
                passed |= if same == 0 { 0 } else { *its };
            }
            if set as u32 & alive & !lanes & !passed == 0 {
                let (value, valid) = (exchange.meet)(&meeting.from.each_ref(), meeting.of, lanes & set as u32);
                merge(&mut meeting.to, &value, lanes);
                meeting.valid = meeting.valid & !lanes | valid & lanes;
                meeting.done |= lanes;
                self.warp.epoch += 1;
            }
            rest &= !lanes;
        }
        let (finished, value, valid) = (meeting.done & self.mask, meeting.to, meeting.valid);
        meeting.done &= !finished;
        let pc = self.group.at.pc;
        if finished == 0 {
            // Lanes whose guard is false do not wait.
            self.leave(pc + 1);
            (self.group.state, self.group.passed) = (State::Together(alive), own);
            return Next::Waits;
        }
        if self.mask != finished {
            self.split(self.mask & !finished, pc, pc + 1);
            if let Some(rest) = self.warp.groups.last_mut() {
                (rest.state, rest.passed) = (State::Together(alive), own);
            }
        }
        self.mask = finished;
        self.write(exchange.to, &value);
        self.write_predicate(exchange.valid, valid);
        self.group.at.pc = pc + 1;
        Next::Jumped
    }

    /// Lanes leave the group to go on at `pc`. Both meet at `join`.
    fn split(&mut self, lanes: u32, pc: u32, join: u32) {
        let depth = self.group.depth();
        let place = match join {
            END => self.group.callers.last().map(|caller| (caller.pc, depth - 1)),
            join => Some((join, depth)),
        };
        if let Some((pc, depth)) = place {
            let known = self.group.joins.last().is_some_and(|last| (last.pc, last.depth) == (pc, depth));
            if !known {
                self.group.joins.push(Join { pc, depth, mask: self.group.mask });
            }
        }
        let mut other = self.group.clone();
        other.mask = lanes;
        other.at.pc = pc;
        self.warp.groups.push(other);
        self.group.mask &= !lanes;
    }

    fn branch_index(&mut self, from: Source, targets: &[u32], join: u32) -> Result<Next, Stop> {
        let index = *self.source(from);
        self.leave(join);
        loop {
            let lane = self.group.mask.trailing_zeros() as usize;
            let Some(target) = targets.get(index[lane] as usize).copied() else {
                return Err(fault(Kind::Jump, lane));
            };
            let same = each(self.group.mask).filter(|other| targets.get(index[*other] as usize) == Some(&target));
            let lanes = same.fold(0, |mask, lane| mask | 1 << lane);
            if lanes == self.group.mask {
                self.group.at.pc = target;
                return Ok(Next::Jumped);
            }
            self.split(lanes, target, join);
        }
    }

    fn exit(&mut self) -> Next {
        let ended = self.mask;
        self.warp.alive &= !ended;
        self.group.mask &= !ended;
        let block = &mut self.cluster.blocks[self.rank];
        block.live -= ended.count_ones();
        block.check_barriers();
        if self.cluster.blocks.len() > 1 {
            self.cluster.check_barrier();
        }
        self.group.at.pc += 1;
        Next::Jumped
    }

    fn return_(&mut self) -> Next {
        if self.group.callers.is_empty() {
            return self.exit();
        }
        self.leave(END);
        let Some(caller) = self.group.callers.pop() else { return Next::Jumped };
        let executable = self.worker.launch.executable;
        let callee = &executable.functions[self.group.at.function as usize];
        let call = &executable.functions[caller.function as usize].instructions[caller.pc as usize - 1];
        if let Op::Call(call) = &call.op {
            let moves: Vec<_> = callee.returns.iter().zip(&call.results).collect();
            for ((from, size), (to, room)) in moves {
                self.move_local(self.group.at.local + from, caller.local + to, (*size).min(*room));
            }
        }
        self.group.at = caller;
        Next::Jumped
    }

    /// Copies a value within the local memory of each lane.
    fn move_local(&mut self, from: u32, to: u32, size: u32) {
        for lane in each(self.mask) {
            let memory = &mut self.warp.local[lane];
            memory.copy_within(from as usize..(from + size) as usize, to as usize);
        }
    }

    fn call(&mut self, call: &Call) -> Result<Next, Stop> {
        let function = match &call.callee {
            Callee::Host(host) => {
                each(self.mask).try_for_each(|lane| host(self, call, lane))?;
                return Ok(Next::On);
            }
            Callee::Function(number) => *number,
            Callee::Indirect(source) => {
                let address = *self.source(*source);
                let lane = self.mask.trailing_zeros() as usize;
                let other = each(self.mask).filter(|other| address[*other] != address[lane]);
                let others = other.fold(0, |mask, lane| mask | 1 << lane);
                if others != 0 {
                    // They call a different function, afterwards or before.
                    let pc = self.group.at.pc;
                    self.split(others, pc, pc + 1);
                    self.mask &= !others;
                }
                let number = (address[lane] & !window::ALL) >> 4;
                let numbers = &self.worker.launch.executable.numbers;
                let found = numbers.get(number as usize).copied().flatten();
                match found.filter(|_| address[lane] & window::ALL == window::FUNCTION) {
                    Some(number) => number,
                    None => return Err(fault(Kind::Jump, lane)),
                }
            }
        };
        self.leave(self.group.at.pc + 1);
        let executable = self.worker.launch.executable;
        let caller = &executable.functions[self.group.at.function as usize];
        let callee = &executable.functions[function as usize];
        let (base, predicates) = (self.group.at.base + caller.registers, self.group.at.predicates + caller.predicates);
        let frame = (self.group.at.local + caller.frame).next_multiple_of(16);
        let end = (frame + callee.frame) as usize;
        let is_deep = base + callee.registers > REGISTERS || self.group.callers.len() >= CALLS;
        if is_deep || end > self.worker.launch.stack {
            return Err(fault(Kind::Stack, self.mask.trailing_zeros() as usize));
        }
        let warp = &mut *self.warp;
        warp.registers.resize(warp.registers.len().max((base + callee.registers) as usize), [0; LANES]);
        let needed = (predicates + callee.predicates) as usize;
        warp.predicates.resize(warp.predicates.len().max(needed), 0);
        // False. Other lanes can be in other functions, which have predicates of their own here.
        warp.predicates[predicates as usize] &= !self.mask;
        if end > 0 {
            warp.local.resize(LANES, Vec::new());
            for lane in each(self.mask) {
                let memory = &mut warp.local[lane];
                memory.resize(memory.len().max(end), 0xa5);
            }
        }
        for ((from, size), (to, room)) in call.arguments.iter().zip(&callee.parameters) {
            self.move_local(self.group.at.local + from, frame + to, (*size).min(*room));
        }
        self.group.at.pc += 1;
        self.group.callers.push(self.group.at);
        self.group.at = Frame { function, pc: 0, base, predicates, local: frame };
        Ok(Next::Jumped)
    }

    fn barrier(&mut self, barrier: &Barrier) -> Result<Next, Stop> {
        self.leave(self.group.at.pc + 1);
        let id = self.uniform(barrier.id) as usize;
        let count = Some(self.uniform(barrier.count) as u32).filter(|count| *count > 0);
        if id >= 16 {
            return Err(fault(Kind::Instruction, self.mask.trailing_zeros() as usize));
        }
        if barrier.is_aligned && self.worker.checks.is_some() {
            let executable = self.worker.launch.executable;
            let is_elsewhere = |other: &Group| {
                let instruction = executable.instruction(other.at.place());
                let is_aligned = matches!(&instruction.op, Op::Barrier(barrier) if barrier.is_aligned);
                is_aligned && matches!(other.state, State::Barrier(..)) && other.at.place() != self.group.at.place()
            };
            if self.warp.groups.iter().any(is_elsewhere) {
                let mut fault = fault(Kind::Check, self.mask.trailing_zeros() as usize);
                fault.text = "a part of a warp reaches this barrier, and a part waits at a different one".into();
                return Err(fault);
            }
        }
        let of = self.condition(barrier.of) & self.mask;
        // Where a number of threads is given, a warp counts as a whole.
        let whole = count.is_some() && self.mask == self.warp.alive;
        let arrived = if whole { LANES as u32 } else { self.mask.count_ones() };
        let block = &mut self.cluster.blocks[self.rank];
        let state = &mut block.barriers[id];
        if state.arrived == 0 {
            (state.all, state.any, state.sum) = (true, false, 0);
        }
        state.arrived += arrived;
        state.count = count;
        state.all &= of == self.mask;
        state.any |= of != 0;
        state.sum += of.count_ones();
        let generation = state.generation;
        let live = block.live;
        if state.complete(live) {
            block.epoch += 1;
        }
        if !barrier.waits {
            return Ok(Next::On);
        }
        self.group.state = State::Barrier(id as u32, generation);
        Ok(Next::Waits)
    }

    /// Notes what an instruction reads from memory that other threads write: a thread that reads the same again and
    /// again, perhaps with several instructions, waits for them.
    pub(super) fn polled(&mut self, values: impl Iterator<Item = u64>) {
        let value = values.fold(0u64, |all, value| all.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ value);
        let poll = (self.group.at.function, self.group.at.pc, value);
        let worker = &mut *self.worker;
        if worker.recent_polls.contains(&poll) {
            worker.polls += 1;
        } else {
            worker.recent_polls.rotate_right(1);
            worker.recent_polls[0] = poll;
        }
    }
}
