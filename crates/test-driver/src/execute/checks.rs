//! The checks of accesses that a GPU does not make: uninitialised memory, and races on shared memory.

use std::collections::BTreeMap;

use super::{
    code::Space,
    types::{LANES, Lanes, each, low},
};

/// Which bytes of allocations were written, by their starts: one bit for each byte.
pub(crate) type Written = BTreeMap<u64, Vec<u64>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Load,
    Store,
    /// A store of the value that is there: several threads may do it at once.
    Same,
    /// An atomic operation that uses the value that is there.
    Atomic,
    /// An atomic operation that replaces it.
    Exchange,
}

/// An access of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) what: What,
    /// It is expected that other threads access the same bytes.
    pub(super) is_strong: bool,
    /// The number of the block in its cluster, and of the thread.
    pub(super) thread: u32,
    /// The barriers of the block, and the barriers of the warp, before the access.
    pub(super) epoch: (u32, u32),
    pub(super) pc: (u32, u32),
}

/// The last store or atomic operation of a byte.
#[derive(Clone, Copy, Debug, Default)]
struct Writer {
    /// One more than the thread; 0 for no writer.
    who: u32,
    epoch: u32,
    pc: u32,
    is_strong: bool,
}

/// The reads of a byte by a warp.
#[derive(Clone, Copy, Debug, Default)]
struct Reader {
    /// One more than the warp; 0 for no reader.
    who: u32,
    /// The barriers of the warp before its last reads, and the lanes that have read since, without expecting a writer.
    epoch: u32,
    lanes: u32,
    /// Whether any lane has read without expecting a writer.
    is_weak: bool,
}

/// What is known of a byte of shared memory.
#[derive(Clone, Copy, Debug, Default)]
struct Byte {
    /// One more than the barriers of the block before the accesses that are known.
    epoch: u32,
    is_written: bool,
    /// The last store, and the last atomic operation.
    writers: [Writer; 2],
    /// Two warps are enough: a store races with one of them if there are more.
    readers: [Reader; 2],
}

/// The checks of the shared memory of a block.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Up to the last byte that was accessed.
    bytes: Vec<Byte>,
    /// Its end. What follows belongs to the toolkit's libraries.
    size: usize,
}

impl Writer {
    /// Returns whether nothing orders an access of `touch` behind this one.
    fn races(self, touch: &Touch) -> bool {
        let thread = self.who.wrapping_sub(1);
        let is_ordered_by_warp = thread / 32 == touch.thread / 32
            && (self.epoch != touch.epoch.1 || self.is_strong || touch.is_strong || self.pc == place(touch.pc));
        self.who != 0 && thread != touch.thread && !(self.is_strong && touch.is_strong) && !is_ordered_by_warp
    }
}

impl Reader {
    /// Returns a thread that has read before the store `touch`, and that nothing orders.
    fn races(self, touch: &Touch) -> Option<u32> {
        let warp = self.who.checked_sub(1)?;
        let others = self.lanes & !(1 << (touch.thread % 32));
        let races = if warp == touch.thread / 32 {
            self.epoch == touch.epoch.1 && others != 0 && !touch.is_strong
        } else {
            self.is_weak || !touch.is_strong
        };
        races.then(|| warp * 32 + others.trailing_zeros() % 32)
    }

    fn read(&mut self, touch: &Touch) {
        if self.who != touch.thread / 32 + 1 {
            *self = Self { who: touch.thread / 32 + 1, ..Self::default() };
        }
        if self.epoch != touch.epoch.1 {
            (self.epoch, self.lanes) = (touch.epoch.1, 0);
        }
        if !touch.is_strong {
            self.is_weak = true;
            self.lanes |= 1 << (touch.thread % 32);
        }
    }
}

/// Returns a place in the code, as one number.
fn place((function, pc): (u32, u32)) -> u32 {
    function << 20 ^ pc
}

fn name(thread: u32) -> String {
    match thread >> 16 {
        0 => format!("thread {thread}"),
        block => format!("thread {} of block {block} of the cluster", thread & 0xffff),
    }
}

impl Shared {
    pub(super) fn new(size: usize) -> Self {
        Self { bytes: Vec::new(), size }
    }

    /// Returns the memory that it needs if all bytes are accessed.
    pub(super) fn memory(&self) -> usize {
        self.size * size_of::<Byte>()
    }

