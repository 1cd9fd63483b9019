//! Whether the fields fit in another order: one of them moved, or two exchanged.

use super::{align::differences_at, compare::distance, difference::Difference};
use crate::signature::Parameter;

/// Another order of the fields, in which they fit.
///
/// Of all moves of one field and exchanges of two that make the struct fit, it is the one that needs the fewest
/// conversions of C++, and of those the one that changes the order of the fewest pairs of fields: to move `n` behind `i` and `o`
/// leaves these two as they are, to exchange `n` and `o` does not. Where one field alone does not fit, an order that needs more
/// conversions than the fields do where they stand is none: a field of a wrong type among pointers that fit any other is not one
/// that has moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reorder {
    /// A field moves to the place of another one, and those between them move up.
    Move { field: usize, to: usize },
    /// Two fields are exchanged, the first one first.
    Exchange { first: usize, second: usize },
    /// Several orders are as good.
    Several,
}

/// How many fields beyond those that do not fit may move as well.
const REACH: usize = 12;

/// More than any order costs that fits.
const NEVER: usize = usize::MAX / 4;

/// So many fields, and as many parameters.
struct Pairs<'a> {
    host: &'a [Parameter<'a>],
    kernel: &'a [Parameter<'a>],
    base: Option<usize>,
    /// The first field and the first parameter.
    from: (usize, usize),
    count: usize,
}

/// The best order found so far.
struct Best {
    conversions: usize,
    /// The number of pairs of fields that change their order.
    inversions: usize,
    order: Option<Reorder>,
}

