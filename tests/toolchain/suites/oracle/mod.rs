//! The oracle: compares layouts with NVIDIA's own compiler, never with expectations in this repository.
//!
//! NVRTC compiles random signatures (`tests/support/generator`) for six GPU generations. Offsets and sizes are read
//! from the cubins, declarations from the PTX, sizes and offsets within structs from constants that the compiler
//! evaluates. They are compared with the const engine and its architecture rule, with the derives' results for the same
//! signatures, and with rustc's layout of the structs.
//!
//! | variable | meaning | default | with `KERNEL_ARGS_FULL=1` |
//! |---|---|---|---|
//! | `KERNEL_ARGS_ORACLE_SIGNATURES` | the number of signatures | 200; 100 with debug information | 1000 |
//! | `KERNEL_ARGS_ORACLE_DERIVED` | the number of signatures that are also derived structs | 40 | 240 |
//! | `KERNEL_ARGS_ORACLE_SEED` | the seed of the signatures | 1 | 1 |
//!
//! `KERNEL_ARGS_BLESS=1` writes the tables of `tests/golden`.
//!
//! Without NVRTC (`python3 ptx/toolchain.py nvrtc`) its trials are ignored, and the derives are compared with the
//! committed answers in `tests/golden`.

mod answer;
mod compile;
mod debug_info;
mod derived;
mod engine;
mod expected;
mod golden;
mod read_cubin;
mod read_ptx;
mod report;
mod symbols;
mod types;

use answer::{Answer, SMS};
use kernel_args_test_generator::tools::{self as tools, GXX, trial};
use kernel_args_test_generator::{Shape, Signature, shrink, signatures, size};
use kernel_args_toolchain_tests::{
    golden::{bless, check, place},
    nvrtc::{self, HEADERS, NVRTC},
    read,
};
use libtest_mimic::{Arguments, Completion, Failed};
use report::Line;
use std::{env, process::ExitCode, time::Instant};
use types::CLANG;

pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = vec![
        trial("golden_signatures_are_laid_out_as_nvrtc_did", &[], golden_signatures),
        trial("golden_types_have_the_sizes_of_nvrtc", &[], golden_types),
        trial("golden_tables_are_what_nvrtc_says_now", &[NVRTC], golden_tables),
        trial("random_signatures_are_laid_out_as_nvrtc_does", &[NVRTC], random_signatures),
        trial("derived_structs_are_laid_out_as_nvrtc_does", &[NVRTC.optional()], derived_structs),
        trial("golden_debug_information_tells_the_signatures", &[], golden_debug_information),
        trial("debug_information_tells_the_signatures", &[NVRTC], debug_information),
        trial("no_type_in_a_symbol_of_nvrtc_is_ignored", &[NVRTC], symbols),
        trial("types_have_the_sizes_of_nvrtc", &[NVRTC], || types_of("NVRTC", nvrtc::version(), types::by_nvrtc)),
        trial("types_have_the_sizes_of_cuda_headers", &[NVRTC, HEADERS], || {
            types_of("NVRTC, CUDA's headers", nvrtc::version() + ", CUDA's headers", types::by_nvrtc_headers)
        }),
        trial("types_have_the_sizes_of_gxx", &[GXX, HEADERS], || types_of("g++", types::version(GXX), types::by_gxx)),
        trial("types_have_the_sizes_of_clang_for_nvptx", &[CLANG, HEADERS], || {
            types_of("clang", types::version(CLANG), types::by_clang)
        }),
    ];
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list {
        report::print(seed());
    }
    conclusion.exit();
}

const BLESSING: &str = "the golden tables are being written";

fn number(variable: &str, default: u64) -> u64 {
    let text = env::var(variable).ok();
    text.map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}

fn seed() -> u64 {
    number("KERNEL_ARGS_ORACLE_SEED", 1)
}

fn count(variable: &str, small: usize, full: usize) -> usize {
    let default = size::choose(small, full) as u64;
    usize::try_from(number(variable, default)).expect("a count fits")
}

fn golden_signatures() -> Result<Completion, Failed> {
    if bless() {
        return Ok(Completion::ignored_with(BLESSING));
    }
    let signatures = golden::all();
    let answers = golden::answers(&signatures)?;
    verdict(&signatures, &answers, "golden answers", &|_| None)?;
    Ok(Completion::Completed)
}

