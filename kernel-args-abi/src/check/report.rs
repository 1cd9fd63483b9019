//! All differences between a struct and a kernel.

use super::{align::fit_by_types, mismatch::Mismatch, names};
use crate::signature::{Parameter, Signature};

/// All differences between a struct and a kernel. Empty where the struct fits.
///
/// It keeps the first `N` and counts the rest. [`report`] and [`report_at`] return one; both are `const`:
/// the derive calls them while the user's program compiles, and panics with the texts at the fields.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a, const N: usize = 32> {
    pub(super) host: Signature<'a>,
    pub(super) kernel: Signature<'a>,
    pub(super) base: Option<usize>,
    pub(super) mismatches: [Mismatch; N],
    pub(super) total: usize,
    /// Where one field alone does not fit and another order would mend it: the field as it stands.
    pub(super) in_place: Option<Mismatch>,
    /// Whether the fields fit in several other orders, none of which is likelier.
    pub(super) several_orders: bool,
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
    fit_by_types(host, kernel, base) && names::fit(host, kernel)
}

impl<'a, const N: usize> Report<'a, N> {
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
