//! The state of a running kernel: clusters of blocks, blocks of warps, and warps as groups of lanes that are at one
//! place.

use std::{
    collections::VecDeque,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use crate::lock::lock;

use super::{
    Effects, Fault, Geometry, Settings, Special,
    checks::{self, Undefined},
    code::{Executable, Instruction, Op},
    global::{Global, Recent},
    types::{LANES, Lanes},
};

/// What all threads of a launch share.
pub(super) struct Launch<'a> {
    pub(super) executable: &'a Executable,
    pub(super) constants: Vec<Lanes>,
    pub(super) bank: &'a [u8],
    pub(super) geometry: Geometry,
    /// Shared memory of each block: static and dynamic.
    pub(super) shared: u32,
    pub(super) global: &'a Global,
    pub(super) settings: Settings,
    /// The most bytes of local memory of a thread.
    pub(super) stack: usize,
    /// Instructions of warps that are left.
    pub(super) budget: AtomicI64,
    pub(super) stops: AtomicBool,
    pub(super) next_cluster: AtomicU64,
    pub(super) effects: Mutex<Effects>,
    pub(super) heap: Mutex<super::Heap>,
    /// The checks of global memory, while no worker has them: then a single one runs.
    pub(super) checks: Mutex<Option<checks::Global>>,
    pub(super) workspace: u64,
    pub(super) textures: &'a super::Objects,
    pub(super) start: Instant,
    /// A line on stderr says that it takes long.
    pub(super) is_slow: AtomicBool,
}

/// The bytes of shared memory that belong to the toolkit's libraries, for example the barriers of cooperative groups.
const RESERVED: u32 = 1024;

impl Launch<'_> {
    /// Returns where that memory starts.
    fn reserved(&self) -> u32 {
        self.shared.next_multiple_of(16)
    }
}

/// Where a function is, and its memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) function: u32,
    pub(super) pc: u32,
    /// The start of the function's registers and predicates, and of its frame in local memory.
    pub(super) base: u32,
    pub(super) predicates: u32,
    pub(super) local: u32,
}

impl Frame {
    /// Returns the function and its next instruction.
    pub(super) fn place(&self) -> (u32, u32) {
        (self.function, self.pc)
    }
}

/// Where lanes meet again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Join {
    pub(super) pc: u32,
    pub(super) depth: u32,
    /// The lanes that were together.
    pub(super) mask: u32,
}

/// Why a group does not run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    Ready,
    /// It waits at its last join.
    Joining,
    /// It waits at its instruction for lanes, which were alive then.
    Together(u32),
    /// It waits at a barrier of the block, since this generation of it.
    Barrier(u32, u32),
    Cluster(u32),
}

/// Lanes of a warp that are at the same place.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub(super) mask: u32,
    pub(super) at: Frame,
    /// The calls that have not returned.
    pub(super) callers: Vec<Frame>,
    pub(super) joins: Vec<Join>,
    pub(super) state: State,
    /// Lanes that came along to the instruction at which it waits, and did not execute it: their guard was false.
    pub(super) passed: u32,
}

/// What lanes bring to an instruction that they execute at different places, and what they take away.
#[derive(Debug, Default)]
pub(super) struct Meeting {
    /// The set that each lane names.
    pub(super) sets: Lanes,
    pub(super) from: [Lanes; 3],
    pub(super) of: u32,
    /// Lanes whose results are there, and the results.
    pub(super) done: u32,
    pub(super) to: Lanes,
    pub(super) valid: u32,
}

impl Group {
    pub(super) fn depth(&self) -> u32 {
        self.callers.len() as u32
    }

    fn is_at(&self, other: &Self) -> bool {
        self.at == other.at && self.callers == other.callers
    }
}

