//! The tables of `tests/README.md`: every suite, and every package with tests beside its code.

use crate::{manifest::Package, table};

const README: &str = "tests/README.md";

/// The row that a suite must have, without its topic.
fn row(package: &Package, name: &str, file: &str) -> [String; 3] {
    let place = file.strip_suffix("/main.rs").unwrap_or(file);
    let place = place.strip_prefix("tests/").unwrap_or(place);
    let package = &package.name;
    [
        format!("[`{name}`]({place})"),
        format!("`{package}`"),
        format!("`cargo test -p {package} --test {name}`"),
    ]
}

/// Tests with a path below `tests/` that have no row, or another one; and rows of no such test.
pub(crate) fn suites(readme: &str, packages: &[Package]) -> Vec<String> {
    let Some(rows) = table::rows(readme, &["topic", "suite", "package", "command"]) else {
        return vec![format!(
            "{README}: no table `| topic | suite | package | command |`"
        )];
    };
    let tests = packages.iter().flat_map(|package| {
        let tests = package
            .tests
            .iter()
            .filter(|test| test.file.starts_with("tests/"));
        tests.map(move |test| row(package, &test.name, &test.file))
    });
    let expected: Vec<[String; 3]> = tests.collect();
    let mut problems = Vec::new();
    for suite in &expected {
        match rows.iter().filter(|row| row[1..] == *suite).count() {
            1 => {}
            0 => problems.push(format!("{README}: no row `| … | {} |`", suite.join(" | "))),
            count => problems.push(format!("{README}: {count} rows of {}", suite[0])),
        }
    }
    for row in &rows {
        if !expected.iter().any(|suite| row[1..] == *suite) {
            problems.push(format!(
                "{README}: `| {} |` is the row of no suite",
                row.join(" | ")
            ));
        } else if row[0].is_empty() {
            problems.push(format!("{README}: {} has no topic", row[1]));
        }
    }
    problems
}

/// Packages that have no row, of those with tests beside their code, and rows of no such package.
pub(crate) fn packages(readme: &str, packages: &[&Package]) -> Vec<String> {
    let Some(rows) = table::rows(readme, &["topic", "package", "command"]) else {
        return vec![format!(
            "{README}: no table `| topic | package | command |`"
        )];
    };
    let expected = |package: &&Package| {
        let (folder, name) = (&package.folder, &package.name);
        let place = folder
            .strip_prefix("tests/")
            .map_or_else(|| format!("../{folder}"), str::to_owned);
        (
            format!("[`{name}`]({place})"),
            format!("cargo test -p {name}"),
        )
    };
    let expected: Vec<(String, String)> = packages.iter().map(expected).collect();
    let is_row = |row: &[&str], (package, command): &(String, String)| {
        // Features may follow.
        let rest = row[2].trim_matches('`').strip_prefix(command.as_str());
        row[1] == package && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" --"))
    };
    let missing = expected
        .iter()
        .filter(|package| !rows.iter().any(|row| is_row(row, package)))
        .map(|(package, command)| format!("{README}: no row `| … | {package} | `{command}` |`"));
    let unknown = rows
        .iter()
        .filter(|row| !expected.iter().any(|package| is_row(row, package)))
        .map(|row| {
            let row = row.join(" | ");
            format!("{README}: `| {row} |` is the row of no package with tests")
        });
    missing.chain(unknown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(folder: &str, name: &str, tests: &[(&str, &str)]) -> Package {
        let tests = tests
            .iter()
            .map(|(name, path)| format!("[[test]]\nname = \"{name}\"\npath = \"{path}\"\n"));
        let manifest = format!("[package]\nname = \"{name}\"\n");
        Package::parse(
            folder,
            &tests.fold(manifest, |manifest, test| manifest + &test),
        )
    }

    #[test]
    fn each_mistake_in_the_table_of_suites_is_found() {
        let all = [
            package(
                "tests",
                "t",
                &[
                    ("echo", "suites/echo/main.rs"),
                    ("scale", "suites/scale.rs"),
                ],
            ),
            package(
                "tests/c",
                "c",
                &[
                    ("oracle", "../suites/oracle/main.rs"),
                    ("lost", "../suites/lost.rs"),
                ],
            ),
            // Beside a crate's code: not a suite.
            package("crate", "crate", &[("own", "tests/own/main.rs")]),
        ];
        let head = "| topic | suite | package | command |\n|---|---|---|---|\n";
        let echo = "| types | [`echo`](suites/echo) | `t` | `cargo test -p t --test echo` |\n";
        let scale =
            "| sizes | [`scale`](suites/scale.rs) | `t` | `cargo test -p t --test scale` |\n";
        let oracle =
            "| compilers | [`oracle`](suites/oracle) | `c` | `cargo test -p c --test oracle` |\n";
        let lost = "| more | [`lost`](suites/lost.rs) | `c` | `cargo test -p c --test lost` |\n";
        let right = [head, echo, scale, oracle, lost].concat();
        assert_eq!(suites(&right, &all), [""; 0]);

        let found = |text: &str| suites(text, &all);
        assert_eq!(found("").len(), 1);
        let missing = found(&right.replace(lost, ""));
        assert_eq!(
            missing,
            [
                "tests/README.md: no row `| … | [`lost`](suites/lost.rs) | `c` | `cargo test -p c --test lost` |`"
            ]
        );
        assert_eq!(
            found(&format!("{right}{echo}")),
            ["tests/README.md: 2 rows of [`echo`](suites/echo)"]
        );
        assert_eq!(
            found(&right.replace("| types |", "| |")),
            ["tests/README.md: [`echo`](suites/echo) has no topic"]
        );
        // Another package, command, or place: that row is of no suite, and the suite has no row.
        for (from, to) in [
            (
                "| `c` | `cargo test -p c --test oracle`",
                "| `t` | `cargo test -p c --test oracle`",
            ),
            ("--test scale", "--test scales"),
            ("(suites/scale.rs)", "(suites/scale)"),
        ] {
            let problems = found(&right.replace(from, to));
            assert_eq!(problems.len(), 2, "{to}: {problems:?}");
            assert!(problems[0].contains("no row"), "{to}: {problems:?}");
            assert!(
                problems[1].contains("the row of no suite"),
                "{to}: {problems:?}"
            );
        }
    }

    #[test]
    fn packages_with_tests_and_rows_must_be_the_same() {
        let (abi, driver, lost) = (
            package("abi", "abi", &[]),
            package("tests/driver", "test-driver", &[]),
            package("ab", "ab", &[]),
        );
        let readme = "| topic | package | command |\n|---|---|---|\n\
            | rules | [`abi`](../abi) | `cargo test -p abi --all-features` |\n\
            | driver | [`test-driver`](driver) | `cargo test -p test-driver` |\n";
        assert_eq!(packages(readme, &[&abi, &driver]), [""; 0]);
        assert_eq!(
            packages(readme, &[&abi, &driver, &lost]),
            ["tests/README.md: no row `| … | [`ab`](../ab) | `cargo test -p ab` |`"]
        );
        let unknown = packages(readme, &[&abi]);
        assert_eq!(unknown.len(), 1, "{unknown:?}");
        assert!(
            unknown[0].contains("is the row of no package"),
            "{unknown:?}"
        );
        for (from, to) in [
            ("-p abi ", "-p ab "),
            ("-p test-driver`", "-p test-drivers`"),
            ("(driver)", "(../driver)"),
        ] {
            let problems = packages(&readme.replace(from, to), &[&abi, &driver]);
            assert_eq!(problems.len(), 2, "{to}: {problems:?}");
        }
        assert_eq!(packages("", &[]).len(), 1);
    }
}
