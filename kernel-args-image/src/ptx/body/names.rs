//! The registers of a body, by name. Names that an inner block declares hide names of outer blocks.

use alloc::{vec, vec::Vec};

/// A register, or a symbol that is used like one: a parameter, an array in local memory.
pub(super) type Register = u32;

/// The register of instructions without one. It never has a value.
pub(super) const NO_REGISTER: Register = 0;

/// A hash table from names to registers.
pub(super) struct Names<'t> {
    /// The indices of entries plus 1, or 0. The length is a power of two.
    table: Vec<u32>,
    entries: Vec<Entry<'t>>,
    registers: u32,
    /// The entries that open blocks declared, with the register that each hides.
    hidden: Vec<(u32, Register)>,
    /// The length of `hidden` at the beginning of each open block.
    blocks: Vec<usize>,
    /// `%r<8>` of inner blocks: the depth, the beginning of the names, and their number.
    ranges: Vec<(usize, &'t str, i64)>,
}

struct Entry<'t> {
    name: &'t str,
    hash: u32,
    register: Register,
}

/// The number of entries that a search visits at most. Only names that were made for it collide more often.
const LONGEST_SEARCH: usize = 256;
/// The maximum number of names.
const MOST_NAMES: usize = 1 << 21;

/// Too many names with equal hashes, or names in a block that cannot be followed.
pub(super) struct TooMany;

impl<'t> Names<'t> {
    pub(super) fn new() -> Self {
        Self {
            table: vec![0; 256],
            entries: Vec::new(),
            registers: NO_REGISTER + 1,
            hidden: Vec::new(),
            blocks: Vec::new(),
            ranges: Vec::new(),
        }
    }

    /// The number of registers, including [`NO_REGISTER`].
    pub(super) const fn count(&self) -> usize {
        self.registers as usize
    }

    /// A register without a name.
    pub(super) fn unnamed(&mut self) -> Register {
        self.registers += 1;
        self.registers - 1
    }

    /// The register with this name.
    pub(super) fn get(&mut self, name: &'t str) -> Result<Register, TooMany> {
        let entry = self.entry(name)?;
        if !self.ranges.is_empty() {
            self.declare_in_range(name, entry as u32)?;
        }
        Ok(self.entries[entry].register)
    }

    /// Declares the names `prefix0`, `prefix1`, … in the innermost block.
    pub(super) fn declare_range(&mut self, prefix: &'t str, count: i64) {
        self.ranges.push((self.depth(), prefix, count));
    }

    /// Declares a name of a range when it is used first.
    fn declare_in_range(&mut self, name: &'t str, entry: u32) -> Result<(), TooMany> {
        let contains = |&&(_, prefix, count): &&(usize, &str, i64)| {
            let digits = name.strip_prefix(prefix).unwrap_or_default();
            digits.parse::<i64>().is_ok_and(|number| number < count)
        };
        let Some(&(depth, ..)) = self.ranges.iter().rev().find(contains) else {
            return Ok(());
        };
        let start = self.blocks.get(depth.wrapping_sub(1)).copied();
        let declared = self.hidden.get(start.unwrap_or_default()..);
        if declared
            .unwrap_or_default()
            .iter()
            .any(|(known, _)| *known == entry)
        {
            return Ok(());
        }
        // The register belongs to the block of the range. In a block inside of it, it would end too early.
        if depth != self.depth() {
            return Err(TooMany);
        }
        self.declare(name).map(|_| ())
    }

    /// Declares a name in the innermost block. Returns its new register.
    pub(super) fn declare(&mut self, name: &'t str) -> Result<Register, TooMany> {
        let entry = self.entry(name)?;
        let register = self.unnamed();
        let old = core::mem::replace(&mut self.entries[entry].register, register);
        self.hidden.push((entry as u32, old));
        Ok(register)
    }

    pub(super) fn open(&mut self) {
        self.blocks.push(self.hidden.len());
    }

    /// Returns whether a block was open.
    pub(super) fn close(&mut self) -> bool {
        let Some(start) = self.blocks.pop() else {
            return false;
        };
        for (entry, old) in self.hidden.drain(start..).rev() {
            self.entries[entry as usize].register = old;
        }
        let depth = self.depth();
        self.ranges.retain(|range| range.0 <= depth);
        true
    }

    /// The number of open blocks.
    pub(super) const fn depth(&self) -> usize {
        self.blocks.len()
    }

    fn entry(&mut self, name: &'t str) -> Result<usize, TooMany> {
        let hash = hash(name.as_bytes());
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        for _ in 0..LONGEST_SEARCH {
            let Some(index) = self.table[at].checked_sub(1) else {
                if self.entries.len() == MOST_NAMES {
                    return Err(TooMany);
                }
                return Ok(self.add(name, hash, at));
            };
            let entry = &self.entries[index as usize];
            if entry.hash == hash && entry.name == name {
                return Ok(index as usize);
            }
            at = (at + 1) & mask;
        }
        Err(TooMany)
    }

    fn add(&mut self, name: &'t str, hash: u32, at: usize) -> usize {
        let index = self.entries.len();
        let register = self.unnamed();
        self.entries.push(Entry {
            name,
            hash,
            register,
        });
        self.table[at] = index as u32 + 1;
        if 2 * self.entries.len() > self.table.len() {
            self.grow();
        }
        index
    }

    fn grow(&mut self) {
        let mask = 4 * self.table.len() - 1;
        self.table.clear();
        self.table.resize(mask + 1, 0);
        for (index, entry) in self.entries.iter().enumerate() {
            let mut at = entry.hash as usize & mask;
            while self.table[at] != 0 {
                at = (at + 1) & mask;
            }
            self.table[at] = index as u32 + 1;
        }
    }
}

/// Eight bytes at a time: most names of registers have at most eight.
pub(super) fn hash(bytes: &[u8]) -> u32 {
    let mut hash = bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    (hash >> 32) as u32
}