#[derive(Debug, Default)]
pub(super) struct Warp {
    pub(super) number: u32,
    pub(super) block: [u32; 3],
    /// Lanes that have not ended.
    pub(super) alive: u32,
    pub(super) groups: Vec<Group>,
    pub(super) registers: Vec<Lanes>,
    pub(super) predicates: Vec<u32>,
    pub(super) specials: Vec<Lanes>,
    pub(super) carry: u32,
    pub(super) meeting: Option<Box<Meeting>>,
    /// The generation of the cluster's barrier when it arrived there.
    pub(super) cluster_generation: u32,
    /// The instructions that it has executed: time, as it sees it.
    pub(super) clock: u64,
    /// Counts where its lanes synchronised.
    pub(super) epoch: u32,
    pub(super) local: Vec<Vec<u8>>,
    /// Since groups wait at joins: the instructions and polls of groups that run.
    pub(super) patience: u64,
    pub(super) undefined: Option<Box<Undefined>>,
}

/// A barrier of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BarrierState {
    pub(super) arrived: u32,
    /// The number of threads that it waits for, if it is not all of them.
    pub(super) count: Option<u32>,
    pub(super) generation: u32,
    pub(super) all: bool,
    pub(super) any: bool,
    pub(super) sum: u32,
    /// The results of the last two generations.
    pub(super) results: [(bool, bool, u32); 2],
}

#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) index: [u32; 3],
    pub(super) rank: u32,
    pub(super) shared: Vec<u8>,
    pub(super) warps: Vec<Warp>,
    pub(super) barriers: [BarrierState; 16],
    /// Threads that have not ended.
    pub(super) live: u32,
    /// Counts barriers: accesses before and after one do not race.
    pub(super) epoch: u32,
    pub(super) checks: Option<Box<checks::Shared>>,
}

#[derive(Debug, Default)]
pub(super) struct Cluster {
    pub(super) blocks: Vec<Block>,
    /// Threads at the cluster's barrier, and its generation.
    pub(super) arrived: u32,
    pub(super) generation: u32,
}

/// A thread of the machine that runs blocks.
pub(super) struct Worker<'a> {
    pub(super) launch: &'a Launch<'a>,
    pub(super) recent: Recent,
    /// Instructions that were run and are not yet taken from the budget.
    pub(super) spent: i64,
    pub(super) random: u64,
    /// Memory of warps that ended.
    pub(super) free: Vec<Warp>,
    /// Counts accesses that could wait for other threads.
    pub(super) polls: u32,
    /// The last such accesses: the instruction and the result.
    pub(super) recent_polls: [(u32, u32, u64); 8],
    pub(super) checks: Option<checks::Global>,
}

/// How a pass over a cluster ended.
enum Pass {
    Finished,
    /// All its warps wait for other threads.
    Polls,
    Runs,
}

/// Instructions of a group before the next group runs.
const QUANTUM: u32 = 4096;
/// Accesses by which a group could wait for a second group, before it runs.
pub(super) const POLLS: u32 = 64;
/// After so many instructions, groups that wait at a join for this one go on without it.
const PATIENCE: u64 = 1 << 17;
/// Passes after which a different cluster runs.
const LONG: u64 = 64;
/// The time after which a kernel that still runs is reported.
const SLOW: Duration = Duration::from_secs(5);
/// The bytes of all blocks that run at the same time.
const RESIDENT: usize = 1 << 30;

impl BarrierState {
    pub(super) fn complete(&mut self, live: u32) -> bool {
        let is_complete = self.arrived > 0 && self.arrived >= self.count.unwrap_or(live);
        if is_complete {
            self.results[self.generation as usize % 2] = (self.all, self.any, self.sum);
            self.generation = self.generation.wrapping_add(1);
            (self.arrived, self.count, self.sum) = (0, None, 0);
        }
        is_complete
    }
}

impl Block {
    /// Threads have arrived or ended.
    pub(super) fn check_barriers(&mut self) {
        let live = self.live;
        for barrier in &mut self.barriers {
            if barrier.complete(live) {
                self.epoch += 1;
            }
        }
    }
}

impl Cluster {
    pub(super) fn check_barrier(&mut self) {
        let live: u32 = self.blocks.iter().map(|block| block.live).sum();
        if self.arrived > 0 && self.arrived >= live {
            self.arrived = 0;
            self.generation = self.generation.wrapping_add(1);
            for block in &mut self.blocks {
                block.epoch += 1;
            }
        }
    }

