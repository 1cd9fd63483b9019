//! The size of each published package: characters of its sources that are not white space. Documentation counts, unit
//! tests do not.
//!
//! A change may lower a ceiling. A change that raises one adds a line with its reason to `RAISED`.

/// The ceiling of each published package, in characters.
const CEILINGS: &[(&str, usize)] = &[
    ("kernel-args", 1_170_500),
    ("kernel-args-derive", 223_300),
    ("kernel-args-abi", 353_000),
    ("kernel-args-build", 107_400),
    ("kernel-args-cli", 227_300),
    ("kernel-args-image", 550_600),
    ("kernel-args-nvrtc", 36_000),
    ("kernel-args-test-driver", 640_000),
];

/// Why a ceiling was raised: the package and the reason.
const RAISED: &[(&str, &str)] = &[
    ("kernel-args", "the errors of launches of slices are out of line: 0.7 kB less for each struct in a program"),
    ("kernel-args", "plain functions again instead of macros; a check for each variant and each external argument"),
    ("kernel-args-derive", "the texts of files are in one place again"),
    ("kernel-args-abi", "a kind of a placeholder that does not exist is an error again"),
    ("kernel-args-cli", "documentation of two functions"),
    (
        "kernel-args",
        "a launch that names a recorder has only the code for runs: half as long to compile in a framework",
    ),
    ("kernel-args-abi", "no hint puts a struct into itself"),
    ("kernel-args", "`OtherContext…` and `RunError`: longer names that have one meaning"),
    ("kernel-args", "slices of a pool are declared to the test driver, which finds accesses behind them"),
    ("kernel-args-test-driver", "the CUDA runtime; values that nothing has written; a table of the variables"),
    (
        "kernel-args",
        "the nearest kernels by the names that C++ gives them; the front page shows a report without a GPU",
    ),
    (
        "kernel-args-abi",
        "hints from the code before types; atomics, arrays, textures, flattened structs have their own hints",
    ),
    ("kernel-args", "the error for a kernel that only code for other GPUs has"),
    ("kernel-args-image", "the nearest kernels of a mangled name, and of a name of Triton"),
    ("kernel-args", "observed and recorded launches without types: half the code of a struct in a program"),
    ("kernel-args-image", "one map and one sort for all types: a quarter less to compile"),
    ("kernel-args-test-driver", "the table of instructions: what ptxas refuses is refused"),
    ("kernel-args", "one order of checks for seven ways to the driver, and an event of launchers without zeros"),
    ("kernel-args-image", "`LauncherError`: each case is data that a program can match"),
    ("kernel-args", "segments of runs and `Memory`: the step of an engine runs while it is recorded"),
    (
        "kernel-args-test-driver",
        "`printf` with every flag of C; undefined values in products of matrices; the limit of stacks",
    ),
    ("kernel-args-build", "contracts of generated structs"),
    ("kernel-args", "external work with other addresses is predicted; the check of runs; slots of a pool that stay"),
    ("kernel-args-test-driver", "accesses of one memory, results in place, AVX2 and FMA: up to 1.6 times as fast"),
];

/// How far a package may be below its ceiling: a lower ceiling is then due.
const SLACK: usize = 2_000;

/// The characters of a Rust file that are not white space, without its unit tests.
pub(crate) fn characters(path: &str, text: &str) -> usize {
    if path.ends_with("/tests.rs") || path.contains("/tests/") {
        return 0;
    }
    let (mut count, mut skipped) = (0, None);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        if let Some(start) = skipped {
            if indent == start && line.trim() == "}" {
                skipped = None;
            }
            continue;
        }
        let is_tests = |next: &&str| next.trim().starts_with("mod tests");
        if is_for_tests(line) && lines.peek().is_some_and(is_tests) {
            let has_body = lines.next().is_some_and(|next| next.ends_with('{'));
            skipped = has_body.then_some(indent);
            continue;
        }
        count += line.chars().filter(|character| !character.is_whitespace()).count();
    }
    count
}

fn is_for_tests(line: &str) -> bool {
    let line = line.trim();
    line == "#[cfg(test)]" || line.starts_with("#[cfg(all(test,")
}

/// What is wrong with the ceilings for these packages and sizes.
pub(crate) fn problems(sizes: &[(String, usize)]) -> Vec<String> {
    check(CEILINGS, sizes)
}

fn check(ceilings: &[(&str, usize)], sizes: &[(String, usize)]) -> Vec<String> {
    let mut problems = Vec::new();
    for (package, size) in sizes {
        match ceilings.iter().find(|(name, _)| name == package) {
            None => problems.push(format!("{package}: no ceiling; it has {size} characters")),
            Some((_, ceiling)) if size > ceiling => problems.push(format!(
                "{package}: {size} characters, but its ceiling is {ceiling}: make the change smaller, or give the reason in `RAISED`"
            )),
            Some((_, ceiling)) if size + SLACK < *ceiling => {
                problems.push(format!("{package}: {size} characters: lower its ceiling of {ceiling}"));
            }
            Some(_) => {}
        }
    }
    let is_known = |name: &str| sizes.iter().any(|(package, _)| package == name);
    let stale = ceilings.iter().filter(|(name, _)| !is_known(name));
    problems.extend(stale.map(|(name, _)| format!("{name}: a ceiling for a package that does not exist")));
    problems
}

#[test]
fn each_raised_ceiling_has_a_package_and_a_reason() {
    for (package, reason) in RAISED {
        assert!(CEILINGS.iter().any(|(name, _)| name == package), "{package}");
        assert!(reason.split(' ').count() >= 4, "{package}: {reason:?} is no reason");
    }
}

#[cfg(test)]
mod tests {
    use super::{characters, check};

    #[test]
    fn unit_tests_and_white_space_do_not_count() {
        let text = "fn f() {\n    1\n}\n\n#[cfg(test)]\nmod tests {\n    fn g() {\n    }\n}\n/// é\n";
        assert_eq!(characters("a/b.rs", text), "fnf(){1}///é".chars().count());
        assert_eq!(characters("a/b.rs", "#[cfg(test)]\nmod tests;\nx\n"), 1);
        assert_eq!(characters("a/tests.rs", text), 0);
    }

    #[test]
    fn each_wrong_ceiling_is_reported() {
        let sizes = [("a".to_owned(), 9_000), ("b".to_owned(), 9_001), ("c".to_owned(), 9_000), ("d".to_owned(), 1)];
        let problems = check(&[("a", 9_000), ("b", 9_000), ("c", 11_001), ("e", 1)], &sizes);
        assert_eq!(problems.len(), 4, "{problems:?}");
        let expected =
            ["b: 9001 characters, but", "c: 9000 characters: lower", "d: no ceiling", "e: a ceiling for a package"];
        for (problem, expected) in problems.iter().zip(expected) {
            assert!(problem.starts_with(expected), "{problem}");
        }
    }
}
