//! Which field belongs to which parameter, where the lists differ.
//!
//! Aligned as a diff aligns two texts, so that one parameter too many is one difference and not a
//! difference in everything after it.

use super::{
    compare::{compare, distance, place},
    difference::{Difference, Differences},
    edit_distance::{Grid, Step, WINDOW},
};
use crate::signature::Parameter;

/// A field and its parameter, or one of them alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Pair {
    /// Both are there.
    Both {
        /// The field's index.
        field: usize,
        /// The parameter's index.
        parameter: usize,
        /// How they differ; empty where they fit.
        differences: Differences,
    },
    /// The kernel takes a parameter that the host does not pass.
    Missing {
        /// The parameter's index.
        parameter: usize,
        /// The index of the field before which it is missing; the number of fields where it is the end.
        before: usize,
    },
    /// The host passes a field that the kernel does not take.
    Extra {
        /// The field's index.
        field: usize,
    },
}

/// All fields and parameters in order, each with its partner if it has one.
///
/// [`next`](Self::next) is `const`. Time is linear where the lists fit, and at most 32 comparisons for
/// each field or parameter where they do not.
#[derive(Clone, Debug)]
pub struct Pairs<'a> {
    host: &'a [Parameter<'a>],
    kernel: &'a [Parameter<'a>],
    base: Option<usize>,
    at: (usize, usize),
    /// Where what is common to the ends of both lists begins.
    tail: (usize, usize),
    /// What is planned and not yet told, the next one last.
    plan: [Step; 2 * WINDOW],
    planned: usize,
}

impl<'a> Pairs<'a> {
    /// Aligns fields with parameters. `base` is where the block begins in the constant bank
    /// ([`Sm::param_base`](crate::Sm::param_base)). It matters for alignments above 16 bytes alone; where
    /// it is `None`, their offsets agree with everything.
    #[must_use]
    pub const fn new(
        host: &'a [Parameter<'a>],
        kernel: &'a [Parameter<'a>],
        base: Option<usize>,
    ) -> Self {
        let mut pairs = Self {
            host,
            kernel,
            base,
            at: (0, 0),
            tail: (host.len(), kernel.len()),
            plan: [Step::Both; 2 * WINDOW],
            planned: 0,
        };
        // The common beginning first: of equal neighbours the last one is then the one that is missing.
        let mut begin = 0;
        while begin < host.len()
            && begin < kernel.len()
            && distance(&host[begin], &kernel[begin]) == 0
        {
            begin += 1;
        }
        while pairs.tail.0 > begin
            && pairs.tail.1 > begin
            && distance(&host[pairs.tail.0 - 1], &kernel[pairs.tail.1 - 1]) == 0
        {
            pairs.tail = (pairs.tail.0 - 1, pairs.tail.1 - 1);
        }
        pairs
    }

    /// The next one, or `None` at the end of both lists.
    pub const fn next(&mut self) -> Option<Pair> {
        let (i, j) = self.at;
        if self.planned > 0 {
            if self.slide() {
                return Some(self.take(Step::Both));
            }
            self.planned -= 1;
            return Some(self.take(self.plan[self.planned]));
        }
        if i >= self.tail.0 && j >= self.tail.1 {
            return if i < self.host.len() {
                Some(self.take(Step::Both))
            } else {
                None
            };
        }
        if i < self.tail.0 && j < self.tail.1 && distance(&self.host[i], &self.kernel[j]) == 0 {
            return Some(self.take(Step::Both));
        }
        self.plan();
        self.next()
    }

    /// Moves a gap behind the pair that follows it, if the lists are then as alike: of equal neighbours it
    /// is the last one that is missing, or one too many.
    const fn slide(&mut self) -> bool {
        let (i, j) = self.at;
        let top = self.planned - 1;
        let after = match self.plan[top] {
            Step::Both => return false,
            Step::Missing => (i, j + 1),
            Step::Extra => (i + 1, j),
        };
        if i >= self.host.len()
            || j >= self.kernel.len()
            || distance(&self.host[i], &self.kernel[j]) != 0
        {
            return false;
        }
        if top > 0 && matches!(self.plan[top - 1], Step::Both) {
            self.plan.swap(top, top - 1);
            self.planned -= 1;
            return true;
        }
        if top == 0 && after.0 == self.tail.0 && after.1 == self.tail.1 && after.0 < self.host.len()
        {
            self.tail = (after.0 + 1, after.1 + 1);
            return true;
        }
        false
    }

    const fn take(&mut self, step: Step) -> Pair {
        let (i, j) = self.at;
        match step {
            Step::Both => {
                self.at = (i + 1, j + 1);
                Pair::Both {
                    field: i,
                    parameter: j,
                    differences: differences_at(self.host, self.kernel, self.base, i, j),
                }
            }
            Step::Missing => {
                self.at = (i, j + 1);
                Pair::Missing {
                    parameter: j,
                    before: i,
                }
            }
            Step::Extra => {
                self.at = (i + 1, j);
                Pair::Extra { field: i }
            }
        }
    }

    /// Plans the next steps: the shortest way, by [`distance`], through a window that begins here.
    const fn plan(&mut self) {
        let (rows, columns) = (
            at_most(self.tail.0 - self.at.0, WINDOW),
            at_most(self.tail.1 - self.at.1, WINDOW),
        );
        let whole = self.at.0 + rows == self.tail.0 && self.at.1 + columns == self.tail.1;
        let grid = Grid::new(
            self.host.split_at(self.at.0).1.split_at(rows).0,
            self.kernel.split_at(self.at.1).1.split_at(columns).0,
        );
        let (mut a, mut b) = if whole {
            (rows, columns)
        } else {
            grid.exit(self.tail.0 - self.at.0, self.tail.1 - self.at.1)
        };
        let mut second_of_exchange = false;
        self.planned = 0;
        while a > 0 || b > 0 {
            // Far from the exit the way is the same whatever follows it; near it, it may not be.
            let keep = whole || a <= WINDOW / 2 && b <= WINDOW / 2;
            let step = if second_of_exchange {
                second_of_exchange = false;
                Step::Both
            } else if grid.ends_in_exchange(a, b) {
                second_of_exchange = true;
                Step::Both
            } else {
                grid.step_to(a, b)
            };
            (a, b) = match step {
                Step::Both => (a - 1, b - 1),
                Step::Missing => (a, b - 1),
                Step::Extra => (a - 1, b),
            };
            if keep {
                self.plan[self.planned] = step;
                self.planned += 1;
            }
        }
    }
}