    fn is_ready(&self, block: &Block, group: &Group, warp: &Warp) -> bool {
        match group.state {
            State::Ready => true,
            State::Joining => group.joins.last().is_none_or(|join| join.mask & warp.alive & !group.mask == 0),
            State::Together(alive) => alive != warp.alive || warp.done() & group.mask != 0,
            State::Barrier(id, generation) => block.barriers[id as usize].generation != generation,
            State::Cluster(generation) => self.generation != generation,
        }
    }
}

impl Launch<'_> {
    fn clusters(&self) -> [u64; 3] {
        let geometry = &self.geometry;
        std::array::from_fn(|axis| u64::from(geometry.grid[axis] / geometry.cluster()[axis].max(1)))
    }

    /// Returns the place of a cluster in the order of the seed.
    fn placed(&self, number: u64, count: u64) -> u64 {
        let seed = self.settings.seed;
        if seed == 0 || count < 2 {
            return number;
        }
        let mut step = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) % count | 1;
        let gcd = |mut a: u64, mut b: u64| {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        while gcd(step, count) != 1 {
            step += 2;
        }
        ((u128::from(number) * u128::from(step) + u128::from(seed)) % u128::from(count)) as u64
    }

    pub(super) fn fail(&self, fault: Fault) {
        let mut effects = lock(&self.effects);
        effects.fault.get_or_insert(fault);
        self.stops.store(true, Relaxed);
    }

    /// Runs all blocks.
    pub(super) fn run(&self, workers: usize) {
        if workers <= 1 {
            return Worker::new(self).run();
        }
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| Worker::new(self).run());
            }
        });
    }
}

impl<'a> Worker<'a> {
    fn new(launch: &'a Launch<'a>) -> Self {
        Self {
            launch,
            recent: (0, 0),
            spent: 0,
            random: launch.settings.seed,
            free: Vec::new(),
            polls: 0,
            recent_polls: [(0, 0, 0); 8],
            checks: lock(&launch.checks).take(),
        }
    }

    fn run(&mut self) {
        self.run_all();
        *lock(&self.launch.checks) = self.checks.take();
    }

    fn run_all(&mut self) {
        let [x, y, z] = self.launch.clusters();
        let count = x.saturating_mul(y).saturating_mul(z);
        let mut resident: VecDeque<Cluster> = VecDeque::new();
        let mut used = 0;
        let mut is_last = false;
        let (mut passes, mut turns) = (0, 0u64);
        loop {
            let admits = resident.is_empty() || self.launch.geometry.cooperative || self.polls > 0;
            self.polls = 0;
            // The blocks of a cooperative grid are on the device together.
            let has_room = |used| used < RESIDENT || self.launch.geometry.cooperative;
            while admits && !is_last && (resident.is_empty() || has_room(used)) {
                let number = self.launch.next_cluster.fetch_add(1, Relaxed);
                if number >= count {
                    is_last = true;
                    break;
                }
                let cluster = self.cluster(self.launch.placed(number, count), [x, y]);
                used += cluster.bytes();
                resident.push_front(cluster);
                if !self.launch.geometry.cooperative {
                    break;
                }
            }
            let Some(mut cluster) = resident.pop_front() else { break };
            if self.launch.stops.load(Relaxed) {
                break;
            }
            turns += 1;
            if turns % 64 == 0 && !self.launch.is_slow.load(Relaxed) && self.launch.start.elapsed() > SLOW {
                self.launch.is_slow.store(true, Relaxed);
                let name = &self.launch.executable.functions[0].name;
                let place = self.place_of(&cluster).map_or(String::new(), |(place, _)| format!(": {place}"));
                eprintln!("kernel-args test driver: the kernel `{name}` runs for {} s{place}", SLOW.as_secs());
            }
            match self.pass(&mut cluster) {
                Ok(Pass::Finished) => {
                    used -= cluster.bytes().min(used);
                    for block in &mut cluster.blocks {
                        self.free.append(&mut block.warps);
                    }
                    // Every block costs something.
                    self.spent += 4;
                    // The next block, if clusters wait.
                    self.polls = u32::from(!resident.is_empty());
                }
                Ok(Pass::Polls) => {
                    self.polls = 1;
                    resident.push_back(cluster);
                }
                Ok(Pass::Runs) if (passes + 1) % LONG != 0 => {
                    passes += 1;
                    resident.push_front(cluster);
                }
                // What runs for long can wait for other blocks too, in a way that is not recognised: all of them run in
                // turn, and after each turn one more.
                Ok(Pass::Runs) => {
                    passes += 1;
                    resident.push_back(cluster);
                    if passes >= LONG * resident.len() as u64 {
                        (self.polls, passes) = (1, 0);
                    }
                }
                Err(fault) => {
                    self.launch.fail(*fault);
                    break;
                }
            }
            let left = self.launch.budget.fetch_sub(self.spent, Relaxed) - self.spent;
            self.spent = 0;
            if left < 0 {
                let place = resident.iter().find_map(|cluster| self.place_of(cluster));
                let place = place.map_or(String::new(), |(place, _)| format!(": {place}"));
                let text =
                    format!("it is stopped after {} instructions of threads{place}", self.launch.settings.budget);
                self.launch.fail(Fault::plain(super::Kind::Budget, text));
                break;
            }
        }
    }