    /// Checks an access to `size` bytes, at most 8. Returns the bytes of a load that nothing has written, as a mask.
    ///
    /// # Errors
    /// What is wrong.
    pub(super) fn access(&mut self, at: usize, size: usize, touch: Touch, undefined: u8) -> Result<u8, String> {
        if at + size > self.size {
            return Ok(0);
        }
        if self.bytes.len() < at + size {
            self.bytes.resize(at + size, Byte::default());
        }
        let mut unwritten = 0;
        for (index, byte) in self.bytes[at..at + size].iter_mut().enumerate() {
            if byte.epoch != touch.epoch.0 + 1 {
                *byte = Byte { epoch: touch.epoch.0 + 1, is_written: byte.is_written, ..Byte::default() };
            }
            unwritten |= u8::from(!byte.is_written) << index;
            if touch.what == What::Atomic && !byte.is_written {
                return Err("reads shared memory that nothing has written".into());
            }
            if let Some(writer) = byte.writers.iter().find(|writer| touch.what != What::Same && writer.races(&touch)) {
                let what = if touch.what == What::Load { "reads" } else { "writes" };
                let who = name(writer.who - 1);
                return Err(format!("{what} shared memory that {who} writes without a barrier between"));
            }
            if touch.what == What::Load {
                let [first, second] = &mut byte.readers;
                let own = touch.thread / 32 + 1;
                if first.who == own || first.who == 0 {
                    first.read(&touch);
                } else if second.who == own || second.who == 0 || !second.is_weak {
                    second.read(&touch);
                } else if !first.is_weak {
                    first.read(&touch);
                }
                continue;
            }
            if let Some(reader) = byte.readers.iter().find_map(|reader| reader.races(&touch)) {
                return Err(format!("writes shared memory that {} reads without a barrier between", name(reader)));
            }
            let is_defined = undefined >> index & 1 == 0;
            if touch.what == What::Same && byte.is_written && is_defined {
                continue;
            }
            byte.is_written = is_defined;
            let Touch { thread, is_strong, .. } = touch;
            let is_atomic = matches!(touch.what, What::Atomic | What::Exchange);
            byte.writers[usize::from(is_atomic)] =
                Writer { who: thread + 1, epoch: touch.epoch.1, pc: place(touch.pc), is_strong };
        }
        Ok(if touch.what == What::Load { unwritten } else { 0 })
    }
}

/// Which bytes of memory of the device were written.
#[derive(Debug, Default)]
pub(super) struct Global {
    regions: Vec<(u64, Vec<u64>)>,
    /// The region of the last access.
    recent: usize,
}

impl Global {
    pub(super) fn new(written: Written) -> Self {
        Self { regions: written.into_iter().collect(), recent: 0 }
    }

    pub(super) fn written(&mut self) -> Written {
        std::mem::take(&mut self.regions).into_iter().collect()
    }

    /// Checks an access to `size` bytes, at most 8. Returns the bytes of a load that nothing has written, as a mask.
    ///
    /// # Errors
    /// What is wrong.
    pub(super) fn access(&mut self, address: u64, size: u32, what: What, undefined: u8) -> Result<u8, String> {
        let holds = |(start, bits): &(u64, Vec<u64>)| address >= *start && address - start < 64 * bits.len() as u64;
        if !self.regions.get(self.recent).is_some_and(holds) {
            let after = self.regions.partition_point(|(start, _)| *start <= address);
            let found = after.checked_sub(1).filter(|index| holds(&self.regions[*index]));
            let Some(found) = found else { return Ok(0) };
            self.recent = found;
        }
        let (start, bits) = &mut self.regions[self.recent];
        let at = (address - *start) as usize;
        // Accesses are aligned.
        let (word, shift) = (&mut bits[at / 64], at % 64);
        let mask = low(size) as u8;
        let unwritten = !(*word >> shift) as u8 & mask;
        match what {
            What::Load => return Ok(unwritten),
            What::Atomic if unwritten != 0 => return Err("reads memory that nothing has written".into()),
            _ => {}
        }
        *word = *word & !(u64::from(mask) << shift) | u64::from(mask & !undefined) << shift;
        Ok(0)
    }
}

/// Returns the bits of bytes, of a mask of bytes.
pub(super) fn bits(bytes: u8) -> u64 {
    (0..8).filter(|index| bytes >> index & 1 == 1).fold(0, |bits, index| bits | 0xff << (8 * index))
}

/// Returns the bytes that have any of these bits, as a mask.
pub(super) fn bytes(bits: u64) -> u8 {
    (0..8).fold(0, |bytes, index| bytes | u8::from(bits >> (8 * index) & 0xff != 0) << index)
}

/// A load of memory that nothing has written.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    pub(super) at: (u32, u32),
    pub(super) space: Space,
    pub(super) size: u32,
    pub(super) addresses: Lanes,
    pub(super) mask: u32,
}

/// The undefined bits of a register.
#[derive(Clone, Debug)]
pub(super) struct UndefinedBits {
    pub(super) bits: Lanes,
    /// Lanes whose value is computed, or wholly undefined. Otherwise it is a part of memory that was partly written.
    pub(super) matters: u32,
    pub(super) origin: u32,
}

/// The undefined registers and predicates of a warp, by their places in all of its frames.
#[derive(Debug, Default)]
pub(super) struct Undefined {
    pub(super) registers: BTreeMap<u32, UndefinedBits>,
    pub(super) predicates: BTreeMap<u32, (u32, u32)>,
    pub(super) origins: Vec<Origin>,
}

