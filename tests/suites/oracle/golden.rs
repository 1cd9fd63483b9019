//! Answers of the compiler that are committed, so that a part of the oracle runs everywhere.

use crate::answer::Answer;
use kernel_args_test_generator::{Shape, Signature, signatures};
use std::{fmt::Write as _, fs, path::PathBuf};

/// The seed of the committed signatures.
pub(crate) const SEED: u64 = 4;

/// How many there are.
pub(crate) const COUNT: usize = 240;

/// How to write the tables again.
pub(crate) const COMMAND: &str =
    "KERNEL_ARGS_ORACLE_BLESS=1 cargo test -p kernel-args-tests --test oracle";

fn place(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("golden")
        .join(name)
}

/// Whether the tables are to be written.
pub(crate) fn bless() -> bool {
    std::env::var_os("KERNEL_ARGS_ORACLE_BLESS").is_some()
}

/// The committed signatures, made again by the generator.
pub(crate) fn all() -> Vec<Signature> {
    signatures(SEED, Shape::Plain, COUNT)
}

/// A number for the C++ of a signature (FNV-1a): a table that belongs to another generator is found out.
fn fingerprint(signature: &Signature) -> u64 {
    let text = signature.cpp_alone();
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
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
    let place = place("signatures.tsv");
    let text =
        fs::read_to_string(&place).map_err(|error| format!("{}: {error}", place.display()))?;
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
                format!(
                    "{}: the generator makes another signature than the table has: run {COMMAND}",
                    signature.name
                )
            })?;
            Answer::parse(rest)
                .ok_or_else(|| format!("{}: not a line of the table: {line}", signature.name))
        })
        .collect()
}

/// Writes or reads one of the tables: `Ok` where the committed text is `text`.
pub(crate) fn check(name: &str, text: &str) -> Result<(), String> {
    let place = place(name);
    if bless() {
        return fs::write(&place, text).map_err(|error| format!("{}: {error}", place.display()));
    }
    let old = read(name)?;
    if old == text {
        return Ok(());
    }
    let differs = old.lines().zip(text.lines()).find(|(old, new)| old != new);
    Err(format!(
        "{} is not what the compiler says now; {}. Run {COMMAND}",
        place.display(),
        differs.map_or("a line more or less".to_owned(), |(old, new)| format!(
            "first\n  {old}\nnow\n  {new}\n"
        ))
    ))
}

/// A committed table.
pub(crate) fn read(name: &str) -> Result<String, String> {
    let place = place(name);
    fs::read_to_string(&place).map_err(|error| format!("{}: {error}", place.display()))
}