    /// Returns where the threads of a cluster are.
    fn place_of(&self, cluster: &Cluster) -> Option<(String, &Instruction)> {
        let find = |block: &'_ Block| block.warps.iter().position(|warp| !warp.groups.is_empty());
        let (block, warp) = cluster.blocks.iter().find_map(|block| Some((block, find(block)?)))?;
        let warp = &block.warps[warp];
        let group = warp.groups.first()?;
        let instruction = self.launch.executable.instruction(group.at.place());
        let source =
            self.launch.executable.source(instruction).map(|source| format!(" ({source})")).unwrap_or_default();
        let thread = self.launch.geometry.thread(warp.number * LANES as u32 + group.mask.trailing_zeros());
        let Instruction { line, name, .. } = instruction;
        let index = block.index;
        let place = format!("block {index:?} is at line {line} of the PTX{source} (`{name}`) with thread {thread:?}");
        Some((place, instruction))
    }

    /// A part of the warp is about to go on, although the lanes that it waits for are at a barrier.
    ///
    /// # Errors
    /// If all lanes of the warp must be at this barrier, and memcheck is on. At its end, the kernel may leave them.
    fn check_barriers(&self, warp: &Warp) -> Result<(), Box<Fault>> {
        if self.checks.is_none() {
            return Ok(());
        }
        let executable = self.launch.executable;
        for group in warp.groups.iter().filter(|group| group.state == State::Joining) {
            let Some(join) = group.joins.last() else { continue };
            let missing = join.mask & warp.alive & !group.mask;
            if executable.instruction(group.at.place()).is_end() && group.callers.is_empty() {
                continue;
            }
            let waits = |other: &&Group| other.mask & missing != 0 && matches!(other.state, State::Barrier(..));
            for other in warp.groups.iter().filter(waits) {
                let instruction = executable.instruction(other.at.place());
                if matches!(&instruction.op, Op::Barrier(barrier) if barrier.is_aligned) {
                    let text = "a barrier is reached by a part of a warp only: the other lanes go on without it";
                    let mut fault = Fault::plain(super::Kind::Check, text.into());
                    fault.line = instruction.line;
                    fault.instruction = instruction.name.to_string();
                    fault.function.clone_from(&executable.functions[other.at.function as usize].name);
                    fault.source = executable.source(instruction);
                    let thread = warp.number * LANES as u32 + other.mask.trailing_zeros();
                    (fault.block, fault.thread) = (warp.block, self.launch.geometry.thread(thread));
                    return Err(Box::new(fault));
                }
            }
        }
        Ok(())
    }

    fn cluster(&mut self, number: u64, [x, y]: [u64; 2]) -> Cluster {
        let geometry = self.launch.geometry;
        let at = [number % x, number / x % y, number / x / y].map(|part| part as u32);
        let size: u32 = geometry.cluster().iter().product();
        let mut cluster = Cluster::default();
        for rank in 0..size {
            let [cx, cy, cz] = geometry.cluster();
            let inside = [rank % cx, rank / cx % cy, rank / cx / cy % cz];
            let index = std::array::from_fn(|axis| at[axis] * geometry.cluster()[axis] + inside[axis]);
            let block = self.block(index, rank, inside);
            cluster.blocks.push(block);
        }
        cluster
    }

