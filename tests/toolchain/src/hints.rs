//! A program whose author follows the first hint in the output of rustc, again and again, ends accepted.
//!
//! Each hint is followed mechanically in the source. All programs of a round are compiled together.

mod source;
mod step;

use super::{FOUND_BY_A_BUILD, Suite};
use kernel_args_toolchain_tests::{
    folder, read,
    rustc::{Compiled, Crate, Kind},
    write,
};
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use step::mistakes;

/// The hints that name what to write in a struct.
const HINTS: [&str; 14] = [
    "declare `",
    "declare field ",
    "declare the members",
    "add a field",
    "move it ",
    "swap them",
    "remove it",
    "put the ",
    "the kernel's struct has ",
    "this struct has `",
    "write `#[",
    " in its `#[kernel_args(",
    "write the kernel's names",
    "write the kernel's value",
];

/// The programs that do not end accepted, and why.
const NOT_MECHANICAL: [(&str, &str); 10] = [
    ("code/generic", "the struct is generic, and its type parameter is chosen where it is used"),
    ("contract/narrowed", "other mistakes in it are reported by the derive"),
    ("entries/wrong_kernel", "the pattern is wrong, not the struct: its kernels have different parameters"),
    ("framework/family_without_pattern", "the program has to choose a pattern"),
    ("kernel_item/generic", "the program contains a value of the struct, whose type changes too"),
    ("parts/elements", "other mistakes in it are reported by rustc's trait errors"),
    ("parts/generic", "the program contains a value of the struct, which gets more fields"),
    ("parts/pattern", "the program has to choose between another type and another suffix"),
    ("ptx_entry/generic", "the struct is generic, and its type parameter is chosen where it is used"),
    ("ptx_type/struct_size", "without debug information nothing shows the members of the kernel's struct"),
];

fn names_what_to_write(hint: &str) -> bool {
    HINTS.iter().any(|text| hint.contains(text))
}

/// A program on its way.
struct Program {
    text: String,
    steps: usize,
    /// The number of steps that it may take.
    most: usize,
    end: Option<Result<(), String>>,
}

impl Suite {
    /// Follows the hints of all programs that have any.
    pub(super) fn follow_hints(&self, cases: &[String]) -> Result<(), Failed> {
        let mut programs = BTreeMap::new();
        for case in cases {
            let text = read(&self.sources.join(format!("ui/{case}.rs")))?;
            // A new program has none yet.
            let golden = read(&self.sources.join(format!("ui/{case}.stderr"))).unwrap_or_default();
            // Only the errors of constants: the help of other errors is from rustc.
            let helps = golden.lines().filter(|line| line.contains("                help: "));
            if helps.into_iter().any(names_what_to_write) {
                programs.insert(case.as_str(), Program { text, steps: 0, most: 0, end: None });
            }
        }
        while programs.values().any(|program| program.end.is_none()) {
            self.round(&mut programs)?;
        }
        Ok(judge(&programs)?)
    }

    /// Compiles the programs that have not ended, and follows a hint in each.
    fn round(&self, programs: &mut BTreeMap<&str, Program>) -> Result<(), String> {
        let mut crates = vec![];
        for (case, program) in programs.iter().filter(|(_, program)| program.end.is_none()) {
            let name = format!("{}_{}", case.replace('/', "_"), program.steps);
            let file = folder("compile_fail/hints")?.join(format!("{name}.rs"));
            write(&file, &program.text)?;
            let is_built = FOUND_BY_A_BUILD.contains(case);
            let kind = if is_built { Kind::Program } else { Kind::CheckedProgram };
            crates.push(Crate { name, file, package: self.package.clone(), kind });
        }
        let compiled = self.compiler("hints").compile(&crates)?;
        let open = programs.values_mut().filter(|program| program.end.is_none());
        for (program, compiled) in open.zip(compiled) {
            program.end = program.advance(&compiled);
        }
        Ok(())
    }
}

impl Program {
    /// One step. The end, if this is the last.
    fn advance(&mut self, compiled: &Compiled) -> Option<Result<(), String>> {
        if compiled.success {
            return Some(Ok(()));
        }
        let mistakes = mistakes(&compiled.messages);
        if self.steps == 0 {
            self.most = mistakes.len() + 2;
        }
        let Some(mistake) = mistakes.iter().find(|mistake| names_what_to_write(&mistake.hint)) else {
            return Some(Err(compiled.rendered("error").next().unwrap_or_default().to_owned()));
        };
        if self.steps == self.most {
            return Some(Err(format!("{} steps, then {}: {}", self.steps, mistake.what, mistake.hint)));
        }
        self.steps += 1;
        match mistake.follow(&self.text) {
            Ok(text) => self.text = text,
            Err(why) => return Some(Err(format!("{why}\n    {}: {}", mistake.what, mistake.hint))),
        }
        None
    }
}

/// Prints the table. The programs that do not end accepted must be [`NOT_MECHANICAL`].
fn judge(programs: &BTreeMap<&str, Program>) -> Result<(), String> {
    let accepted = programs.values().filter(|program| program.end == Some(Ok(()))).count();
    let steps: usize = programs.values().map(|program| program.steps).sum();
    let share = 100 * accepted / programs.len().max(1);
    println!("hints: {} programs, {steps} steps, {accepted} accepted ({share} %)", programs.len());
    let mut wrong = vec![];
    for (case, program) in programs {
        let listed = NOT_MECHANICAL.iter().find(|(name, _)| name == case);
        match (&program.end, listed) {
            (Some(Err(end)), None) => wrong.push(format!("{case}: {end}")),
            (Some(Ok(())), Some(_)) => wrong.push(format!("{case} is accepted: it is no longer NOT_MECHANICAL")),
            (_, Some((name, reason))) => println!("  {name}: {reason}"),
            _ => {}
        }
    }
    let gone = NOT_MECHANICAL.iter().filter(|(name, _)| !programs.contains_key(name));
    wrong.extend(gone.map(|(name, _)| format!("{name} is no program with hints")));
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}
