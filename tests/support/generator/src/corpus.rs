//! The table of a folder of compiled echo kernels, `corpus.tsv`: see the program `echo_corpus`.

use crate::{Signature, echo};
use std::fmt::Write as _;

/// Kernels per source. A driver compiles each PTX on one thread.
pub const BATCH: usize = 50;

/// The file name of the table.
pub const FILE: &str = "corpus.tsv";

/// The table for the kernels of `seed`: a header line, then a line for each kernel.
#[must_use]
pub fn table(seed: u64, kernels: &[Signature]) -> String {
    let mut text = format!("# {} echo kernels of seed {seed}\n", kernels.len());
    for (index, kernel) in kernels.iter().enumerate() {
        let values = echo::expected(kernel, seed, index);
        let values: Vec<String> = values.iter().map(|value| hex(value)).collect();
        let _ = writeln!(
            text,
            "{index}\t{}\techo_{}\t{}\t{}",
            kernel.name,
            index / BATCH,
            u8::from(kernel.is_over_aligned()),
            values.join(",")
        );
    }
    text
}

/// Whether a table contains the first `count` kernels of `seed` in the current form.
///
/// # Errors
/// The difference, and the command that makes the right table.
pub fn check(text: &str, seed: u64, count: usize) -> Result<(), String> {
    let mut lines = text.lines();
    let head = lines.next().unwrap_or_default();
    let has = head.strip_prefix("# ").unwrap_or("no known kernels");
    let rest = |seed: u64| has.strip_suffix(&format!(" echo kernels of seed {seed}"));
    let enough = |text: &str| text.parse().is_ok_and(|has: usize| has >= count);
    let problem = if !rest(seed).is_some_and(enough) {
        format!("it has {has}")
    } else if !lines.take(count).eq(table(seed, &echo::signatures(seed, count)).lines().skip(1)) {
        "another version of the generator made it".to_owned()
    } else {
        return Ok(());
    };
    Err(format!(
        "the corpus does not fit the {count} derived structs of seed {seed}: {problem}: run `{}`",
        command(count)
    ))
}

/// The command that makes the corpus for `count` derived structs.
#[must_use]
pub fn command(count: usize) -> String {
    format!(
        "{}cargo run -p kernel-args-test-generator --bin echo_corpus",
        if count > echo::SMALL { "KERNEL_ARGS_FULL=1 " } else { "" }
    )
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
