//! Pairs fields with parameters when the lists differ, as `diff` aligns two texts: an extra parameter is one
//! difference, and does not change the pairs after it.

use super::{
    compare::compare,
    difference::{Difference, Differences},
    edit_distance::{Edit, Grid, MOST_ALIGNED},
    lists::Lists,
    mismatch::Mismatch,
    names::NameIndex,
    pairing::Pairing,
};
use crate::bytes::smaller;

/// All fields and parameters in order, each with its partner if it has one: mismatches, also without differences.
///
/// The time is linear if the lists fit. Otherwise there are at most 32 comparisons per field or parameter.
pub(crate) struct Rows<'a> {
    pub(super) lists: Lists<'a>,
    pairing: Pairing<'a>,
    /// Set if all fields fit by type. Otherwise a wrong name would repeat a mistake that the types already show.
    names: Option<NameIndex>,
    at: (usize, usize),
    /// The number of pairs at the beginning whose types do not differ.
    begin: usize,
    tail: (usize, usize),
    /// The planned steps, the last one first.
    plan: [Edit; 2 * MOST_ALIGNED],
    planned: usize,
    /// Whether these steps contain a move. Its gaps stay where the field belongs.
    moves: bool,
}

impl<'a> Rows<'a> {
    pub(crate) const fn new(pairing: Pairing<'a>) -> Self {
        let Pairing { host, kernel, .. } = pairing;
        let fits = pairing.fits_by_types();
        let mut rows = Self {
            lists: Lists::new(host, kernel),
            pairing,
            names: if fits { Some(NameIndex::new(kernel)) } else { None },
            at: (0, 0),
            begin: if fits { host.len() } else { 0 },
            tail: (host.len(), kernel.len()),
            plan: [Edit::Both; 2 * MOST_ALIGNED],
            planned: 0,
            moves: false,
        };
        // If neighbours are equal, the last one is then reported as missing.
        while rows.begin < host.len() && rows.begin < kernel.len() && rows.lists.distance(rows.begin, rows.begin) == 0 {
            rows.begin += 1;
        }
        while rows.tail.0 > rows.begin
            && rows.tail.1 > rows.begin
            && rows.lists.distance(rows.tail.0 - 1, rows.tail.1 - 1) == 0
        {
            rows.tail = (rows.tail.0 - 1, rows.tail.1 - 1);
        }
        rows
    }

    pub(crate) const fn next(&mut self) -> Option<Mismatch> {
        let (i, j) = self.at;
        if self.planned > 0 {
            if !self.moves && self.slide() {
                return Some(self.take(Edit::Both));
            }
            self.planned -= 1;
            return Some(self.take(self.plan[self.planned]));
        }
        if i >= self.tail.0 && j >= self.tail.1 {
            return if i < self.lists.host.len() { Some(self.take(Edit::Both)) } else { None };
        }
        if i < self.tail.0 && j < self.tail.1 && (self.is_at_beginning() || self.lists.distance(i, j) == 0) {
            return Some(self.take(Edit::Both));
        }
        self.plan();
        self.next()
    }

    /// Moves a gap behind the next pair if the lists then match equally well: among equal neighbours, the last one is
    /// the missing or extra one.
    const fn slide(&mut self) -> bool {
        let (i, j) = self.at;
        let top = self.planned - 1;
        let after = match self.plan[top] {
            Edit::Both => return false,
            Edit::Missing => (i, j + 1),
            Edit::Extra => (i + 1, j),
        };
        if i >= self.lists.host.len() || j >= self.lists.kernel.len() || self.lists.distance(i, j) != 0 {
            return false;
        }
        if top > 0 && matches!(self.plan[top - 1], Edit::Both) {
            self.plan.swap(top, top - 1);
            self.planned -= 1;
            return true;
        }
        if top == 0 && after.0 == self.tail.0 && after.1 == self.tail.1 && after.0 < self.lists.host.len() {
            self.tail = (after.0 + 1, after.1 + 1);
            return true;
        }
        false
    }

    const fn take(&mut self, step: Edit) -> Mismatch {
        let (i, j) = self.at;
        match step {
            Edit::Both => {
                let Pairing { host, kernel, .. } = self.pairing;
                let differences =
                    if self.is_at_beginning() { Differences::NONE } else { compare(&host[i], &kernel[j]) };
                let mut differences = self.pairing.in_lists(i, j, differences);
                self.at = (i + 1, j + 1);
                if matches!(&self.names, Some(names) if names.elsewhere(host, kernel, i, j).is_some()) {
                    differences = differences.with(Difference::ParameterName);
                }
                Mismatch::Differs { field: i, parameter: j, differences, exchanged: None }
            }
            Edit::Missing => {
                self.at = (i, j + 1);
                Mismatch::Missing { parameter: j, before: i, moved: None }
            }
            Edit::Extra => {
                self.at = (i + 1, j);
                Mismatch::Extra { field: i, moved: None }
            }
        }
    }

    const fn is_at_beginning(&self) -> bool {
        self.at.0 < self.begin && self.at.0 == self.at.1
    }

    /// Plans the shortest path, by [`distance`], through the next part of both lists. Of two paths of one length, a
    /// field that moves is likelier than two fields that do not fit, and these than two gaps.
    const fn plan(&mut self) {
        let (h, k) = (self.tail.0 - self.at.0, self.tail.1 - self.at.1);
        let (rows, columns) = (smaller(h, MOST_ALIGNED), smaller(k, MOST_ALIGNED));
        let whole = rows == h && columns == k;
        let grid = Grid::new(&self.lists, self.at, (rows, columns));
        let exit = if whole { (h, k) } else { grid.exit(h, k) };
        self.planned = grid.path_to(exit, true, &mut self.plan);
        self.moves = self.plans_a_move();
        if !self.moves {
            self.planned = grid.path_to(exit, false, &mut self.plan);
        }
        if whole {
            return;
        }
        // Near the exit, later entries can change the path, so those steps are planned again.
        let (mut a, mut b) = exit;
        let (mut left_out, mut kept) = (0, 0);
        while left_out < self.planned && (a > MOST_ALIGNED / 2 || b > MOST_ALIGNED / 2) {
            (a, b) = self.plan[left_out].back_from(a, b);
            left_out += 1;
        }
        while left_out + kept < self.planned {
            self.plan[kept] = self.plan[left_out + kept];
            kept += 1;
        }
        self.planned = kept;
    }

    /// Returns whether a field without a parameter belongs to a parameter without a field.
    const fn plans_a_move(&self) -> bool {
        let (mut step, mut field) = (self.planned, self.at.0);
        while step > 0 {
            step -= 1;
            let (mut other, mut parameter) = (self.planned, self.at.1);
            while other > 0 && matches!(self.plan[step], Edit::Extra) {
                other -= 1;
                if matches!(self.plan[other], Edit::Missing) && self.lists.belong_together(field, parameter) {
                    return true;
                }
                parameter += !matches!(self.plan[other], Edit::Extra) as usize;
            }
            field += !matches!(self.plan[step], Edit::Missing) as usize;
        }
        false
    }
}
