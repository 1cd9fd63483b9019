//! Finds the mistakes in a struct that does not fit. Mistakes that explain several differences come first.

use super::{
    align::{Row, Rows, differences_at},
    difference::{Difference, Differences},
    lists::Lists,
    mismatch::{Mismatch, mark_as_one_mistake},
    names::{Elsewhere, Names},
    reorder::{Reorder, reorder},
    report::Report,
    split::{Next, Split},
};

/// The number of mismatches that are compared with each other to find exchanged and moved fields. A struct with more
/// mismatches belongs to another kernel.
const COMPARED: usize = 24;

impl<const N: usize> Report<'_, N> {
    /// Finds all mistakes of a struct that does not fit by its types.
    pub(super) const fn collect(&mut self) {
        let (host, kernel) = (self.host.parameters, self.kernel.parameters);
        let lists = Lists::new(host, kernel);
        if host.len() == kernel.len()
            && let Some(order) = reorder(&lists, self.base, (0, 0), host.len())
            && self.in_another_order(order)
        {
            return;
        }
        if self.split(&lists) {
            return;
        }
        let mut rows = Rows::of_misfits(lists, self.base);
        while let Some(row) = rows.next() {
            if let Row::Wrong(mismatch) = row {
                self.push(mismatch);
            }
        }
        let compared = if self.len() < COMPARED { self.len() } else { COMPARED };
        let mut i = 0;
        while i < compared {
            let mut j = i + 1;
            while j < compared {
                mark_as_one_mistake(&mut self.mismatches, i, j, &rows.lists);
                j += 1;
            }
            self.exchange_by_name(&rows.lists, i);
            if i + 1 < compared {
                self.move_rather_than_exchange(&rows.lists, i);
            }
            i += 1;
        }
    }

    const fn push(&mut self, mismatch: Mismatch) {
        if self.total < N {
            self.mismatches[self.total] = mismatch;
        }
        self.total += 1;
    }

    /// Reports fields that have the name of another parameter. All fields fit by type.
    pub(super) const fn collect_names(&mut self) {
        let (host, kernel) = (self.host.parameters, self.kernel.parameters);
        let names = Names::new(kernel);
        let mut i = 0;
        while i < host.len() {
            let elsewhere = names.elsewhere(host, kernel, i, i);
            if elsewhere.is_some() {
                self.push(Mismatch::Differs {
                    field: i,
                    parameter: i,
                    differences: Differences::NONE.with(Difference::ParameterName),
                    exchanged: match elsewhere {
                        Some(Elsewhere::At(other)) => match names.elsewhere(host, kernel, other, other) {
                            Some(Elsewhere::At(back)) if back == i => Some(other),
                            _ => None,
                        },
                        _ => None,
                    },
                });
            }
            i += 1;
        }
    }

    /// Reports the order in which the fields fit. Returns whether this explains all differences.
    const fn in_another_order(&mut self, order: Reorder) -> bool {
        let (mut first, mut count) = (0, 0_usize);
        let mut i = 0;
        while i < self.host.parameters.len() {
            if !self.differs(i, i, None).1 {
                if count == 0 {
                    first = i;
                }
                count += 1;
            }
            i += 1;
        }
        if count == 1 {
            self.in_place = Some(self.differs(first, first, None).0);
        }
        match order {
            Reorder::Several => {
                self.several_orders = true;
                return false;
            }
            Reorder::Move { field, to } => {
                let before = if field < to { to + 1 } else { to };
                let extra = Mismatch::Extra { field, moved: Some(to) };
                let missing = Mismatch::Missing { parameter: to, before, moved: Some(field) };
                if field < to {
                    self.push(extra);
                    self.push(missing);
                } else {
                    self.push(missing);
                    self.push(extra);
                }
            }
            Reorder::Exchange { first: one, second: other } if count == 1 => {
                // `partner` already fits in its current place.
                let partner = if first == one { other } else { one };
                self.push(self.differs(first, first, Some(partner)).0);
            }
            Reorder::Exchange { first: one, second: other } => {
                let ((a, a_fits), (b, b_fits)) =
                    (self.differs(one, one, Some(other)), self.differs(other, other, Some(one)));
                if !a_fits {
                    self.push(a);
                }
                if !b_fits {
                    self.push(b);
                }
            }
        }
        true
    }

    /// The mismatch of a field and a parameter, and whether they fit.
    const fn differs(&self, field: usize, parameter: usize, exchanged: Option<usize>) -> (Mismatch, bool) {
        let (host, kernel) = (self.host.parameters, self.kernel.parameters);
        let differences = differences_at(host, kernel, self.base, field, parameter);
        let mismatch = Mismatch::Differs { field, parameter, differences, exchanged };
        (mismatch, differences.is_empty())
    }

    /// Reports structs that are split into fields, and fields that are structs of parameters. Returns whether this
    /// explains all differences.
    const fn split(&mut self, lists: &Lists<'_>) -> bool {
        let mut steps = Split::new(lists, self.base);
        loop {
            match steps.next() {
                Next::Found(mismatch) => self.push(mismatch),
                Next::End => return true,
                Next::Other => {
                    self.total = 0;
                    return false;
                }
            }
        }
    }

    /// Marks two neighbours as exchanged that have each other's name, also if one of them fits by its type.
    const fn exchange_by_name(&mut self, lists: &Lists<'_>, i: usize) {
        if let Mismatch::Differs { field, parameter, exchanged: exchanged @ None, .. } = &mut self.mismatches[i]
            && let (Some(own), _) = lists.partners.of(*field, *parameter)
            && own.abs_diff(*parameter) == 1
        {
            *exchanged = Some(*field + own - *parameter);
        }
    }

    /// Replaces an exchange by a move. Two fields look exchanged, and the fields between them also fit one place
    /// further: one of the two has moved. A move changes the order of fewer fields.
    const fn move_rather_than_exchange(&mut self, lists: &Lists<'_>, i: usize) {
        let (
            Mismatch::Differs { field, parameter, exchanged: Some(other), .. },
            Mismatch::Differs { field: last, parameter: last_parameter, .. },
        ) = (self.mismatches[i], self.mismatches[i + 1])
        else {
            return;
        };
        let span = last - field;
        if other != last || span < 2 || last_parameter - parameter != span {
            return;
        }
        let order = reorder(lists, self.base, (field, parameter), span + 1);
        let Some(Reorder::Move { field: moved, to }) = order else {
            return;
        };
        let (moved, to) = (field + moved, parameter + to);
        let extra = Mismatch::Extra { field: moved, moved: Some(to) };
        let missing = Mismatch::Missing {
            parameter: to,
            before: if moved == field { last + 1 } else { field },
            moved: Some(moved),
        };
        (self.mismatches[i], self.mismatches[i + 1]) = if moved == field { (extra, missing) } else { (missing, extra) };
    }
}
