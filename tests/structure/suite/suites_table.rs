//! The tables of `tests/README.md`: every suite, and every package with unit tests.

use crate::{manifest::Package, table};

const README: &str = "tests/README.md";

/// A suite that must have a row.
#[derive(Debug)]
pub(crate) struct Suite {
    pub(crate) name: String,
    /// Relative to `tests`.
    pub(crate) place: String,
    pub(crate) package: String,
    pub(crate) command: String,
}

impl Suite {
    /// Its row, without the topic.
    fn row(&self) -> [String; 3] {
        [format!("[`{}`]({})", self.name, self.place), format!("`{}`", self.package), format!("`{}`", self.command)]
    }
}

/// Suites without a correct row, and rows without a suite.
pub(crate) fn suites(readme: &str, suites: &[Suite]) -> Vec<String> {
    let Some(rows) = table::rows(readme, &["topic", "suite", "package", "command"]) else {
        return vec![format!("{README}: no table `| topic | suite | package | command |`")];
    };
    let expected: Vec<[String; 3]> = suites.iter().map(Suite::row).collect();
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
            problems.push(format!("{README}: `| {} |` is the row of no suite", row.join(" | ")));
        } else if row[0].is_empty() {
            problems.push(format!("{README}: {} has no topic", row[1]));
        }
    }
    problems
}

/// Packages with unit tests that have no row, and rows without such a package.
pub(crate) fn packages(readme: &str, packages: &[&Package]) -> Vec<String> {
    let Some(rows) = table::rows(readme, &["topic", "package", "command"]) else {
        return vec![format!("{README}: no table `| topic | package | command |`")];
    };
    let expected = |package: &&Package| {
        let (folder, name) = (&package.folder, &package.name);
        let place = folder.strip_prefix("tests/").map_or_else(|| format!("../{folder}"), str::to_owned);
        (format!("[`{name}`]({place})"), format!("cargo test -p {name}"))
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
    let unknown = rows.iter().filter(|row| !expected.iter().any(|package| is_row(row, package))).map(|row| {
        let row = row.join(" | ");
        format!("{README}: `| {row} |` is the row of no package with tests")
    });
    missing.chain(unknown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(folder: &str, name: &str, tests: &[(&str, &str)]) -> Package {
        let tests = tests.iter().map(|(name, path)| format!("[[test]]\nname = \"{name}\"\npath = \"{path}\"\n"));
        let manifest = format!("[package]\nname = \"{name}\"\n");
        Package::parse(folder, &tests.fold(manifest, |manifest, test| manifest + &test))
    }

    #[test]
    fn each_mistake_in_the_table_of_suites_is_found() {
        let suite = |name: &str, place: &str, package: &str, command: &str| Suite {
            name: name.to_owned(),
            place: place.to_owned(),
            package: package.to_owned(),
            command: format!("cargo test -p {package} --test {command}"),
        };
        let all = [
            suite("echo", "suites/d/echo", "t", "d echo::"),
            suite("scale", "suites/d/scale.rs", "t", "d scale::"),
            suite("oracle", "c/suite", "c", "oracle"),
            suite("lost", "c/suites/lost.rs", "c", "x lost::"),
        ];
        let head = "| topic | suite | package | command |\n|---|---|---|---|\n";
        let echo = "| types | [`echo`](suites/d/echo) | `t` | `cargo test -p t --test d echo::` |\n";
        let scale = "| sizes | [`scale`](suites/d/scale.rs) | `t` | `cargo test -p t --test d scale::` |\n";
        let oracle = "| compilers | [`oracle`](c/suite) | `c` | `cargo test -p c --test oracle` |\n";
        let lost = "| more | [`lost`](c/suites/lost.rs) | `c` | `cargo test -p c --test x lost::` |\n";
        let right = [head, echo, scale, oracle, lost].concat();
        assert_eq!(suites(&right, &all), [""; 0]);

        let found = |text: &str| suites(text, &all);
        assert_eq!(found("").len(), 1);
        let missing = found(&right.replace(lost, ""));
        assert_eq!(
            missing,
            ["tests/README.md: no row `| … | [`lost`](c/suites/lost.rs) | `c` | `cargo test -p c --test x lost::` |`"]
        );
        assert_eq!(found(&format!("{right}{echo}")), ["tests/README.md: 2 rows of [`echo`](suites/d/echo)"]);
        assert_eq!(
            found(&right.replace("| types |", "| |")),
            ["tests/README.md: [`echo`](suites/d/echo) has no topic"]
        );
        // The package, command or place is wrong: the row matches no suite, and the suite has no row.
        for (from, to) in [
            ("| `c` | `cargo test -p c --test oracle`", "| `t` | `cargo test -p c --test oracle`"),
            ("scale::", "scales::"),
            ("(suites/d/scale.rs)", "(suites/d/scale)"),
        ] {
            let problems = found(&right.replace(from, to));
            assert_eq!(problems.len(), 2, "{to}: {problems:?}");
            assert!(problems[0].contains("no row"), "{to}: {problems:?}");
            assert!(problems[1].contains("the row of no suite"), "{to}: {problems:?}");
        }
    }

    #[test]
    fn packages_with_tests_and_rows_must_be_the_same() {
        let (abi, driver, lost) =
            (package("abi", "abi", &[]), package("tests/stand_in", "stand-in", &[]), package("ab", "ab", &[]));
        let readme = "| topic | package | command |\n|---|---|---|\n\
            | rules | [`abi`](../abi) | `cargo test -p abi --all-features` |\n\
            | driver | [`stand-in`](stand_in) | `cargo test -p stand-in` |\n";
        assert_eq!(packages(readme, &[&abi, &driver]), [""; 0]);
        assert_eq!(
            packages(readme, &[&abi, &driver, &lost]),
            ["tests/README.md: no row `| … | [`ab`](../ab) | `cargo test -p ab` |`"]
        );
        let unknown = packages(readme, &[&abi]);
        assert_eq!(unknown.len(), 1, "{unknown:?}");
        assert!(unknown[0].contains("is the row of no package"), "{unknown:?}");
        for (from, to) in
            [("-p abi ", "-p ab "), ("-p stand-in`", "-p stand-ins`"), ("(stand_in)", "(../../crates/test-driver)")]
        {
            let problems = packages(&readme.replace(from, to), &[&abi, &driver]);
            assert_eq!(problems.len(), 2, "{to}: {problems:?}");
        }
        assert_eq!(packages("", &[]).len(), 1);
    }
}
