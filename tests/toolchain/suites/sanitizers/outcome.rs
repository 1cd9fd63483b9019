//! Parses the final lines of the test harness.

use std::{fmt, ops::AddAssign};

/// The counts of `test result: ok. 7 passed; 0 failed; 1 ignored; …`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) ignored: usize,
}

impl Outcome {
    /// The sum of all suites in `output`.
    pub(crate) fn of(output: &str) -> Self {
        let mut all = Self::default();
        for line in output.lines() {
            let Some((_, counts)) = line.split_once("test result: ") else {
                continue;
            };
            let count = |word: &str| {
                let (before, _) = counts.split_once(word)?;
                before.trim_end().rsplit(' ').next()?.parse().ok()
            };
            all += Self {
                passed: count("passed").unwrap_or(0),
                failed: count("failed").unwrap_or(0),
                ignored: count("ignored").unwrap_or(0),
            };
        }
        all
    }
}

impl AddAssign for Outcome {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, failed, ignored } = self;
        write!(f, "{passed} tests passed, {failed} failed, {ignored} ignored")
    }
}
