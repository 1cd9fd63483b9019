//! All differences between a struct and a kernel.

use super::{
    align::{Row, Rows, differences_at},
    mismatch::{Mismatch, mark_as_one_mistake},
    reorder::{Reorder, reorder},
    split::{Next, Split},
};
use crate::signature::{Parameter, Signature};

/// The number of mismatches that are compared with one another to find exchanged and moved fields. A struct with more
/// belongs to another kernel.
const COMPARED: usize = 24;

/// All differences between a struct and a kernel. Empty where the struct fits.
///
/// It keeps the first `N` and counts the rest. [`report`] and [`report_at`] return one; both are `const`:
/// the derive calls them while the user's program compiles, and panics with the texts at the fields.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a, const N: usize = 32> {
    host: Signature<'a>,
    kernel: Signature<'a>,
    base: Option<usize>,
    mismatches: [Mismatch; N],
    total: usize,
    /// Where one field alone does not fit and another order would mend it: the field as it stands.
    in_place: Option<Mismatch>,
    /// Whether the fields fit in several other orders, none of which is likelier.
    several_orders: bool,
}

/// Compares a struct with a kernel. Offsets of parameters aligned above 16 bytes depend on the GPU, so they are not
/// compared: see [`report_at`].
///
/// Linear in the number of fields where the struct is right.
#[must_use]
pub const fn report<'a, const N: usize>(
    host: &Signature<'a>,
    kernel: &Signature<'a>,
) -> Report<'a, N> {
    report_at(host, kernel, None)
}

/// Compares a struct with a kernel whose block begins at `base` in the constant bank, see
/// [`Sm::param_base`](crate::Sm::param_base). It matters only for parameters aligned above 16 bytes.
#[must_use]
pub const fn report_at<'a, const N: usize>(
    host: &Signature<'a>,
    kernel: &Signature<'a>,
    base: Option<usize>,
) -> Report<'a, N> {
    let mut report = Report {
        host: *host,
        kernel: *kernel,
        base,
        mismatches: [Mismatch::Extra {
            field: 0,
            moved: None,
        }; N],
        total: 0,
        in_place: None,
        several_orders: false,
    };
    if !fits(host.parameters, kernel.parameters, base) {
        report.collect();
    }
    report
}

/// Whether the fields fit the parameters, all of them.
#[must_use]
pub const fn fits(host: &[Parameter<'_>], kernel: &[Parameter<'_>], base: Option<usize>) -> bool {
    if host.len() != kernel.len() {
        return false;
    }
    let mut i = 0;
    while i < host.len() {
        if !differences_at(host, kernel, base, i, i).is_empty() {
            return false;
        }
        i += 1;
    }
    true
}

