//! Accesses to memory: loads, stores, atomic operations, copies, and the barriers in memory.

use super::{
    Kind,
    checks::{Touch, What},
    code::{Access, Atomic, Base, MemoryBarrier, Place, Source, Space, window},
    global::Problem,
    step::{Step, Stop, each, fault},
    types::{LANES, Lanes, extend, low},
};

/// The error of an access.
pub(super) fn failed(problem: Problem, lane: usize, touch: (Space, u64, u32, What)) -> Stop {
    let kind = match problem {
        Problem::Outside => Kind::Address,
        Problem::Misaligned => Kind::Misaligned,
    };
    let mut failed = fault(kind, lane);
    let (space, address, size, what) = touch;
    failed.access = Some(super::Accessed { space, address, size, is_store: what != What::Load });
    failed
}

impl Step<'_, '_> {
    /// The address of each lane.
    pub(super) fn addresses(&self, place: Place) -> Lanes {
        let offset = place.offset;
        match place.base {
            Base::Zero => [offset.cast_unsigned(); LANES],
            Base::Frame => [u64::from(self.group.frame).wrapping_add_signed(offset); LANES],
            Base::Lanes(source, true) => {
                let base = self.source(source);
                std::array::from_fn(|lane| base[lane].wrapping_add_signed(offset) & low(32))
            }
            Base::Lanes(source, false) => {
                let base = self.source(source);
                std::array::from_fn(|lane| base[lane].wrapping_add_signed(offset))
            }
        }
    }

    /// A generic address as a space and an address in it.
    fn resolve(space: Space, address: u64) -> Result<(Space, u64), Problem> {
        if space != Space::Generic {
            return Ok((space, address));
        }
        let inside = address & !window::ALL;
        Ok(match address & window::ALL {
            0 => (Space::Global, address),
            window::SHARED => (Space::Shared, inside),
            window::LOCAL => (Space::Local, inside),
            window::BANK => (Space::Bank, inside),
            _ => return Err(Problem::Outside),
        })
    }

    /// Bytes that are not memory of the device.
    fn bytes(&mut self, space: Space, address: u64, size: u32, lane: usize) -> Result<&mut [u8], Problem> {
        let memory = match space {
            Space::Shared => {
                let rank = (address & low(32)) >> window::BLOCK_SHIFT;
                let rank = if rank == 0 { self.rank } else { rank as usize - 1 };
                self.cluster.blocks.get_mut(rank).map(|block| &mut block.shared)
            }
            Space::Local => self.warp.local.get_mut(lane),
            _ => None,
        };
        let at = match space {
            Space::Shared => address & low(window::BLOCK_SHIFT) | address & !low(32),
            _ => address,
        };
        if !at.is_multiple_of(u64::from(size.min(16))) {
            return Err(Problem::Misaligned);
        }
        let at = usize::try_from(at).map_err(|_| Problem::Outside)?;
        memory.and_then(|memory| memory.get_mut(at..)?.get_mut(..size as usize)).ok_or(Problem::Outside)
    }

    /// Reads up to 8 bytes.
    pub(super) fn read(&mut self, space: Space, address: u64, size: u32, lane: usize) -> Result<u64, Problem> {
        let (space, address) = Self::resolve(space, address)?;
        let mut value = [0; 8];
        match space {
            Space::Global | Space::Generic => {
                return self.worker.launch.global.load(&mut self.worker.recent, address, size);
            }
            Space::Bank => {
                let bank = self.worker.launch.bank;
                let part = usize::try_from(address).ok().and_then(|at| bank.get(at..)?.get(..size as usize));
                value[..size as usize].copy_from_slice(part.ok_or(Problem::Outside)?);
            }
            Space::Shared | Space::Local => {
                let part = self.bytes(space, address, size, lane)?;
                value[..part.len()].copy_from_slice(part);
            }
        }
        Ok(u64::from_le_bytes(value))
    }

    /// Writes up to 8 bytes.
    pub(super) fn put(
        &mut self,
        space: Space,
        address: u64,
        size: u32,
        lane: usize,
        value: u64,
    ) -> Result<(), Problem> {
        let (space, address) = Self::resolve(space, address)?;
        match space {
            Space::Global | Space::Generic => {
                self.worker.launch.global.store(&mut self.worker.recent, address, size, value)
            }
            Space::Bank => Err(Problem::Outside),
            Space::Shared | Space::Local => {
                self.bytes(space, address, size, lane)?.copy_from_slice(&value.to_le_bytes()[..size as usize]);
                Ok(())
            }
        }
    }

