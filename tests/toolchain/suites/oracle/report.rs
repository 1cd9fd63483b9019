//! The final table: the comparisons, and the number of differences.

use std::sync::Mutex;

/// One line of the table.
pub(crate) struct Line {
    /// The compared results.
    pub(crate) compared: &'static str,
    /// The reference.
    pub(crate) authority: String,
    /// The amount: "1000 signatures x 6 GPUs".
    pub(crate) amount: String,
    /// The number of differences.
    pub(crate) differences: usize,
}

static LINES: Mutex<Vec<Line>> = Mutex::new(Vec::new());

/// Adds a line.
pub(crate) fn add(line: Line) {
    LINES.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(line);
}

/// Prints the table.
pub(crate) fn print(seed: u64) {
    let lines = LINES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if lines.is_empty() {
        return;
    }
    println!("oracle, seed {seed} (KERNEL_ARGS_ORACLE_SEED)");
    let width =
        |of: fn(&Line) -> &str, head: &str| lines.iter().map(|line| of(line).len()).max().unwrap_or(0).max(head.len());
    let compared = width(|line| line.compared, "compared");
    let authority = width(|line| &line.authority, "authority");
    let amount = width(|line| &line.amount, "amount");
    println!("{:compared$}  {:authority$}  {:amount$}  differences", "compared", "authority", "amount");
    for line in lines.iter() {
        println!(
            "{:compared$}  {:authority$}  {:amount$}  {:>11}",
            line.compared, line.authority, line.amount, line.differences
        );
    }
    let total: usize = lines.iter().map(|line| line.differences).sum();
    println!("differences in all: {total}");
}
