//! A progress bar on standard error, if it is a terminal and more than 100 MB are read.

use crate::escape::terminal;
use std::{
    io::{self, IsTerminal as _, Write as _},
    time::{Duration, Instant},
};
use unicode_width::UnicodeWidthChar as _;

const LARGE: u64 = 100_000_000;

const TICK: Duration = Duration::from_millis(100);

const WIDTH: u64 = 20;

pub(crate) struct Progress {
    size: u64,
    /// Without its folder.
    file: String,
    start: Instant,
    /// When the next state is drawn. `None` if no bar is drawn.
    next: Option<Instant>,
    is_drawn: bool,
}

impl Progress {
    pub(crate) fn new(size: u64) -> Self {
        let mut progress = Self::hidden(size);
        if io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|name| name != "dumb") {
            progress.next = (size > LARGE).then_some(progress.start);
        }
        progress
    }

    pub(crate) fn hidden(size: u64) -> Self {
        Self { size, file: String::new(), start: Instant::now(), next: None, is_drawn: false }
    }

    /// `bytes` have been read before the file.
    pub(crate) fn file(&mut self, name: &str, bytes: u64) {
        let last = name.rsplit(std::path::is_separator).next();
        self.file = terminal(last.unwrap_or(name)).into_owned();
        self.set(bytes);
    }

    pub(crate) fn set(&mut self, bytes: u64) {
        let now = Instant::now();
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        self.next = Some(now + TICK);
        self.is_drawn = true;
        let columns = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
        let line = self.line(bytes, now - self.start);
        // The last column stays empty: some terminals begin a new line after it.
        let mut left = columns.saturating_sub(1);
        let fits = |c: &char| {
            let rest = left.checked_sub(c.width().unwrap_or(0));
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        let line: String = line.chars().take_while(fits).collect();
        // If standard error is closed, the bar is discarded.
        _ = write!(io::stderr(), "\r\x1b[2K{line}");
    }

    fn line(&self, bytes: u64, since: Duration) -> String {
        let Self { size, file, .. } = self;
        let done = bytes.min(*size);
        let bar: String = (0..WIDTH).map(|part| if part * size < done * WIDTH { '█' } else { '░' }).collect();
        let left = match done {
            0 => String::new(),
            _ => format!(", {} s left", since.as_secs().saturating_mul(size - done) / done),
        };
        format!("{bar} {} of {} MB{left}: {file}", done / 1_000_000, size / 1_000_000)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_drawn {
            _ = write!(io::stderr(), "\r\x1b[2K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_part_that_is_done_and_the_time_left() {
        let mut progress = Progress::hidden(749_000_000);
        progress.file("folder/libcublasLt.so\u{1b}", 0);
        let line = |bytes, seconds| progress.line(bytes, Duration::from_secs(seconds));
        assert_eq!(line(0, 0), "░░░░░░░░░░░░░░░░░░░░ 0 of 749 MB: libcublasLt.so\\u{1b}");
        assert_eq!(line(187_250_000, 2), "█████░░░░░░░░░░░░░░░ 187 of 749 MB, 6 s left: libcublasLt.so\\u{1b}");
        assert_eq!(line(u64::MAX, 8), "████████████████████ 749 of 749 MB, 0 s left: libcublasLt.so\\u{1b}");
        assert_eq!(Progress::hidden(0).line(1, Duration::ZERO), "░░░░░░░░░░░░░░░░░░░░ 0 of 0 MB: ");
    }
}
