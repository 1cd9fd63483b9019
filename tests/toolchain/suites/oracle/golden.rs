//! Committed answers of the compiler: a part of the oracle runs without the compiler.

use crate::oracle::answer::Answer;
use kernel_args_test_generator::{Shape, Signature, signatures};
use kernel_args_toolchain_tests::{
    golden::{self, COMMAND},
    read,
};
use std::fmt::Write as _;

/// The seed of the committed signatures.
pub(crate) const SEED: u64 = 4;

/// The number of committed signatures.
pub(crate) const COUNT: usize = 240;

/// The committed signatures, generated again.
pub(crate) fn all() -> Vec<Signature> {
    signatures(SEED, Shape::Plain, COUNT)
}

/// A hash of a signature's C++ source (FNV-1a), to detect a table of a different generator.
fn fingerprint(signature: &Signature) -> u64 {
    let text = signature.cpp_alone();
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The table of these answers.
pub(crate) fn render(signatures: &[Signature], answers: &[Answer], version: &str) -> String {
    let mut text = format!(
        "# {version} of seed {SEED}. Name, fingerprint of the C++; sizes, alignments and offsets of its types;\n\
         # the parameters as PTX declares them; for groups of GPUs their offsets, last the size of the block.\n\
         # Written by: {COMMAND}\n"
    );
    for (signature, answer) in signatures.iter().zip(answers) {
        let (name, print) = (&signature.name, fingerprint(signature));
        let _ = writeln!(text, "{name}\t{print:016x}\t{}", answer.line());
    }
    text
}

/// The committed answers.
pub(crate) fn answers(signatures: &[Signature]) -> Result<Vec<Answer>, String> {
    let place = golden::place("signatures.tsv");
    let text = read(&place)?;
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    if lines.len() != signatures.len() {
        return Err(format!(
            "{} has {} signatures, expected {}: run {COMMAND}",
            place.display(),
            lines.len(),
            signatures.len()
        ));
    }
    lines
        .iter()
        .zip(signatures)
        .map(|(line, signature)| {
            let expected = format!("{}\t{:016x}\t", signature.name, fingerprint(signature));
            let rest = line.strip_prefix(&expected).ok_or_else(|| {
                format!("{}: the generator makes another signature than the table has: run {COMMAND}", signature.name)
            })?;
            Answer::parse(rest).ok_or_else(|| format!("{}: not a line of the table: {line}", signature.name))
        })
        .collect()
}