    /// Reports an access to the checks.
    fn check(
        &self,
        space: Space,
        address: u64,
        size: u32,
        lane: usize,
        what: What,
        is_strong: bool,
    ) -> Result<(), Stop> {
        let Some(mut checks) = self.checks() else { return Ok(()) };
        let Ok((space, address)) = Self::resolve(space, address) else { return Ok(()) };
        let rank = match (space, (address & low(32)) >> window::BLOCK_SHIFT) {
            (Space::Shared, rank @ 1..) => rank as usize - 1,
            _ => self.rank,
        };
        let block = &self.cluster.blocks[rank];
        let touch = Touch {
            address: if space == Space::Shared { address & low(window::BLOCK_SHIFT) } else { address },
            size,
            what,
            is_strong,
            thread: (self.rank as u32) << 16 | self.warp.number * LANES as u32 | lane as u32,
            epoch: (block.epoch, self.warp.epoch),
            pc: (self.group.function, self.group.pc),
        };
        let found = match space {
            Space::Shared => checks.shared(block.serial, touch),
            Space::Global => checks.global(touch),
            _ => None,
        };
        drop(checks);
        match found {
            None => Ok(()),
            Some(text) => {
                let mut fault = failed(Problem::Outside, lane, (space, address, size, what));
                (fault.kind, fault.text) = (Kind::Check, text);
                Err(fault)
            }
        }
    }

    pub(super) fn load(&mut self, access: &Access) -> Result<(), Stop> {
        let size = access.kind.bytes();
        let whole = u64::from(size) * access.count as u64;
        let space = access.place.space;
        if space == Space::Bank && matches!(access.place.base, Base::Zero) {
            // A parameter is the same for all lanes.
            for (index, (slot, width)) in access.to.iter().enumerate() {
                let address = access.place.offset.cast_unsigned() + u64::from(size) * index as u64;
                let value = self
                    .read(space, address, size, 0)
                    .map_err(|problem| failed(problem, 0, (space, address, size, What::Load)))?;
                self.write(*slot, &[extend(value, access.kind) & low(*width); LANES]);
            }
            return Ok(());
        }
        let addresses = self.addresses(access.place);
        let is_checked = self.worker.launch.checks.is_some();
        for (index, (slot, width)) in access.to.iter().enumerate() {
            let mut values = [0; LANES];
            for lane in each(self.mask) {
                let address = addresses[lane].wrapping_add(u64::from(size) * index as u64);
                let value = if addresses[lane] & (whole - 1) != 0 && whole.is_power_of_two() {
                    Err(Problem::Misaligned)
                } else {
                    match space {
                        Space::Global => self.worker.launch.global.load(&mut self.worker.recent, address, size),
                        _ => self.read(space, address, size, lane),
                    }
                };
                if is_checked && value.is_ok() {
                    self.check(space, address, size, lane, What::Load, access.is_strong)?;
                }
                values[lane] =
                    value.map_err(|problem| failed(problem, lane, (space, address, whole as u32, What::Load)))?;
            }
            if access.kind.is_signed() {
                for value in &mut values {
                    *value = extend(*value, access.kind) & low(*width);
                }
            }
            if access.is_strong {
                self.polled(values[self.mask.trailing_zeros() as usize]);
            }
            self.write(*slot, &values);
        }
        Ok(())
    }

    pub(super) fn store(&mut self, access: &Access) -> Result<(), Stop> {
        let size = access.kind.bytes();
        let whole = u64::from(size) * access.count as u64;
        let space = access.place.space;
        let addresses = self.addresses(access.place);
        let is_checked = self.worker.launch.checks.is_some();
        for (index, source) in access.from.iter().enumerate() {
            let values = *self.source(*source);
            for lane in each(self.mask) {
                let address = addresses[lane].wrapping_add(u64::from(size) * index as u64);
                let is_same = |old| old == values[lane] & low(8 * size);
                let what = match is_checked && self.read(space, address, size, lane).is_ok_and(is_same) {
                    true => What::Same,
                    false => What::Store,
                };
                let outcome = if addresses[lane] & (whole - 1) != 0 && whole.is_power_of_two() {
                    Err(Problem::Misaligned)
                } else {
                    self.put(space, address, size, lane, values[lane])
                };
                if is_checked && outcome.is_ok() {
                    self.check(space, address, size, lane, what, access.is_strong)?;
                }
                outcome.map_err(|problem| failed(problem, lane, (space, address, whole as u32, What::Store)))?;
            }
        }
        Ok(())
    }

