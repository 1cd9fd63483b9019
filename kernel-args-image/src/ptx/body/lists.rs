//! What a value can be computed from: sorted lists of atoms, each with a number, so that equal ones are compared and
//! combined fast.

use super::names::TooMany;
use alloc::{collections::BTreeMap, rc::Rc, vec, vec::Vec};

/// The number of a slot: 8 bytes of a parameter.
pub(super) type SlotId = u16;
/// The number of a parameter, or of an array in local memory.
pub(super) type SymbolId = u32;

/// A part of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Atom {
    /// Anything: a list with more atoms than are kept.
    Any,
    /// A value from memory or from code that is not known, or one that was assembled from parts.
    Elsewhere,
    /// The address of a variable in global, shared or constant memory.
    Variable,
    /// 8 bytes of a parameter.
    Slot(SlotId),
    /// 8 bytes that were loaded through a slot.
    Loaded(SlotId),
    /// The address of a parameter or of local memory.
    Address(SymbolId),
    /// What is in a parameter or in local memory, at an offset that is not known.
    Contents(SymbolId),
}

/// An atom, and whether it is subtracted.
pub(super) type Term = (Atom, bool);

/// The number of a list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct List(u32);

impl List {
    pub(super) const EMPTY: Self = Self(0);
    pub(super) const ANY: Self = Self(1);
    pub(super) const ELSEWHERE: Self = Self(2);
    pub(super) const VARIABLE: Self = Self(3);

    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) const fn of_index(index: usize) -> Self {
        Self(index as u32)
    }
}

/// A longer list is [`List::ANY`].
const MOST_ATOMS: usize = 24;
/// The maximum number of terms of an exact sum.
const MOST_TERMS: usize = 4;
/// The maximum number of lists. Real texts have a few hundred.
const MOST_LISTS: usize = 1 << 14;
/// The number of results that are remembered.
const REMEMBERED: usize = 1 << 10;

/// All lists, and the work that is left: every loop pays for its turns.
pub(super) struct Lists {
    all: Vec<Rc<[Term]>>,
    numbers: BTreeMap<Rc<[Term]>, u32>,
    results: Vec<([u32; 3], u32)>,
    budget: u64,
}

/// What is done with two lists.
#[derive(Clone, Copy)]
enum Operation {
    Parts = 1,
    Unite,
    Add,
    Subtract,
}

/// No list: the result is not exact.
const NONE: u32 = u32::MAX;

impl Lists {
    pub(super) fn new(budget: u64) -> Self {
        let mut lists =
            Self { all: Vec::new(), numbers: BTreeMap::new(), results: vec![([0; 3], 0); REMEMBERED], budget };
        // In the order of the constants of `List`.
        lists.of(&[]);
        for atom in [Atom::Any, Atom::Elsewhere, Atom::Variable] {
            lists.of(&[(atom, false)]);
        }
        lists
    }

    /// Pays for some work.
    pub(super) fn pay(&mut self, work: usize) -> Result<(), TooMany> {
        self.budget = self.budget.saturating_sub(work as u64);
        if self.budget == 0 { Err(TooMany) } else { Ok(()) }
    }

    /// New lists for the work that is left.
    pub(super) fn cleared(&self) -> Self {
        Self::new(self.budget)
    }

    pub(super) fn is_full(&self) -> bool {
        self.all.len() >= MOST_LISTS
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn get(&self, list: List) -> &[Term] {
        &self.all[list.0 as usize]
    }

    /// The only atom of a list, if it is not subtracted.
    pub(super) fn sole(&self, list: List) -> Option<Atom> {
        match self.get(list) {
            [(atom, false)] => Some(*atom),
            _ => None,
        }
    }

    /// The list of one atom.
    pub(super) fn atom(&mut self, atom: Atom) -> List {
        self.of(&[(atom, false)])
    }

    fn of(&mut self, sorted: &[Term]) -> List {
        if let Some(number) = self.numbers.get(sorted) {
            return List(*number);
        }
        if self.is_full() || sorted.len() > MOST_ATOMS {
            return List::ANY;
        }
        let (number, list) = (self.all.len() as u32, Rc::<[Term]>::from(sorted));
        self.all.push(list.clone());
        self.numbers.insert(list, number);
        List(number)
    }

    /// Whether an atom of the list is subtracted from another one.
    pub(super) fn is_difference(&self, list: List) -> bool {
        let terms = self.get(list);
        terms.iter().any(|term| term.1) && terms.iter().any(|term| !term.1)
    }

    /// The atoms of a list that can be recognized in a part of a value, without their signs.
    pub(super) fn parts(&mut self, list: List) -> List {
        if list == List::EMPTY { list } else { List(self.combined(Operation::Parts, list, List::EMPTY)) }
    }

    /// The atoms of both lists, without their signs.
    pub(super) fn unite(&mut self, a: List, b: List) -> List {
        match (a, b) {
            (List::EMPTY, b) if b < List(4) => b,
            (a, List::EMPTY) if a < List(4) => a,
            (List::ANY, _) | (_, List::ANY) => List::ANY,
            _ => List(self.combined(Operation::Unite, a, b)),
        }
    }

    /// The sum or difference. `None` if it is not exact.
    pub(super) fn sum(&mut self, a: List, b: List, is_difference: bool) -> Option<List> {
        let operation = if is_difference { Operation::Subtract } else { Operation::Add };
        let sum = self.combined(operation, a, b);
        (sum != NONE).then_some(List(sum))
    }

    fn combined(&mut self, operation: Operation, a: List, b: List) -> u32 {
        let key = [operation as u32, a.0, b.0];
        let place = (a.0.wrapping_mul(31).wrapping_add(b.0).wrapping_mul(7) ^ key[0]) as usize % REMEMBERED;
        if self.results[place].0 == key {
            return self.results[place].1;
        }
        let mut terms = [self.get(a), self.get(b)].concat();
        self.budget = self.budget.saturating_sub(8 + terms.len() as u64);
        let second = self.get(a).len();
        match operation {
            Operation::Unite | Operation::Parts => terms.iter_mut().for_each(|term| term.1 = false),
            Operation::Subtract => terms[second..].iter_mut().for_each(|term| term.1 = !term.1),
            Operation::Add => {}
        }
        let result = match operation {
            Operation::Unite | Operation::Parts => {
                let is_parts = matches!(operation, Operation::Parts);
                terms.retain(|(atom, _)| !is_parts || !matches!(atom, Atom::Elsewhere | Atom::Variable | Atom::Loaded(_)));
                terms.sort_unstable();
                terms.dedup();
                self.of(&terms).0
            }
            _ => match exact(terms) {
                Some(terms) => self.of(&terms).0,
                None => NONE,
            },
        };
        self.results[place] = (key, result);
        result
    }
}

/// The terms without those that cancel each other. `None` if an atom is left twice, or is not one value.
fn exact(mut terms: Vec<Term>) -> Option<Vec<Term>> {
    terms.sort_unstable();
    let mut sum: Vec<Term> = Vec::new();
    for term in terms {
        match sum.last() {
            // Two values from elsewhere are different values.
            Some((atom, _)) if *atom == term.0 && !matches!(atom, Atom::Slot(_) | Atom::Address(_)) => return None,
            Some((atom, is_minus)) if *atom == term.0 && *is_minus != term.1 => {
                sum.pop();
            }
            Some((atom, _)) if *atom == term.0 => return None,
            _ => sum.push(term),
        }
    }
    (sum.len() <= MOST_TERMS).then_some(sum)
}
