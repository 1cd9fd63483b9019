//! Finds equal neighbours: fields or parameters that can each be the cause of a mistake.

use super::{compare::distance, mismatch::Mismatch, names::is_made, report::Report};
use crate::bytes::same;

impl<const N: usize> Report<'_, N> {
    /// The first and the last of the neighbours that can each be the mistake: the struct fits if any one of these
    /// fields is removed ([`Extra`](Mismatch::Extra)), or if a field is added for any one of these parameters
    /// ([`Missing`](Mismatch::Missing)), with the same number of conversions.
    pub(crate) const fn alike(&self, mismatch: Mismatch) -> (usize, usize) {
        let (own, at, missing) = match mismatch {
            Mismatch::Missing { parameter, before, .. } => (parameter, (before, parameter), true),
            Mismatch::Extra { field, .. } => (field, (field, self.parameter_at(field)), false),
            Mismatch::Differs { field, .. } => return (field, field),
        };
        let is_moved =
            matches!(mismatch, Mismatch::Missing { moved: Some(_), .. } | Mismatch::Extra { moved: Some(_), .. });
        if is_moved || self.total() > self.len() {
            return (own, own);
        }
        (own - self.slide(at, missing, false), own + self.slide(at, missing, true))
    }

    /// The parameter after the ones that belong to the fields before an extra field.
    const fn parameter_at(&self, field: usize) -> usize {
        let (mut parameter, mut i) = (field, 0);
        while i < self.len() {
            match self.mismatches()[i] {
                Mismatch::Extra { field: other, .. } if other < field => parameter -= 1,
                Mismatch::Missing { before, .. } if before <= field => parameter += 1,
                _ => {}
            }
            i += 1;
        }
        parameter
    }

    /// The number of fitting rows that a gap, a parameter if `missing`, can slide over.
    const fn slide(&self, (mut i, mut j): (usize, usize), missing: bool, forward: bool) -> usize {
        let (mut steps, mut slid, mut extra) = (0, 0, 0_i32);
        loop {
            if !forward && (i == 0 || j == 0) {
                return slid;
            }
            // The rows before and after the slide.
            let (old, new) = match (forward, missing) {
                (true, true) => ((i, j + 1), (i, j)),
                (true, false) => ((i + 1, j), (i, j)),
                (false, true) => ((i - 1, j - 1), (i - 1, j)),
                (false, false) => ((i - 1, j - 1), (i, j - 1)),
            };
            if !self.is_right(old) || !self.pairing().differences(new.0, new.1).is_empty() || self.have_one_name(old) {
                return slid;
            }
            extra += self.conversions(new) - self.conversions(old);
            steps += 1;
            (i, j) = if forward { (i + 1, j + 1) } else { (i - 1, j - 1) };
            if extra <= 0 {
                slid = steps;
            }
        }
    }

    const fn is_right(&self, (i, j): (usize, usize)) -> bool {
        let mut at = 0;
        while at < self.len() {
            let wrong = self.mismatches()[at];
            if matches!(wrong.field(), Some(field) if field == i)
                || matches!(wrong.parameter(), Some(other) if other == j)
            {
                return false;
            }
            at += 1;
        }
        i < self.pairing().host.len() && j < self.pairing().kernel.len()
    }

    const fn have_one_name(&self, (i, j): (usize, usize)) -> bool {
        let name = self.pairing().kernel[j].name;
        !is_made(name) && same(self.pairing().host[i].cpp_name(), name)
    }

    const fn conversions(&self, (i, j): (usize, usize)) -> i32 {
        distance(&self.pairing().host[i], &self.pairing().kernel[j]) as i32
    }
}
