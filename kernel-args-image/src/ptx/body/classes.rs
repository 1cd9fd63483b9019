//! The arithmetic that registers take part in: which of them hold floats, and of which type.

use super::names::Register;
use alloc::{vec, vec::Vec};
use kernel_args_abi::signature::ElementClass;

/// Registers that hold the same element are one group: a copy takes part in what the original takes part in.
#[derive(Default)]
pub(super) struct Classes {
    /// Another register of the same group, or the register itself.
    parents: Vec<Register>,
    /// The classes of a group as bits.
    seen: Vec<u8>,
    /// Copies: destination and source.
    copies: Vec<(Register, Register)>,
    /// Whether an instruction sets each register to a constant.
    constants: Vec<bool>,
}

impl Classes {
    fn find(&mut self, register: Register) -> usize {
        let mut at = register as usize;
        if at >= self.parents.len() {
            self.grow(2 * at + 64);
        }
        let parents: &mut [Register] = &mut self.parents;
        while parents[at] as usize != at {
            let parent = parents[at] as usize;
            parents[at] = parents[parent];
            at = parent;
        }
        at
    }

    fn grow(&mut self, count: usize) {
        self.parents.extend(self.parents.len() as u32..count as u32);
        self.seen.resize(count, 0);
    }

    /// The destination can hold the element in the source.
    pub(super) fn copy(&mut self, to: Register, from: Register) {
        self.copies.push((to, from));
    }

    /// The register can hold a constant. Compilers use one register for an integer 0 and a float 0.
    pub(super) fn constant(&mut self, register: Register) {
        let at = register as usize;
        if at >= self.constants.len() {
            self.constants.resize(2 * at + 64, false);
        }
        self.constants[at] = true;
    }

    /// Called after all instructions: copies of other values than constants are in one group. Returns the classes of each register's
    /// group, as bits.
    pub(super) fn finish(&mut self, registers: usize) -> Vec<u8> {
        for (to, from) in core::mem::take(&mut self.copies) {
            if self.constants.get(from as usize) != Some(&true) {
                self.unite(to, from);
            }
        }
        let mut seen = vec![0; registers];
        let all: &mut [u8] = &mut seen;
        let known = self.parents.len().min(registers);
        let mut register = 0;
        while register < known {
            all[register] = self.of(register as Register);
            register += 1;
        }
        seen
    }

    /// Both hold the same element.
    pub(super) fn unite(&mut self, a: Register, b: Register) {
        let (a, b) = (self.find(a), self.find(b));
        // The smaller number becomes the root: registers are numbered in order, so chains stay short.
        let (root, other) = (a.min(b), a.max(b));
        self.parents[other] = root as u32;
        self.seen[root] |= self.seen[other];
    }

    /// The register takes part in arithmetic of this class.
    pub(super) fn add(&mut self, register: Register, class: ElementClass) {
        if class != ElementClass::Unknown {
            let root = self.find(register);
            self.seen[root] |= 1 << class as u8;
        }
    }

    pub(super) fn add_all(&mut self, registers: impl Iterator<Item = Register>, class: ElementClass) {
        for register in registers {
            self.add(register, class);
        }
    }

    fn of(&mut self, register: Register) -> u8 {
        let root = self.find(register);
        self.seen[root]
    }
}

/// The only class of these bits. `Err` if there are several.
pub(super) fn only(bits: u8) -> Result<ElementClass, ()> {
    let found = |class: &&ElementClass| bits >> **class as u8 & 1 == 1;
    let mut classes = ElementClass::ALL.iter().filter(found);
    match (classes.next(), classes.next()) {
        (class, None) => Ok(class.copied().unwrap_or_default()),
        _ => Err(()),
    }
}
