//! The shortest path through a part of two lists that differ.

use super::{
    compare::{EXCHANGE, GAP},
    lists::{Lists, NAMESAKES},
};

/// The maximum number of fields, and of parameters, that are aligned at once. Longer lists are aligned in steps of half
/// this number.
pub(super) const MOST_ALIGNED: usize = 32;

#[derive(Clone, Copy, Debug)]
pub(super) enum Edit {
    Both,
    Missing,
    Extra,
}

impl Edit {
    pub(super) const fn back_from(self, a: usize, b: usize) -> (usize, usize) {
        match self {
            Self::Both => (a - 1, b - 1),
            Self::Missing => (a, b - 1),
            Self::Extra => (a - 1, b),
        }
    }
}

pub(super) struct Grid {
    rows: usize,
    columns: usize,
    pair: [[u16; MOST_ALIGNED]; MOST_ALIGNED],
    /// The distance from the start to the point before field `a` and parameter `b`.
    to: [[u16; MOST_ALIGNED + 1]; MOST_ALIGNED + 1],
}

impl Grid {
    pub(super) const fn new(lists: &Lists<'_>, at: (usize, usize), (rows, columns): (usize, usize)) -> Self {
        let mut grid = Self {
            rows,
            columns,
            pair: [[0; MOST_ALIGNED]; MOST_ALIGNED],
            to: [[0; MOST_ALIGNED + 1]; MOST_ALIGNED + 1],
        };
        let mut a = 0;
        while a <= rows {
            let mut b = 0;
            while b <= columns {
                if a > 0 && b > 0 {
                    grid.pair[a - 1][b - 1] = lists.distance(at.0 + a - 1, at.1 + b - 1);
                }
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

    /// Returns whether the two neighbours before this point belong together if they are exchanged.
    const fn is_exchange(&self, a: usize, b: usize) -> bool {
        a > 1 && b > 1 && self.pair[a - 1][b - 2] <= NAMESAKES && self.pair[a - 2][b - 1] <= NAMESAKES
    }

    /// Writes the shortest path to a point, the last step first, and returns its length. `moves` prefers gaps to pairs
    /// that do not fit, among paths of one length.
    pub(super) const fn path_to(
        &self,
        (mut a, mut b): (usize, usize),
        moves: bool,
        path: &mut [Edit; 2 * MOST_ALIGNED],
    ) -> usize {
        let mut steps = 0;
        while a > 0 || b > 0 {
            let step = self.step_to(a, b, moves);
            // The steps of an exchange are two pairs.
            if matches!(step, Edit::Both) && self.ends_in_exchange(a, b) {
                path[steps] = step;
                steps += 1;
                (a, b) = (a - 1, b - 1);
            }
            path[steps] = step;
            steps += 1;
            (a, b) = step.back_from(a, b);
        }
        steps
    }

    /// Returns whether only an exchange of the two neighbours before a point gives the shortest path.
    const fn ends_in_exchange(&self, a: usize, b: usize) -> bool {
        self.is_exchange(a, b)
            && self.to[a][b] == self.to[a - 2][b - 2] + EXCHANGE
            && self.to[a][b] < self.to[a - 1][b - 1] + self.pair[a - 1][b - 1]
    }

    const fn step_to(&self, a: usize, b: usize, moves: bool) -> Edit {
        if a == 0 {
            return Edit::Missing;
        }
        if b == 0 {
            return Edit::Extra;
        }
        let (best, pair) = (self.to[a][b], self.pair[a - 1][b - 1]);
        let is_pair = best == self.to[a - 1][b - 1] + pair && (pair <= NAMESAKES || !moves);
        if is_pair || self.ends_in_exchange(a, b) {
            Edit::Both
        } else if best == self.to[a - 1][b] + GAP {
            Edit::Extra
        } else if best == self.to[a][b - 1] + GAP {
            Edit::Missing
        } else {
            Edit::Both
        }
    }

    /// Returns the point on the far edges with the shortest path to it, plus a lower bound for the rest (`h` by `k`).
    pub(super) const fn exit(&self, h: usize, k: usize) -> (usize, usize) {
        let (mut best, mut nearest) = ((0, 0), usize::MAX);
        let mut point = 0;
        while point <= self.columns + 1 + self.rows {
            let (a, b) =
                if point <= self.columns { (self.rows, point) } else { (point - self.columns - 1, self.columns) };
            let way = self.to[a][b] as usize + (h - a).abs_diff(k - b) * GAP as usize;
            if way < nearest || way == nearest && a + b > best.0 + best.1 {
                (best, nearest) = ((a, b), way);
            }
            point += 1;
        }
        best
    }
}

const fn smaller(a: u16, b: u16) -> u16 {
    if a < b { a } else { b }
}
