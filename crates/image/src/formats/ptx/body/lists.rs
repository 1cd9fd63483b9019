//! What a value can be computed from: sorted lists of atoms, each with a number to compare and combine lists fast.

use super::names::NoClaim;
use crate::prelude::*;

/// The number of a slot: 8 bytes of a parameter.
pub(super) type SlotId = u16;
/// The number of a parameter, or of an array in local memory.
pub(super) type SymbolId = u32;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Atom {
    /// Anything: a list with more atoms than are kept.
    Any,
    /// A value from memory or from code that is not known, or one that was assembled from parts.
    Elsewhere,
    /// The address of a variable in global, shared or constant memory.
    Variable,
    Slot(SlotId),
    /// 8 bytes that were loaded through a slot.
    Loaded(SlotId),
    Address(SymbolId),
    /// What is in a parameter or in local memory, at an offset that is not known.
    Contents(SymbolId),
}

/// An atom, and whether it is subtracted.
type Term = (Atom, bool);

#[derive(Clone, Copy, PartialEq, Default)]
pub(super) struct List(pub(super) u32);

impl List {
    pub(super) const EMPTY: Self = Self(0);
    pub(super) const ANY: Self = Self(1);
    pub(super) const ELSEWHERE: Self = Self(2);
    pub(super) const VARIABLE: Self = Self(3);
    /// No list: the result is not exact.
    const NONE: Self = Self(u32::MAX);
}

/// A longer list is [`List::ANY`].
const MOST_ATOMS: usize = 24;
const MOST_TERMS: usize = 4;
/// Real texts have a few hundred.
const MOST_LISTS: usize = 1 << 14;
const REMEMBERED: usize = 1 << 10;

/// All lists, and the work that is left: every loop pays for its turns.
pub(super) struct Lists {
    all: Vec<Box<[Term]>>,
    numbers: BTreeMap<Vec<u8>, usize>,
    results: Vec<((Combination, List, List), List)>,
    budget: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum Combination {
    Parts,
    Unite,
    Add,
    Subtract,
}

impl Lists {
    pub(super) fn new(budget: u64) -> Self {
        let none = ((Combination::Parts, List::NONE, List::NONE), List::NONE);
        let mut lists = Self { all: Vec::new(), numbers: BTreeMap::new(), results: vec![none; REMEMBERED], budget };
        lists.of(&[]);
        // In the order of the constants of `List`.
        for atom in [Atom::Any, Atom::Elsewhere, Atom::Variable] {
            lists.atom(atom);
        }
        lists
    }

    pub(super) fn clear_if_full(&mut self) {
        if self.all.len() >= MOST_LISTS {
            *self = Self::new(self.budget);
        }
    }

    pub(super) fn pay(&mut self, work: usize) -> Result<(), NoClaim> {
        self.budget = self.budget.saturating_sub(work as u64);
        if self.budget == 0 { Err(NoClaim) } else { Ok(()) }
    }

    pub(super) fn get(&self, list: List) -> &[Term] {
        &self.all[list.0 as usize]
    }

    pub(super) fn atom(&mut self, atom: Atom) -> List {
        self.of(&[(atom, false)])
    }

    fn of(&mut self, sorted: &[Term]) -> List {
        let key = key(sorted);
        if let Some(&list) = self.numbers.get(&key) {
            return List(list as u32);
        }
        if self.all.len() >= MOST_LISTS || sorted.len() > MOST_ATOMS {
            return List::ANY;
        }
        let list = self.all.len();
        self.all.push(sorted.into());
        self.numbers.insert(key, list);
        List(list as u32)
    }

    pub(super) fn is_difference(&self, list: List) -> bool {
        let terms = self.get(list);
        terms.iter().any(|term| term.1) && terms.iter().any(|term| !term.1)
    }

    /// Returns the atoms that can be recognized in a part of a value, without their signs.
    pub(super) fn parts(&mut self, list: List) -> List {
        if list == List::EMPTY { list } else { self.combined(Combination::Parts, list, List::EMPTY) }
    }

    /// Returns the atoms of both lists, without their signs.
    pub(super) fn unite(&mut self, a: List, b: List) -> List {
        match (a, b) {
            (List::ANY, _) | (_, List::ANY) => List::ANY,
            (List::EMPTY, List::EMPTY) => List::EMPTY,
            _ => self.combined(Combination::Unite, a, b),
        }
    }

    pub(super) fn sum(&mut self, a: List, b: List, is_difference: bool) -> Option<List> {
        let sum = self.combined(if is_difference { Combination::Subtract } else { Combination::Add }, a, b);
        (sum != List::NONE).then_some(sum)
    }

    fn combined(&mut self, operation: Combination, a: List, b: List) -> List {
        let key = (operation, a, b);
        let hash = a.0.wrapping_mul(31).wrapping_add(b.0).wrapping_mul(7) ^ operation as u32;
        let place = hash as usize % REMEMBERED;
        if self.results[place].0 == key {
            return self.results[place].1;
        }
        let mut terms = [self.get(a), self.get(b)].concat();
        self.budget = self.budget.saturating_sub(8 + terms.len() as u64);
        let second = self.get(a).len();
        let is_part = |atom| !matches!(atom, Atom::Elsewhere | Atom::Variable | Atom::Loaded(_));
        match operation {
            Combination::Parts => terms.retain(|(atom, _)| is_part(*atom)),
            Combination::Subtract => terms[second..].iter_mut().for_each(|term| term.1 = !term.1),
            Combination::Add | Combination::Unite => {}
        }
        let terms = if matches!(operation, Combination::Parts | Combination::Unite) {
            for term in &mut terms {
                term.1 = false;
            }
            merge(&mut terms);
            terms.dedup();
            Some(terms)
        } else {
            exact(terms)
        };
        let result = terms.map_or(List::NONE, |terms| self.of(&terms));
        self.results[place] = (key, result);
        result
    }
}

fn key(terms: &[Term]) -> Vec<u8> {
    let mut key = Vec::with_capacity(5 * terms.len());
    for &(atom, is_subtracted) in terms {
        let (kind, number) = match atom {
            Atom::Any => (0, 0),
            Atom::Elsewhere => (1, 0),
            Atom::Variable => (2, 0),
            Atom::Slot(slot) => (3, slot.into()),
            Atom::Loaded(slot) => (4, slot.into()),
            Atom::Address(symbol) => (5, symbol),
            Atom::Contents(symbol) => (6, symbol),
        };
        key.push(2 * kind + u8::from(is_subtracted));
        key.extend(number.to_le_bytes());
    }
    key
}

/// Sorts two sorted lists of at most [`MOST_ATOMS`] terms.
fn merge(terms: &mut [Term]) {
    for end in 1..terms.len() {
        let mut at = end;
        while at > 0 && terms[at] < terms[at - 1] {
            terms.swap(at, at - 1);
            at -= 1;
        }
    }
}

/// Returns the terms without those that cancel each other. `None` if an atom is left twice, or is not one value.
fn exact(mut terms: Vec<Term>) -> Option<Vec<Term>> {
    merge(&mut terms);
    let mut sum: Vec<Term> = Vec::new();
    for term in terms {
        match sum.last() {
            Some((atom, is_minus)) if *atom == term.0 => {
                // Two values from elsewhere are different values.
                let is_one = matches!(atom, Atom::Slot(_) | Atom::Address(_)) && *is_minus != term.1;
                sum.pop().filter(|_| is_one)?;
            }
            _ => sum.push(term),
        }
    }
    (sum.len() <= MOST_TERMS).then_some(sum)
}
