//! Random trees of headers: if a change of a file changes what a compiler reads, the search for included files detects
//! it.
//!
//! The compilers are `gcc -E` and NVRTC. `KERNEL_ARGS_FULL=1` tries many more trees; `KERNEL_ARGS_SEED=7` tries one.

mod judge;
mod tree;

use judge::{Gcc, Judge, Nvrtc};
use kernel_args_nvrtc::includes;
use kernel_args_test_generator::tools::{GCC, NVRTC, trial};
use libtest_mimic::Arguments;
use std::{env, fs, process::ExitCode};
use tree::Tree;

/// How many changes of each kind were tried.
#[derive(Default, Debug)]
struct Count {
    /// The compiler reads a different text, and the search finds a different file.
    noticed: usize,
    /// The compiler reads a different text, and the search has reported that it does not know all files.
    unknown: usize,
    /// The compiler reads the same text, and the search finds a different file.
    in_vain: usize,
    /// The compiler reads the same text, and the search finds the same files.
    unchanged: usize,
    /// The first text does not compile, so no result is cached.
    wrong: usize,
}

/// Changes each file of a tree, and adds some files.
fn check(judge: &dyn Judge, seed: u64, count: &mut Count) {
    let mut tree = Tree::new(judge.name(), seed, judge.forms());
    let Ok(text) = judge.read(&tree) else {
        count.wrong += 1;
        return;
    };
    let found = includes(&judge.search(&tree));
    for _ in 0..8 {
        let change = tree.change();
        let is_same_text = judge.read(&tree).as_ref() == Ok(&text);
        let is_same = includes(&judge.search(&tree)) == found;
        match (is_same_text, is_same) {
            (false, true) if found.unknown.is_empty() => {
                let undone = tree.undo(change);
                panic!("{}: seed {seed}: the change of {undone} was not detected\n{tree}", judge.name());
            }
            (false, true) => count.unknown += 1,
            (false, false) => count.noticed += 1,
            (true, false) => count.in_vain += 1,
            (true, true) => count.unchanged += 1,
        }
        tree.undo(change);
    }
}

fn trees(judge: &dyn Judge, most: u64) {
    let one = env::var("KERNEL_ARGS_SEED").ok();
    let one: Option<u64> = one.and_then(|seed| seed.parse().ok());
    let full = env::var_os("KERNEL_ARGS_FULL").is_some();
    let most = if full { most * 20 } else { most };
    let mut count = Count::default();
    for seed in one.map_or(0..most, |seed| seed..seed + 1) {
        check(judge, seed, &mut count);
    }
    println!("{}: {count:?}", judge.name());
    if one.is_none() {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        assert!(count.noticed * 2 > most, "few changes have an effect: {count:?}");
        assert!(
            count.unknown < count.noticed && count.wrong < most / 2,
            "the search knows few trees completely: {count:?}"
        );
    }
}

fn main() -> ExitCode {
    let trials = vec![
        trial("what_gcc_reads_is_found", &[GCC], || trees(&Gcc, 15)),
        trial("what_nvrtc_reads_is_found", &[NVRTC], || trees(&Nvrtc::new(), 15)),
    ];
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    let _ = fs::remove_dir_all(tree::home());
    conclusion.exit_code()
}
