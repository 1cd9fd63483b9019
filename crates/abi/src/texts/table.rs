//! A report as a table.

use super::spelling::{LONGEST_NAME, push_cpp};
use crate::{
    check::{self, Mismatch, Report},
    class::Class,
    message::{Message, columns},
    signature::{Offsets, Parameter, Signature},
};
use core::{
    fmt::{self, Write},
    iter,
};

const WHOLE: usize = 24;

const AROUND: usize = 2;

/// A report as a table ([`Display`](fmt::Display)): one row per field and parameter, with sizes and offsets in bytes
/// as `size @ offset`. After `<-`, a wrong row says what to write. An unpaired field or parameter has a gap in its
/// row. A table of more than 24 rows omits fitting rows that are far from a mistake.
#[derive(Clone, Copy, Debug)]
pub struct Table<'r, 'a, const N: usize = 32> {
    report: &'r Report<'a, N>,
}

impl<'a, const N: usize> Report<'a, N> {
    /// [`Table`] of this report.
    pub const fn table(&self) -> Table<'_, 'a, N> {
        Table { report: self }
    }
}

impl<const N: usize> Table<'_, '_, N> {
    fn lines(self) -> impl Iterator<Item = Line> {
        let pairing = self.report.pairing();
        let (mut rows, mut offsets) = (check::Rows::new(pairing), Offsets::new(pairing.base));
        iter::from_fn(move || {
            let row = rows.next()?;
            let mut cells = [Message::<128>::new(); 5];
            if let Some(field) = row.field() {
                let field = &pairing.host[field];
                cells[0].writer().push_shortened(field.name, LONGEST_NAME);
                cells[1].writer().push_shortened(field.spelling, LONGEST_NAME);
                push_place(&mut cells[2], field.size, field.offset);
            }
            if let Some(parameter) = row.parameter() {
                let parameter = &pairing.kernel[parameter];
                push_type(&mut cells[3], parameter);
                push_place(&mut cells[4], parameter.size, offsets.next(parameter));
            }
            Some(Line { cells, mismatch: (!row.is_right()).then(|| self.report.stored(row)) })
        })
    }
}

impl<const N: usize> fmt::Display for Table<'_, '_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Signature { name, .. } = self.report.kernel();
        let title: Message<256> =
            if self.report.is_empty() { text!(match_table, name) } else { text!(mismatch_table, name) };
        f.write_str(title.as_str())?;

        let count = self.lines().count();
        let shown = || {
            let mut ahead = self.lines();
            let mut wrong = None;
            let mut seen = 0;
            self.lines().enumerate().map(move |(index, row)| {
                while seen <= index + AROUND {
                    if ahead.next().is_some_and(|row| row.mismatch.is_some()) {
                        wrong = Some(seen);
                    }
                    seen += 1;
                }
                let near = wrong.is_some_and(|wrong| wrong + AROUND >= index);
                (near || count <= WHOLE).then_some(row)
            })
        };
        let title = if self.report.is_list() { "argument" } else { "field" };
        let mut widths = [columns(title), 0, 0, 0, 0];
        for row in shown().flatten() {
            for (width, cell) in widths.iter_mut().zip(&row.cells) {
                *width = (*width).max(columns(cell.as_str()));
            }
        }
        widths[2] = widths[2].max(columns("host").saturating_sub(widths[1] + 2));
        let host = widths[1] + 2 + widths[2];
        write!(f, "\n  {:w$}  {:host$}  kernel", title, "host", w = widths[0])?;

        let mut left_out = 0usize;
        for row in shown() {
            let Some(row) = row else {
                left_out += 1;
                continue;
            };
            write_left_out(f, &mut left_out)?;
            let mut line = Message::<640>::new();
            for (width, cell) in widths.iter().zip(&row.cells) {
                if *width > 0 {
                    line.push("  ");
                    line.writer().push_padded(cell.as_str(), *width);
                }
            }
            match row.mismatch {
                None => write!(f, "\n{}", line.as_str().trim_end())?,
                Some(mismatch) => {
                    let why = self.report.hint(mismatch);
                    write!(f, "\n{line}  <- {why}")?;
                }
            }
        }
        write_left_out(f, &mut left_out)
    }
}

fn write_left_out(f: &mut fmt::Formatter<'_>, count: &mut usize) -> fmt::Result {
    let text: Message<64> = match core::mem::take(count) {
        0 => return Ok(()),
        1 => text!(row_left_out),
        more => text!(rows_left_out, more),
    };
    f.write_str(text.as_str())
}

struct Line {
    /// The field, its type, its size and offset, the kernel's type, its size and offset.
    cells: [Message<128>; 5],
    mismatch: Option<Mismatch>,
}

fn push_place(cell: &mut Message<128>, size: usize, offset: Option<usize>) {
    cell.writer().push_number(size);
    if let Some(offset) = offset {
        cell.push(" @ ");
        cell.writer().push_number(offset);
    }
}

fn push_type(cell: &mut Message<128>, kernel: &Parameter<'_>) {
    if !kernel.cpp.is_unknown() {
        push_cpp(cell, kernel.cpp);
        return;
    }
    let bits = kernel.size.saturating_mul(8);
    // Writing to a message cannot fail.
    let _ = match kernel.class {
        Class::Unknown => Ok(()),
        Class::Bits => write!(cell, ".b{bits}"),
        Class::Integer => write!(cell, ".u{bits}"),
        Class::Float => write!(cell, ".f{bits}"),
        Class::Pointer => cell.write_str("pointer"),
        Class::Bytes => write!(cell, ".b8[{}]", kernel.size),
    };
}
