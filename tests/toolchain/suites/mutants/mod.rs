//! Mutants of correct structs: each stage detects the mistakes that the design guarantees, at the right field, and
//! nothing else.
//!
//! There are 50 correct signatures, 1,000 with `KERNEL_ARGS_FULL=1`, or the number in
//! `KERNEL_ARGS_MUTANTS_SIGNATURES`, with nine mutants for every four of them. `KERNEL_ARGS_BLESS=1` writes the
//! committed PTX.
//!
//! All checks are one trial: they share one build and one start of the driver.

mod alone;
mod cases;
mod corpus;
mod hints;
mod kind;
mod mutate;
mod reads;
mod report;
mod retype;
mod source;
mod stage;
mod twins;
mod verdict;
mod visible;
mod workspace;

use cases::Case;
use corpus::{CHUNK, Corpus, Kernel};
use kernel_args_test_generator::size;
use kernel_args_test_generator::tools::trial;
use kernel_args_toolchain_tests::{folder, nvrtc::NVRTC};
use libtest_mimic::{Arguments, Failed};
use std::{ops::Range, process::ExitCode, time::Instant};
use visible::Source;
use workspace::{Package, Purpose};

/// The number of mutants for every four signatures.
const MISTAKES: usize = 9;
/// The number of crates for the structs, which limits the size of each crate for rustc.
const CRATES: usize = 4;

pub(crate) fn main() -> ExitCode {
    let trials = vec![
        trial("mistakes_are_found_as_promised_and_nothing_else", &[NVRTC.optional()], promises),
        // Only debug information contains the names of parameters.
        trial("a_struct_that_follows_the_hints_is_the_correct_one", &[NVRTC], follow_hints),
        trial("the_committed_ptx_is_what_nvrtc_makes", &[NVRTC], || corpus::check_golden(&folder("mutants/golden")?)),
        trial("cubins_are_among_the_images", &[NVRTC], || ()),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn promises() -> Result<(), Failed> {
    let begin = Instant::now();
    let kernels = corpus::kernels(corpus::size()?);
    let corpus = Corpus::make(&folder("mutants/images")?, &kernels)?;
    let cases = cases::cases(&kernels, MISTAKES);
    let alone = alone::Alone::make(&kernels);
    println!(
        "mutants: seed {:#x}, {} kernels compiled by {}; {} structs, {} of them mutants; \
         loaded on the test driver",
        corpus::SEED,
        kernels.len(),
        corpus.origin,
        cases.len(),
        cases.iter().filter(|case| !case.is_right()).count()
    );

    let mut packages = packages(&cases, &kernels, &corpus)?;
    let checked = |prefix: &str| -> Vec<String> {
        let names = packages.iter().map(|package| package.name.clone());
        names.filter(|name| name.starts_with(prefix)).collect()
    };
    let (checked, debug) = (checked("mutants_checked"), checked("mutants_debug"));
    for (name, source) in alone::PACKAGES.into_iter().zip([&alone.typed, &alone.evaluated]) {
        packages.push(Package { name: name.to_owned(), purpose: Purpose::Checked, source: source.clone() });
    }
    let building = Instant::now();
    let built = workspace::build(&folder("mutants")?, &packages)?;
    println!("mutants: rustc took {:.0} s", building.elapsed().as_secs_f32());

    let derive = |packages: &[String], source| stage::derive(&cases, &built.diagnostics, packages, source);
    let mut stages = vec![derive(&checked, Source::Ptx)?];
    if !debug.is_empty() {
        stages.push(derive(&debug, Source::Debug)?);
    }
    stages.extend(stage::load(&built.programs)?);
    let verdicts = stages
        .into_iter()
        .map(|stage| {
            let verdict = verdict::verdict(&stage, &cases, &kernels);
            (stage, verdict)
        })
        .collect::<Vec<_>>();
    let found = alone.judge(&built.diagnostics);
    report::print(&cases, &verdicts, &found.0);
    println!("mutants: {:.0} s", begin.elapsed().as_secs_f32());
    report::promises(verdicts, found.1)
}

fn follow_hints() -> Result<(), Failed> {
    let kernels = corpus::kernels(corpus::size()?);
    Corpus::make(&folder("mutants/hint_images")?, &kernels)?;
    hints::follow(&cases::cases(&kernels, MISTAKES), &kernels)
}

/// The structs in crates: rustc checks them with the PTX, and a program loads them without it.
fn packages(cases: &[Case], kernels: &[Kernel], corpus: &Corpus) -> Result<Vec<Package>, String> {
    let mut packages = Vec::new();
    for (i, share) in shares(kernels.len()).into_iter().enumerate() {
        packages.push(Package {
            name: format!("mutants_checked_{i}"),
            purpose: Purpose::Checked,
            source: source::with_ptx(cases, kernels, share.clone(), false),
        });
        let has_debug = corpus.images.iter().all(|images| images.debug.is_some());
        if has_debug && (size::is_full() || share.start < CHUNK) {
            packages.push(Package {
                name: format!("mutants_debug_{i}"),
                purpose: Purpose::Checked,
                source: source::with_ptx(cases, kernels, share.clone(), true),
            });
        }
        packages.push(Package {
            name: format!("mutants_loaded_{i}"),
            purpose: Purpose::Program,
            source: source::program(cases, kernels, corpus, share)?,
        });
    }
    Ok(packages)
}

/// Each crate gets whole chunks of kernels.
fn shares(kernels: usize) -> Vec<Range<usize>> {
    let chunks = kernels.div_ceil(CHUNK);
    (0..CRATES)
        .map(|i| chunks * i / CRATES * CHUNK..(chunks * (i + 1) / CRATES * CHUNK).min(kernels))
        .filter(|share| !share.is_empty())
        .collect()
}
