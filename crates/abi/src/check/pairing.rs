//! How the fields of a list differ from the parameters of a kernel.

use super::{
    body::Exchange,
    compare::compare,
    difference::{Difference, Differences},
};
use crate::signature::{Offsets, Parameter};

/// A list of fields and a list of parameters. `base` is the address of the block in the constant bank
/// ([`Sm::param_base`](crate::Sm::param_base)). With `None`, the offsets of parameters aligned above 16 bytes are not
/// compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pairing<'a> {
    pub(crate) host: &'a [Parameter<'a>],
    pub(crate) kernel: &'a [Parameter<'a>],
    pub(crate) base: Option<usize>,
}

impl Pairing<'_> {
    pub(super) const fn fits_by_types(&self) -> bool {
        if self.host.len() != self.kernel.len() {
            return false;
        }
        let mut exchange = Exchange::NONE;
        let mut i = 0;
        while i < self.host.len() {
            let (host, kernel) = (&self.host[i], &self.kernel[i]);
            if !self.with_offset(i, i, compare(host, kernel)).is_empty() {
                return false;
            }
            exchange = exchange.and(host, kernel);
            i += 1;
        }
        !exchange.is_certain()
    }

    pub(super) const fn fits_records(&self) -> bool {
        self.host.len() == self.kernel.len()
            && !any!(i < self.host.len(), {
                self.host[i].size != self.kernel[i].size || !self.with_offset(i, i, Differences::NONE).is_empty()
            })
    }

    pub(crate) const fn differences(&self, i: usize, j: usize) -> Differences {
        self.in_lists(i, j, compare(&self.host[i], &self.kernel[j]))
    }

    pub(super) const fn in_lists(&self, i: usize, j: usize, mut differences: Differences) -> Differences {
        if differences.is_empty() && i == j && self.is_exchanged(i) {
            differences = differences.with(Difference::Pointer);
        }
        self.with_offset(i, j, differences)
    }

    /// Adds the difference of the offsets. A cubin records no alignments, so a wrong alignment shows in the offset
    /// after the kernel's previous parameter.
    const fn with_offset(&self, i: usize, j: usize, differences: Differences) -> Differences {
        let kernel = &self.kernel[j];
        if differences.contains(Difference::Size) || kernel.align.is_some() {
            return differences;
        }
        match (self.expected_offset(i, j), kernel.offset) {
            (Some(expected), Some(offset)) if expected != offset => differences.with(Difference::Offset),
            _ => differences,
        }
    }

    pub(crate) const fn expected_offset(&self, i: usize, j: usize) -> Option<usize> {
        Offsets::after(self.base, self.kernel, j.checked_sub(1)).place(some!(self.host[i].align))
    }

    const fn is_exchanged(&self, i: usize) -> bool {
        let own = Exchange::NONE.and(&self.host[i], &self.kernel[i]);
        if self.host.len() != self.kernel.len() || own.pointer + own.integer == 0 {
            return false;
        }
        any!(j < self.host.len(), {
            let other = Exchange::NONE.and(&self.host[j], &self.kernel[j]);
            (Exchange { pointer: own.pointer, ..other }).is_certain()
                || (Exchange { integer: own.integer, ..other }).is_certain()
        })
    }
}
