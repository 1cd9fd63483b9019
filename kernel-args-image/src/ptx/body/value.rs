//! The abstract value of a register.

use super::forms::{Arena, Set, Slots};

/// What is known about all values that a register can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Value {
    pub(super) forms: Set,
    /// The slots whose bits can be in the value in another arrangement, or that were in more forms than are kept.
    pub(super) weak: Slots,
    pub(super) stride: Stride,
    pub(super) place: Place,
}

/// Numbers that divide the number in a form. 0 if that is always 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Stride {
    /// A divisor of the whole number.
    pub(super) all: u32,
    /// A divisor of its variable part: without constants that are added.
    pub(super) variable: u32,
}

/// An address of a parameter or of local memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Place {
    /// No such address.
    #[default]
    Nowhere,
    /// A symbol and an offset.
    At(SymbolId, i32),
    /// Anywhere in a symbol.
    In(SymbolId),
    /// In one of several symbols.
    Anywhere,
}

/// The number of a parameter, or of an array in local memory.
pub(super) type SymbolId = u32;

impl Stride {
    /// Any number.
    pub(super) const ANY: Self = Self { all: 1, variable: 1 };

    pub(super) fn constant(number: i64) -> Self {
        Self { all: divisor(number), variable: 0 }
    }

    /// The divisors of a sum, or of a value that is one of two.
    pub(super) fn join(self, other: Self) -> Self {
        Self { all: gcd(self.all, other.all), variable: gcd(self.variable, other.variable) }
    }

    /// The divisors of a product.
    pub(super) fn product(self, other: Self) -> Self {
        let mixed = gcd(product(self.variable, other.all), product(self.all, other.variable));
        Self { all: product(self.all, other.all), variable: gcd(mixed, product(self.variable, other.variable)) }
    }

    /// The powers of two that divide.
    pub(super) fn powers_of_two(self) -> Self {
        Self { all: power_of_two(self.all), variable: power_of_two(self.variable) }
    }
}

/// A number as a divisor: 2^31 if it is too large, which larger numbers are not more useful than.
fn divisor(number: i64) -> u32 {
    let size = number.unsigned_abs();
    u32::try_from(size).unwrap_or_else(|_| 1 << size.trailing_zeros().min(31))
}

fn product(a: u32, b: u32) -> u32 {
    let exact = u64::from(a) * u64::from(b);
    u32::try_from(exact).unwrap_or_else(|_| 1 << exact.trailing_zeros().min(31))
}

fn power_of_two(number: u32) -> u32 {
    number & number.wrapping_neg()
}

fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Place {
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nowhere, place) | (place, Self::Nowhere) => place,
            (a, b) if a == b => a,
            (Self::At(a, _) | Self::In(a), Self::At(b, _) | Self::In(b)) if a == b => Self::In(a),
            _ => Self::Anywhere,
        }
    }

    pub(super) fn plus(self, number: i64) -> Self {
        match self {
            Self::At(symbol, offset) => {
                let sum = i64::from(offset).checked_add(number);
                match sum.and_then(|sum| i32::try_from(sum).ok()) {
                    Some(sum) => Self::At(symbol, sum),
                    None => Self::In(symbol),
                }
            }
            place => place,
        }
    }

    /// After a number that is not known is added.
    pub(super) const fn moved(self) -> Self {
        match self {
            Self::At(symbol, _) => Self::In(symbol),
            place => place,
        }
    }
}

impl Value {
    /// A number that is not known, and no address.
    pub(super) const NUMBER: Self =
        Self { forms: Set::NUMBER, weak: Slots::NONE, stride: Stride::ANY, place: Place::Nowhere };

    /// A value from memory or from code that is not known.
    pub(super) const ELSEWHERE: Self = Self { forms: Set::ELSEWHERE, ..Self::NUMBER };

    pub(super) fn constant(number: i64) -> Self {
        Self { stride: Stride::constant(number), ..Self::NUMBER }
    }

    /// The address of a symbol.
    pub(super) const fn address(symbol: SymbolId) -> Self {
        Self { stride: Stride { all: 0, variable: 0 }, place: Place::At(symbol, 0), ..Self::NUMBER }
    }

    /// A value that is one of two.
    pub(super) fn join(self, other: Self, arena: &mut Arena) -> Self {
        if self == other {
            return self;
        }
        let forms = arena.unite(self.forms, other.forms);
        let mut weak = arena.unite_slots(self.weak, other.weak);
        if forms == Set::ANY {
            weak = self.all_slots(arena, weak);
            weak = other.all_slots(arena, weak);
        }
        Self { forms, weak, stride: self.stride.join(other.stride), place: self.place.join(other.place) }
    }

    /// These slots and all slots of the value.
    pub(super) fn all_slots(self, arena: &mut Arena, and: Slots) -> Slots {
        let own = arena.slots_of(self.forms);
        let all = arena.unite_slots(own, self.weak);
        arena.unite_slots(all, and)
    }

    /// The sum or difference of two values.
    pub(super) fn sum(self, other: Self, is_difference: bool, arena: &mut Arena) -> Self {
        let forms =
            if is_difference { arena.subtract(self.forms, other.forms) } else { arena.add(self.forms, other.forms) };
        if forms == Set::NONE {
            return Self::default();
        }
        let mut weak = arena.unite_slots(self.weak, other.weak);
        if forms == Set::ANY {
            weak = self.all_slots(arena, weak);
            weak = other.all_slots(arena, weak);
        }
        let place = match (self.place, other.place) {
            (place, Place::Nowhere) | (Place::Nowhere, place) => place.moved(),
            _ => Place::Anywhere,
        };
        Self { forms, weak, stride: self.stride.join(other.stride), place }
    }

    /// The value plus a constant.
    pub(super) fn plus(self, number: i64) -> Self {
        if self.forms == Set::NONE {
            return self;
        }
        Self { stride: self.stride.join(Stride::constant(number)), place: self.place.plus(number), ..self }
    }

    /// The bits of the value in another arrangement, as an address-sized value or a smaller one.
    pub(super) fn bits(self, is_wide: bool, arena: &mut Arena) -> Self {
        if self.forms == Set::NONE {
            return self;
        }
        let weak = self.all_slots(arena, Slots::NONE);
        let is_number = self.forms == Set::NUMBER && weak == Slots::NONE;
        let forms = if is_wide && !is_number { Set::ELSEWHERE } else { Set::NUMBER };
        Self {
            forms,
            weak,
            stride: Stride::ANY,
            place: if self.place == Place::Nowhere { Place::Nowhere } else { Place::Anywhere },
        }
    }

    /// The divisors of the value as a number. A slot can be any number.
    pub(super) fn number(self) -> Stride {
        match self.forms {
            Set::NONE | Set::NUMBER => self.stride,
            _ => Stride::ANY,
        }
    }

    /// The value after a multiplication: no address.
    pub(super) fn multiplied(self, by: Stride) -> Self {
        if self.forms == Set::NONE {
            return self;
        }
        Self { stride: self.number().product(by), ..Self::NUMBER }
    }
}
