//! What a body does with a slot.

use super::{
    code::{Element, Mode, Origin},
    value::Stride,
};
use alloc::vec::Vec;
use kernel_args_abi::signature::{Certainty, ElementClass};

/// What a body does with a slot.
#[derive(Clone, Default, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct SlotUse {
    pub(super) is_used: bool,
    pub(super) read: Certainty,
    pub(super) written: Certainty,
    pub(super) is_atomic: bool,
    pub(super) escapes: bool,
    pub(super) is_handle: bool,
    /// Whether it is converted to an address of global memory, or accessed.
    pub(super) is_pointer: bool,
    pub(super) arithmetic: Option<Origin>,
    pub(super) write: Option<Origin>,
    /// The different accesses that certainly use the slot.
    pub(super) patterns: Vec<Pattern>,
    /// The alignment in bytes that every access through the slot needs: the least of all. 0 without an access.
    pub(super) alignment: u32,
    /// Whether there are more patterns than are kept.
    pub(super) has_more: bool,
}

/// A kind of access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pattern {
    pub(super) mode: Mode,
    /// The arithmetic of the element. Unknown if it is of several classes, which `is_mixed` shows.
    pub(super) arithmetic: ElementClass,
    pub(super) is_mixed: bool,
    /// The class of the opcode.
    pub(super) class: ElementClass,
    pub(super) bytes: u8,
    pub(super) is_vector: bool,
    pub(super) stride: Stride,
    pub(super) origin: Origin,
}

/// The maximum number of patterns. With more, no elements are claimed.
const MOST_PATTERNS: usize = 64;
/// A possible access.
pub(super) fn weaken(slot: &mut SlotUse, mode: Mode) {
    let possible = |certainty: &mut Certainty| *certainty = (*certainty).max(Certainty::Possible);
    if mode != Mode::Write {
        possible(&mut slot.read);
    }
    if mode != Mode::Read {
        possible(&mut slot.written);
    }
    slot.needs(1);
}

impl SlotUse {
    /// An access needs this alignment, a power of two.
    pub(super) fn needs(&mut self, alignment: u32) {
        self.alignment = match self.alignment {
            0 => alignment,
            known => known.min(alignment),
        };
    }

    /// An access that certainly uses the slot.
    pub(super) fn access(&mut self, pattern: Pattern) {
        self.is_pointer = true;
        if pattern.mode != Mode::Write {
            self.read = Certainty::Certain;
        }
        if pattern.mode != Mode::Read {
            self.written = Certainty::Certain;
            self.write.get_or_insert(pattern.origin);
        }
        self.is_atomic |= pattern.mode == Mode::Atomic;
        let same = |known: &&mut Pattern| {
            let origin = known.origin;
            Pattern { origin, ..pattern } == **known
        };
        if self.patterns.iter_mut().find(same).is_some() {
            return;
        }
        if self.patterns.len() == MOST_PATTERNS {
            self.has_more = true;
        } else {
            self.patterns.push(pattern);
        }
    }
}

/// The pattern of an access, with the arithmetic that its register takes part in.
pub(super) fn pattern(element: Element, mode: Mode, origin: Origin, seen: &[u8]) -> Pattern {
    let bits = seen.get(element.register as usize).copied();
    let own = match element.arithmetic {
        ElementClass::Unknown => 0,
        class => 1 << class as u8,
    };
    let arithmetic = super::classes::only(bits.unwrap_or_default() | own);
    Pattern {
        mode,
        arithmetic: arithmetic.unwrap_or_default(),
        is_mixed: arithmetic.is_err(),
        class: element.class,
        bytes: element.bytes,
        is_vector: element.is_vector,
        stride: Stride::default(),
        origin,
    }
}
