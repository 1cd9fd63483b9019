//! Compares the results with the guarantees.

use crate::mutants::{
    cases::Case,
    corpus::Kernel,
    kind::Kind,
    stage::{Finding, Stage},
    visible::{self, Source},
};
use kernel_args_test_generator::Type;
use std::{collections::BTreeMap, ops::RangeInclusive};

/// The results for one kind at one stage.
#[derive(Clone, Copy, Default)]
pub(crate) struct Count {
    pub(crate) mutants: usize,
    pub(crate) promised: usize,
    pub(crate) refused: usize,
    /// The errors are exactly at the wrong fields.
    pub(crate) exact: usize,
    /// Accepted, although the kernel would receive different bytes.
    pub(crate) unseen: usize,
}

/// The results of a stage.
#[derive(Default)]
pub(crate) struct Verdict {
    pub(crate) kinds: BTreeMap<Kind, Count>,
    /// Correct structs that were accepted.
    pub(crate) accepted: usize,
    /// The reasons why mutants were accepted that change the kernel's input, and mutants that do not change it.
    pub(crate) reasons: BTreeMap<(Kind, bool, &'static str), usize>,
    /// Correct structs that were rejected.
    pub(crate) false_alarms: Vec<String>,
    /// Mutants that were accepted in spite of a guarantee.
    pub(crate) broken: Vec<String>,
    /// Mutants that were rejected without naming a wrong field.
    pub(crate) elsewhere: Vec<String>,
}

pub(crate) fn verdict(stage: &Stage, cases: &[Case], kernels: &[Kernel]) -> Verdict {
    let mut verdict = Verdict::default();
    for (number, case) in cases.iter().enumerate() {
        if !(stage.covers)(case) {
            continue;
        }
        let say = |finding: &Finding| {
            format!(
                "{}\n  fields {:?}, missing {} {:?}\n  {}",
                case.describe(kernels),
                finding.fields,
                finding.missing,
                finding.numbers,
                finding.text
            )
        };
        let Some(finding) = stage.findings.get(&number) else {
            verdict.broken.push(format!("not judged: {}", case.describe(kernels)));
            continue;
        };
        let accepted = !finding.refused && finding.text == stage.accepts;
        if case.is_right() {
            if accepted {
                verdict.accepted += 1;
            } else {
                verdict.false_alarms.push(say(finding));
            }
            continue;
        }
        let Some(kind) = case.kind else { continue };
        let promise = case.promise(stage.source, kernels);
        let count = verdict.kinds.entry(kind).or_default();
        count.mutants += 1;
        count.promised += usize::from(promise.is_ok());
        if finding.refused {
            count.refused += 1;
            count.exact += usize::from(is_exact(case, finding));
            if !is_near(case, finding, stage.source, &kernels[case.kernel]) {
                verdict.elsewhere.push(say(finding));
            }
            continue;
        }
        count.unseen += usize::from(case.changes_reads);
        match promise {
            Err(reason) if accepted => {
                *verdict.reasons.entry((kind, case.changes_reads, reason)).or_default() += 1;
            }
            _ => verdict.broken.push(say(finding)),
        }
    }
    verdict
}

fn is_exact(case: &Case, finding: &Finding) -> bool {
    let mut named = finding.fields.clone();
    let mut wrong = case.wrong.clone();
    named.sort();
    wrong.sort();
    let missing: Vec<usize> = case.missing.into_iter().collect();
    let numbered = finding.numbers.is_empty() || finding.numbers == missing;
    named == wrong && finding.missing == missing.len() && numbered
}

/// Whether the error names the mistake: a wrong field, the missing parameter, or a parameter that this source cannot
/// distinguish from it, with only such parameters between them.
fn is_near(case: &Case, finding: &Finding, source: Source, kernel: &Kernel) -> bool {
    let alike = |a: &Type, b: &Type| visible::alike(source, kernel.linkage, a, b);
    if let Some(missing) = case.missing {
        let types: Vec<&Type> = kernel.signature.parameters.iter().collect();
        let run = run(&types, missing, alike);
        let mut numbers = finding.numbers.iter();
        return finding.missing > 0 && (numbers.len() == 0 || numbers.any(|number| run.contains(number)));
    }
    let is_named = |i: usize| finding.fields.contains(&case.fields[i].name);
    let types: Vec<&Type> = case.fields.iter().map(|field| &field.ty).collect();
    let position = |name: &String| case.fields.iter().position(|field| field.name == *name);
    let mut wrong = case.wrong.iter().filter_map(position);
    match case.kind {
        Some(Kind::Add) => wrong.any(|added| run(&types, added, alike).any(is_named)),
        _ => wrong.any(is_named),
    }
}

/// The adjacent parameters that are similar to the parameter `at`.
fn run(types: &[&Type], at: usize, alike: impl Fn(&Type, &Type) -> bool) -> RangeInclusive<usize> {
    let same = |i: &usize| alike(types[*i], types[at]);
    let first = (0..=at).rev().take_while(same).last().unwrap_or(at);
    let last = (at..types.len()).take_while(same).last().unwrap_or(at);
    first..=last
}
