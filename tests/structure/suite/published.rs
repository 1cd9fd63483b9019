//! Lists of the published packages: jobs, release steps.

use crate::manifest::Package;

/// Lines with two or more published packages, each as `-p NAME`, that do not contain all of them.
pub(crate) fn lists(file: &str, text: &str, packages: &[Package]) -> Vec<String> {
    let published: Vec<&str> =
        packages.iter().filter(|package| package.is_published).map(|package| &*package.name).collect();
    let mut problems = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_matches(['`', ',', '.'])).collect();
        let is_there = |name: &&&str| words.windows(2).any(|pair| pair == ["-p", **name]);
        let missing: Vec<&str> = published.iter().filter(|name| !is_there(name)).copied().collect();
        if !missing.is_empty() && missing.len() + 2 <= published.len() {
            problems.push(format!("{file}:{}: a list of published packages without {}", i + 1, missing.join(", ")));
        }
    }
    problems
}

#[test]
fn a_list_without_a_published_package_is_found() {
    let package = |name: &str, publish: &str| Package::parse(name, &format!("[package]\nname = \"{name}\"\n{publish}"));
    let packages = [package("abi", ""), package("derive", ""), package("cli", ""), package("tests", "publish = false")];
    let text = "run: cargo doc -p abi -p derive\n\
        run: cargo check -p abi --all-features\n\
        `cargo publish -p abi -p derive -p cli`.\n\
        abi derive\n";
    assert_eq!(lists("ci.yml", text, &packages), ["ci.yml:1: a list of published packages without cli"]);
}
