//! The jobs that check a change: `.ci/all` runs them, the workflow starts them, CONTRIBUTING.md describes them.

use crate::table;
use std::collections::BTreeSet;

type Names<'t> = BTreeSet<&'t str>;

/// The texts between quotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2)
}

/// The jobs of the script, and its weekly jobs.
fn of_script(script: &str) -> [Names<'_>; 2] {
    let lines = script.lines().skip_while(|line| !line.starts_with("JOBS"));
    let entries = lines.take_while(|line| *line != "}");
    let entries = entries.filter(|line| line.starts_with("    \""));
    let weekly = script.lines().find(|line| line.starts_with("WEEKLY"));
    [entries.filter_map(|line| quoted(line).next()).collect(), quoted(weekly.unwrap_or_default()).collect()]
}

/// Each matrix of jobs.
fn of_workflow(workflow: &str) -> Vec<Names<'_>> {
    let lists = workflow.lines().filter_map(|line| {
        let list = line.trim().strip_prefix("job: [")?;
        Some(list.strip_suffix(']')?.split(", ").collect())
    });
    lists.collect()
}

/// The names that are not in all three files.
pub(crate) fn differences(script: &str, workflow: &str, contributing: &str) -> Vec<String> {
    let [jobs, weekly] = of_script(script);
    let Some(rows) = table::rows(contributing, &["job", "what it checks"]) else {
        return vec!["CONTRIBUTING.md: no table `| job | what it checks |`".to_owned()];
    };
    let described = rows.iter().flat_map(|row| table::code(row[0])).collect();
    let lists = of_workflow(workflow);
    let [on_change, on_schedule] = &lists[..] else {
        return vec![format!("ci.yml: {} lists `job: […]` instead of two", lists.len())];
    };
    let each_change = &jobs - &weekly;
    let pairs: [(_, _, &Names<'_>, &Names<'_>); 3] = [
        (".ci/all", "CONTRIBUTING.md", &jobs, &described),
        (".ci/all", "ci.yml", &each_change, on_change),
        ("WEEKLY in .ci/all", "the second list in ci.yml", &weekly, on_schedule),
    ];
    let mut problems = Vec::new();
    for (left, right, ours, theirs) in pairs {
        for (has, lacks, names) in [(left, right, ours - theirs), (right, left, theirs - ours)] {
            let names = names.into_iter();
            problems.extend(names.map(|name| format!("`{name}` is in {has}, but not in {lacks}")));
        }
    }
    problems
}

#[test]
fn a_job_that_one_file_lacks_is_found() {
    let script = "JOBS: dict[str, list] = {\n    \"lint\": [(\"cargo fmt\", \"rustfmt\")],\n    # \"no\"\n    \"full\": [\n        (\"x\",),\n    ],\n}\n\
        WEEKLY = [\"full\"]\nTOOLS = {\n    \"clippy\": 1,\n}\n";
    let workflow = "        job: [lint]\n        job: [full]\n";
    let table = "| job | what it checks |\n|---|---|\n| `lint` | `x` |\n| `full` | y |\n";
    assert_eq!(differences(script, workflow, table), [""; 0]);
    let more = "        job: [lint, docs]\n        job: [full]\n";
    assert_eq!(differences(script, more, table), ["`docs` is in ci.yml, but not in .ci/all"]);
    assert_eq!(differences(&script.replace("lint", "docs"), workflow, table).len(), 4);
    assert_eq!(differences(&script.replace("[\"full\"]", "[]"), workflow, table).len(), 2);
    assert_eq!(
        differences(script, workflow, &table.replace("`full`", "full")),
        ["`full` is in .ci/all, but not in CONTRIBUTING.md"]
    );
    assert_eq!(differences(script, workflow, "").len(), 1);
    assert_eq!(differences(script, "", table).len(), 1);
}
