//! Whether the fields fit in another order: one field moved, or two fields exchanged.

use super::{align::differences_at, compare::distance_if_fits, difference::Difference, lists::Lists};

/// Another order in which the fields fit.
///
/// Of all moves of one field and exchanges of two that make the struct fit, the order with the fewest C++ conversions
/// wins; among those, the order that changes the fewest pairs of fields. Example: moving `n` behind `i` and `o` keeps
/// the order of `i` and `o`; exchanging `n` and `o` does not.
///
/// If only one field does not fit, an order must not need more conversions than the current one. A field of a wrong
/// type among pointers that fit any other pointer is not a moved field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reorder {
    /// A field moves to the place of another field. The fields between them shift by one.
    Move { field: usize, to: usize },
    /// Two fields are exchanged. `first` is before `second`.
    Exchange { first: usize, second: usize },
    /// Several orders are equally good.
    Several,
}

/// How many fields around the misfits may also move.
const REACH: usize = 12;

/// A cost above the cost of every order that fits.
const NEVER: usize = usize::MAX / 4;

/// Equally many fields and parameters.
struct Pairs<'a> {
    lists: &'a Lists<'a>,
    base: Option<usize>,
    /// The index of the first field and of the first parameter.
    from: (usize, usize),
    count: usize,
    /// The costs of the first fields in their current place: they are needed many times, and comparing is expensive.
    in_place: [Option<usize>; KNOWN],
}

/// The number of fields whose costs are stored.
const KNOWN: usize = 64;

/// The best order found so far.
struct Best {
    conversions: usize,
    /// The number of pairs of fields that change their order.
    inversions: usize,
    order: Option<Reorder>,
}

/// The order in which `count` fields fit as many parameters, if they do not fit as they are. `from` is the first field
/// and the first parameter; in the result both are numbered from 0.
pub(super) const fn reorder(
    lists: &Lists<'_>,
    base: Option<usize>,
    from: (usize, usize),
    count: usize,
) -> Option<Reorder> {
    let mut pairs = Pairs { lists, base, from, count, in_place: [None; KNOWN] };
    let Some((first, last)) = pairs.misfits() else {
        return None;
    };
    if pairs.differ_in_variants_alone(first, last) {
        return None;
    }
    let mut best = Best { conversions: NEVER, inversions: 0, order: None };
    pairs.exchanges(first, last, &mut best);
    pairs.moves(first, last, true, &mut best);
    pairs.moves(first, last, false, &mut best);
    if first == last && best.conversions > pairs.conversions_without(first) {
        return None;
    }
    best.order
}

impl Pairs<'_> {
    /// The conversions of this field for this parameter, or [`NEVER`] if it does not fit.
    const fn cost(&self, field: usize, parameter: usize) -> usize {
        if field == parameter
            && field < KNOWN
            && let Some(cost) = self.in_place[field]
        {
            return cost;
        }
        let (i, j) = (self.from.0 + field, self.from.1 + parameter);
        let (host, kernel) = (self.lists.host, self.lists.kernel);
        if differences_at(host, kernel, self.base, i, j).is_empty() && !self.lists.is_wrong_by_name(i, j) {
            distance_if_fits(&host[i], &kernel[j]) as usize
        } else {
            NEVER
        }
    }

    /// The conversions of this field in its current place, or [`NEVER`] if it does not fit. Stores them.
    const fn cost_in_place(&mut self, field: usize) -> usize {
        let cost = self.cost(field, field);
        if field < KNOWN {
            self.in_place[field] = Some(cost);
        }
        cost
    }

    /// The first and the last field that do not fit in their current place.
    const fn misfits(&mut self) -> Option<(usize, usize)> {
        let mut first = 0;
        while first < self.count && self.cost_in_place(first) < NEVER {
            first += 1;
        }
        if first == self.count {
            return None;
        }
        let mut last = self.count - 1;
        while self.cost_in_place(last) < NEVER {
            last -= 1;
        }
        Some((first, last))
    }

    /// Whether the misfits differ only in the variants of the same enums. Then a variant is wrong, not the order.
    const fn differ_in_variants_alone(&self, first: usize, last: usize) -> bool {
        let mut i = first;
        while i <= last {
            let (field, parameter) = (self.from.0 + i, self.from.1 + i);
            let found = differences_at(self.lists.host, self.lists.kernel, self.base, field, parameter);
            if !matches!(found.first(), None | Some(Difference::Variants)) {
                return false;
            }
            i += 1;
        }
        true
    }

    /// The range of fields that may move.
    const fn window(&self, first: usize, last: usize) -> (usize, usize) {
        let end = self.count - 1;
        let high = if end - last < REACH { end } else { last + REACH };
        (first.saturating_sub(REACH), high)
    }

    /// The conversions of the fields `from..to` in their current place.
    const fn current_conversions(&self, from: usize, to: usize) -> usize {
        let mut sum: usize = 0;
        let mut i = from;
        while i < to {
            sum = limit(sum + self.cost(i, i));
            i += 1;
        }
        sum
    }

    /// The conversions of the fields that may move, except one misfit.
    const fn conversions_without(&self, misfit: usize) -> usize {
        let (low, high) = self.window(misfit, misfit);
        limit(self.current_conversions(low, misfit) + self.current_conversions(misfit + 1, high + 1))
    }

    const fn exchanges(&self, first: usize, last: usize, best: &mut Best) {
        let (low, high) = self.window(first, last);
        // Exchange the two misfits, or the only misfit with any other field.
        let mut second = if first == last { low } else { last };
        while second <= if first == last { high } else { last } {
            let (a, b) = if first < second { (first, second) } else { (second, first) };
            let ends = limit(self.cost(a, b) + self.cost(b, a));
            if a < b && ends < NEVER {
                let sum = self.current_conversions(low, a)
                    + self.current_conversions(a + 1, b)
                    + self.current_conversions(b + 1, high + 1);
                let order = Reorder::Exchange { first: a, second: b };
                best.consider(limit(sum + ends), 2 * (b - a) - 1, order);
            }
            second += 1;
        }
    }

    /// Moves of field `a` to the place of `b`, for all `a <= first` and `b >= last`. Without `up`, moves in the
    /// opposite direction.
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
                    let rest = self.current_conversions(low, a) + self.current_conversions(b + 1, high + 1);
                    let order = match (b - a, up) {
                        (1, _) => Reorder::Exchange { first: a, second: b },
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

    /// The conversions if the field after `i` moves to `i`. Without `up`, if field `i` moves to the place after it.
    const fn shifted(&self, i: usize, up: bool) -> usize {
        if up { self.cost(i + 1, i) } else { self.cost(i, i + 1) }
    }
}

impl Best {
    const fn consider(&mut self, conversions: usize, inversions: usize, order: Reorder) {
        if conversions >= NEVER {
            return;
        }
        let better = conversions < self.conversions || conversions == self.conversions && inversions < self.inversions;
        if better || self.order.is_none() {
            *self = Self { conversions, inversions, order: Some(order) };
        } else if conversions == self.conversions && inversions == self.inversions && !self.is(order) {
            self.order = Some(Reorder::Several);
        }
    }

    const fn is(&self, order: Reorder) -> bool {
        match (self.order, order) {
            (Some(Reorder::Exchange { first, second }), Reorder::Exchange { first: a, second: b }) => {
                first == a && second == b
            }
            (Some(Reorder::Move { field, to }), Reorder::Move { field: a, to: b }) => field == a && to == b,
            _ => false,
        }
    }
}

const fn limit(sum: usize) -> usize {
    if sum < NEVER { sum } else { NEVER }
}
