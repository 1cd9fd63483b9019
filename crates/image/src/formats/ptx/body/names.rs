//! The registers of a body, by name. Names of an inner block hide names of outer blocks.

#![allow(clippy::cast_lossless, reason = "see `formats::bytes`")]

use crate::formats::ptx::lexer::{DOTTED, WORD};
use crate::prelude::*;

/// A register, or a symbol that is used like one: a parameter, an array in local memory.
pub(super) type Register = u32;

/// The register of instructions without one: an unknown number.
pub(super) const NO_REGISTER: Register = 0;

/// A name with its hash: FNV-1a.
#[derive(Clone, Copy)]
pub(super) struct Name<'t> {
    pub(super) text: &'t [u8],
    hash: u32,
}

impl<'t> Name<'t> {
    pub(super) fn of(name: &'t str) -> Self {
        Self::read(name.as_bytes(), 0, false)
    }

    /// Returns the identifier that begins here. With `is_opcode`, with all suffixes: `ld.global.L2::128B.f32`.
    pub(super) fn read(text: &'t [u8], start: usize, is_opcode: bool) -> Self {
        const PRIME: u64 = 0x0100_0193;
        let class = if is_opcode { &DOTTED } else { &WORD };
        let (mut hash, mut at) = (0x811c_9dc5, start);
        loop {
            while at == start || at < text.len() && class[text[at] as usize] {
                hash = ((hash ^ text[at] as u64) * PRIME) & 0xffff_ffff;
                at += 1;
            }
            if !is_opcode || !matches!(text.get(at..at + 3), Some([b':', b':', next]) if WORD[*next as usize]) {
                return Self { text: &text[start..at], hash: hash as u32 };
            }
            at += 2;
        }
    }

    pub(super) fn as_str(self) -> &'t str {
        core::str::from_utf8(self.text).unwrap_or_default()
    }
}

pub(super) struct Names<'t> {
    /// The indices of entries plus 1, or 0. The length is a power of two.
    table: Vec<u32>,
    pub(super) entries: Vec<(Name<'t>, Register)>,
    pub(super) registers: u32,
    /// The entries that open blocks declared, with the register that each hides.
    hidden: Vec<(u32, Register)>,
    /// The length of `hidden` at the beginning of each open block.
    blocks: Vec<usize>,
}

/// The entries that a search visits at most. Only names that were made for it collide more often.
const LONGEST_SEARCH: usize = 128;
const MOST_NAMES: usize = 1 << 20;

/// A body is not PTX, is too large, or needs too much work.
pub(super) struct NoClaim;

impl<'t> Names<'t> {
    pub(super) fn new(registers: u32) -> Self {
        Self { table: vec![0; 256], entries: Vec::new(), registers, hidden: Vec::new(), blocks: Vec::new() }
    }

    pub(super) const fn unnamed(&mut self) -> Register {
        self.registers += 1;
        self.registers - 1
    }

    pub(super) fn get(&mut self, name: Name<'t>) -> Result<Register, NoClaim> {
        let entry = self.entry(name)?;
        let entries: &[(Name<'t>, Register)] = &self.entries;
        Ok(entries[entry].1)
    }

    pub(super) fn declare(&mut self, name: Name<'t>, register: Register) -> Result<(), NoClaim> {
        let entry = self.entry(name)?;
        let old = core::mem::replace(&mut self.entries[entry].1, register);
        self.hidden.push((entry as u32, old));
        Ok(())
    }

    pub(super) fn open(&mut self) {
        self.blocks.push(self.hidden.len());
    }

    pub(super) fn close(&mut self) {
        for (entry, old) in self.hidden.drain(self.blocks.pop().unwrap_or_default()..).rev() {
            self.entries[entry as usize].1 = old;
        }
    }

    pub(super) const fn depth(&self) -> usize {
        self.blocks.len()
    }

    fn entry(&mut self, name: Name<'t>) -> Result<usize, NoClaim> {
        let at = self.find(name)?;
        let number = self.table[at] as usize;
        if number > 0 {
            return Ok(number - 1);
        }
        if self.entries.len() == MOST_NAMES {
            return Err(NoClaim);
        }
        let register = self.unnamed();
        self.entries.push((name, register));
        self.table[at] = self.entries.len() as u32;
        if 2 * self.entries.len() > self.table.len() {
            self.table = vec![0; 4 * self.table.len()];
            for index in 0..self.entries.len() {
                let at = self.find(self.entries[index].0)?;
                self.table[at] = index as u32 + 1;
            }
        }
        Ok(self.entries.len() - 1)
    }

    fn find(&self, name: Name<'t>) -> Result<usize, NoClaim> {
        let (table, entries): (&[u32], &[(Name<'t>, Register)]) = (&self.table, &self.entries);
        let mask = table.len() - 1;
        let (mut at, mut searched) = (name.hash as usize & mask, 0);
        while searched < LONGEST_SEARCH {
            let number = table[at] as usize;
            if number == 0 || entries[number - 1].0.hash == name.hash && entries[number - 1].0.text == name.text {
                return Ok(at);
            }
            at = (at + 1) & mask;
            searched += 1;
        }
        Err(NoClaim)
    }
}