/// How field `i` and parameter `j` differ, where the parameter lies included.
///
/// A kernel's records that tell offsets but no alignment show a wrong alignment by the offset: the field
/// would lie elsewhere, if it followed the kernel's own previous parameter.
pub(super) const fn differences_at(
    host: &[Parameter<'_>],
    kernel: &[Parameter<'_>],
    base: Option<usize>,
    i: usize,
    j: usize,
) -> Differences {
    let differences = compare(&host[i], &kernel[j]);
    if differences.contains(Difference::Size) || kernel[j].align.is_some() {
        return differences;
    }
    match (expected_offset(host, kernel, base, i, j), kernel[j].offset) {
        (Some(expected), Some(offset)) if expected != offset => {
            differences.with(Difference::Offset)
        }
        _ => differences,
    }
}

/// Where field `i` would lie as parameter `j`, after the kernel's previous parameter.
pub(crate) const fn expected_offset(
    host: &[Parameter<'_>],
    kernel: &[Parameter<'_>],
    base: Option<usize>,
    i: usize,
    j: usize,
) -> Option<usize> {
    let Some(align) = host[i].align else {
        return None;
    };
    let end = match j.checked_sub(1) {
        None => 0,
        Some(previous) => match kernel[previous].offset {
            Some(offset) => match offset.checked_add(kernel[previous].size) {
                Some(end) => end,
                None => return None,
            },
            None => return None,
        },
    };
    place(base, end, align)
}

const fn at_most(a: usize, limit: usize) -> usize {
    if a < limit { a } else { limit }
}
