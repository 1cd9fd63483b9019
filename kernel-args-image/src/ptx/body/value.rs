//! The abstract value of a register.

use super::{
    lists::{Atom, List, Lists, SlotId},
    number::Number,
};

/// What is known about all values that a register can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Value {
    pub(super) kind: Kind,
    pub(super) atoms: List,
    pub(super) number: Number,
}

/// How a value is computed from its atoms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum Kind {
    /// No instruction has set the register yet.
    #[default]
    Nothing,
    /// A number, possibly computed from single atoms by multiplication or division. In a sum it is no address.
    Number,
    /// A number that is a part of the atoms: 4 bytes of them.
    Part,
    /// The sum of the atoms and a number. Atoms can be subtracted.
    Sum,
    /// Some of the atoms, as a choice or with their bits in another arrangement.
    Mixed,
    /// The same, where one atom can be subtracted from another: the distance between two addresses, divided and
    /// multiplied again, still leads from one to the other.
    Difference,
}

impl Value {
    /// A number that is not known.
    pub(super) const NUMBER: Self = Self { kind: Kind::Number, atoms: List::EMPTY, number: Number::ANY };
    /// A value from memory or from code that is not known.
    pub(super) const ELSEWHERE: Self = Self::sum_of(List::ELSEWHERE, Number { rest: 0, step: 0 });
    /// The address of a variable.
    pub(super) const VARIABLE: Self = Self::sum_of(List::VARIABLE, Number { rest: 0, step: 0 });

    pub(super) fn constant(number: i64) -> Self {
        Self { number: Number::constant(number), ..Self::NUMBER }
    }

    const fn sum_of(atoms: List, number: Number) -> Self {
        Self { kind: Kind::Sum, atoms, number }
    }

    pub(super) fn atom(atom: Atom, lists: &mut Lists) -> Self {
        Self::sum_of(lists.atom(atom), Number::default())
    }

    /// A value of this kind, or a number without atoms.
    fn of(kind: Kind, atoms: List) -> Self {
        let kind = if atoms == List::EMPTY { Kind::Number } else { kind };
        Self { kind, atoms, number: Number::ANY }
    }

    pub(super) fn is_nothing(self) -> bool {
        matches!(self.kind, Kind::Nothing)
    }

    /// Whether the value is a number in sums.
    pub(super) fn is_number(self) -> bool {
        self.kind <= Kind::Part
    }

    /// Whether the value is a number that was not computed from an atom.
    pub(super) fn is_plain_number(self) -> bool {
        matches!(self.kind, Kind::Number) && self.atoms == List::EMPTY
    }

    pub(super) fn is_power_of_two(self) -> bool {
        self.is_plain_number() && self.number.is_power_of_two()
    }

    /// The only atom of a sum.
    pub(super) fn sole(self, lists: &Lists) -> Option<Atom> {
        if matches!(self.kind, Kind::Sum) { lists.sole(self.atoms) } else { None }
    }

    pub(super) fn sole_slot(self, lists: &Lists) -> Option<SlotId> {
        match self.sole(lists) {
            Some(Atom::Slot(slot)) => Some(slot),
            _ => None,
        }
    }

    /// The kind of a value that is not an exact sum, from this value.
    fn inexact(self, lists: &Lists) -> Kind {
        match self.kind {
            Kind::Sum if lists.is_difference(self.atoms) => Kind::Difference,
            Kind::Nothing | Kind::Number | Kind::Part | Kind::Sum => Kind::Mixed,
            kind => kind,
        }
    }

    /// A value that is one of two.
    pub(super) fn join(self, other: Self, lists: &mut Lists) -> Self {
        if self == other || other.is_nothing() {
            return self;
        }
        if self.is_nothing() {
            return other;
        }
        let number = self.number.join(other.number);
        if self.kind == other.kind && self.atoms == other.atoms {
            return Self { number, ..self };
        }
        // A value from elsewhere can also be any number.
        let is_elsewhere = |a: Self, b: Self| a.is_plain_number() && b.kind == Kind::Sum && b.atoms == List::ELSEWHERE;
        if is_elsewhere(self, other) || is_elsewhere(other, self) {
            return Self { number, ..Self::ELSEWHERE };
        }
        let kind = match (self.kind, other.kind) {
            (own, others) if self.is_number() && other.is_number() => own.max(others),
            _ => self.inexact(lists).max(other.inexact(lists)),
        };
        Self { number, ..Self::of(kind, lists.unite(self.atoms, other.atoms)) }
    }

    /// The sum or difference of two values.
    pub(super) fn sum(self, other: Self, is_difference: bool, lists: &mut Lists) -> Self {
        if self.is_nothing() || other.is_nothing() {
            return Self::default();
        }
        let number = self.number.plus(if is_difference { other.number.negated() } else { other.number });
        match (self.is_number(), other.is_number()) {
            (true, true) => Self { number, ..Self::of(self.kind.max(other.kind), lists.unite(self.atoms, other.atoms)) },
            (false, true) => Self { number, ..self },
            (true, false) if !is_difference => Self { number, ..other },
            (is_number, false) => {
                let own = if is_number { List::EMPTY } else { self.atoms };
                let is_exact = self.kind <= Kind::Sum && other.kind == Kind::Sum;
                let value = match is_exact.then(|| lists.sum(own, other.atoms, is_difference)).flatten() {
                    Some(sum) => Self::of(Kind::Sum, sum),
                    None => {
                        let kind = if is_difference && own != List::EMPTY { Kind::Difference } else { other.inexact(lists) };
                        Self::of(kind.max(self.inexact(lists)), lists.unite(own, other.atoms))
                    }
                };
                Self { number, ..value }
            }
        }
    }

    /// The bits of the value in another arrangement.
    pub(super) fn bits(self, lists: &mut Lists) -> Self {
        if self.is_nothing() || self.is_plain_number() {
            return Self { number: Number::ANY, ..self };
        }
        let parts = lists.parts(self.atoms);
        match (parts, self.atoms) {
            (List::EMPTY, _) => Self { number: Number::ANY, ..Self::ELSEWHERE },
            (parts, atoms) if parts == atoms => Self::of(self.inexact(lists), parts),
            _ => Self::of(self.inexact(lists), lists.unite(parts, List::ELSEWHERE)),
        }
    }

    /// A number from the value: of this kind, unless it is the distance of two addresses. [`Kind::Nothing`]: without the atoms.
    pub(super) fn scaled(self, kind: Kind, number: Number, lists: &mut Lists) -> Self {
        let kind = if self.inexact(lists) == Kind::Difference { Kind::Difference } else { kind };
        if self.is_nothing() {
            return self;
        }
        let atoms = if kind == Kind::Nothing { List::EMPTY } else { lists.parts(self.atoms) };
        Self { number, ..Self::of(kind, atoms) }
    }

    /// What is known about the value as a number. An atom can be any number.
    pub(super) fn as_number(self) -> Number {
        if self.is_number() { self.number } else { Number::ANY }
    }
}
