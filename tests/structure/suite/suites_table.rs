//! The table of `tests/README.md`: every suite, and every package with unit tests.

use crate::{manifest::Package, table};

const README: &str = "tests/README.md";
const HEADER: [&str; 3] = ["topic", "tests", "program"];

/// A suite that must have a row.
#[derive(Debug)]
pub(crate) struct Suite {
    pub(crate) name: String,
    /// Relative to `tests`.
    pub(crate) place: String,
    /// The test program that contains it.
    pub(crate) program: String,
}

/// Suites and packages without a correct row, and rows without a suite or a package.
pub(crate) fn problems(readme: &str, suites: &[Suite], packages: &[&Package]) -> Vec<String> {
    let Some(rows) = table::rows(readme, &HEADER) else {
        return vec![format!("{README}: no table `| {} |`", HEADER.join(" | "))];
    };
    let suites = suites.iter().map(|suite| (format!("[`{}`]({})", suite.name, suite.place), Some(&*suite.program)));
    let packages = packages.iter().map(|package| {
        let folder = &package.folder;
        let place = folder.strip_prefix("tests/").map_or_else(|| format!("../{folder}"), str::to_owned);
        (format!("[`{}`]({place})", package.name), None)
    });
    let expected: Vec<(String, Option<&str>)> = suites.chain(packages).collect();
    // A package has options of cargo instead of a program.
    let is_row = |row: &[&str], (link, program): &(String, Option<&str>)| {
        row[1] == link
            && match program {
                Some(program) => row[2] == format!("`{program}`"),
                None => row[2].is_empty() || row[2].starts_with("`--"),
            }
    };
    let mut problems = Vec::new();
    for item in &expected {
        let count = rows.iter().filter(|row| is_row(row, item)).count();
        let (link, program) = item;
        match (count, program) {
            (0, Some(program)) => problems.push(format!("{README}: no row `| … | {link} | `{program}` |`")),
            (0, None) => problems.push(format!("{README}: no row `| … | {link} | |`")),
            (2.., Some(_)) => problems.push(format!("{README}: {count} rows of {link}")),
            _ => {}
        }
    }
    for row in &rows {
        if !expected.iter().any(|item| is_row(row, item)) {
            problems
                .push(format!("{README}: `| {} |` is the row of no suite and no package with tests", row.join(" | ")));
        } else if row[0].is_empty() {
            problems.push(format!("{README}: {} has no topic", row[1]));
        }
    }
    problems
}

#[test]
fn each_mistake_in_the_table_is_found() {
    let suite = |name: &str, place: &str, program: &str| Suite {
        name: name.to_owned(),
        place: place.to_owned(),
        program: program.to_owned(),
    };
    let suites = [
        suite("echo", "suites/d/echo", "d"),
        suite("scale", "suites/d/scale.rs", "d"),
        suite("oracle", "c/suite", "oracle"),
        suite("lost", "c/suites/lost.rs", "x"),
    ];
    let package = |folder: &str, name: &str| Package::parse(folder, &format!("[package]\nname = \"{name}\"\n"));
    let (abi, support, ab) = (package("abi", "abi"), package("tests/driver", "driver"), package("ab", "ab"));
    let head = "| topic | tests | program |\n|---|---|---|\n";
    let echo = "| types | [`echo`](suites/d/echo) | `d` |\n";
    let scale = "| sizes | [`scale`](suites/d/scale.rs) | `d` |\n";
    let oracle = "| compilers | [`oracle`](c/suite) | `oracle` |\n";
    let lost = "| more | [`lost`](c/suites/lost.rs) | `x` |\n";
    let units = "| rules | [`abi`](../abi) | `--all-features` |\n| driver | [`driver`](driver) | |\n";
    let right = [head, echo, scale, oracle, lost, units].concat();
    let found = |text: &str| problems(text, &suites, &[&abi, &support]);
    assert_eq!(found(&right), [""; 0]);

    assert_eq!(found("").len(), 1);
    let missing = found(&right.replace(lost, ""));
    assert_eq!(missing, ["tests/README.md: no row `| … | [`lost`](c/suites/lost.rs) | `x` |`"]);
    assert_eq!(found(&format!("{right}{echo}")), ["tests/README.md: 2 rows of [`echo`](suites/d/echo)"]);
    assert_eq!(found(&right.replace("| types |", "| |")), ["tests/README.md: [`echo`](suites/d/echo) has no topic"]);
    assert_eq!(
        problems(&right, &suites, &[&abi, &support, &ab]),
        ["tests/README.md: no row `| … | [`ab`](../ab) | |`"]
    );
    assert_eq!(problems(&right, &suites, &[&abi]).len(), 1);
    // The program or the place is wrong: the row matches nothing, and the suite or the package has no row.
    for (from, to) in [
        ("| `oracle` |", "| `d` |"),
        ("(suites/d/scale.rs)", "(suites/d/scale)"),
        ("`--all-features`", "`d`"),
        ("(driver)", "(../crates/driver)"),
    ] {
        let problems = found(&right.replace(from, to));
        assert_eq!(problems.len(), 2, "{to}: {problems:?}");
        assert!(problems[0].contains("no row"), "{to}: {problems:?}");
        assert!(problems[1].contains("the row of no suite"), "{to}: {problems:?}");
    }
}
