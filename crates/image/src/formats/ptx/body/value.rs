//! The abstract value of a register.

use super::lists::{Atom, List, Lists};

#[derive(Clone, Copy, PartialEq)]
pub(super) struct Value {
    pub(super) kind: Derivation,
    pub(super) atoms: List,
    pub(super) number: Number,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Derivation {
    /// A number, possibly computed from single atoms by multiplication or division. In a sum it is no address.
    Number,
    /// A number that is a part of the atoms: 4 bytes of them.
    Part,
    /// The sum of the atoms and a number. Atoms can be subtracted.
    Sum,
    /// Some of the atoms, as a choice or with their bits in another arrangement.
    Mixed,
    /// `Mixed` with an atom that can be subtracted: a distance leads to an address even after `/ 4 * 4`.
    Difference,
}

impl Value {
    pub(super) const NUMBER: Self = Self { kind: Derivation::Number, atoms: List::EMPTY, number: Number::ANY };
    pub(super) const ELSEWHERE: Self = Self { kind: Derivation::Sum, atoms: List::ELSEWHERE, number: Number::ZERO };
    pub(super) const VARIABLE: Self = Self { atoms: List::VARIABLE, ..Self::ELSEWHERE };

    pub(super) fn constant(number: i64) -> Self {
        Self { number: Number::constant(number), ..Self::NUMBER }
    }

    pub(super) fn atom(atom: Atom, lists: &mut Lists) -> Self {
        Self { atoms: lists.atom(atom), ..Self::ELSEWHERE }
    }

    pub(super) fn mixed(atoms: List) -> Self {
        Self::of(Derivation::Mixed, atoms)
    }

    fn of(kind: Derivation, atoms: List) -> Self {
        Self { kind: if atoms == List::EMPTY { Derivation::Number } else { kind }, atoms, number: Number::ANY }
    }

    pub(super) fn is_number(self) -> bool {
        self.kind <= Derivation::Part
    }

    /// Returns whether the value is a number that was not computed from an atom.
    pub(super) fn is_plain_number(self) -> bool {
        matches!(self.kind, Derivation::Number) && self.atoms == List::EMPTY
    }

    fn as_constant(self) -> Option<i32> {
        (self.is_plain_number() && self.number.step == 0).then_some(self.number.rest)
    }

    pub(super) fn sole(self, lists: &Lists) -> Option<Atom> {
        match lists.get(self.atoms) {
            [(atom, false)] if matches!(self.kind, Derivation::Sum) => Some(*atom),
            _ => None,
        }
    }

    /// Returns the kind of a value that is not an exact sum, from this value.
    fn inexact(self, lists: &Lists) -> Derivation {
        if self.kind == Derivation::Sum && lists.is_difference(self.atoms) {
            Derivation::Difference
        } else {
            self.kind.max(Derivation::Mixed)
        }
    }

    pub(super) fn join(self, other: Self, lists: &mut Lists) -> Self {
        if self == other {
            return self;
        }
        let number = self.number.join(other.number);
        // A value from elsewhere can also be any number.
        let is_elsewhere =
            |a: Self, b: Self| a.is_plain_number() && b.kind == Derivation::Sum && b.atoms == List::ELSEWHERE;
        if self.kind == other.kind && self.atoms == other.atoms || is_elsewhere(other, self) {
            return Self { number, ..self };
        }
        if is_elsewhere(self, other) {
            return Self { number, ..other };
        }
        let kind = if self.is_number() && other.is_number() {
            self.kind.max(other.kind)
        } else {
            self.inexact(lists).max(other.inexact(lists))
        };
        Self { number, ..Self::of(kind, lists.unite(self.atoms, other.atoms)) }
    }

    pub(super) fn sum(self, other: Self, is_difference: bool, lists: &mut Lists) -> Self {
        let number = self.number.plus(if is_difference { other.number.negated() } else { other.number });
        let value = match (self.is_number(), other.is_number()) {
            (true, true) => Self::of(self.kind.max(other.kind), lists.unite(self.atoms, other.atoms)),
            (false, true) => self,
            (true, false) if !is_difference => other,
            (is_number, false) => {
                let own = if is_number { List::EMPTY } else { self.atoms };
                let is_exact = self.kind <= Derivation::Sum && other.kind == Derivation::Sum;
                if let Some(sum) = if is_exact { lists.sum(own, other.atoms, is_difference) } else { None } {
                    Self::of(Derivation::Sum, sum)
                } else {
                    let is_distance = is_difference && own != List::EMPTY;
                    let kind = if is_distance { Derivation::Difference } else { other.inexact(lists) };
                    Self::of(kind.max(self.inexact(lists)), lists.unite(own, other.atoms))
                }
            }
        };
        Self { number, ..value }
    }

    pub(super) fn product(self, other: Self, lists: &mut Lists) -> Self {
        let number = self.as_number().times(other.as_number());
        let mut part = |own: Self, by: Self| {
            // A multiplication by a power of two can be undone.
            let is_power = by.as_constant().is_some_and(|by| by > 0 && by.unsigned_abs().is_power_of_two());
            let is_kept = is_power || own.inexact(lists) == Derivation::Difference;
            if is_kept { own.scaled(Derivation::Number, number, lists) } else { Self { number, ..Self::NUMBER } }
        };
        part(self, other).join(part(other, self), lists)
    }

