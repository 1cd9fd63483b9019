//! A table with one row for each kernel.

use super::{Traced, microseconds, text};
use crate::{
    escape::terminal,
    style::{Paint, count},
};
use std::{
    collections::HashMap,
    io::{self, Write},
};

#[derive(Default)]
pub(super) struct Summary {
    kernels: HashMap<String, Totals>,
    graphs: u64,
}

#[derive(Default)]
struct Totals {
    launches: u64,
    errors: u64,
    bad_pointers: usize,
    nanoseconds: u64,
    /// The parameter bytes of a launch.
    bytes: usize,
}

impl Summary {
    pub(super) fn launch(&mut self, launch: &Traced<'_>) {
        let row = self.kernels.entry(launch.name.to_owned()).or_default();
        row.launches += 1;
        row.errors += u64::from(launch.event.result != "0");
        row.bad_pointers += launch.bad_pointers.len();
        row.nanoseconds = row.nanoseconds.saturating_add(launch.event.duration);
        row.bytes =
            launch.event.values.iter().flatten().map(|value| value.offset + value.bytes.len()).max().unwrap_or(0);
    }

    pub(super) fn graph(&mut self) {
        self.graphs += 1;
    }

    /// Writes the kernels with most launches first.
    pub(super) fn write(&self, to: &mut dyn Write, paint: Paint) -> io::Result<()> {
        let mut rows: Vec<(&String, &Totals)> = self.kernels.iter().collect();
        rows.sort_by_key(|(name, row)| (std::cmp::Reverse(row.launches), name.as_str()));
        let head = format!("{:>9} {:>7} {:>12} {:>7}  kernel", "launches", "errors", "µs in driver", "bytes");
        writeln!(to, "{}", paint.faint(&head))?;
        for (name, row) in &rows {
            let Totals { launches, errors, bytes, .. } = row;
            let name = terminal(text::without_parameters(name));
            let microseconds = microseconds(row.nanoseconds);
            writeln!(to, "{launches:>9} {errors:>7} {microseconds:>12.1} {bytes:>7}  {}", paint.title(&name))?;
        }
        for (name, row) in rows.iter().filter(|(_, row)| row.bad_pointers > 0) {
            let name = terminal(text::without_parameters(name));
            let pointers = count(row.bad_pointers, "pointer");
            writeln!(to, "{name}: {pointers} that it cannot use")?;
        }
        let launches: u64 = rows.iter().map(|(_, row)| row.launches).sum();
        writeln!(
            to,
            "{}, {}, {}",
            count(rows.len(), "kernel"),
            count(launches, "launch"),
            count(self.graphs, "graph launch"),
        )
    }
}