    fn block(&mut self, index: [u32; 3], rank: u32, inside: [u32; 3]) -> Block {
        let threads: u32 = self.launch.geometry.block.iter().product();
        let count = threads.div_ceil(LANES as u32);
        // As new memory of the device.
        let size = match self.launch.executable.has_reserved {
            true => self.launch.reserved() + RESERVED,
            false => self.launch.shared,
        } as usize;
        let shared = vec![0xa5; size];
        let mut block = Block { index, rank, shared, live: threads, ..Block::default() };
        if self.checks.is_some() {
            block.checks = Some(Box::new(checks::Shared::new(self.launch.shared as usize)));
        }
        for number in 0..count {
            let mut warp = self.free.pop().unwrap_or_default();
            self.start(&mut warp, number, threads, &block, inside);
            block.warps.push(warp);
        }
        block
    }

    fn start(&self, warp: &mut Warp, number: u32, threads: u32, block: &Block, inside: [u32; 3]) {
        let executable = self.launch.executable;
        let lanes = (threads - number * LANES as u32).min(LANES as u32);
        let mask = if lanes == 32 { u32::MAX } else { (1 << lanes) - 1 };
        let kernel = &executable.functions[0];
        warp.number = number;
        warp.block = block.index;
        warp.alive = mask;
        warp.carry = 0;
        warp.meeting = None;
        warp.patience = 0;
        warp.clock = 0;
        warp.epoch = 0;
        warp.undefined = None;
        warp.groups.clear();
        warp.groups.push(Group { mask, ..Group::default() });
        warp.registers.clear();
        warp.registers.resize(kernel.registers as usize, [0; LANES]);
        warp.predicates.clear();
        warp.predicates.resize(kernel.predicates as usize, 0);
        warp.local.clear();
        if kernel.frame > 0 {
            warp.local.resize(LANES, vec![0xa5; kernel.frame as usize]);
        }
        warp.specials.clear();
        let seen = Seen { launch: self.launch, warp: number, block, inside };
        warp.specials.extend(executable.specials.iter().map(|(special, axis)| special(&seen, *axis)));
    }

    /// Lets every warp of a cluster run for a while.
    fn pass(&mut self, cluster: &mut Cluster) -> Result<Pass, Box<Fault>> {
        let (mut ran, mut polled) = (false, true);
        for rank in 0..cluster.blocks.len() {
            let count = cluster.blocks[rank].warps.len();
            let mut first = 0;
            if self.launch.settings.seed != 0 {
                self.random = self.random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                first = (self.random >> 33) as usize;
            }
            for step in 0..count {
                let number = (first.wrapping_add(step)) % count;
                if cluster.blocks[rank].warps[number].groups.is_empty() {
                    continue;
                }
                let mut warp = std::mem::take(&mut cluster.blocks[rank].warps[number]);
                let outcome = self.warp(cluster, rank, &mut warp);
                cluster.blocks[rank].warps[number] = warp;
                let (moved, polls) = outcome?;
                ran |= moved;
                polled &= !moved || polls;
            }
        }
        let is_finished = cluster.blocks.iter().all(|block| block.live == 0);
        match (is_finished, ran) {
            (true, _) => Ok(Pass::Finished),
            (false, true) if polled => Ok(Pass::Polls),
            (false, true) => Ok(Pass::Runs),
            (false, false) => Err(self.stuck(cluster)),
        }
    }

    /// Every thread waits for one that does not come.
    fn stuck(&self, cluster: &Cluster) -> Box<Fault> {
        let (place, instruction) = self.place_of(cluster).unzip();
        let is_barrier = instruction.is_some_and(|instruction| matches!(instruction.op, Op::Barrier(_)));
        let what = if is_barrier { " at a barrier that not all of them reach" } else { "" };
        let place = place.unwrap_or_default();
        let text = format!("its threads wait for each other{what} and nothing ends the wait: {place}");
        Box::new(Fault::plain(super::Kind::Budget, text))
    }