impl<'a, const N: usize> Report<'a, N> {
    const fn collect(&mut self) {
        let (host, kernel) = (self.host.parameters, self.kernel.parameters);
        if host.len() == kernel.len()
            && let Some(order) = reorder(host, kernel, self.base, (0, 0), host.len())
            && self.in_another_order(order)
        {
            return;
        }
        if self.split() {
            return;
        }
        let mut rows = Rows::new(host, kernel, self.base);
        while let Some(row) = rows.next() {
            if let Row::Wrong(mismatch) = row {
                self.push(mismatch);
            }
        }
        let compared = if self.len() < COMPARED {
            self.len()
        } else {
            COMPARED
        };
        let mut i = 0;
        while i < compared {
            let mut j = i + 1;
            while j < compared {
                mark_as_one_mistake(&mut self.mismatches, i, j, host, kernel);
                j += 1;
            }
            if i + 1 < compared {
                self.move_rather_than_exchange(i);
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

    /// Tells how the fields would fit in another order; whether that is all there is to tell.
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
                let extra = Mismatch::Extra {
                    field,
                    moved: Some(to),
                };
                let missing = Mismatch::Missing {
                    parameter: to,
                    before,
                    moved: Some(field),
                };
                if field < to {
                    self.push(extra);
                    self.push(missing);
                } else {
                    self.push(missing);
                    self.push(extra);
                }
            }
            Reorder::Exchange {
                first: one,
                second: other,
            } if count == 1 => {
                // The other one fits as it stands.
                let partner = if first == one { other } else { one };
                self.push(self.differs(first, first, Some(partner)).0);
            }
            Reorder::Exchange {
                first: one,
                second: other,
            } => {
                let ((a, a_fits), (b, b_fits)) = (
                    self.differs(one, one, Some(other)),
                    self.differs(other, other, Some(one)),
                );
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

    /// How a field differs from a parameter, as a mismatch; and whether it fits.
    const fn differs(
        &self,
        field: usize,
        parameter: usize,
        exchanged: Option<usize>,
    ) -> (Mismatch, bool) {
        let (host, kernel) = (self.host.parameters, self.kernel.parameters);
        let differences = differences_at(host, kernel, self.base, field, parameter);
        let mismatch = Mismatch::Differs {
            field,
            parameter,
            differences,
            exchanged,
        };
        (mismatch, differences.is_empty())
    }

    /// Tells the structs that are split into fields, and the fields that are structs of parameters; whether that is all
    /// there is to tell.
    const fn split(&mut self) -> bool {
        let mut steps = Split::new(self.host.parameters, self.kernel.parameters, self.base);
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

    /// Where two fields look exchanged, and those between them fit one place further as well: one of the two is moved,
    /// which changes the order of fewer fields.
    const fn move_rather_than_exchange(&mut self, i: usize) {
        let (
            Mismatch::Differs {
                field,
                parameter,
                exchanged: Some(other),
                ..
            },
            Mismatch::Differs {
                field: last,
                parameter: last_parameter,
                ..
            },
        ) = (self.mismatches[i], self.mismatches[i + 1])
        else {
            return;
        };
        let span = last - field;
        if other != last || span < 2 || last_parameter - parameter != span {
            return;
        }
        let (host, kernel) = (self.host.parameters, self.kernel.parameters);
        let order = reorder(host, kernel, self.base, (field, parameter), span + 1);
        let Some(Reorder::Move { field: moved, to }) = order else {
            return;
        };
        let (moved, to) = (field + moved, parameter + to);
        let extra = Mismatch::Extra {
            field: moved,
            moved: Some(to),
        };
        let missing = Mismatch::Missing {
            parameter: to,
            before: if moved == field { last + 1 } else { field },
            moved: Some(moved),
        };
        (self.mismatches[i], self.mismatches[i + 1]) = if moved == field {
            (extra, missing)
        } else {
            (missing, extra)
        };
    }

    /// Whether the struct fits.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The number of mismatches that are kept: at most `N`.
    #[must_use]
    pub const fn len(&self) -> usize {
        if self.total < N { self.total } else { N }
    }

    /// The number of all mismatches.
    #[must_use]
    pub const fn total(&self) -> usize {
        self.total
    }

    /// The mismatches in the order of the parameters: the first `N`.
    #[must_use]
    pub const fn mismatches(&self) -> &[Mismatch] {
        self.mismatches.split_at(self.len()).0
    }

    /// The struct.
    #[must_use]
    pub const fn host(&self) -> Signature<'a> {
        self.host
    }

    /// The kernel.
    #[must_use]
    pub const fn kernel(&self) -> Signature<'a> {
        self.kernel
    }

    /// Where the block begins in the constant bank, if that is known.
    pub(crate) const fn base(&self) -> Option<usize> {
        self.base
    }

    /// Where one field alone does not fit and another order would mend it as well: the field as it stands.
    pub(crate) const fn in_place(&self) -> Option<Mismatch> {
        self.in_place
    }

    /// Whether the fields fit in several other orders, none of which is likelier.
    pub(crate) const fn fits_in_several_orders(&self) -> bool {
        self.several_orders
    }

    /// The number of a mismatch among those that are kept.
    pub(crate) const fn position(&self, mismatch: Mismatch) -> Option<usize> {
        let mut i = 0;
        while i < self.len() {
            let kept = self.mismatches[i];
            if same(kept.field(), mismatch.field()) && same(kept.parameter(), mismatch.parameter())
            {
                return Some(i);
            }
            i += 1;
        }
        None
    }

    /// Of a field that has no parameter, the parameter without a field that may be its own, and the other way: the first
    /// of one belongs to the first of the other. `None` where there are fewer of the other.
    pub(crate) const fn counterpart(&self, mismatch: usize) -> Option<Mismatch> {
        let is_extra = match self.mismatches[mismatch] {
            Mismatch::Extra { moved: None, .. } => true,
            Mismatch::Missing { moved: None, .. } => false,
            _ => return None,
        };
        let mut nth = 0;
        let mut i = 0;
        while i < mismatch {
            nth += is_unpaired(self.mismatches[i], is_extra) as usize;
            i += 1;
        }
        i = 0;
        while i < self.len() {
            if is_unpaired(self.mismatches[i], !is_extra) {
                if nth == 0 {
                    return Some(self.mismatches[i]);
                }
                nth -= 1;
            }
            i += 1;
        }
        None
    }

    /// The mismatch of a field.
    #[must_use]
    pub const fn of_field(&self, field: usize) -> Option<Mismatch> {
        let mut i = 0;
        while i < self.len() {
            if let Some(wrong) = self.mismatches[i].field()
                && wrong == field
            {
                return Some(self.mismatches[i]);
            }
            i += 1;
        }
        None
    }
}

const fn same(a: Option<usize>, b: Option<usize>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a == b,
        (None, None) => true,
        _ => false,
    }
}

const fn is_unpaired(mismatch: Mismatch, extra: bool) -> bool {
    match mismatch {
        Mismatch::Extra { moved: None, .. } => extra,
        Mismatch::Missing { moved: None, .. } => !extra,
        _ => false,
    }
}
