//! The registers of a body, by name. Names that an inner block declares hide names of outer blocks.

#![allow(clippy::cast_lossless, reason = "`From` is a call for each byte without optimization")]

use crate::ptx::lexer::{DOTTED, WORD};
use alloc::{vec, vec::Vec};

/// A register, or a symbol that is used like one: a parameter, an array in local memory.
pub(super) type Register = u32;

/// The register of instructions without one. It never has a value.
pub(super) const NO_REGISTER: Register = 0;

/// A name with its hash.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name<'t> {
    pub(super) text: &'t [u8],
    hash: u32,
}

const BEGIN: u64 = 0x811c_9dc5;
const PRIME: u64 = 0x0100_0193;
const MASK: u64 = 0xffff_ffff;

/// Adds a byte to a hash: FNV-1a.
const fn hashed(hash: u64, byte: u8) -> u64 {
    ((hash ^ byte as u64) * PRIME) & MASK
}

impl<'t> Name<'t> {
    pub(super) fn of(name: &'t str) -> Self {
        let mut hash = BEGIN;
        for byte in name.as_bytes() {
            hash = hashed(hash, *byte);
        }
        Self { text: name.as_bytes(), hash: hash as u32 }
    }

    /// The identifier that begins here.
    pub(super) fn read(text: &'t [u8], start: usize) -> Self {
        let mut hash = hashed(BEGIN, text[start]);
        let mut at = start + 1;
        while at < text.len() && WORD[text[at] as usize] {
            hash = ((hash ^ text[at] as u64) * PRIME) & MASK;
            at += 1;
        }
        Self { text: &text[start..at], hash: hash as u32 }
    }

    /// The opcode that begins here, with its suffixes: `ld.global.L2::128B.f32`.
    pub(super) fn opcode(text: &'t [u8], start: usize) -> Self {
        let mut hash = hashed(BEGIN, text[start]);
        let mut at = start + 1;
        while at < text.len() {
            if DOTTED[text[at] as usize] {
                hash = ((hash ^ text[at] as u64) * PRIME) & MASK;
                at += 1;
            } else if let [b':', b':', next, ..] = text[at..]
                && WORD[next as usize]
            {
                hash = hashed(hashed(hash, b':'), b':');
                at += 2;
            } else {
                break;
            }
        }
        Self { text: &text[start..at], hash: hash as u32 }
    }

    /// The name as text.
    pub(super) fn as_str(self) -> &'t str {
        core::str::from_utf8(self.text).unwrap_or_default()
    }
}

/// A hash table from names to registers.
pub(super) struct Names<'t> {
    /// The indices of entries plus 1, or 0. The length is a power of two.
    table: Vec<u32>,
    entries: Vec<Entry<'t>>,
    registers: u32,
    /// The entries that open blocks declared, with the register and the depth that each hides.
    hidden: Vec<(u32, Register, u32)>,
    /// The length of `hidden` at the beginning of each open block.
    blocks: Vec<usize>,
    /// `%r<8>` of inner blocks: the depth, the beginning of the names, and their number.
    ranges: Vec<(usize, &'t str, i64)>,
    has_ranges: bool,
}

struct Entry<'t> {
    name: Name<'t>,
    register: Register,
    /// The number of open blocks at its declaration.
    depth: u32,
}

/// The number of entries that a search visits at most. Only names that were made for it collide more often.
const LONGEST_SEARCH: usize = 128;
/// The maximum number of names, and of ranges at a time.
const MOST_NAMES: usize = 1 << 20;
const MOST_RANGES: usize = 32;

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
            has_ranges: false,
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
    pub(super) fn get(&mut self, name: Name<'t>) -> Result<Register, TooMany> {
        let entry = self.entry(name)?;
        if self.has_ranges {
            self.declare_in_range(name, entry)?;
        }
        let entries: &[Entry<'t>] = &self.entries;
        Ok(entries[entry].register)
    }

    /// Calls `each` for all names with their registers. Call it after all blocks are closed.
    pub(super) fn each(&self, mut each: impl FnMut(Name<'t>, Register)) {
        for entry in &self.entries {
            each(entry.name, entry.register);
        }
    }

    /// Declares the names `prefix0`, `prefix1`, … in the innermost block.
    pub(super) fn declare_range(&mut self, prefix: Name<'t>, count: i64) -> Result<(), TooMany> {
        self.has_ranges = true;
        self.ranges.push((self.depth(), prefix.as_str(), count));
        if self.ranges.len() > MOST_RANGES { Err(TooMany) } else { Ok(()) }
    }

    /// Declares a name of a range when it is used first.
    fn declare_in_range(&mut self, name: Name<'t>, entry: usize) -> Result<(), TooMany> {
        let contains = |&&(_, prefix, count): &&(usize, &str, i64)| {
            let digits = name.as_str().strip_prefix(prefix).unwrap_or_default();
            digits.parse::<i64>().is_ok_and(|number| number < count)
        };
        match self.ranges.iter().rev().find(contains) {
            Some((depth, ..)) if (self.entries[entry].depth as usize) < *depth => {
                // The register belongs to the block of the range. In a block inside of it, it would end too early.
                if *depth != self.depth() {
                    return Err(TooMany);
                }
                self.declare(name).map(|_| ())
            }
            _ => Ok(()),
        }
    }

    /// Declares a name in the innermost block. Returns its new register.
    pub(super) fn declare(&mut self, name: Name<'t>) -> Result<Register, TooMany> {
        let entry = self.entry(name)?;
        let (register, depth) = (self.unnamed(), self.depth() as u32);
        let own = &mut self.entries[entry];
        self.hidden.push((entry as u32, own.register, own.depth));
        (own.register, own.depth) = (register, depth);
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
        for (entry, register, depth) in self.hidden.drain(start..).rev() {
            let own = &mut self.entries[entry as usize];
            (own.register, own.depth) = (register, depth);
        }
        let depth = self.depth();
        self.ranges.retain(|range| range.0 <= depth);
        self.has_ranges = !self.ranges.is_empty();
        true
    }

    /// The number of open blocks.
    pub(super) const fn depth(&self) -> usize {
        self.blocks.len()
    }

    fn entry(&mut self, name: Name<'t>) -> Result<usize, TooMany> {
        let table: &[u32] = &self.table;
        let entries: &[Entry<'t>] = &self.entries;
        let mask = table.len() - 1;
        let mut at = name.hash as usize & mask;
        let mut searched = 0;
        while searched < LONGEST_SEARCH {
            let index = table[at] as usize;
            if index == 0 {
                if entries.len() == MOST_NAMES {
                    return Err(TooMany);
                }
                return Ok(self.add(name, at));
            }
            let known = &entries[index - 1].name;
            if known.hash == name.hash && known.text == name.text {
                return Ok(index - 1);
            }
            at = (at + 1) & mask;
            searched += 1;
        }
        Err(TooMany)
    }

    fn add(&mut self, name: Name<'t>, at: usize) -> usize {
        let index = self.entries.len();
        let register = self.unnamed();
        self.entries.push(Entry { name, register, depth: 0 });
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
        let table: &mut [u32] = &mut self.table;
        let mut number = 0;
        for entry in &self.entries {
            number += 1;
            let mut at = entry.name.hash as usize & mask;
            while table[at] != 0 {
                at = (at + 1) & mask;
            }
            table[at] = number;
        }
    }
}
