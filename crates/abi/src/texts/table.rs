//! A report as a table: both sides of every row, with a hint at each wrong row.

use super::{
    message::{Message, columns},
    spelling::{LONGEST_NAME, push_cpp},
    templates as say,
};
use crate::{
    check::{self, Mismatch, Report, Row},
    class::Class,
    signature::{Offsets, Parameter, Signature},
};
use core::fmt::{self, Write};

const WHOLE: usize = 24;

const AROUND: usize = 2;

/// A report as a table ([`Display`](fmt::Display)): one row per field and parameter, with sizes and offsets in bytes
/// as `size @ offset`. After `<-`, a wrong row says what to write. An unpaired field or parameter has a gap in its
/// row. A table of more than 24 rows omits fitting rows that are far from a mistake.
#[derive(Clone, Copy, Debug)]
pub struct Table<'r, 'a, const N: usize = 32> {
    report: &'r Report<'a, N>,
    colored: bool,
}

impl<'a, const N: usize> Report<'a, N> {
    /// Both sides of every row, for a terminal or a log.
    #[must_use]
    pub const fn table(&self) -> Table<'_, 'a, N> {
        Table { report: self, colored: false }
    }
}

impl<'r, 'a, const N: usize> Table<'r, 'a, N> {
    /// Whether wrong rows are red, by ANSI escape sequences. Off by default.
    #[must_use]
    pub const fn colored(self, colored: bool) -> Self {
        Self { colored, ..self }
    }

    fn lines(&self) -> Lines<'r, 'a, N> {
        let (report, base) = (self.report, self.report.base());
        let rows = check::Rows::new(report.host().parameters, report.kernel().parameters, base);
        Lines { report, rows, offsets: Offsets::new(base) }
    }
}

impl<const N: usize> fmt::Display for Table<'_, '_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (red, reset) = if self.colored { ("\x1b[31m", "\x1b[0m") } else { ("", "") };
        let Signature { name, .. } = self.report.kernel();
        let mut title = Message::<256>::new();
        if self.report.is_empty() {
            say::match_table(&mut title, name);
        } else {
            say::mismatch_table(&mut title, name);
        }
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
            for (width, cell) in widths.iter_mut().zip(row.cells()) {
                *width = (*width).max(columns(cell));
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
            for (width, cell) in widths.iter().zip(row.cells()) {
                if *width > 0 {
                    line.push("  ");
                    line.writer().push_padded(cell, *width);
                }
            }
            match row.mismatch {
                None => write!(f, "\n{}", line.as_str().trim_end())?,
                Some(mismatch) => {
                    let why = self.report.hint(mismatch);
                    write!(f, "\n{red}{line}  <- {why}{reset}")?;
                }
            }
        }
        write_left_out(f, &mut left_out)
    }
}

fn write_left_out(f: &mut fmt::Formatter<'_>, count: &mut usize) -> fmt::Result {
    let mut text = Message::<64>::new();
    match core::mem::take(count) {
        0 => {}
        1 => say::row_left_out(&mut text),
        more => say::rows_left_out(&mut text, more),
    }
    f.write_str(text.as_str())
}

struct Line {
    field: Message<128>,
    host: Message<128>,
    host_place: Message<48>,
    kernel: Message<128>,
    kernel_place: Message<48>,
    mismatch: Option<Mismatch>,
}

impl Line {
    fn cells(&self) -> [&str; 5] {
        [
            self.field.as_str(),
            self.host.as_str(),
            self.host_place.as_str(),
            self.kernel.as_str(),
            self.kernel_place.as_str(),
        ]
    }
}

struct Lines<'r, 'a, const N: usize> {
    report: &'r Report<'a, N>,
    rows: check::Rows<'a>,
    offsets: Offsets,
}

impl<const N: usize> Iterator for Lines<'_, '_, N> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        let (field, parameter, mismatch) = match self.rows.next()? {
            Row::Fits { field, parameter } => (Some(field), Some(parameter), None),
            Row::Wrong(found) => (found.field(), found.parameter(), Some(self.report.stored(found))),
        };
        let mut row = Line {
            field: Message::new(),
            host: Message::new(),
            host_place: Message::new(),
            kernel: Message::new(),
            kernel_place: Message::new(),
            mismatch,
        };
        if let Some(field) = field {
            let field = &self.report.host().parameters[field];
            row.field.writer().push_shortened(field.name, LONGEST_NAME);
            row.host.writer().push_shortened(field.spelling, LONGEST_NAME);
            push_place(&mut row.host_place, field.size, field.offset);
        }
        if let Some(parameter) = parameter {
            let parameter = &self.report.kernel().parameters[parameter];
            let offset = self.offsets.next(parameter);
            push_type(&mut row.kernel, parameter);
            push_place(&mut row.kernel_place, parameter.size, offset);
        }
        Some(row)
    }
}

fn push_place(cell: &mut Message<48>, size: usize, offset: Option<usize>) {
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
