//! A report row by row, including the rows that fit.

use super::{
    align::{Row, Rows},
    alike::{end_of, start_of},
    mismatch::Mismatch,
    report::Report,
};

/// One row: a field, a parameter, or both, and the mismatch if there is one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) field: Option<usize>,
    pub(crate) parameter: Option<usize>,
    pub(crate) mismatch: Option<Mismatch>,
}

/// The rows of a report, in order.
pub(crate) struct Steps<'r, 'a, const N: usize> {
    report: &'r Report<'a, N>,
    /// The next field and parameter.
    at: (usize, usize),
    /// The index of the next mismatch.
    next: usize,
    /// The end of the current mismatch or fitting row.
    end: (usize, usize),
    /// The comparison itself, if the report does not store all mismatches.
    again: Option<Rows<'a>>,
}

impl<'r, 'a, const N: usize> Steps<'r, 'a, N> {
    pub(crate) const fn new(report: &'r Report<'a, N>) -> Self {
        let (host, kernel) = (report.host().parameters, report.kernel().parameters);
        Self {
            report,
            at: (0, 0),
            next: 0,
            end: (0, 0),
            again: if report.total() > report.len() { Some(Rows::new(host, kernel, report.base())) } else { None },
        }
    }

    fn step(&mut self) -> Option<Step> {
        let (i, j) = self.at;
        let mut mismatch = None;
        // Otherwise, these are the second and later rows of a mistake.
        if i >= self.end.0 && j >= self.end.1 {
            let next = self.report.mismatches().get(self.next).copied();
            mismatch = next.filter(|next| start_of(*next, self.at) == self.at);
            self.end = if let Some(next) = mismatch {
                self.next += 1;
                end_of(next, self.at)
            } else {
                let (host, kernel) = (self.report.host(), self.report.kernel());
                let ends = (host.parameters.len(), kernel.parameters.len());
                (ends.0.min(i + 1), ends.1.min(j + 1))
            };
        }
        let rest = (i < self.end.0, j < self.end.1);
        self.at = (i + usize::from(rest.0), j + usize::from(rest.1));
        (rest.0 || rest.1).then_some(Step { field: rest.0.then_some(i), parameter: rest.1.then_some(j), mismatch })
    }
}

impl<const N: usize> Iterator for Steps<'_, '_, N> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let Some(rows) = &mut self.again else {
            return self.step();
        };
        Some(match rows.next()? {
            Row::Fits { field, parameter } => Step { field: Some(field), parameter: Some(parameter), mismatch: None },
            Row::Wrong(found) => Step {
                field: found.field(),
                parameter: found.parameter(),
                // The report knows which rows belong together, but stores only the first mismatches.
                mismatch: match self.report.position(found) {
                    Some(kept) => Some(self.report.mismatches()[kept]),
                    None => Some(found),
                },
            },
        })
    }
}
