//! Accesses to memory: loads, stores, atomic operations, copies, and the barriers in memory.

use super::{
    Kind,
    arithmetic::{self, combine, one},
    checks::{Touch, What, bits, bytes},
    code::{Base, Op, Place, Source, Space, window},
    decode::{Decoder, attempt, lanes, run, space},
    global::{Global, Problem, Recent},
    machine::Warp,
    step::{Step, Stop, fault},
    types::{LANES, Lanes, Type, each, extend, low},
    words::Words,
};
use crate::ptx::Operand;

/// A part of memory that a lane accesses.
type Touched = (Space, u64, u32, What);

/// `ld` and `st`.
struct Access {
    place: Place,
    kind: Type,
    /// Whether other threads are expected to write here at the same time: `volatile`, `relaxed`, `acquire`, `release`.
    is_strong: bool,
    /// The registers of loaded elements, with the width of the destination.
    to: Vec<(u32, u32)>,
    from: Vec<Source>,
}

/// Returns the number in up to 8 bytes.
fn number(bytes: &[u8]) -> u64 {
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        _ => {
            let mut wide = [0; 8];
            wide[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(wide)
        }
    }
}

/// Memory that all lanes access.
enum Memory<'m> {
    Device(&'m Global, &'m mut Recent),
    Block(&'m mut [u8]),
    Threads(&'m mut [Vec<u8>]),
}

impl Memory<'_> {
    fn part(&mut self, lane: usize, address: u64, size: u32) -> Result<&mut [u8], Problem> {
        let bytes = match self {
            Self::Block(bytes) => bytes,
            Self::Threads(each) => &mut *each[lane],
            Self::Device(..) => return Err(Problem::Outside),
        };
        let at = usize::try_from(address).map_err(|_| Problem::Outside)?;
        bytes.get_mut(at..).and_then(|rest| rest.get_mut(..size as usize)).ok_or(Problem::Outside)
    }

    #[inline(always)]
    fn load(&mut self, lane: usize, address: u64, size: u32) -> Result<u64, Problem> {
        if let Self::Device(global, recent) = self {
            return global.load(recent, address, size);
        }
        self.part(lane, address, size).map(|part| number(part))
    }

    #[inline(always)]
    fn store(&mut self, lane: usize, address: u64, size: u32, value: u64) -> Result<(), Problem> {
        if let Self::Device(global, recent) = self {
            return global.store(recent, address, size, value);
        }
        self.part(lane, address, size)?.copy_from_slice(&value.to_le_bytes()[..size as usize]);
        Ok(())
    }
}

/// Returns the error of an access.
fn failed(problem: Problem, lane: usize, (space, address, size, what): Touched) -> Stop {
    let mut failed = fault(if problem == Problem::Outside { Kind::Address } else { Kind::Misaligned }, lane);
    failed.access = Some(super::Accessed { space, address, size, is_store: what != What::Load });
    failed
}

