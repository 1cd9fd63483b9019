//! A progress bar for reads that take longer than a second.

use crate::escape::terminal;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::IsTerminal as _,
    time::{Duration, Instant},
};

/// The delay before the bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// The bytes read so far and the total. The bar is written to standard error, and only on a terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
    is_terminal: bool,
}

impl Progress {
    /// The total number of bytes.
    pub(crate) fn new(size: u64) -> Self {
        // Cut off at the width of the terminal.
        let style = "{bar:20} {bytes} of {total_bytes}, {eta} left: {wide_msg}";
        let bar = ProgressBar::with_draw_target(Some(size), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Self { bar, start: Instant::now(), is_terminal: std::io::stderr().is_terminal() }
    }

    /// Sets the file that is read now.
    pub(crate) fn file(&self, name: &str) {
        let last = name.rsplit(std::path::MAIN_SEPARATOR).next();
        self.bar.set_message(terminal(last.unwrap_or(name)).into_owned());
    }

    /// Adds bytes that have been read.
    pub(crate) fn set(&self, bytes: u64) {
        if self.is_terminal && self.bar.is_hidden() && self.start.elapsed() >= PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(bytes);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
