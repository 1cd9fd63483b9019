//! Which field belongs to which parameter, where the lists differ.
//!
//! Aligned as a diff aligns two texts, so that one parameter too many is one difference and not a
//! difference in everything after it.

use super::{
    compare::{EXCHANGE, GAP, compare, distance, place},
    difference::{Difference, Differences},
};
use crate::signature::Parameter;

/// The number of fields, and of parameters, that are aligned at once. Further ones follow in steps of
/// half of it.
const WINDOW: usize = 32;

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

#[derive(Clone, Copy, Debug)]
enum Step {
    Both,
    Missing,
    Extra,
}

impl<'a> Pairs<'a> {
    /// Aligns fields with parameters. `base` is where the block begins in the constant bank
    /// ([`Sm::block_base`](crate::Sm::block_base)). It matters for alignments above 16 bytes alone; where
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
    #[expect(
        clippy::should_implement_trait,
        reason = "a trait's method cannot be const"
    )]
    pub const fn next(&mut self) -> Option<Pair> {
        let (i, j) = self.at;
        if self.planned > 0 {
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
pub(super) const fn expected_offset(
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

/// The shortest distances from a window's beginning to each of its points.
struct Grid {
    rows: usize,
    columns: usize,
    /// Of each field to each parameter.
    pair: [[u16; WINDOW]; WINDOW],
    /// From the beginning to the point before field `a` and parameter `b`.
    to: [[u16; WINDOW + 1]; WINDOW + 1],
}

impl Grid {
    const fn new(host: &[Parameter<'_>], kernel: &[Parameter<'_>]) -> Self {
        let mut grid = Self {
            rows: host.len(),
            columns: kernel.len(),
            pair: [[0; WINDOW]; WINDOW],
            to: [[0; WINDOW + 1]; WINDOW + 1],
        };
        let mut a = 0;
        while a < host.len() {
            let mut b = 0;
            while b < kernel.len() {
                grid.pair[a][b] = distance(&host[a], &kernel[b]);
                b += 1;
            }
            a += 1;
        }
        let mut a = 0;
        while a <= host.len() {
            let mut b = 0;
            while b <= kernel.len() {
                grid.to[a][b] = grid.shortest(a, b);
                b += 1;
            }
            a += 1;
        }
        grid
    }

    const fn shortest(&self, a: usize, b: usize) -> u16 {
        if a == 0 || b == 0 {
            return (a + b) as u16 * GAP;
        }
        let mut best = self.to[a - 1][b - 1] + self.pair[a - 1][b - 1];
        best = smaller(best, self.to[a - 1][b] + GAP);
        best = smaller(best, self.to[a][b - 1] + GAP);
        if self.is_exchange(a, b) {
            best = smaller(best, self.to[a - 2][b - 2] + EXCHANGE);
        }
        best
    }

    /// Whether the two neighbours before this point fit when they are exchanged.
    const fn is_exchange(&self, a: usize, b: usize) -> bool {
        a > 1 && b > 1 && self.pair[a - 1][b - 2] <= 1 && self.pair[a - 2][b - 1] <= 1
    }

    /// Whether the shortest way to a point exchanges the two neighbours before it, and no other is as short.
    const fn ends_in_exchange(&self, a: usize, b: usize) -> bool {
        self.is_exchange(a, b)
            && self.to[a][b] == self.to[a - 2][b - 2] + EXCHANGE
            && self.to[a][b] < self.to[a - 1][b - 1] + self.pair[a - 1][b - 1]
    }

    /// The last step of the shortest way to a point, where it exchanges nothing.
    const fn step_to(&self, a: usize, b: usize) -> Step {
        if a == 0 {
            return Step::Missing;
        }
        if b == 0 {
            return Step::Extra;
        }
        let best = self.to[a][b];
        if best == self.to[a - 1][b - 1] + self.pair[a - 1][b - 1] {
            Step::Both
        } else if best == self.to[a - 1][b] + GAP {
            Step::Extra
        } else {
            Step::Missing
        }
    }

    /// The point on the far edges with the shortest way to it and, at least, to the end of the lists,
    /// which are `h` and `k` long.
    const fn exit(&self, h: usize, k: usize) -> (usize, usize) {
        let mut best = (usize::MAX, 0, 0);
        let mut a = self.rows;
        let mut b = 0;
        while b <= self.columns {
            best = self.nearer(best, a, b, h, k);
            b += 1;
        }
        b = self.columns;
        a = 0;
        while a <= self.rows {
            best = self.nearer(best, a, b, h, k);
            a += 1;
        }
        (best.1, best.2)
    }

    const fn nearer(
        &self,
        best: (usize, usize, usize),
        a: usize,
        b: usize,
        h: usize,
        k: usize,
    ) -> (usize, usize, usize) {
        let way = self.to[a][b] as usize + (h - a).abs_diff(k - b) * GAP as usize;
        if way < best.0 || way == best.0 && a + b > best.1 + best.2 {
            (way, a, b)
        } else {
            best
        }
    }
}

const fn smaller(a: u16, b: u16) -> u16 {
    if a < b { a } else { b }
}