    pub(super) fn atomic(&mut self, atomic: &Atomic) -> Result<(), Stop> {
        let size = atomic.kind.bytes();
        let space = atomic.place.space;
        let addresses = self.addresses(atomic.place);
        let third = atomic.third.map_or([0; LANES], |source| *self.source(source));
        for (index, source) in atomic.from.iter().enumerate() {
            let values = *self.source(*source);
            let mut results = [0; LANES];
            for lane in each(self.mask) {
                let address = addresses[lane].wrapping_add(u64::from(size) * index as u64);
                let function = |old| (atomic.combine)(atomic.kind, old, values[lane] & low(8 * size), third[lane]);
                let old = Self::resolve(space, address).and_then(|(space, address)| {
                    if space == Space::Global {
                        return self.worker.launch.global.update(&mut self.worker.recent, address, size, function);
                    }
                    let old = self.read(space, address, size, lane)?;
                    self.put(space, address, size, lane, function(old))?;
                    Ok(old)
                });
                let touch = (space, address, size, What::Atomic);
                results[lane] = old.map_err(|problem| failed(problem, lane, touch))?;
                self.check(space, address, size, lane, What::Atomic, true)?;
            }
            if let Some(slot) = atomic.to.get(index) {
                self.polled(results[self.mask.trailing_zeros() as usize]);
                if *slot != 0 {
                    self.write(*slot, &results);
                }
            }
        }
        if atomic.third.is_some() && self.worker.launch.checks.is_some() {
            // A lock: what it protects does not race.
            self.cluster.blocks[self.rank].epoch += 1;
        }
        Ok(())
    }

    /// `cp.async`: `size` bytes, of which `given` are read.
    pub(super) fn copy(
        &mut self,
        to: Place,
        from: Place,
        size: Source,
        given: Option<Source>,
        barrier: Option<Place>,
    ) -> Result<(), Stop> {
        let (targets, origins) = (self.addresses(to), self.addresses(from));
        let sizes = *self.source(size);
        let given = given.map_or(sizes, |source| *self.source(source));
        for lane in each(self.mask) {
            let mut at = 0;
            let size = sizes[lane] & low(32);
            while at < size {
                let (target, origin) = (targets[lane].wrapping_add(at), origins[lane].wrapping_add(at));
                let alignment = (target | origin | size | given[lane]).trailing_zeros().min(3);
                let part = 1 << alignment;
                let value = if at < given[lane] {
                    self.read(from.space, origin, part, lane)
                        .map_err(|problem| failed(problem, lane, (from.space, origin, part, What::Load)))?
                } else {
                    0
                };
                let touch = (to.space, target, part, What::Store);
                self.put(to.space, target, part, lane, value).map_err(|problem| failed(problem, lane, touch))?;
                self.check(to.space, target, part, lane, What::Store, true)?;
                at += u64::from(part);
            }
            if let Some(place) = barrier {
                let address = self.addresses(place)[lane];
                self.change(place.space, address, lane, |state| state.transfer(-(size as i64)))?;
            }
        }
        Ok(())
    }

    /// Replaces the state of a barrier in memory by a function of it. The result is the old state.
    fn change(
        &mut self,
        space: Space,
        address: u64,
        lane: usize,
        function: impl Fn(Phase) -> Phase,
    ) -> Result<u64, Stop> {
        let touch = (space, address, 8, What::Atomic);
        let old = self.read(space, address, 8, lane).map_err(|problem| failed(problem, lane, touch))?;
        let new = function(Phase(old)).settled();
        self.put(space, address, 8, lane, new.0).map_err(|problem| failed(problem, lane, touch))?;
        if (old ^ new.0) >> 63 == 1 {
            for block in &mut self.cluster.blocks {
                block.epoch += 1;
            }
        }
        self.check(space, address, 8, lane, What::Atomic, true)?;
        Ok(old)
    }