    pub(super) fn bits(self, bytes: u8, lists: &mut Lists) -> Self {
        let parts = lists.parts(self.atoms);
        match self.kind {
            _ if self.is_plain_number() => Self { number: Number::ANY, ..self },
            kind if bytes < 8 => self.scaled(kind.min(Derivation::Part), Number::ANY, lists),
            _ if parts == List::EMPTY => Self { number: Number::ANY, ..Self::ELSEWHERE },
            _ if parts == self.atoms => Self::of(self.inexact(lists), parts),
            _ => Self::of(self.inexact(lists), lists.unite(parts, List::ELSEWHERE)),
        }
    }

    /// Returns the bits of two values. Two parts of an address that was loaded are an address.
    fn both(self, other: Self, bytes: u8, lists: &mut Lists) -> Self {
        let both = self.bits(bytes, lists).join(other.bits(bytes, lists), lists);
        if bytes < 8 { both } else { both.join(Self::ELSEWHERE, lists) }
    }

    pub(super) fn shifted(self, by: Self, lists: &mut Lists) -> Self {
        match by.as_constant() {
            // A shift by more can remove the upper bits of an address.
            Some(by @ 0..16) => self.product(Self::constant(1 << by), lists),
            _ => self.scaled(Derivation::Number, Number::ANY, lists),
        }
    }

    /// With a constant, the lowest bits of an address are cleared, or a number is made from them.
    pub(super) fn and(self, mask: Self, bytes: u8, lists: &mut Lists) -> Self {
        let cleared = mask.number.alignment(1 << 31);
        match mask.as_constant() {
            None => self.both(mask, bytes, lists),
            // A smaller number is no address.
            Some(0..4096) => Self { number: Number::multiple(cleared), ..Self::NUMBER },
            _ if self.is_number() => {
                Self { number: Number::multiple(cleared.max(self.number.alignment(1 << 31))), ..self }
            }
            Some(..0) => Self { number: Number::ANY, ..self },
            _ => self.bits(bytes, lists),
        }
    }

    pub(super) fn or(self, other: Self, bytes: u8, lists: &mut Lists) -> Self {
        if other.as_constant().is_none() {
            return self.both(other, bytes, lists);
        }
        let number = other.number.join(Number::ZERO).join(self.number);
        Self { number: Number::multiple(number.alignment(1 << 31)), ..self }
    }

    /// Returns a number from the value: of this kind, unless it is the distance of two addresses.
    pub(super) fn scaled(self, kind: Derivation, number: Number, lists: &mut Lists) -> Self {
        let kind = if self.inexact(lists) == Derivation::Difference { Derivation::Difference } else { kind };
        Self { number, ..Self::of(kind, lists.parts(self.atoms)) }
    }

    /// Returns what is known about the value as a number. An atom can be any number.
    pub(super) fn as_number(self) -> Number {
        if self.is_number() { self.number } else { Number::ANY }
    }
}

/// All numbers that are `rest` more than a multiple of `step`. With a step of 0: `rest`.
#[derive(Clone, Copy, PartialEq, Default)]
pub(super) struct Number {
    pub(super) rest: i32,
    pub(super) step: u32,
}

impl Number {
    const ZERO: Self = Self { rest: 0, step: 0 };
    pub(super) const ANY: Self = Self::multiple(1);

    pub(super) const fn multiple(step: u32) -> Self {
        Self { rest: 0, step }
    }

    pub(super) fn constant(number: i64) -> Self {
        match i32::try_from(number) {
            Ok(rest) => Self { rest, step: 0 },
            Err(_) => Self::multiple(divisor(number.unsigned_abs())),
        }
    }

    fn with(rest: i64, step: u32) -> Self {
        if step == 0 { Self::constant(rest) } else { Self { rest: rest.rem_euclid(step.into()) as i32, step } }
    }

    fn negated(self) -> Self {
        Self::with(-i64::from(self.rest), self.step)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self::with(i64::from(self.rest) + i64::from(other.rest), gcd(self.step, other.step))
    }

    fn times(self, other: Self) -> Self {
        let (a, b) = (u64::from(self.rest.unsigned_abs()), u64::from(other.rest.unsigned_abs()));
        let (s, t) = (u64::from(self.step), u64::from(other.step));
        let step = gcd(gcd(divisor(a * t), divisor(b * s)), divisor(s * t));
        Self::with(i64::from(self.rest) * i64::from(other.rest), step)
    }

    pub(super) fn join(self, other: Self) -> Self {
        let between = divisor((i64::from(self.rest) - i64::from(other.rest)).unsigned_abs());
        Self::with(self.rest.into(), gcd(gcd(self.step, other.step), between))
    }

    /// Returns the largest power of two that divides all of these numbers and `width`.
    pub(super) fn alignment(self, width: u32) -> u32 {
        let all = gcd(gcd(self.step, self.rest.unsigned_abs()), width);
        all & all.wrapping_neg()
    }
}

/// Returns a number as a divisor. A large one is replaced by its largest power of two, up to 2^31.
fn divisor(number: u64) -> u32 {
    u32::try_from(number).unwrap_or_else(|_| 1 << number.trailing_zeros().min(31))
}

fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
