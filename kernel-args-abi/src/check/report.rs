//! All differences between a struct and a kernel.

use super::{
    align::{Row, Rows, fit_by_types},
    mismatch::{Mismatch, mark_as_one_mistake},
    names,
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
    const fn collect(&mut self) {
        let mut rows = Rows::new(self.host.parameters, self.kernel.parameters, self.base);
        while let Some(row) = rows.next() {
            let Row::Wrong(mismatch) = row else { continue };
            if self.total < N {
                self.mismatches[self.total] = mismatch;
            }
            self.total += 1;
        }
        let compared = if self.len() < COMPARED {
            self.len()
        } else {
            COMPARED
        };
        let (host, kernel) = (self.host.parameters, self.kernel.parameters);
        let mut i = 0;
        while i < compared {
            let mut j = i + 1;
            while j < compared {
                mark_as_one_mistake(&mut self.mismatches, i, j, host, kernel);
                j += 1;
            }
            i += 1;
        }
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