fn golden_types() -> Result<Completion, Failed> {
    if bless() {
        return Ok(Completion::ignored_with(BLESSING));
    }
    let table = types::Table::parse(&read(&place("types.tsv"))?)?;
    types_verdict(&table, "golden answers".to_owned())?;
    Ok(Completion::Completed)
}

fn golden_tables() -> Result<Completion, Failed> {
    let version = nvrtc::version();
    let signatures = golden::all();
    let answers = compile::answers("golden", &signatures)?;
    check("signatures.tsv", &golden::render(&signatures, &answers, &version))?;
    check("types.tsv", &types::by_nvrtc()?.render(&version))?;
    debug_info::check_golden(&signatures, &version)?;
    Ok(Completion::Completed)
}

fn random_signatures() -> Result<Completion, Failed> {
    let version = nvrtc::version();
    let seed = seed();
    let signatures = signatures(seed, Shape::Plain, count("KERNEL_ARGS_ORACLE_SIGNATURES", 200, 1000));
    let begin = Instant::now();
    let answers = compile::answers("random", &signatures)?;
    let seconds = begin.elapsed().as_secs_f64();
    println!("seed {seed}: {} signatures compiled for PTX and {SMS:?} in {seconds:.1} s", signatures.len());
    verdict(&signatures, &answers, &version, &|candidates| {
        let answers = compile::answers("shrink", &renamed(candidates)).ok()?;
        let mut pairs = candidates.iter().zip(&answers);
        pairs.position(|(candidate, answer)| !engine::differences(candidate, answer).is_empty())
    })?;
    Ok(Completion::Completed)
}

/// Candidates for a reduced signature have the same kernel name. Adds a unique name.
fn renamed(candidates: &[Signature]) -> Vec<Signature> {
    let rename = |(i, candidate): (usize, &Signature)| Signature {
        name: format!("{}_{i}", candidate.name),
        ..candidate.clone()
    };
    candidates.iter().enumerate().map(rename).collect()
}

fn verdict(
    signatures: &[Signature],
    answers: &[Answer],
    authority: &str,
    first_failing: &dyn Fn(&[Signature]) -> Option<usize>,
) -> Result<(), Failed> {
    let found: Vec<(usize, Vec<String>)> = signatures
        .iter()
        .zip(answers)
        .map(|(signature, answer)| engine::differences(signature, answer))
        .enumerate()
        .filter(|(_, differences)| !differences.is_empty())
        .collect();
    report::add(Line {
        compared: "const engine, arch rule",
        authority: authority.to_owned(),
        amount: format!("{} signatures x {} GPUs", signatures.len(), SMS.len()),
        differences: found.iter().map(|(_, differences)| differences.len()).sum(),
    });
    let shortest = |(index, _): &&(usize, Vec<String>)| signatures[*index].cpp_alone().len();
    let Some((index, differences)) = found.iter().min_by_key(shortest) else {
        return Ok(());
    };
    let small = shrink::shrink(signatures[*index].clone(), first_failing);
    Err(failure(&signatures[*index], &small, found.len(), &differences.join("\n")))
}

/// The text of a failure: the differences, and a small signature with a difference, as `.cu` and as Rust.
fn failure(signature: &Signature, small: &Signature, failing: usize, differences: &str) -> Failed {
    let name = &signature.name;
    let mut shown: String = differences.chars().take(4000).collect();
    if shown.len() < differences.len() {
        shown.push_str("...");
    }
    Failed::from(format!(
        "{failing} signatures differ; one of them is {name}:\n{shown}\n\n\
         shrunk, as .cu:\n{}\nas Rust:\n{}",
        small.cpp_alone(),
        small.rust_alone()
    ))
}

