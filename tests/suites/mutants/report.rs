//! The closing table, and a trial for each promise.

use crate::{
    cases::Case,
    corpus::Corpus,
    kind::Kind,
    stage::Stage,
    verdict::{Count, Verdict},
    visible::Source,
};
use libtest_mimic::Trial;
use std::collections::BTreeMap;

/// How many faults a message lists.
const LISTED: usize = 8;

/// Prints what every stage found of every kind, and why the rest was not found.
pub(crate) fn print(
    cases: &[Case],
    verdicts: &[(Stage, Verdict)],
    alone: &BTreeMap<&str, [usize; 2]>,
) {
    println!(
        "\nmutants: refused / promised, by kind and stage; in brackets those that change what the kernel reads"
    );
    print!("{:32}{:>14}", "kind", "mutants");
    for (stage, _) in verdicts {
        print!("{:>22}", stage.name);
    }
    println!();
    for kind in Kind::MISTAKES {
        let of_kind = || cases.iter().filter(|case| case.kind == Some(kind));
        let changing = of_kind().filter(|case| case.changes_reads).count();
        print!(
            "{:32}{:>14}",
            kind.word(),
            format!("{} ({changing})", of_kind().count())
        );
        for (_, verdict) in verdicts {
            let count = verdict.kinds.get(&kind).copied().unwrap_or_default();
            print!("{:>22}", format!("{} / {}", count.refused, count.promised));
        }
        println!();
    }
    let mutants: Vec<&Case> = cases.iter().filter(|case| !case.is_right()).collect();
    let changing = mutants.iter().filter(|case| case.changes_reads).count();
    let row = |name: &str, number: String, of: &dyn Fn(&Verdict) -> String| {
        print!("{name:32}{number:>14}");
        for (_, verdict) in verdicts {
            print!("{:>22}", of(verdict));
        }
        println!();
    };
    let sum =
        |verdict: &Verdict, of: fn(&Count) -> usize| verdict.kinds.values().map(of).sum::<usize>();
    row(
        "all",
        format!("{} ({changing})", mutants.len()),
        &|verdict| {
            format!(
                "{} / {}",
                sum(verdict, |c| c.refused),
                sum(verdict, |c| c.promised)
            )
        },
    );
    row("exactly the wrong fields", String::new(), &|verdict| {
        sum(verdict, |c| c.exact).to_string()
    });
    row("none of the wrong fields", String::new(), &|verdict| {
        verdict.elsewhere.len().to_string()
    });
    row("unseen, other bytes are read", String::new(), &|verdict| {
        sum(verdict, |c| c.unseen).to_string()
    });
    let right = cases.len() - mutants.len();
    row("right structs accepted", right.to_string(), &|verdict| {
        verdict.accepted.to_string()
    });
    for kind in Kind::RIGHT {
        let count = cases.iter().filter(|case| case.kind == Some(kind)).count();
        println!("  of these {count}: {}", kind.word());
    }

    println!("\nmutants: what is accepted, and why (* other bytes are read than the struct means)");
    for (i, (stage, verdict)) in verdicts.iter().enumerate() {
        let earlier = verdicts[..i]
            .iter()
            .find(|(_, other)| other.reasons == verdict.reasons);
        if let Some((earlier, _)) = earlier {
            println!("{}: as {}", stage.name, earlier.name);
            continue;
        }
        println!("{}", stage.name);
        if stage.source == Source::Nothing {
            println!("  everything: nothing tells; every handle says that it is not verified");
            continue;
        }
        for ((kind, changes, reason), count) in &verdict.reasons {
            let star = if *changes { "*" } else { " " };
            println!("  {count:5}{star} {}: {reason}", kind.word());
        }
    }
    println!("\nmutants: rustc alone, errors at the right place / structs");
    for (ty, [found, all]) in alone {
        print!("  {ty} {found}/{all}");
    }
    println!("\n");
}

/// A trial for each promise.
pub(crate) fn trials(
    verdicts: Vec<(Stage, Verdict)>,
    alone: Vec<String>,
    corpus: Corpus,
) -> Vec<Trial> {
    let mut trials = vec![trial("rustc_alone/finds_types_without_a_form", alone)];
    let no_cubin = corpus.images.iter().any(|images| images.cubin.is_none());
    for (stage, verdict) in verdicts {
        let name = stage.name.replace([' ', ':'], "_").replace("__", "_");
        trials.push(trial(
            &format!("{name}/no_false_alarm"),
            verdict.false_alarms,
        ));
        trials.push(trial(&format!("{name}/keeps_its_promise"), verdict.broken));
        trials.push(trial(
            &format!("{name}/names_the_wrong_field"),
            verdict.elsewhere,
        ));
    }
    trials.push(trial(
        "the_committed_ptx_is_what_nvrtc_makes",
        corpus.stale.into_iter().collect(),
    ));
    if no_cubin {
        println!(
            "mutants: skipped on cubins: NVRTC is not installed (`python3 ptx/toolchain.py nvrtc`)"
        );
        trials.push(Trial::test("load_cubin", || Ok(())).with_ignored_flag(true));
    }
    trials
}

fn trial(name: &str, faults: Vec<String>) -> Trial {
    Trial::test(name, move || {
        if faults.is_empty() {
            return Ok(());
        }
        let shown = faults[..faults.len().min(LISTED)].join("\n");
        Err(format!("{} of them:\n{shown}", faults.len()).into())
    })
}
