//! All differences between a struct and a kernel.

use super::{align::fit_by_types, mismatch::Mismatch, names};
use crate::signature::{Parameter, Signature};

/// All differences between a struct and a kernel. Empty if the struct fits.
///
/// A report stores the first `N` mismatches and counts the rest. [`report`] and [`report_at`] create it. Both are
/// `const`: the derive calls them while the user's program compiles, and panics with the texts at the fields.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a, const N: usize = 32> {
    pub(super) host: Signature<'a>,
    pub(super) kernel: Signature<'a>,
    pub(super) base: Option<usize>,
    pub(super) mismatches: [Mismatch; N],
    pub(super) total: usize,
    /// The mismatch of the only misfit in its current place, if another order of the fields would also fix it.
    pub(super) in_place: Option<Mismatch>,
    /// Whether the fields fit in several other orders, none of which is more likely.
    pub(super) several_orders: bool,
}

/// Compares a struct with a kernel. Does not compare the offsets of parameters aligned above 16 bytes, because they
/// depend on the GPU: see [`report_at`].
///
/// The time is linear in the number of fields if the struct fits.
#[must_use]
pub const fn report<'a, const N: usize>(host: &Signature<'a>, kernel: &Signature<'a>) -> Report<'a, N> {
    report_at(host, kernel, None)
}

/// Compares a struct with a kernel whose block begins at `base` in the constant bank: see
/// [`Sm::param_base`](crate::Sm::param_base). `base` matters only for parameters aligned above 16 bytes.
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
        mismatches: [Mismatch::Extra { field: 0, moved: None }; N],
        total: 0,
        in_place: None,
        several_orders: false,
    };
    // Comparing types is expensive, so it is not done again.
    if !fit_by_types(host.parameters, kernel.parameters, base) {
        report.collect();
    } else if !names::fit(host.parameters, kernel.parameters) {
        report.collect_names();
    }
    report
}

/// Whether all fields fit the parameters.
#[must_use]
pub const fn fits(host: &[Parameter<'_>], kernel: &[Parameter<'_>], base: Option<usize>) -> bool {
    fit_by_types(host, kernel, base) && names::fit(host, kernel)
}

impl<'a, const N: usize> Report<'a, N> {
    /// Whether the struct fits.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The number of stored mismatches: at most `N`.
    #[must_use]
    pub const fn len(&self) -> usize {
        if self.total < N { self.total } else { N }
    }

    /// The number of all mismatches, including those that are not stored.
    #[must_use]
    pub const fn total(&self) -> usize {
        self.total
    }

    /// The first `N` mismatches, in the order of the parameters.
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

    /// The address of the block in the constant bank, if known.
    pub(crate) const fn base(&self) -> Option<usize> {
        self.base
    }

    /// The mismatch of the only misfit in its current place, if another order of the fields would also fix it.
    pub(crate) const fn in_place(&self) -> Option<Mismatch> {
        self.in_place
    }

    /// Whether the fields fit in several other orders, none of which is more likely.
    pub(crate) const fn fits_in_several_orders(&self) -> bool {
        self.several_orders
    }

    /// The index of a stored mismatch.
    pub(crate) const fn position(&self, mismatch: Mismatch) -> Option<usize> {
        let mut i = 0;
        while i < self.len() {
            let kept = self.mismatches[i];
            if same(kept.field(), mismatch.field()) && same(kept.parameter(), mismatch.parameter()) {
                return Some(i);
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
