//! Abstract values: from which parameters a register can be computed, and how.
//!
//! A form is a sum of slots (8 bytes of a parameter) with coefficients, plus any number: `p + 4 * i` has the form
//! `{p: 1}`. A register has a set of forms, because different instructions can define it. Sets and forms are numbers
//! in an [`Arena`], so equal ones are compared and combined fast.

use super::interner::{Hashed, Interner};
use alloc::{vec, vec::Vec};

/// The number of a slot.
pub(super) type SlotId = u16;

/// The slot of a form whose value may be an address from elsewhere: from memory, or from other bits.
pub(super) const ELSEWHERE: SlotId = SlotId::MAX;

/// A coefficient: 1, -1, or any other number, which stays [`Factor::Other`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Factor {
    Plus,
    Minus,
    Other,
}

/// A part of a form.
pub(super) type Term = (SlotId, Factor);

/// The number of a set of forms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Set(u32);

/// The number of a set of slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Slots(u32);

/// The maximum number of forms in a set, and of terms in a form. A larger set is [`Set::ANY`].
const MOST_FORMS: usize = 12;
const MOST_TERMS: usize = 6;
/// The maximum number of different sets. Real kernels have a few hundred.
const MOST_SETS: usize = 1 << 15;
/// The maximum number of slots in all sets of slots.
const MOST_SLOTS: usize = 1 << 21;

impl Set {
    /// No value: the register is not defined.
    pub(super) const NONE: Self = Self(0);
    /// A number.
    pub(super) const NUMBER: Self = Self(1);
    /// A value from elsewhere.
    pub(super) const ELSEWHERE: Self = Self(2);
    /// Too many forms. It stays so.
    pub(super) const ANY: Self = Self(3);
}

impl Slots {
    pub(super) const NONE: Self = Self(0);
}

/// All sets. The sorted lists behind the numbers.
pub(super) struct Arena {
    forms: Interner<Term>,
    sets: Interner<u32>,
    slots: Interner<SlotId>,
    /// The last results of operations: a cache with one place for each hash.
    results: Vec<([u32; 3], u32)>,
    /// Whether there were too many sets. No result is right then.
    pub(super) is_full: bool,
    /// The number of operations that were not in the cache, weighted by their cost.
    pub(super) work: u64,
}

/// Operations of two sets, for the cache.
const UNITE: u32 = 1;
const ADD: u32 = 2;
const SUBTRACT: u32 = 3;
const UNITE_SLOTS: u32 = 4;
const SLOTS_OF: u32 = 5;

const CACHED: usize = 1 << 10;

impl Arena {
    pub(super) fn new() -> Self {
        let mut arena = Self {
            forms: Interner::new(),
            sets: Interner::new(),
            slots: Interner::new(),
            results: vec![([0; 3], 0); CACHED],
            is_full: false,
            work: 0,
        };
        // In the order of the constants of `Set` and `Slots`.
        let number = arena.forms.intern(&[]);
        let elsewhere = arena.forms.intern(&[(ELSEWHERE, Factor::Plus)]);
        arena.sets.intern(&[]);
        arena.sets.intern(&[number]);
        arena.sets.intern(&[elsewhere]);
        arena.sets.intern(&[u32::MAX]);
        arena.slots.intern(&[]);
        arena
    }

    /// The set of one form: this slot.
    pub(super) fn slot(&mut self, slot: SlotId) -> Set {
        let form = self.forms.intern(&[(slot, Factor::Plus)]);
        self.set(&[form])
    }

    fn set(&mut self, forms: &[u32]) -> Set {
        if forms.len() > MOST_FORMS {
            return Set::ANY;
        }
        self.is_full |= self.sets.len() > MOST_SETS || self.forms.len() > MOST_SETS;
        if self.is_full {
            return Set::ANY;
        }
        Set(self.sets.intern(forms))
    }

    /// The forms of a set. None for [`Set::ANY`].
    pub(super) fn forms(&self, set: Set) -> impl Iterator<Item = &[Term]> {
        let forms = if set == Set::ANY { &[] } else { self.sets.get(set.0) };
        forms.iter().map(|form| self.forms.get(*form))
    }

    /// The only slot of the only form.
    pub(super) fn sole(&self, set: Set) -> Option<SlotId> {
        let mut forms = self.forms(set);
        match (forms.next()?, forms.next()) {
            ([(slot, Factor::Plus)], None) if *slot != ELSEWHERE => Some(*slot),
            _ => None,
        }
    }

    /// The slots in a set of slots.
    pub(super) fn list(&self, slots: Slots) -> &[SlotId] {
        self.slots.get(slots.0)
    }

    pub(super) fn slots(&mut self, sorted: &[SlotId]) -> Slots {
        self.is_full |= self.slots.len() > MOST_SETS || self.slots.size() > MOST_SLOTS;
        if self.is_full {
            return Slots::NONE;
        }
        Slots(self.slots.intern(sorted))
    }

