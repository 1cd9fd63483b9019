//! The cases whose messages name what to write: a program that follows these hints ends accepted.

use super::{FOUND_BY_A_BUILD, Suite};
use kernel_args_toolchain_tests::{
    hints::{Program, Programs, follow, names_what_to_write},
    read,
    rustc::Kind,
};
use libtest_mimic::Failed;
use std::collections::BTreeMap;

/// The programs that do not end accepted, and why.
const NOT_MECHANICAL: [(&str, &str); 11] = [
    ("code/generic", "the struct is generic, and its type parameter is chosen where it is used"),
    ("contract/narrowed", "other mistakes in it are reported by the derive"),
    ("entries/wrong_kernel", "the pattern is wrong, not the struct: its kernels have different parameters"),
    ("framework/family_without_pattern", "the program has to choose a pattern"),
    ("kernel_item/generic", "the program contains a value of the struct, whose type changes too"),
    ("parts/elements", "other mistakes in it are reported by rustc's trait errors"),
    ("parts/generic", "the program contains a value of the struct, which gets more fields"),
    ("parts/pattern", "the program has to choose between another type and another suffix"),
    ("ptx_count/members_as_fields", "the program does not contain the kernel's struct"),
    ("ptx_entry/generic", "the struct is generic, and its type parameter is chosen where it is used"),
    ("ptx_type/struct_size", "without debug information nothing shows the members of the kernel's struct"),
];

impl Suite {
    /// Follows the hints of all programs that have any.
    pub(super) fn follow_hints(&self, cases: &[String]) -> Result<(), Failed> {
        let kind = |case: &str| if FOUND_BY_A_BUILD.contains(&case) { Kind::Program } else { Kind::CheckedLibrary };
        // By folder, because each has its own output: there these cases are compiled already, if all trials run.
        let mut folders: BTreeMap<&str, Vec<(&String, String)>> = BTreeMap::new();
        for case in cases {
            let text = read(&self.sources.join(format!("ui/{case}.rs")))?;
            // A new program has none yet.
            let golden = read(&self.sources.join(format!("ui/{case}.stderr"))).unwrap_or_default();
            // Only the errors of constants: the help of other errors is from rustc.
            let helps = golden.lines().filter(|line| line.contains("                help: "));
            if helps.into_iter().any(names_what_to_write) {
                folders.entry(case.split_once('/').unwrap_or_default().0).or_default().push((case, text));
            }
        }
        let mut programs = Programs::new();
        for (folder, cases) in folders {
            let crates: Vec<_> = cases.iter().map(|(case, _)| self.program(case, kind(case))).collect();
            for ((case, text), compiled) in cases.into_iter().zip(self.compiler(folder).compile(&crates)?) {
                programs.insert(case.clone(), Program::compiled(text, &compiled));
            }
        }
        let is_built = |(case, _): &(String, Program)| FOUND_BY_A_BUILD.contains(&case.as_str());
        let (mut built, mut programs): (Programs, Programs) = programs.into_iter().partition(is_built);
        let compiler = self.compiler("hints");
        follow(&mut programs, &compiler, &self.package, Kind::CheckedLibrary)?;
        follow(&mut built, &compiler, &self.package, Kind::Program)?;
        programs.append(&mut built);
        Ok(judge(&programs)?)
    }
}

/// Prints the table. The programs that do not end accepted must be [`NOT_MECHANICAL`].
fn judge(programs: &Programs) -> Result<(), String> {
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
    let gone = NOT_MECHANICAL.iter().filter(|(name, _)| !programs.contains_key(*name));
    wrong.extend(gone.map(|(name, _)| format!("{name} is no program with hints")));
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}
