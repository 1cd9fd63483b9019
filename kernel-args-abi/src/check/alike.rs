//! Which fields or parameters a mistake may as well be about: neighbours that the kernel takes alike.

use super::{align::differences_at, compare::distance, mismatch::Mismatch, report::Report};

/// A run of rows that fit, beside a field or parameter without a partner: how far the gap may slide.
#[derive(Clone, Copy)]
struct Gap {
    /// Before which field and parameter it is.
    at: (usize, usize),
    /// Whether it is a parameter without a field.
    missing: bool,
}

impl<const N: usize> Report<'_, N> {
    /// The first and the last of the neighbours of which any one may be the mistake: fields for
    /// [`Extra`](Mismatch::Extra), parameters for [`Missing`](Mismatch::Missing). The struct fits whichever of these
    /// fields is removed, or to whichever of these parameters a field is added, and needs as few conversions.
    pub(crate) const fn alike(&self, mismatch: usize) -> (usize, usize) {
        let mut at = 0;
        let mut start = (0, 0);
        let mut position = (0, 0);
        // Where this mistake and the one before it are.
        let mut end = (self.host().parameters.len(), self.kernel().parameters.len());
        while at <= mismatch {
            position = start_of(self.mismatches()[at], start);
            if at < mismatch {
                start = end_of(self.mismatches()[at], position);
            }
            at += 1;
        }
        let (gap, own) = match self.mismatches()[mismatch] {
            Mismatch::Missing {
                parameter,
                moved: None,
                ..
            } => (
                Gap {
                    at: position,
                    missing: true,
                },
                parameter,
            ),
            Mismatch::Extra { field, moved: None } => (
                Gap {
                    at: position,
                    missing: false,
                },
                field,
            ),
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
            end = start_of(
                self.mismatches()[mismatch + 1],
                end_of(self.mismatches()[mismatch], position),
            );
        }
        (
            own - self.slide(gap, start, false),
            own + self.slide(gap, end, true),
        )
    }

    /// Of a field that has no parameter, the parameter without a field that may be its own, and the other way: the first
    /// of one belongs to the first of the other. `None` where there are fewer of the other.
    pub(crate) const fn counterpart(&self, mismatch: usize) -> Option<Mismatch> {
        let is_extra = match self.mismatches()[mismatch] {
            Mismatch::Extra { moved: None, .. } => true,
            Mismatch::Missing { moved: None, .. } => false,
            _ => return None,
        };
        let mut nth = 0;
        let mut i = 0;
        while i < mismatch {
            nth += is_unpaired(self.mismatches()[i], is_extra) as usize;
            i += 1;
        }
        i = 0;
        while i < self.len() {
            if is_unpaired(self.mismatches()[i], !is_extra) {
                if nth == 0 {
                    return Some(self.mismatches()[i]);
                }
                nth -= 1;
            }
            i += 1;
        }
        None
    }

    /// How many rows a gap may slide towards `limit`.
    const fn slide(&self, gap: Gap, limit: (usize, usize), forward: bool) -> usize {
        let (mut i, mut j) = gap.at;
        let (mut steps, mut slid, mut extra) = (0, 0, 0_i32);
        loop {
            // The row of the pair that is parted, and of the one that is joined.
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
            if !self.pair_fits(new) {
                return slid;
            }
            extra += self.conversions(new) - self.conversions(old);
            steps += 1;
            (i, j) = if forward {
                (i + 1, j + 1)
            } else {
                (i - 1, j - 1)
            };
            if extra <= 0 {
                slid = steps;
            }
        }
    }

    const fn pair_fits(&self, (i, j): (usize, usize)) -> bool {
        let (host, kernel) = (self.host().parameters, self.kernel().parameters);
        differences_at(host, kernel, self.base(), i, j).is_empty()
    }

    const fn conversions(&self, (i, j): (usize, usize)) -> i32 {
        distance(&self.host().parameters[i], &self.kernel().parameters[j]) as i32
    }
}

/// Before which field and parameter a mistake is, of which the one before ended at `previous`.
pub(super) const fn start_of(mismatch: Mismatch, previous: (usize, usize)) -> (usize, usize) {
    match mismatch {
        Mismatch::Differs {
            field, parameter, ..
        } => (field, parameter),
        Mismatch::Missing {
            parameter, before, ..
        } => (before, parameter),
        Mismatch::Extra { field, .. } => (field, previous.1 + (field - previous.0)),
        Mismatch::Split {
            first, parameter, ..
        } => (first, parameter),
        Mismatch::Joined { field, first, .. } => (field, first),
    }
}

/// Behind which field and parameter a mistake is.
pub(super) const fn end_of(mismatch: Mismatch, (i, j): (usize, usize)) -> (usize, usize) {
    match mismatch {
        Mismatch::Differs { .. } => (i + 1, j + 1),
        Mismatch::Missing { .. } => (i, j + 1),
        Mismatch::Extra { .. } => (i + 1, j),
        Mismatch::Split { last, .. } => (last + 1, j + 1),
        Mismatch::Joined { last, .. } => (i + 1, last + 1),
    }
}

const fn is_unpaired(mismatch: Mismatch, extra: bool) -> bool {
    match mismatch {
        Mismatch::Extra { moved: None, .. } => extra,
        Mismatch::Missing { moved: None, .. } => !extra,
        _ => false,
    }
}