    /// Runs a warp until its groups wait, or for a while. Returns whether it ran, and whether it only polled.
    fn warp(&mut self, cluster: &mut Cluster, rank: usize, warp: &mut Warp) -> Result<(bool, bool), Box<Fault>> {
        let mut moved = false;
        let mut left = QUANTUM;
        while !warp.groups.is_empty() {
            let ready = warp.groups.iter().position(|group| cluster.is_ready(&cluster.blocks[rank], group, warp));
            let Some(at) = ready else {
                self.check_barriers(warp)?;
                if warp.release() {
                    continue;
                }
                return Ok((moved, false));
            };
            moved = true;
            let mut group = warp.groups.remove(at);
            self.polls = 0;
            let before = left;
            self.group(cluster, rank, warp, &mut group, &mut left)?;
            warp.patience += u64::from(before - left) + u64::from(self.polls) * PATIENCE / u64::from(POLLS);
            let polled = self.polls >= POLLS;
            if group.mask != 0 {
                // The groups that wait come first.
                warp.groups.push(group);
            }
            if warp.patience >= PATIENCE {
                warp.patience = 0;
                self.check_barriers(warp)?;
                warp.release();
            }
            if polled || left == 0 {
                return Ok((true, polled));
            }
        }
        Ok((moved, false))
    }
}

impl Cluster {
    fn bytes(&self) -> usize {
        let of_warp =
            |warp: &Warp| warp.registers.len() * size_of::<Lanes>() + warp.local.iter().map(Vec::len).sum::<usize>();
        let of_checks = |block: &Block| block.checks.as_ref().map_or(0, |checks| checks.memory());
        let of_block =
            |block: &Block| block.shared.len() + of_checks(block) + block.warps.iter().map(of_warp).sum::<usize>();
        self.blocks.iter().map(of_block).sum()
    }
}

impl Warp {
    /// Groups that wait at joins go on without those that do not come. Returns whether there are any.
    pub(super) fn release(&mut self) -> bool {
        let mut released = Vec::new();
        for group in &mut self.groups {
            if group.state == State::Joining {
                group.state = State::Ready;
                released.extend(group.joins.pop().map(|join| (join, group.mask)));
            }
        }
        for (join, mask) in &released {
            for group in &mut self.groups {
                for other in &mut group.joins {
                    if (other.pc, other.depth) == (join.pc, join.depth) {
                        other.mask &= !mask;
                    }
                }
            }
        }
        !released.is_empty()
    }

    /// `group` is at its join. Returns whether it goes on.
    pub(super) fn join(&mut self, group: &mut Group) -> bool {
        let Some(join) = group.joins.last().copied() else { return true };
        let same = self.groups.iter().position(|other| {
            let its = other.joins.last();
            other.state == State::Joining
                && other.is_at(group)
                && its.is_some_and(|its| (its.pc, its.depth) == (join.pc, join.depth))
        });
        if let Some(at) = same {
            let other = self.groups.swap_remove(at);
            group.mask |= other.mask;
            group.joins.truncate(common(&group.joins, &other.joins));
            match group.joins.last() {
                Some(last) if (last.pc, last.depth) == (join.pc, join.depth) => {}
                _ => return true,
            }
        }
        if join.mask & self.alive & !group.mask == 0 {
            group.joins.pop();
            return true;
        }
        group.state = State::Joining;
        false
    }

    /// Returns the lanes for which the results of an exchange are there.
    pub(super) fn done(&self) -> u32 {
        self.meeting.as_ref().map_or(0, |meeting| meeting.done)
    }

    /// The groups that wait at the instruction of `group` become a part of it.
    pub(super) fn gather(&mut self, group: &mut Group) {
        let mut index = 0;
        while index < self.groups.len() {
            let other = &self.groups[index];
            if matches!(other.state, State::Together(_)) && other.is_at(group) {
                let other = self.groups.swap_remove(index);
                group.mask |= other.mask;
                group.passed |= other.passed;
                group.joins.truncate(common(&group.joins, &other.joins));
            } else {
                index += 1;
            }
        }
    }
}