/// The order in which `count` fields fit as many parameters, if they do not fit as they are. The first ones are `from`; in
/// the result both are numbered from 0.
pub(super) const fn reorder(
    host: &[Parameter<'_>],
    kernel: &[Parameter<'_>],
    base: Option<usize>,
    from: (usize, usize),
    count: usize,
) -> Option<Reorder> {
    let pairs = Pairs {
        host,
        kernel,
        base,
        from,
        count,
    };
    let Some((first, last)) = pairs.misfits() else {
        return None;
    };
    if pairs.differ_in_variants_alone(first, last) {
        return None;
    }
    let mut best = Best {
        conversions: NEVER,
        inversions: 0,
        order: None,
    };
    pairs.exchanges(first, last, &mut best);
    pairs.moves(first, last, true, &mut best);
    pairs.moves(first, last, false, &mut best);
    if first == last && best.conversions > pairs.conversions_beside(first) {
        return None;
    }
    best.order
}

impl Pairs<'_> {
    /// The conversions of this field for this parameter, or [`NEVER`] where it does not fit.
    const fn cost(&self, field: usize, parameter: usize) -> usize {
        let (i, j) = (self.from.0 + field, self.from.1 + parameter);
        if differences_at(self.host, self.kernel, self.base, i, j).is_empty() {
            distance(&self.host[i], &self.kernel[j]) as usize
        } else {
            NEVER
        }
    }

    /// The first and the last field that do not fit where they stand.
    const fn misfits(&self) -> Option<(usize, usize)> {
        let mut first = 0;
        while first < self.count && self.cost(first, first) < NEVER {
            first += 1;
        }
        if first == self.count {
            return None;
        }
        let mut last = self.count - 1;
        while self.cost(last, last) < NEVER {
            last -= 1;
        }
        Some((first, last))
    }

    /// Whether the fields that do not fit are enums in the place of the same enums: a variant is wrong, not the order.
    const fn differ_in_variants_alone(&self, first: usize, last: usize) -> bool {
        let mut i = first;
        while i <= last {
            let (field, parameter) = (self.from.0 + i, self.from.1 + i);
            let found = differences_at(self.host, self.kernel, self.base, field, parameter);
            if !matches!(found.first(), None | Some(Difference::Variants)) {
                return false;
            }
            i += 1;
        }
        true
    }

    /// The fields that may take part.
    const fn window(&self, first: usize, last: usize) -> (usize, usize) {
        let end = self.count - 1;
        let high = if end - last < REACH {
            end
        } else {
            last + REACH
        };
        (first.saturating_sub(REACH), high)
    }

    /// The conversions of the fields `from..to` where they stand.
    const fn standing(&self, from: usize, to: usize) -> usize {
        let mut sum: usize = 0;
        let mut i = from;
        while i < to {
            sum = limit(sum + self.cost(i, i));
            i += 1;
        }
        sum
    }

    /// The conversions of the fields that may take part, but for one that does not fit.
    const fn conversions_beside(&self, misfit: usize) -> usize {
        let (low, high) = self.window(misfit, misfit);
        limit(self.standing(low, misfit) + self.standing(misfit + 1, high + 1))
    }

    const fn exchanges(&self, first: usize, last: usize, best: &mut Best) {
        let (low, high) = self.window(first, last);
        // Both that do not fit; of one alone, the other one may be any.
        let mut second = if first == last { low } else { last };
        while second <= if first == last { high } else { last } {
            let (a, b) = if first < second {
                (first, second)
            } else {
                (second, first)
            };
            let ends = limit(self.cost(a, b) + self.cost(b, a));
            if a < b && ends < NEVER {
                let sum = self.standing(low, a)
                    + self.standing(a + 1, b)
                    + self.standing(b + 1, high + 1);
                let order = Reorder::Exchange {
                    first: a,
                    second: b,
                };
                best.consider(limit(sum + ends), 2 * (b - a) - 1, order);
            }
            second += 1;
        }
    }

    /// The moves of field `a` to the place of `b`, for all `a <= first` and `b >= last`; the other way where not `up`.
    const fn moves(&self, first: usize, last: usize, up: bool, best: &mut Best) {
        let (low, high) = self.window(first, last);
        let mut core = 0;
        let mut i = first;
        while i < last {
            core = limit(core + self.shifted(i, up));
            if core >= NEVER {
                return;
            }
            i += 1;
        }
        let mut a = first;
        let mut before = core;
        while before < NEVER {
            let mut b = last;
            let mut all = before;
            while all < NEVER {
                let moved = if up { self.cost(a, b) } else { self.cost(b, a) };
                if a < b && moved < NEVER {
                    let rest = self.standing(low, a) + self.standing(b + 1, high + 1);
                    let order = match (b - a, up) {
                        (1, _) => Reorder::Exchange {
                            first: a,
                            second: b,
                        },
                        (_, true) => Reorder::Move { field: a, to: b },
                        (_, false) => Reorder::Move { field: b, to: a },
                    };
                    best.consider(limit(all + moved + rest), b - a, order);
                }
                if b == high {
                    break;
                }
                all = limit(all + self.shifted(b, up));
                b += 1;
            }
            if a == low {
                break;
            }
            a -= 1;
            before = limit(before + self.shifted(a, up));
        }
    }

    /// The conversions of the later one of two neighbours, `i` and the next one, in the earlier one's place; or the
    /// other way.
    const fn shifted(&self, i: usize, up: bool) -> usize {
        if up {
            self.cost(i + 1, i)
        } else {
            self.cost(i, i + 1)
        }
    }
}

impl Best {
    const fn consider(&mut self, conversions: usize, inversions: usize, order: Reorder) {
        if conversions >= NEVER {
            return;
        }
        let better = conversions < self.conversions
            || conversions == self.conversions && inversions < self.inversions;
        if better || self.order.is_none() {
            *self = Self {
                conversions,
                inversions,
                order: Some(order),
            };
        } else if conversions == self.conversions
            && inversions == self.inversions
            && !self.is(order)
        {
            self.order = Some(Reorder::Several);
        }
    }

    const fn is(&self, order: Reorder) -> bool {
        match (self.order, order) {
            (
                Some(Reorder::Exchange { first, second }),
                Reorder::Exchange {
                    first: a,
                    second: b,
                },
            ) => first == a && second == b,
            (Some(Reorder::Move { field, to }), Reorder::Move { field: a, to: b }) => {
                field == a && to == b
            }
            _ => false,
        }
    }
}

const fn limit(sum: usize) -> usize {
    if sum < NEVER { sum } else { NEVER }
}