    pub(super) fn memory_barrier(
        &mut self,
        what: MemoryBarrier,
        place: Place,
        from: &[Source],
        to: u32,
    ) -> Result<(), Stop> {
        let addresses = self.addresses(place);
        let values: Vec<Lanes> = from.iter().map(|source| *self.source(*source)).collect();
        let mut results = [0; LANES];
        let mut done = 0;
        for lane in each(self.mask) {
            let value = |index: usize| values.get(index).map(|values| values[lane]);
            let (space, address) = (place.space, addresses[lane]);
            match what {
                MemoryBarrier::Initialise => {
                    let count = value(0).unwrap_or(1);
                    self.change(space, address, lane, |_| Phase::new(count))?;
                }
                MemoryBarrier::Invalidate => {}
                MemoryBarrier::Arrive { drops, expects } => {
                    let count = if expects { 1 } else { value(0).unwrap_or(1) };
                    let bytes = if expects { value(0).unwrap_or(0) as i64 } else { 0 };
                    let arrive = |state: Phase| state.transfer(bytes).arrive(count, drops);
                    results[lane] = self.change(space, address, lane, arrive)?;
                }
                MemoryBarrier::Expect | MemoryBarrier::Complete => {
                    let bytes = value(0).unwrap_or(0) as i64;
                    let bytes = if what == MemoryBarrier::Expect { bytes } else { -bytes };
                    self.change(space, address, lane, |state| state.transfer(bytes))?;
                }
                MemoryBarrier::Test { parity } => {
                    let state = self.change(space, address, lane, |state| state)?;
                    let phase = state >> 63;
                    let awaited = value(0).unwrap_or(0);
                    let is_done = if parity { phase != awaited & 1 } else { phase != awaited >> 63 };
                    done |= u32::from(is_done) << lane;
                }
                MemoryBarrier::Pending => results[lane] = value(0).unwrap_or(0) & low(20),
            }
        }
        match what {
            MemoryBarrier::Test { .. } => {
                self.polled(u64::from(done));
                self.write_predicate(to, done);
            }
            MemoryBarrier::Arrive { .. } | MemoryBarrier::Pending if to != 0 => self.write(to, &results),
            _ => {}
        }
        Ok(())
    }

    pub(super) fn map(&mut self, to: u32, from: Source, rank: Option<Source>, is_generic: bool) {
        let addresses = *self.source(from);
        let ranks = rank.map(|source| *self.source(source));
        let own = self.block().rank;
        let value = std::array::from_fn(|lane| {
            let inside = addresses[lane] & low(window::BLOCK_SHIFT);
            match ranks {
                Some(ranks) => {
                    let base = if is_generic { window::SHARED } else { 0 };
                    base | (ranks[lane] + 1 & 0xff) << window::BLOCK_SHIFT | inside
                }
                None => match (addresses[lane] & low(32)) >> window::BLOCK_SHIFT {
                    0 => u64::from(own),
                    rank => rank - 1,
                },
            }
        });
        self.write(to, &value);
    }
}

/// The state of a barrier in memory: 20 bits of pending and 20 of expected arrivals, 21 of bytes, and the phase.
#[derive(Clone, Copy)]
struct Phase(u64);

impl Phase {
    fn new(count: u64) -> Self {
        Self((count & low(20)) << 20 | count & low(20))
    }

    fn with(self, pending: u64, expected: u64, bytes: i64) -> Self {
        let kept = self.0 & 1 << 63;
        Self(kept | (bytes.cast_unsigned() & low(22)) << 40 | (expected & low(20)) << 20 | pending & low(20))
    }

    fn parts(self) -> (u64, u64, i64) {
        let bytes = (self.0 << 2).cast_signed() >> 42;
        (self.0 & low(20), self.0 >> 20 & low(20), bytes)
    }

    fn arrive(self, count: u64, drops: bool) -> Self {
        let (pending, expected, bytes) = self.parts();
        let expected = if drops { expected.saturating_sub(count) } else { expected };
        self.with(pending.saturating_sub(count), expected, bytes)
    }

    fn transfer(self, change: i64) -> Self {
        let (pending, expected, bytes) = self.parts();
        self.with(pending, expected, bytes + change)
    }

    /// The next phase, if this one is complete.
    fn settled(self) -> Self {
        match self.parts() {
            (0, expected, 0) if expected > 0 => Self(self.0 ^ 1 << 63).with(expected, expected, 0),
            _ => self,
        }
    }
}