    pub(super) fn unite_slots(&mut self, a: Slots, b: Slots) -> Slots {
        if a == b || b == Slots::NONE {
            return a;
        }
        if a == Slots::NONE {
            return b;
        }
        let result = self.cached(UNITE_SLOTS, a.0, b.0, |arena| {
            let mut all = [arena.list(a), arena.list(b)].concat();
            arena.work += all.len() as u64;
            all.sort_unstable();
            all.dedup();
            arena.slots(&all).0
        });
        Slots(result)
    }

    /// All slots in the forms of a set.
    pub(super) fn slots_of(&mut self, set: Set) -> Slots {
        if set <= Set::ANY {
            return Slots::NONE;
        }
        let result = self.cached(SLOTS_OF, set.0, 0, |arena| {
            let terms = arena.forms(set).flatten().map(|(slot, _)| *slot);
            let mut slots: Vec<SlotId> = terms.filter(|slot| *slot != ELSEWHERE).collect();
            slots.sort_unstable();
            slots.dedup();
            arena.slots(&slots).0
        });
        Slots(result)
    }

    pub(super) fn unite(&mut self, a: Set, b: Set) -> Set {
        if a == b || b == Set::NONE {
            return a;
        }
        if a == Set::NONE {
            return b;
        }
        if a == Set::ANY || b == Set::ANY {
            return Set::ANY;
        }
        let result = self.cached(UNITE, a.0, b.0, |arena| {
            let mut all = [arena.sets.get(a.0), arena.sets.get(b.0)].concat();
            all.sort_unstable();
            all.dedup();
            arena.set(&all).0
        });
        Set(result)
    }

    pub(super) fn add(&mut self, a: Set, b: Set) -> Set {
        match (a, b) {
            (Set::NONE, _) | (_, Set::NONE) => Set::NONE,
            (Set::NUMBER, other) | (other, Set::NUMBER) => other,
            (Set::ANY, _) | (_, Set::ANY) => Set::ANY,
            _ => Set(self.cached(ADD, a.0, b.0, |arena| arena.combine(a, b, false))),
        }
    }

    pub(super) fn subtract(&mut self, a: Set, b: Set) -> Set {
        match (a, b) {
            (Set::NONE, _) | (_, Set::NONE) => Set::NONE,
            (other, Set::NUMBER) => other,
            (Set::ANY, _) | (_, Set::ANY) => Set::ANY,
            _ => Set(self.cached(SUBTRACT, a.0, b.0, |arena| arena.combine(a, b, true))),
        }
    }

    fn combine(&mut self, a: Set, b: Set, is_difference: bool) -> u32 {
        let (own, others) = (self.sets.get(a.0).to_vec(), self.sets.get(b.0).to_vec());
        self.work += 4 * (own.len() * others.len()) as u64;
        let mut all = Vec::new();
        for one in &own {
            for other in &others {
                let terms = sum(self.forms.get(*one), self.forms.get(*other), is_difference);
                if terms.len() > MOST_TERMS {
                    return Set::ANY.0;
                }
                all.push(self.forms.intern(&terms));
            }
        }
        all.sort_unstable();
        all.dedup();
        self.set(&all).0
    }

    fn cached(&mut self, operation: u32, a: u32, b: u32, run: impl FnOnce(&mut Self) -> u32) -> u32 {
        let key = [operation, a, b];
        let place = a.wrapping_mul(31).wrapping_add(b).wrapping_mul(7) ^ operation;
        let place = place as usize % CACHED;
        if self.results[place].0 == key {
            return self.results[place].1;
        }
        self.work += 8;
        let result = run(self);
        self.results[place] = (key, result);
        result
    }
}

/// The sum or difference of two forms.
fn sum(a: &[Term], b: &[Term], is_difference: bool) -> Vec<Term> {
    let mut terms = a.to_vec();
    for &(slot, factor) in b {
        let factor = match factor {
            Factor::Plus if is_difference => Factor::Minus,
            Factor::Minus if is_difference => Factor::Plus,
            factor => factor,
        };
        let Some(at) = terms.iter().position(|term| term.0 == slot) else {
            terms.push((slot, factor));
            continue;
        };
        match (terms[at].1, factor) {
            // Two values from elsewhere are different values.
            _ if slot == ELSEWHERE => terms[at].1 = Factor::Other,
            (Factor::Plus, Factor::Minus) | (Factor::Minus, Factor::Plus) => {
                terms.remove(at);
            }
            _ => terms[at].1 = Factor::Other,
        }
    }
    terms.sort_unstable();
    terms
}

impl Hashed for SlotId {
    fn bits(self) -> u32 {
        self.into()
    }
}

impl Hashed for Term {
    fn bits(self) -> u32 {
        u32::from(self.0) << 2 | self.1 as u32
    }
}
