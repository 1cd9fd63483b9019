//! The final table, and the failed guarantees.

use crate::mutants::{
    cases::Case,
    kind::Kind,
    stage::Stage,
    verdict::{Count, Verdict},
    visible::Source,
};
use libtest_mimic::Failed;
use std::collections::BTreeMap;

/// The maximum number of failures in a message.
const LISTED: usize = 8;

/// Prints the results of every stage for every kind, and why the rest was not detected.
pub(crate) fn print(cases: &[Case], verdicts: &[(Stage, Verdict)], alone: &BTreeMap<&str, [usize; 2]>) {
    println!("\nmutants: refused / promised, by kind and stage; in brackets those that change what the kernel reads");
    print!("{:32}{:>14}", "kind", "mutants");
    for (stage, _) in verdicts {
        print!("{:>22}", stage.name);
    }
    println!();
    for kind in Kind::MISTAKES {
        let of_kind = || cases.iter().filter(|case| case.kind == Some(kind));
        let changing = of_kind().filter(|case| case.changes_reads).count();
        print!("{:32}{:>14}", kind.word(), format!("{} ({changing})", of_kind().count()));
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
    let sum = |verdict: &Verdict, of: fn(&Count) -> usize| verdict.kinds.values().map(of).sum::<usize>();
    row("all", format!("{} ({changing})", mutants.len()), &|verdict| {
        format!("{} / {}", sum(verdict, |c| c.refused), sum(verdict, |c| c.promised))
    });
    row("exactly the wrong fields", String::new(), &|verdict| sum(verdict, |c| c.exact).to_string());
    row("none of the wrong fields", String::new(), &|verdict| verdict.elsewhere.len().to_string());
    row("unseen, other bytes are read", String::new(), &|verdict| sum(verdict, |c| c.unseen).to_string());
    let right = cases.len() - mutants.len();
    row("right structs accepted", right.to_string(), &|verdict| verdict.accepted.to_string());
    for kind in Kind::RIGHT {
        let count = cases.iter().filter(|case| case.kind == Some(kind)).count();
        println!("  of these {count}: {}", kind.word());
    }

    println!("\nmutants: what is accepted, and why (* other bytes are read than the struct means)");
    for (i, (stage, verdict)) in verdicts.iter().enumerate() {
        let earlier = verdicts[..i].iter().find(|(_, other)| other.reasons == verdict.reasons);
        if let Some((earlier, _)) = earlier {
            println!("{}: as {}", stage.name, earlier.name);
            continue;
        }
        println!("{}", stage.name);
        if stage.source == Source::Nothing {
            println!("  everything: no information; every handle reports that it is not verified");
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

/// An error that lists every failed guarantee.
pub(crate) fn promises(verdicts: Vec<(Stage, Verdict)>, alone: Vec<String>) -> Result<(), Failed> {
    let mut promises = vec![("rustc alone/finds types without a form".to_owned(), alone)];
    for (stage, verdict) in verdicts {
        for (promise, faults) in [
            ("raises no false alarm", verdict.false_alarms),
            ("keeps its promise", verdict.broken),
            ("names the wrong field", verdict.elsewhere),
        ] {
            promises.push((format!("{}/{promise}", stage.name), faults));
        }
    }
    let broken: Vec<String> = promises
        .iter()
        .filter(|(_, faults)| !faults.is_empty())
        .map(|(promise, faults)| {
            let shown = faults[..faults.len().min(LISTED)].join("\n");
            format!("{promise}: {} do not:\n{shown}", faults.len())
        })
        .collect();
    if broken.is_empty() {
        return Ok(());
    }
    Err(broken.join("\n\n").into())
}