impl Step<'_, '_> {
    /// Returns the address of each lane.
    pub(super) fn addresses(&self, place: Place) -> Lanes {
        let offset = place.offset;
        match place.base {
            Base::Zero => [offset.cast_unsigned(); LANES],
            Base::Frame => [u64::from(self.group.at.local).wrapping_add_signed(offset); LANES],
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

    /// Returns a generic address as a space and an address in it.
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
        // A division would take longer than the access.
        if at & (u64::from(size.min(16)) - 1) != 0 {
            return Err(Problem::Misaligned);
        }
        let at = usize::try_from(at).map_err(|_| Problem::Outside)?;
        memory.and_then(|memory| memory.get_mut(at..)?.get_mut(..size as usize)).ok_or(Problem::Outside)
    }

    fn load(&mut self, space: Space, address: u64, size: u32, lane: usize) -> Result<u64, Problem> {
        let (space, address) = Self::resolve(space, address)?;
        match space {
            Space::Global | Space::Generic => self.worker.launch.global.load(&mut self.worker.recent, address, size),
            Space::Bank => {
                let bank = self.worker.launch.bank;
                let part = usize::try_from(address).ok().and_then(|at| bank.get(at..)?.get(..size as usize));
                part.map(number).ok_or(Problem::Outside)
            }
            Space::Shared | Space::Local => self.bytes(space, address, size, lane).map(|part| number(part)),
        }
    }

    fn store(&mut self, space: Space, address: u64, size: u32, lane: usize, value: u64) -> Result<(), Problem> {
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

    /// Reads up to 8 bytes.
    pub(super) fn read(&mut self, space: Space, address: u64, size: u32, lane: usize) -> Result<u64, Stop> {
        let value = self.load(space, address, size, lane);
        value.map_err(|problem| failed(problem, lane, (space, address, size, What::Load)))
    }

    /// Writes up to 8 bytes.
    pub(super) fn put(&mut self, space: Space, at: u64, size: u32, lane: usize, value: u64) -> Result<(), Stop> {
        let outcome = self.store(space, at, size, lane, value);
        outcome.map_err(|problem| failed(problem, lane, (space, at, size, What::Store)))
    }

    /// Reports an access to the checks. `undefined`: the bits of a store that nothing has written. Returns these bits
    /// of a load.
    pub(super) fn check(
        &mut self,
        touched: Touched,
        lane: usize,
        is_strong: bool,
        undefined: u64,
    ) -> Result<u64, Stop> {
        let (space, address, size, what) = touched;
        let Ok((space, address)) = Self::resolve(space, address) else { return Ok(0) };
        let undefined = bytes(undefined & low(8 * size));
        let found = match (space, &mut self.worker.checks) {
            (Space::Global, Some(checks)) => checks.access(address, size, what, undefined),
            (Space::Shared, Some(_)) => {
                let rank = match (address & low(32)) >> window::BLOCK_SHIFT {
                    0 => self.rank,
                    rank => rank as usize - 1,
                };
                let block = &mut self.cluster.blocks[rank];
                let touch = Touch {
                    what,
                    is_strong,
                    thread: (self.rank as u32) << 16 | self.warp.number * LANES as u32 | lane as u32,
                    epoch: (block.epoch, self.warp.epoch),
                    pc: (self.group.at.function, self.group.at.pc),
                };
                let at = (address & low(window::BLOCK_SHIFT)) as usize;
                let checks = block.checks.as_mut();
                checks.map_or(Ok(0), |checks| checks.access(at, size as usize, touch, undefined))
            }
            _ => Ok(0),
        };
        found.map(bits).map_err(|text| {
            let mut fault = failed(Problem::Outside, lane, (space, address, size, what));
            (fault.kind, fault.text) = (Kind::Check, text);
            fault
        })
    }

    /// The same for a store of the bits of a register from `bit` on.
    pub(super) fn check_store(
        &mut self,
        touched: Touched,
        lane: usize,
        is_strong: bool,
        (source, bit): (Source, u32),
    ) -> Result<u64, Stop> {
        let (space, address, size, _) = touched;
        if Self::resolve(space, address).is_ok_and(|(space, _)| space == Space::Global) {
            self.leaves(source, lane, low(8 * size) << bit)?;
        }
        let undefined = self.undefined_bits(source).map_or(0, |bits| bits[lane] >> bit);
        self.check(touched, lane, is_strong, undefined)
    }

    /// [`access`](Self::access) without checks, if all lanes access the same kind of memory, as they mostly do.
    fn access_alike(&mut self, access: &Access, addresses: &Lanes) -> Option<Result<(), Stop>> {
        let Access { place, kind, to, from, .. } = access;
        let Self { worker, cluster, rank, warp, group, mask } = self;
        let (launch, base) = (worker.launch, group.at.base);
        let Warp { registers, specials, local, .. } = &mut **warp;
        let all = |bits: u64| each(*mask).all(|lane| addresses[lane] & bits == 0);
        let mut memory = match place.space {
            Space::Generic if !all(window::ALL) => return None,
            Space::Global | Space::Generic => Memory::Device(launch.global, &mut worker.recent),
            Space::Shared if all(!low(window::BLOCK_SHIFT)) => Memory::Block(&mut cluster.blocks[*rank].shared),
            Space::Local => Memory::Threads(local),
            Space::Shared | Space::Bank => return None,
        };
        let (size, count) = (kind.bytes(), to.len() + from.len());
        // A vector is aligned as a whole.
        let whole = size * count as u32;
        let unaligned = each(*mask).find(|lane| addresses[*lane] & (u64::from(whole) - 1) != 0);
        let error = |problem, lane, offset| {
            let what = if from.is_empty() { What::Load } else { What::Store };
            let address: u64 = addresses[lane];
            Some(Err(failed(problem, lane, (place.space, address.wrapping_add(offset), whole, what))))
        };
        if let Some(lane) = unaligned {
            return error(Problem::Misaligned, lane, 0);
        }
        let offsets = || (0..).step_by(size as usize);
        for (source, offset) in from.iter().zip(offsets()) {
            let values = source.lanes(&registers[base as usize..], &launch.constants, specials);
            for lane in each(*mask) {
                let address = addresses[lane].wrapping_add(offset);
                if let Err(problem) = memory.store(lane, address, size, values[lane]) {
                    return error(problem, lane, offset);
                }
            }
        }
        for ((slot, width), offset) in to.iter().zip(offsets()) {
            let register = &mut registers[(base + slot) as usize];
            for lane in each(*mask) {
                match memory.load(lane, addresses[lane].wrapping_add(offset), size) {
                    Ok(value) => register[lane] = value,
                    Err(problem) => return error(problem, lane, offset),
                }
                if kind.is_signed() {
                    register[lane] = extend(register[lane], *kind) & low(*width);
                }
            }
        }
        Some(Ok(()))
    }

    fn access(&mut self, access: &Access) -> Result<(), Stop> {
        let Access { place, kind, is_strong, to, from } = access;
        let (space, size) = (place.space, kind.bytes());
        if space == Space::Bank && matches!(place.base, Base::Zero) {
            // A parameter is the same for all lanes.
            for (index, (slot, width)) in to.iter().enumerate() {
                let address = place.offset.cast_unsigned() + u64::from(size) * index as u64;
                let value = self.read(space, address, size, 0)?;
                self.write(*slot, &[extend(value, *kind) & low(*width); LANES]);
            }
            return Ok(());
        }
        let addresses = self.addresses(*place);
        let is_checked = self.worker.checks.is_some();
        if !is_checked
            && !*is_strong
            && let Some(outcome) = self.access_alike(access, &addresses)
        {
            return outcome;
        }
        let what = if from.is_empty() { What::Load } else { What::Store };
        let count = to.len() + from.len();
        // A vector is aligned as a whole.
        let whole = size * count as u32;
        let mut polled = [0; 8];
        let (mut undefined, mut wholly) = (Vec::new(), u32::MAX);
        for index in 0..count {
            let mut unwritten = [0; LANES];
            let mut values = from.get(index).map_or([0; LANES], |source| *self.source(*source));
            for lane in each(self.mask) {
                let address = addresses[lane].wrapping_add(u64::from(size) * index as u64);
                let is_same = |old| old == values[lane] & low(8 * size);
                // Of memory that other threads of the block share.
                let is_same = is_checked
                    && what == What::Store
                    && space != Space::Global
                    && self.load(space, address, size, lane).is_ok_and(is_same);
                let outcome = if addresses[lane] & (u64::from(whole) - 1) != 0 {
                    Err(Problem::Misaligned)
                } else if what == What::Store {
                    self.store(space, address, size, lane, values[lane])
                } else {
                    let value = match space {
                        Space::Global => self.worker.launch.global.load(&mut self.worker.recent, address, size),
                        _ => self.load(space, address, size, lane),
                    };
                    value.map(|value| values[lane] = value)
                };
                if is_checked && outcome.is_ok() {
                    let what = if is_same { What::Same } else { what };
                    let touched = (space, address, size, what);
                    unwritten[lane] = match from.get(index) {
                        Some(source) => self.check_store(touched, lane, *is_strong, (*source, 0))?,
                        None => self.check(touched, lane, *is_strong, 0)?,
                    };
                    if unwritten[lane] != low(8 * size) {
                        wholly &= !(1 << lane);
                    }
                }
                outcome.map_err(|problem| failed(problem, lane, (space, address, whole, what)))?;
            }
            let Some((slot, width)) = to.get(index) else { continue };
            if kind.is_signed() {
                values = values.map(|value| extend(value, *kind) & low(*width));
            }
            polled[index] = values[self.mask.trailing_zeros() as usize];
            self.write(*slot, &values);
            if is_checked {
                undefined.push((*slot, unwritten.map(|bits| extend(bits, *kind) & low(*width))));
            }
        }
        if undefined.iter().any(|(_, bits)| *bits != [0; LANES]) {
            self.undefine(undefined, wholly, (space, whole, &addresses));
        }
        if *is_strong && what == What::Load {
            self.polled(polled.into_iter());
        }
        Ok(())
    }

    /// `cp.async`: `size` bytes, of which `given` are read and the rest is zero; the barrier at which bulk copies
    /// arrive.
    fn copy(
        &mut self,
        [to, from]: [Place; 2],
        size: Source,
        given: Source,
        barrier: Option<Place>,
    ) -> Result<(), Stop> {
        let (targets, origins) = (self.addresses(to), self.addresses(from));
        let (sizes, given) = (*self.source(size), *self.source(given));
        let is_checked = self.worker.checks.is_some();
        for lane in each(self.mask) {
            let mut at = 0;
            let size = sizes[lane] & low(32);
            self.worker.spent += (size >> 6).cast_signed();
            while at < size {
                let (target, origin) = (targets[lane].wrapping_add(at), origins[lane].wrapping_add(at));
                let part = 1 << (target | origin | size | given[lane]).trailing_zeros().min(3);
                let value = if at < given[lane] { self.read(from.space, origin, part, lane)? } else { 0 };
                self.put(to.space, target, part, lane, value)?;
                if is_checked {
                    let read = (from.space, origin, part, What::Load);
                    let undefined = if at < given[lane] { self.check(read, lane, false, 0)? } else { 0 };
                    self.check((to.space, target, part, What::Store), lane, true, undefined)?;
                }
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
    fn change(&mut self, space: Space, at: u64, lane: usize, new: impl Fn(Phase) -> Phase) -> Result<u64, Stop> {
        let touched = (space, at, 8, What::Exchange);
        let old = self.load(space, at, 8, lane).map_err(|problem| failed(problem, lane, touched))?;
        let new = new(Phase(old)).settled();
        self.store(space, at, 8, lane, new.0).map_err(|problem| failed(problem, lane, touched))?;
        if (old ^ new.0) >> 63 == 1 {
            self.cluster.blocks.iter_mut().for_each(|block| block.epoch += 1);
        }
        self.check(touched, lane, true, 0)?;
        Ok(old)
    }
}

/// `ld` and `st`.
pub(super) fn access(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let is_store = words.part(0)? == "st";
    let [first, second, ..] = operands else { return None };
    let (address, values) = if is_store { (first, second) } else { (second, first) };
    let kind = words.kind().filter(|kind| !matches!(kind, Type::Pred | Type::B128))?;
    let place = decoder.place(address, space(words), words.is_param())?;
    let is_strong = words.any(&["volatile", "relaxed", "acquire", "release", "mmio"]).is_some();
    if is_strong && matches!(place.space, Space::Global | Space::Generic) {
        decoder.is_ordered();
    }
    if words.has("async") || is_store && place.space == Space::Bank {
        return None;
    }
    let (mut to, mut from) = (Vec::new(), Vec::new());
    match is_store {
        true => from = decoder.sources(values, kind)?,
        false => to = values.elements().iter().map(|operand| decoder.to(operand)).collect::<Option<_>>()?,
    }
    let access =
        matches!(to.len() + from.len(), 1 | 2 | 4 | 8).then_some(Access { place, kind, is_strong, to, from })?;
    let releases = words.has("release");
    attempt(move |step| {
        if releases {
            step.orders();
        }
        step.access(&access)
    })
}

/// `atom` and `red`.
pub(super) fn atom(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    const NAMES: [&str; 10] = ["add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"];
    let kind = words.kind().filter(|kind| *kind != Type::B128 && !words.has("async"))?;
    let name = words.any(&NAMES)?;
    let (to, rest) = match (words.part(0)?, operands) {
        ("atom", [to, rest @ ..]) => (decoder.slots(to)?, rest),
        (_, rest) => (Vec::new(), rest),
    };
    let place = decoder.place(rest.first()?, space(words), false)?;
    let from = decoder.sources(rest.get(1)?, kind)?;
    // A third operand of an instruction other than `cas` is a cache policy.
    let third = if name == "cas" { decoder.from(rest.get(2)?, kind)? } else { decoder.zero() };
    let is_cas = name == "cas";
    let what = if name == "exch" { What::Exchange } else { What::Atomic };
    let is_commutative = !kind.is_float() && matches!(name, "add" | "min" | "max" | "and" | "or" | "xor");
    let is_read = to.iter().any(|slot| *slot != 0);
    if place.space != Space::Shared && (is_read || !is_commutative) {
        decoder.is_ordered();
    }
    let combine = match (name, kind) {
        ("add", Type::F32) if place.space != Space::Shared => arithmetic::sum_flushed,
        ("add", Type::F64) if place.space != Space::Shared => arithmetic::sum_wide,
        _ => combine(name)?,
    };
    let size = kind.bytes();
    let releases = words.any(&["release", "acq_rel"]).is_some();
    attempt(move |step| {
        if releases {
            step.orders();
        }
        let (addresses, third) = (step.addresses(place), *step.source(third));
        let values: Vec<Lanes> = from.iter().map(|source| *step.source(*source)).collect();
        let mut polled = [0; 8];
        for (index, values) in values.iter().enumerate() {
            let mut results = [0; LANES];
            for lane in each(step.mask) {
                let address = addresses[lane].wrapping_add(u64::from(size) * index as u64);
                let function = |old| combine(kind, old, values[lane] & low(8 * size), third[lane]);
                let old = Step::resolve(place.space, address).and_then(|(space, address)| {
                    if space == Space::Global {
                        return step.worker.launch.global.update(&mut step.worker.recent, address, size, function);
                    }
                    let old = step.load(space, address, size, lane)?;
                    step.store(space, address, size, lane, function(old))?;
                    Ok(old)
                });
                let touched = (place.space, address, size, what);
                results[lane] = old.map_err(|problem| failed(problem, lane, touched))?;
                step.check(touched, lane, true, 0)?;
                step.leaves(from[index], lane, low(8 * size))?;
            }
            if let Some(slot) = to.get(index) {
                polled[index % 8] = results[step.mask.trailing_zeros() as usize];
                step.write(*slot, &results);
            }
        }
        if !to.is_empty() {
            step.polled(polled.into_iter());
        }
        if is_cas && step.worker.checks.is_some() {
            // A lock: what it protects does not race.
            step.orders();
        }
        Ok(())
    })
}

/// `cp.async`, without delay.
pub(super) fn copy(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    if !words.has("async") || words.any(&["tensor", "reduce", "prefetch"]).is_some() {
        return None;
    }
    if words.any(&["commit_group", "wait_group", "wait_all"]).is_some() {
        return run(|_| ());
    }
    if words.has("mbarrier") {
        let place = decoder.place(operands.first()?, space(words).or(Some(Space::Shared)), false)?;
        // Without `.noinc`, the arrival was not expected and adds nothing.
        return match words.has("noinc") {
            true => phase(place, None, (0, None), |state, _| state.arrive(1, false)),
            false => run(|_| ()),
        };
    }
    let [to, from, size, ..] = operands else { return None };
    let size = decoder.from(size, Type::U32)?;
    let is_bulk = words.has("bulk");
    let is_in = !is_bulk || words.part(3)?.starts_with("shared");
    if is_bulk && (words.has("multicast::cluster") || words.part(if is_in { 4 } else { 3 })? != "global") {
        return None;
    }
    let space = |is_shared: bool| Some(if is_shared { Space::Shared } else { Space::Global });
    let places = [decoder.place(to, space(is_in), false)?, decoder.place(from, space(!is_in), false)?];
    let (mut given, mut barrier) = (size, None);
    match operands.get(3) {
        operand if is_bulk && is_in => barrier = Some(decoder.place(operand?, Some(Space::Shared), false)?),
        Some(operand) if !is_bulk && words.has("L2::cache_hint") && operands.len() == 4 => {
            decoder.from(operand, Type::U64)?;
        }
        Some(operand @ Operand::Name(..)) if !is_bulk && decoder.condition(operand).is_some() => return None,
        Some(operand) if !is_bulk => given = decoder.from(operand, Type::U32)?,
        _ => {}
    }
    attempt(move |step| step.copy(places, size, given, barrier))
}

/// Returns a change of the state of a barrier in memory by an operand. The old state goes to a register, or of a test,
/// with a parity or a state, whether the phase has ended to a predicate.
fn phase(
    place: Place,
    value: Option<Source>,
    (to, test): (u32, Option<bool>),
    change: fn(Phase, Option<u64>) -> Phase,
) -> Option<Op> {
    attempt(move |step| {
        let (addresses, values) = (step.addresses(place), value.map(|source| *step.source(source)));
        let (mut results, mut done) = ([0; LANES], 0);
        for lane in each(step.mask) {
            let value = values.map(|values| values[lane]);
            results[lane] = step.change(place.space, addresses[lane], lane, |state| change(state, value))?;
            let awaited = value.unwrap_or(0);
            let awaited = if test == Some(true) { awaited & 1 } else { awaited >> 63 };
            done |= u32::from(results[lane] >> 63 != awaited) << lane;
        }
        if test.is_some() {
            step.polled([u64::from(done)].into_iter());
            step.write_predicate(to, done);
        } else {
            step.write(to, &results);
        }
        Ok(())
    })
}

pub(super) fn mbarrier(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let name = words.part(1)?;
    let change: fn(Phase, Option<u64>) -> Phase = match (name, words.has("expect_tx")) {
        ("pending_count", _) => {
            let (to, _) = decoder.to(operands.first()?)?;
            return lanes(decoder, one(|state: u64| state & low(20)), to, [(operands.get(1)?, Type::U64)]);
        }
        ("inval", _) => return run(|_| ()),
        ("init", _) => |_, value| Phase::new(value.unwrap_or(1)),
        ("expect_tx", _) => |state, value| state.transfer(value.unwrap_or(0) as i64),
        ("complete_tx", _) => |state, value| state.transfer(-(value.unwrap_or(0) as i64)),
        ("arrive", true) => |state, value| state.transfer(value.unwrap_or(0) as i64).arrive(1, false),
        ("arrive_drop", true) => |state, value| state.transfer(value.unwrap_or(0) as i64).arrive(1, true),
        ("arrive", false) => |state, value| state.arrive(value.unwrap_or(1), false),
        ("arrive_drop", false) => |state, value| state.arrive(value.unwrap_or(1), true),
        ("test_wait" | "try_wait", _) => |state, _| state,
        _ => return None,
    };
    let test = name.ends_with("wait").then(|| words.has("parity"));
    let (to, rest) = match operands {
        [Operand::Address(..), ..] if test.is_none() => (0, operands),
        [to, rest @ ..] if test.is_some() => (decoder.predicate(to)?, rest),
        [to, rest @ ..] if name.starts_with("arrive") => (decoder.to(to)?.0, rest),
        _ => return None,
    };
    let place = decoder.place(rest.first()?, space(words).or(Some(Space::Generic)), false)?;
    let value = rest[1..].iter().map(|operand| decoder.from(operand, Type::U64)).collect::<Option<Vec<_>>>()?;
    phase(place, value.first().copied(), (to, test), change)
}

/// `mapa`: the address of shared memory in another block of the cluster. `getctarank`: the block's rank of an address.
pub(super) fn map(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (to, _) = decoder.to(operands.first()?)?;
    let from = decoder.from(operands.get(1)?, Type::U64)?;
    let is_map = words.part(0)? == "mapa";
    let rank = if is_map { decoder.from(operands.get(2)?, Type::U32)? } else { from };
    let base = if space(words).is_none() { window::SHARED } else { 0 };
    run(move |step| {
        let (addresses, ranks, own) = (step.source(from), step.source(rank), u64::from(step.block().rank));
        let value = std::array::from_fn(|lane| match (addresses[lane] & low(32)) >> window::BLOCK_SHIFT {
            _ if is_map => {
                let inside = addresses[lane] & low(window::BLOCK_SHIFT);
                base | (ranks[lane] + 1 & 0xff) << window::BLOCK_SHIFT | inside
            }
            0 => own,
            rank => rank - 1,
        });
        step.write(to, &value);
    })
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

    /// Returns the next phase, if this one is complete.
    fn settled(self) -> Self {
        match self.parts() {
            (0, expected, 0) if expected > 0 => Self(self.0 ^ 1 << 63).with(expected, expected, 0),
            _ => self,
        }
    }
}
