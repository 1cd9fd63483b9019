//! Text in columns.

use crate::output::Output;
use std::io::{self, Write as _};
use unicode_width::UnicodeWidthStr as _;

/// Rows of cells, which are padded to the width of their column.
pub(super) struct Columns {
    rows: Vec<Vec<String>>,
    /// The columns of numbers, which are right-aligned.
    right: &'static [usize],
}

impl Columns {
    pub(super) fn new(head: &[&str], right: &'static [usize]) -> Self {
        Self { rows: vec![head.iter().map(|&cell| cell.to_owned()).collect()], right }
    }

    pub(super) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// Removes the heading of a column in which all other cells are empty.
    pub(super) fn remove_unused_heading(&mut self, column: usize) {
        let is_empty = |row: &Vec<String>| row.get(column).is_none_or(String::is_empty);
        if self.rows.iter().skip(1).all(is_empty) {
            self.rows[0][column].clear();
        }
    }

    pub(super) fn clear_unknown(&mut self) {
        self.rows.iter_mut().flatten().filter(|cell| *cell == "?").for_each(String::clear);
    }

    /// Writes all rows, the first as a heading.
    pub(super) fn write(&self, indent: &str, output: &mut Output) -> io::Result<()> {
        for (index, row) in self.rows().enumerate() {
            let line = row.join("  ");
            let line = line.trim_end();
            let line = if index == 0 { output.paint.faint(line) } else { line.to_owned() };
            writeln!(output.to, "{indent}{line}")?;
        }
        Ok(())
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Vec<String>> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(move |row| row.get(column));
            cells.map(|cell| cell.width()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..count).map(width).collect();
        self.rows.iter().map(move |row| {
            let cells = row.iter().zip(&widths).enumerate();
            let padded = cells.map(|(column, (cell, width))| {
                let padding = " ".repeat(width - cell.width());
                if self.right.contains(&column) {
                    format!("{padding}{cell}")
                } else if column + 1 == row.len() {
                    cell.clone()
                } else {
                    format!("{cell}{padding}")
                }
            });
            padded.collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_padded_by_what_they_show() {
        let mut columns = Columns::new(&["größe", "1", "x"], &[1]);
        columns.push(["a", "100", "long"].map(str::to_owned).to_vec());
        let lines: Vec<String> = columns.rows().map(|row| row.join("|")).collect();
        assert_eq!(lines, ["größe|  1|x", "a    |100|long"]);
    }
}
