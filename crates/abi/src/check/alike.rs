//! Finds equal neighbours: fields or parameters that can each be the cause of a mistake.

use super::{align::differences_at, compare::distance, mismatch::Mismatch, names::is_made, report::Report};
use crate::bytes::same;

/// A run of fitting rows next to an unpaired field or parameter. It limits how far the gap can slide.
#[derive(Clone, Copy)]
struct Gap {
    /// The field and the parameter after the gap.
    at: (usize, usize),
    /// Whether a parameter has no field (`true`), or a field has no parameter.
    missing: bool,
}

impl<const N: usize> Report<'_, N> {
    /// The first and the last of the neighbours that can each be the mistake: fields for [`Extra`](Mismatch::Extra),
    /// parameters for [`Missing`](Mismatch::Missing). The struct fits if any one of these fields is removed, or if a
    /// field is added for any one of these parameters, with the same number of conversions.
    pub(crate) const fn alike(&self, mismatch: usize) -> (usize, usize) {
        let mut at = 0;
        let mut start = (0, 0);
        let mut position = (0, 0);
        // The positions of this mistake and the previous one.
        let mut end = (self.host().parameters.len(), self.kernel().parameters.len());
        while at <= mismatch {
            position = start_of(self.mismatches()[at], start);
            if at < mismatch {
                start = end_of(self.mismatches()[at], position);
            }
            at += 1;
        }
        let (gap, own) = match self.mismatches()[mismatch] {
            Mismatch::Missing { parameter, moved: None, .. } => (Gap { at: position, missing: true }, parameter),
            Mismatch::Extra { field, moved: None } => (Gap { at: position, missing: false }, field),
            other => {
                let own = match other.field() {
                    Some(field) => field,
                    None => 0,
                };
                return (own, own);
            }
        };
        if self.total() > self.len() {
            return (own, own);
        }
        if mismatch + 1 < self.len() {
            end = start_of(self.mismatches()[mismatch + 1], end_of(self.mismatches()[mismatch], position));
        }
        (own - self.slide(gap, start, false), own + self.slide(gap, end, true))
    }

    /// How many rows a gap can slide towards `limit`.
    const fn slide(&self, gap: Gap, limit: (usize, usize), forward: bool) -> usize {
        let (mut i, mut j) = gap.at;
        let (mut steps, mut slid, mut extra) = (0, 0, 0_i32);
        loop {
            // The rows before and after the slide.
            let (old, new) = if forward {
                let old = if gap.missing { (i, j + 1) } else { (i + 1, j) };
                if old.0 >= limit.0 || old.1 >= limit.1 {
                    return slid;
                }
                (old, (i, j))
            } else {
                if i <= limit.0 || j <= limit.1 {
                    return slid;
                }
                let new = if gap.missing { (i - 1, j) } else { (i, j - 1) };
                ((i - 1, j - 1), new)
            };
            if !self.pair_fits(new) || self.have_one_name(old) {
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

    const fn pair_fits(&self, (i, j): (usize, usize)) -> bool {
        let (host, kernel) = (self.host().parameters, self.kernel().parameters);
        differences_at(host, kernel, self.base(), i, j).is_empty()
    }

    /// Whether a field has the name of its parameter, so it is not the mistake.
    const fn have_one_name(&self, (i, j): (usize, usize)) -> bool {
        let name = self.kernel().parameters[j].name;
        !is_made(name) && same(self.host().parameters[i].cpp_name(), name)
    }

    const fn conversions(&self, (i, j): (usize, usize)) -> i32 {
        distance(&self.host().parameters[i], &self.kernel().parameters[j]) as i32
    }
}

/// The field and the parameter before which a mistake begins. The previous mistake ended at `previous`.
const fn start_of(mismatch: Mismatch, previous: (usize, usize)) -> (usize, usize) {
    match mismatch {
        Mismatch::Differs { field, parameter, .. } => (field, parameter),
        Mismatch::Missing { parameter, before, .. } => (before, parameter),
        Mismatch::Extra { field, .. } => (field, previous.1 + (field - previous.0)),
    }
}

/// The field and the parameter after a mistake.
const fn end_of(mismatch: Mismatch, (i, j): (usize, usize)) -> (usize, usize) {
    (i + mismatch.field().is_some() as usize, j + mismatch.parameter().is_some() as usize)
}