impl Undefined {
    /// Replaces the lanes of a register in `mask`.
    pub(super) fn set(&mut self, slot: u32, mask: u32, new: &UndefinedBits) {
        let held =
            self.registers.entry(slot).or_insert(UndefinedBits { bits: [0; LANES], matters: 0, origin: new.origin });
        for lane in each(mask) {
            held.bits[lane] = new.bits[lane];
        }
        held.matters = held.matters & !mask | new.matters & mask;
        if new.bits != [0; LANES] {
            held.origin = new.origin;
        }
        if held.bits == [0; LANES] {
            self.registers.remove(&slot);
        }
    }

    pub(super) fn set_predicate(&mut self, slot: u32, mask: u32, lanes: u32, origin: u32) {
        let (held, from) = self.predicates.get(&slot).copied().unwrap_or((0, origin));
        match held & !mask | lanes & mask {
            0 => drop(self.predicates.remove(&slot)),
            new => drop(self.predicates.insert(slot, (new, if lanes == 0 { from } else { origin }))),
        }
    }

    pub(super) fn lanes(&self, slot: u32) -> u32 {
        let bits = self.registers.get(&slot).map(|held| &held.bits);
        bits.map_or(0, |bits| (0..LANES).fold(0, |mask, lane| mask | u32::from(bits[lane] != 0) << lane))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(what: What, thread: u32, epoch: (u32, u32)) -> Touch {
        Touch { what, is_strong: what == What::Atomic, thread, epoch, pc: (0, thread) }
    }

    fn accesses(all: &[(What, u32, (u32, u32))]) -> Option<String> {
        let mut shared = Shared::new(64);
        assert_eq!(shared.access(0, 8, touch(What::Store, 0, (0, 0)), 0), Ok(0));
        let access =
            |(what, thread, (block, warp)): &_| shared.access(4, 4, touch(*what, *thread, (block + 1, *warp)), 0).err();
        all.iter().find_map(access)
    }

    #[test]
    fn threads_race_without_a_barrier() {
        use What::{Atomic, Load, Same, Store};
        for (first, second, races) in [
            ((Store, 0, (0, 0)), (Store, 33, (0, 0)), true),
            ((Store, 0, (0, 0)), (Load, 33, (0, 0)), true),
            ((Store, 0, (0, 0)), (Load, 33, (1, 0)), false),
            ((Store, 0, (0, 0)), (Load, 0, (0, 0)), false),
            ((Store, 0, (0, 0)), (Load, 1, (0, 0)), true),
            ((Store, 0, (0, 0)), (Load, 1, (0, 1)), false),
            ((Atomic, 0, (0, 0)), (Atomic, 33, (0, 0)), false),
            ((Atomic, 0, (0, 0)), (Store, 33, (0, 0)), true),
            ((Store, 0, (0, 0)), (Same, 33, (0, 0)), false),
            ((Load, 0, (0, 0)), (Store, 1, (0, 0)), true),
            ((Load, 0, (0, 0)), (Store, 1, (0, 1)), false),
            ((Load, 0, (0, 0)), (Store, 33, (0, 1)), true),
            ((Load, 0, (0, 0)), (Store, 33, (1, 0)), false),
        ] {
            assert_eq!(accesses(&[first, second]).is_some(), races, "{first:?} {second:?}");
        }
    }

    #[test]
    fn all_readers_of_a_byte_are_known() {
        use What::{Load, Store};
        let reads = |warp: u32, epoch: u32| (0..32).map(move |lane| (Load, 32 * warp + lane, (0, epoch)));
        // All lanes read, and one of them writes behind a barrier of the warp.
        let warp: Vec<_> = reads(0, 0).chain([(Store, 0, (0, 1))]).collect();
        assert_eq!(accesses(&warp), None);
        let warp: Vec<_> = reads(0, 0).chain([(Store, 0, (0, 0))]).collect();
        assert!(accesses(&warp).is_some_and(|text| text.contains("thread 1 reads")));
        // A barrier of the warp does not order other warps, however many they are.
        for writer in 0..4 {
            let all: Vec<_> = (0..4).flat_map(|warp| reads(warp, 0)).chain([(Store, 32 * writer, (0, 1))]).collect();
            assert!(accesses(&all).is_some(), "{writer}");
        }
    }

    #[test]
    fn bytes_that_nothing_has_written_are_known() {
        let mut global = Global::new(Written::from([(0x1000, vec![0; 2])]));
        assert_eq!(global.access(0x1008, 4, What::Store, 0b0010), Ok(0));
        assert_eq!(global.access(0x1008, 8, What::Load, 0), Ok(0b1111_0010));
        assert!(global.access(0x1010, 4, What::Atomic, 0).is_err());
        assert_eq!(global.access(0x1010, 4, What::Exchange, 0), Ok(0));
        assert_eq!(global.access(0x1010, 4, What::Atomic, 0), Ok(0));
        assert_eq!(global.access(0x2000, 4, What::Load, 0), Ok(0), "memory that is not tracked");
        assert_eq!(global.written()[&0x1000], [0x000f_0d00, 0]);
        for mask in 0..=255 {
            assert_eq!(bytes(bits(mask)), mask);
        }
    }
}
