//! The memory of graphs, and how much of it they use.

use std::{
    collections::HashMap,
    ffi::c_int,
    sync::{Arc, Weak},
};

use super::Block;

/// The memory of all allocation nodes, by its address.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    all: HashMap<u64, Weak<Block>>,
    allocated: HashMap<u64, Arc<Block>>,
    /// By the device: `CUgraphMem_attribute`.
    pub(crate) figures: HashMap<c_int, [u64; 4]>,
}

pub(crate) const USED: usize = 0;
pub(crate) const USED_HIGH: usize = 1;
pub(crate) const RESERVED: usize = 2;
pub(crate) const RESERVED_HIGH: usize = 3;
/// The driver reserves memory in units of 32 MiB (seen with driver 580).
const UNIT: u64 = 32 << 20;

impl Blocks {
    pub(crate) fn add(&mut self, block: &Arc<Block>) {
        self.all.retain(|_, block| block.strong_count() > 0);
        self.all.insert(block.address, Arc::downgrade(block));
    }

    pub(crate) fn get(&self, address: u64) -> Option<Arc<Block>> {
        self.all.get(&address)?.upgrade()
    }

    pub(crate) fn allocated(&mut self, block: Arc<Block>) {
        let device = block.device;
        self.allocated.insert(block.address, block);
        self.count(device);
    }

    pub(crate) fn freed(&mut self, address: u64) {
        if let Some(block) = self.allocated.remove(&address) {
            self.count(block.device);
        }
    }

    pub(crate) fn is_allocated(&self, address: u64) -> bool {
        self.allocated.contains_key(&address)
    }

    fn count(&mut self, device: c_int) {
        let of_device = self.allocated.values().filter(|block| block.device == device);
        let used = of_device.count() as u64 * UNIT;
        let figures = self.figures.entry(device).or_default();
        figures[USED] = used;
        figures[RESERVED] = figures[RESERVED].max(used);
        figures[USED_HIGH] = figures[USED_HIGH].max(used);
        figures[RESERVED_HIGH] = figures[RESERVED_HIGH].max(figures[RESERVED]);
    }
}
