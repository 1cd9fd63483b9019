//! A progress bar for what takes longer than a second.

use crate::style::plain;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::IsTerminal as _,
    time::{Duration, Instant},
};

/// How long nothing is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Bytes that have been read, of those that are to be. It is on standard error, and on a terminal only.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
    is_terminal: bool,
}

impl Progress {
    /// Of this many bytes.
    pub(crate) fn new(size: u64) -> Self {
        // What does not fit the terminal is cut off.
        let style = "{bar:20} {bytes} of {total_bytes}, {eta} left: {wide_msg}";
        let bar = ProgressBar::with_draw_target(Some(size), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Self {
            bar,
            start: Instant::now(),
            is_terminal: std::io::stderr().is_terminal(),
        }
    }

    /// The file that is read now.
    pub(crate) fn file(&self, name: &str) {
        let last = name.rsplit(std::path::MAIN_SEPARATOR).next();
        self.bar
            .set_message(plain(last.unwrap_or(name)).into_owned());
    }

    /// So many bytes have been read.
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
