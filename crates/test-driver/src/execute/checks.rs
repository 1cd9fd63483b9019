//! The checks of accesses that a GPU does not make: uninitialised memory, and races on shared memory.

use std::collections::{BTreeMap, HashMap};

/// Which bytes of allocations were written, by their starts: one bit for each byte.
pub(crate) type Written = BTreeMap<u64, Vec<u64>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Load,
    Store,
    /// A store of the value that is there: several threads may do it at once.
    Same,
    Atomic,
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

/// What is known of a byte of shared memory.
#[derive(Clone, Copy, Debug, Default)]
struct Byte {
    is_written: bool,
    /// The last store, and the last atomic operation.
    writers: [Option<Touch>; 2],
    reader: Option<Touch>,
    /// More than one thread has read it since.
    many: bool,
}

/// The state of all checks of a launch.
#[derive(Debug, Default)]
pub(super) struct Checks {
    blocks: HashMap<u64, Vec<Byte>>,
    pub(super) written: Written,
    serial: u64,
}

/// Blocks that are remembered: the blocks of a launch run in turn.
const BLOCKS: usize = 4096;

impl Touch {
    /// Whether nothing orders an access of `touch` behind this one.
    fn races(&self, touch: &Self) -> bool {
        let is_same_warp = self.thread / 32 == touch.thread / 32;
        self.thread != touch.thread
            && self.epoch.0 == touch.epoch.0
            && !(self.is_strong && touch.is_strong)
            && !(is_same_warp && (self.epoch.1 != touch.epoch.1 || self.is_strong || touch.is_strong))
            && !(is_same_warp && self.pc == touch.pc)
    }
}

fn name(thread: u32) -> String {
    match thread >> 16 {
        0 => format!("thread {thread}"),
        block => format!("thread {} of block {block} of the cluster", thread & 0xffff),
    }
}

impl Checks {
    pub(super) fn new(written: Written) -> Self {
        Self { written, ..Self::default() }
    }

    pub(super) fn new_block(&mut self, shared: usize) -> u64 {
        self.serial += 1;
        if self.blocks.len() >= BLOCKS {
            self.blocks.remove(&(self.serial - BLOCKS as u64));
        }
        self.blocks.insert(self.serial, vec![Byte::default(); shared]);
        self.serial
    }

    /// Checks an access to `size` bytes of shared memory of a block. Returns what is wrong.
    pub(super) fn shared(&mut self, block: u64, address: u64, size: u32, touch: Touch) -> Option<String> {
        let bytes = self.blocks.get_mut(&block)?;
        let at = usize::try_from(address).ok()?;
        for byte in bytes.get_mut(at..at + size as usize)? {
            if touch.what == What::Load && !byte.is_written {
                return Some("reads shared memory that nothing has written".into());
            }
            let mut writers = byte.writers.into_iter().flatten();
            if let Some(writer) = writers.find(|writer| touch.what != What::Same && writer.races(&touch)) {
                let what = if touch.what == What::Load { "reads" } else { "writes" };
                return Some(format!(
                    "{what} shared memory that {} writes without a barrier between",
                    name(writer.thread)
                ));
            }
            if touch.what == What::Load {
                byte.many = byte
                    .reader
                    .is_some_and(|reader| reader.epoch == touch.epoch && (byte.many || reader.thread != touch.thread));
                byte.reader = Some(touch);
                continue;
            }
            let raced = byte.reader.filter(|reader| {
                reader.races(&touch) || byte.many && Touch { thread: u32::MAX, ..*reader }.races(&touch)
            });
            if let Some(reader) = raced {
                return Some(format!(
                    "writes shared memory that {} reads without a barrier between",
                    name(reader.thread)
                ));
            }
            if touch.what == What::Same && byte.is_written {
                continue;
            }
            byte.is_written = true;
            byte.writers[usize::from(touch.what == What::Atomic)] = Some(touch);
        }
        None
    }

    /// Checks an access to memory of the device.
    pub(super) fn global(&mut self, address: u64, size: u32, what: What) -> Option<String> {
        let (start, bits) = self.written.range_mut(..=address).next_back()?;
        let first = usize::try_from(address - start).ok()?;
        for at in first..first + size as usize {
            let word = bits.get_mut(at / 64)?;
            if what == What::Load && *word >> (at % 64) & 1 == 0 {
                return Some("reads memory that nothing has written".into());
            }
            if what != What::Load {
                *word |= 1 << (at % 64);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(what: What, thread: u32, epoch: (u32, u32)) -> Touch {
        Touch { what, is_strong: what == What::Atomic, thread, epoch, pc: (0, thread) }
    }

    #[test]
    fn threads_race_without_a_barrier() {
        for (first, second, races) in [
            ((What::Store, 0, (0, 0)), (What::Store, 33, (0, 0)), true),
            ((What::Store, 0, (0, 0)), (What::Load, 33, (0, 0)), true),
            ((What::Store, 0, (0, 0)), (What::Load, 33, (1, 0)), false),
            ((What::Store, 0, (0, 0)), (What::Load, 0, (0, 0)), false),
            ((What::Store, 0, (0, 0)), (What::Load, 1, (0, 0)), true),
            ((What::Store, 0, (0, 0)), (What::Load, 1, (0, 1)), false),
            ((What::Atomic, 0, (0, 0)), (What::Atomic, 33, (0, 0)), false),
            ((What::Atomic, 0, (0, 0)), (What::Store, 33, (0, 0)), true),
            ((What::Store, 0, (0, 0)), (What::Same, 33, (0, 0)), false),
            ((What::Same, 0, (0, 0)), (What::Load, 33, (0, 0)), true),
        ] {
            let mut checks = Checks::default();
            let block = checks.new_block(64);
            assert_eq!(checks.shared(block, 4, 4, touch(first.0, first.1, first.2)), None);
            let found = checks.shared(block, 4, 4, touch(second.0, second.1, second.2));
            assert_eq!(found.is_some(), races, "{first:?} {second:?}");
        }
    }
}