/// Returns the number of joins at the start that are the same place.
fn common(first: &[Join], second: &[Join]) -> usize {
    first.iter().zip(second).take_while(|(a, b)| (a.pc, a.depth) == (b.pc, b.depth)).count()
}

/// What a warp sees in the special registers that do not change.
pub(super) struct Seen<'a> {
    launch: &'a Launch<'a>,
    warp: u32,
    block: &'a Block,
    /// The index of the block in its cluster.
    inside: [u32; 3],
}

/// Returns the function of a special register, and its axis.
pub(super) fn special(name: &str) -> Option<(Special, usize)> {
    fn all(value: u32) -> Lanes {
        [u64::from(value); LANES]
    }
    fn each(value: impl Fn(u32) -> u32) -> Lanes {
        std::array::from_fn(|lane| u64::from(value(lane as u32)))
    }
    let (name, axis) = match name.split_once('.') {
        Some((name, part)) => (name, ["x", "y", "z"].iter().position(|axis| *axis == part)?),
        // An axis that no register has.
        None => (name, 3),
    };
    let special: Special = match (name.strip_prefix('%')?, axis) {
        ("tid", ..3) => |seen, axis| each(|lane| seen.launch.geometry.thread(seen.warp * LANES as u32 + lane)[axis]),
        ("ntid", ..3) => |seen, axis| all(seen.launch.geometry.block[axis]),
        ("ctaid", ..3) => |seen, axis| all(seen.block.index[axis]),
        ("nctaid", ..3) => |seen, axis| all(seen.launch.geometry.grid[axis]),
        ("clusterid", ..3) => |seen, axis| all(seen.block.index[axis] / seen.launch.geometry.cluster()[axis]),
        ("nclusterid", ..3) => |seen, axis| all(seen.launch.geometry.grid[axis] / seen.launch.geometry.cluster()[axis]),
        ("cluster_ctaid", ..3) => |seen, axis| all(seen.inside[axis]),
        ("cluster_nctaid", ..3) => |seen, axis| all(seen.launch.geometry.cluster()[axis]),
        (_, ..3) => return None,
        ("cluster_ctarank", _) => |seen, _| all(seen.block.rank),
        ("cluster_nctarank", _) => |seen, _| all(seen.launch.geometry.cluster().iter().product()),
        ("is_explicit_cluster", _) => |seen, _| all(u32::from(seen.launch.geometry.cluster.is_some())),
        ("laneid", _) => |_, _| each(|lane| lane),
        ("warpid", _) => |seen, _| all(seen.warp),
        ("nwarpid", _) => |_, _| all(64),
        ("smid", _) => |seen, _| all(seen.block.index[0] % 132),
        ("nsmid", _) => |_, _| all(132),
        ("gridid", _) => |_, _| all(1),
        ("lanemask_eq", _) => |_, _| each(|lane| 1 << lane),
        ("lanemask_lt", _) => |_, _| each(|lane| (1 << lane) - 1),
        ("lanemask_le", _) => |_, _| each(|lane| u32::MAX >> (31 - lane)),
        ("lanemask_gt", _) => |_, _| each(|lane| !(u32::MAX >> (31 - lane))),
        ("lanemask_ge", _) => |_, _| each(|lane| !((1 << lane) - 1)),
        ("reserved_smem_offset_begin" | "reserved_smem_offset_1", _) => |seen, _| all(seen.launch.reserved()),
        ("reserved_smem_offset_end", _) => |seen, _| all(seen.launch.reserved() + RESERVED),
        ("dynamic_smem_size", _) => |seen, _| all(seen.launch.geometry.shared),
        ("total_smem_size" | "aggr_smem_size", _) => |seen, _| all(seen.launch.shared),
        // Halves of the address of the memory for barriers of the grid.
        ("envreg1", _) => |seen, _| all((seen.launch.workspace >> 32) as u32),
        ("envreg2", _) => |seen, _| all(seen.launch.workspace as u32),
        ("current_graph_exec", _) => |_, _| all(0),
        (name, _) if name.starts_with("envreg") || name.starts_with("pm") => |_, _| all(0),
        _ => return None,
    };
    Some((special, axis))
}
