//! All differences between a struct and a kernel.

use super::{
    align::Rows,
    lists::Lists,
    mismatch::{Mismatch, mark_as_one_mistake},
    names::{Elsewhere, NameIndex},
    pairing::Pairing,
};
use crate::{
    bytes::{is_equal, smaller},
    signature::{Parameter, Signature},
};

/// All differences between a struct and a kernel. Empty if the struct fits.
///
/// A report stores the first `N` mismatches and counts the rest.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a, const N: usize = 32> {
    host: Signature<'a>,
    kernel: Signature<'a>,
    base: Option<usize>,
    mismatches: [Mismatch; N],
    total: usize,
}

/// The number of mismatches among which exchanged and moved fields are found. A struct with more belongs to another
/// kernel.
const COMPARED: usize = 24;

/// Compares a struct with a kernel. Does not compare the offsets of parameters aligned above 16 bytes, because they
/// depend on the GPU: see [`report_at`].
pub const fn report<'a, const N: usize>(host: &Signature<'a>, kernel: &Signature<'a>) -> Report<'a, N> {
    report_at(host, kernel, None)
}

/// Compares a struct with a kernel whose block begins at `base` in the constant bank: see
/// [`Sm::param_base`](crate::Sm::param_base). `base` matters only for parameters aligned above 16 bytes.
pub const fn report_at<'a, const N: usize>(
    host: &Signature<'a>,
    kernel: &Signature<'a>,
    base: Option<usize>,
) -> Report<'a, N> {
    let mut report = Report {
        host: *host,
        kernel: *kernel,
        base,
        mismatches: [Mismatch::Extra { field: 0, moved: None }; N],
        total: 0,
    };
    if !fits(host.parameters, kernel.parameters, base) {
        report.collect();
    }
    report
}

/// Returns whether all fields fit the parameters.
pub const fn fits(host: &[Parameter<'_>], kernel: &[Parameter<'_>], base: Option<usize>) -> bool {
    if !(Pairing { host, kernel, base }).fits_by_types() {
        return false;
    }
    let names = NameIndex::new(kernel);
    !any!(i < host.len(), names.elsewhere(host, kernel, i, i).is_some())
}

/// [`fits`] for [records](Parameter::record), which have only offsets and sizes.
pub const fn fits_records(host: &[Parameter<'_>], records: &[Parameter<'_>], base: Option<usize>) -> bool {
    Pairing { host, kernel: records, base }.fits_records()
}

impl Pairing<'_> {
    pub(crate) const fn elsewhere(&self, i: usize, j: usize) -> Option<Elsewhere> {
        NameIndex::new(self.kernel).elsewhere(self.host, self.kernel, i, j)
    }
}

impl<'a, const N: usize> Report<'a, N> {
    /// Finds all mistakes, and marks the ones that are one: a moved field, or two exchanged fields.
    const fn collect(&mut self) {
        let mut rows = Rows::new(self.pairing());
        while let Some(row) = rows.next() {
            if row.is_right() {
                continue;
            }
            if self.total < N {
                self.mismatches[self.total] = row;
            }
            self.total += 1;
        }
        let compared = smaller(self.len(), COMPARED);
        let mut i = 0;
        while i < compared {
            let mut j = i + 1;
            while j < compared {
                mark_as_one_mistake(&mut self.mismatches, i, j, &rows.lists);
                j += 1;
            }
            self.exchange_with_neighbour(&rows.lists, i);
            i += 1;
        }
    }

    /// Marks a field as exchanged with a neighbour that fits where it is, by name, or because both fit as well the
    /// other way.
    const fn exchange_with_neighbour(&mut self, lists: &Lists<'_>, i: usize) {
        let Mismatch::Differs { field, parameter, differences, exchanged: None } = self.mismatches[i] else {
            return;
        };
        let mut at = 0;
        while at < 2 {
            // The field before, then the field after.
            let (other, to) = match at {
                0 if field > 0 && parameter > 0 => (field - 1, parameter - 1),
                _ => (field + 1, parameter + 1),
            };
            at += 1;
            if other < lists.host.len()
                && to < lists.kernel.len()
                && lists.fit_if_exchanged((field, parameter), (other, to), differences)
                && self.of_field(other).is_none()
            {
                self.mismatches[i] = Mismatch::Differs { field, parameter, differences, exchanged: Some(other) };
                return;
            }
        }
    }

    /// Returns whether the struct fits.
    pub const fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Returns the number of stored mismatches: at most `N`.
    pub const fn len(&self) -> usize {
        smaller(self.total, N)
    }

    /// Returns the number of all mismatches, stored or not.
    pub const fn total(&self) -> usize {
        self.total
    }

    /// Returns the first `N` mismatches, in the order of the parameters.
    pub const fn mismatches(&self) -> &[Mismatch] {
        self.mismatches.split_at(self.len()).0
    }

    /// Returns the struct.
    pub const fn host(&self) -> Signature<'a> {
        self.host
    }

    /// Returns the kernel.
    pub const fn kernel(&self) -> Signature<'a> {
        self.kernel
    }

    pub(crate) const fn pairing(&self) -> Pairing<'a> {
        Pairing { host: self.host.parameters, kernel: self.kernel.parameters, base: self.base }
    }

    /// Returns the stored mismatch of a row, which knows its counterpart.
    pub(crate) fn stored(&self, row: Mismatch) -> Mismatch {
        let is_row = |kept: &&Mismatch| kept.field() == row.field() && kept.parameter() == row.parameter();
        *self.mismatches().iter().find(is_row).unwrap_or(&row)
    }

    /// Returns the mismatch of a field.
    pub const fn of_field(&self, field: usize) -> Option<Mismatch> {
        let mut i = 0;
        while i < self.len() {
            if is_equal(self.mismatches[i].field(), Some(field)) {
                return Some(self.mismatches[i]);
            }
            i += 1;
        }
        None
    }
}