fn derived_structs() -> Result<Completion, Failed> {
    if bless() {
        return Ok(Completion::ignored_with(BLESSING));
    }
    let derived = count("KERNEL_ARGS_ORACLE_DERIVED", 40, 240);
    let (signatures, answers, authority) = if tools::has(NVRTC) {
        let signatures = signatures(seed(), Shape::Plain, derived);
        let answers = compile::answers("derived", &signatures)?;
        (signatures, answers, nvrtc::version())
    } else {
        let mut signatures = golden::all();
        let mut answers = golden::answers(&signatures)?;
        signatures.truncate(derived);
        answers.truncate(derived);
        (signatures, answers, "golden answers".to_owned())
    };
    let begin = Instant::now();
    let (found, amount) = derived::differences("derived", &signatures, &answers)?;
    let seconds = begin.elapsed().as_secs_f64();
    println!("{} derived structs built and described in {seconds:.1} s", signatures.len());
    report::add(Line {
        compared: "derives, rustc's layout, bytes",
        authority,
        amount: format!(
            "{} KernelArgs, {} by-value structs, {} packed forms",
            signatures.len(),
            amount.structs,
            amount.packed
        ),
        differences: found.len(),
    });
    let shortest = |difference: &&derived::Difference| signatures[difference.index].cpp_alone().len();
    let Some(first) = found.iter().min_by_key(shortest) else {
        return Ok(Completion::Completed);
    };
    let small = shrink::shrink(signatures[first.index].clone(), |candidates| {
        let candidates = renamed(candidates);
        let answers = compile::answers("shrink", &candidates).ok()?;
        let (found, _) = derived::differences("shrink", &candidates, &answers).ok()?;
        found.first().map(|difference| difference.index)
    });
    let of_first = found.iter().filter(|difference| difference.index == first.index);
    let words: Vec<&str> = of_first.map(|difference| difference.what.as_str()).collect();
    let mut failing: Vec<usize> = found.iter().map(|difference| difference.index).collect();
    failing.dedup();
    Err(failure(&signatures[first.index], &small, failing.len(), &words.join("\n")))
}

fn golden_debug_information() -> Result<Completion, Failed> {
    if bless() {
        return Ok(Completion::ignored_with(BLESSING));
    }
    let (found, amount) = debug_info::golden(&golden::all())?;
    debug_verdict(&found, &amount, debug_info::GOLDEN, "golden answers".to_owned())?;
    Ok(Completion::Completed)
}

fn debug_information() -> Result<Completion, Failed> {
    let version = nvrtc::version();
    let count = count("KERNEL_ARGS_ORACLE_SIGNATURES", 100, 1000);
    let signatures = signatures(seed(), Shape::Plain, count);
    let (found, amount) = debug_info::differences(&signatures)?;
    debug_verdict(&found, &amount, count, version)?;
    Ok(Completion::Completed)
}

fn symbols() -> Result<Completion, Failed> {
    let version = nvrtc::version();
    let count = count("KERNEL_ARGS_ORACLE_SIGNATURES", 100, 1000);
    let (found, amount) = symbols::ignored(seed(), count)?;
    report::add(Line {
        compared: "types in symbols",
        authority: version,
        amount: format!(
            "{} kernels, {} types, {} of them of enums that the code leaves unclear",
            amount.kernels, amount.types, amount.unclear
        ),
        differences: found.len(),
    });
    match found.as_slice() {
        [] if amount.types < 10 * count => Err(format!("only {} types", amount.types).into()),
        [] => Ok(Completion::Completed),
        found => Err(found[..found.len().min(40)].join("\n").into()),
    }
}

fn debug_verdict(
    found: &[(usize, String)],
    amount: &debug_info::Amount,
    signatures: usize,
    authority: String,
) -> Result<(), Failed> {
    let debug_info::Amount { parameters, structs, members } = *amount;
    report::add(Line {
        compared: "debug information",
        authority,
        amount: format!(
            "{signatures} signatures, {parameters} parameters, {structs} by-value structs, {members} members"
        ),
        differences: found.len(),
    });
    if structs < signatures / 5 {
        return Err(Failed::from(format!("only {structs} by-value structs")));
    }
    if found.is_empty() {
        return Ok(());
    }
    let words: Vec<&str> = found.iter().take(40).map(|(_, what)| what.as_str()).collect();
    Err(Failed::from(words.join("\n")))
}

fn types_of(name: &str, version: String, table: fn() -> Result<types::Table, String>) -> Result<(), Failed> {
    let table = table().map_err(|error| format!("{name}: {error}"))?;
    types_verdict(&table, version)
}

fn types_verdict(table: &types::Table, authority: String) -> Result<(), Failed> {
    let found = table.differences();
    report::add(Line {
        compared: "device types, rustc's layout",
        authority,
        amount: format!("{} types", table.len()),
        differences: found.len(),
    });
    if found.is_empty() {
        return Ok(());
    }
    Err(Failed::from(found.join("\n")))
}
