//! Checks that the repository agrees with its declarations and documents: suites, their files, tables in READMEs, lists
//! of packages.
//!
//! Each check is a function of names and texts that returns one line per mistake. It runs on the repository, and in its
//! own unit test on a small input with each mistake.

mod absolute;
mod architecture;
mod code;
mod comments;
mod compile_fail;
mod declared;
mod documents;
mod english;
mod examples;
mod files;
mod imports;
mod jobs;
mod manifest;
mod public_root;
mod published;
mod sentences;
mod size;
mod suites_table;
mod table;
mod tools;
mod unsafe_blocks;
mod unsafe_files;

use manifest::Package;
use std::{
    fs,
    path::{Path, PathBuf},
};
use suites_table::Suite;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Reads a file of the repository.
fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The names of the files and folders in a folder of the repository, sorted, without hidden names.
fn list(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder));
    let entries = entries.unwrap_or_else(|error| panic!("{folder}: {error}"));
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> =
        names.map(|name| name.into_string().expect("UTF-8")).filter(|name| !name.starts_with('.')).collect();
    names.sort();
    names
}

fn is_folder(place: &str) -> bool {
    root().join(place).is_dir()
}

fn is_rust(place: &str) -> bool {
    Path::new(place).extension().is_some_and(|extension| extension == "rs")
}

/// Whether a Rust file contains `#[test]`, or a folder contains such a file.
fn has_tests(place: &str) -> bool {
    if is_folder(place) {
        let mut inside = list(place).into_iter();
        return inside.any(|name| has_tests(&format!("{place}/{name}")));
    }
    is_rust(place) && read(place).lines().any(|line| line.trim() == "#[test]")
}

/// The packages of the workspace.
fn packages() -> Vec<Package> {
    let members = manifest::members(&read("Cargo.toml"));
    assert!(members.len() > 10, "{members:?}");
    members.iter().map(|folder| Package::parse(folder, &read(&format!("{folder}/Cargo.toml")))).collect()
}

fn assert_none(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

/// Every `main.rs` below a folder of `tests`, except in `src` folders of libraries and programs, and in the benchmarks.
fn mains(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    for name in list(folder) {
        let place = format!("{folder}/{name}");
        if name == "main.rs" {
            found.push(place);
        } else if name != "src" && place != "tests/benches" && is_folder(&place) {
            found.extend(mains(&place));
        }
    }
    found
}

#[test]
fn every_program_is_a_test_of_a_package() {
    let mains = mains("tests");
    assert!(mains.len() > 3, "{mains:?}");
    assert_none(&declared::programs(&mains, &packages()));
}

/// Files of a module folder, and of its subfolders, that are not part of a program.
fn lost_files(folder: &str) -> Vec<String> {
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for name in list(folder) {
        let place = format!("{folder}/{name}");
        if !is_folder(&place) {
            files.push((name, read(&place)));
        } else if list(&place).iter().any(|name| name == "mod.rs") {
            files.push((format!("{name}.rs"), String::new()));
            problems.extend(lost_files(&place));
        } else {
            files.push((name, String::new()));
        }
    }
    problems.extend(declared::files(folder, &files));
    problems
}

#[test]
fn every_file_of_a_suite_is_part_of_it() {
    for main in mains("tests") {
        assert_none(&lost_files(main.trim_end_matches("/main.rs")));
    }
}

/// The suites below `tests`: the modules of a program in a folder `suites`, and every other program.
fn suites(packages: &[Package]) -> Vec<Suite> {
    let mut suites = Vec::new();
    for package in packages {
        for test in &package.tests {
            let Some(place) = test.file.strip_prefix("tests/") else {
                continue;
            };
            let folder = place.trim_end_matches("/main.rs");
            let suite = |name: &str, place| Suite { name: name.to_owned(), place, program: test.name.clone() };
            if !format!("/{folder}/").contains("/suites/") {
                suites.push(suite(&test.name, folder.to_owned()));
                continue;
            }
            let main = read(&test.file);
            let modules = main.lines().filter_map(|line| line.strip_prefix("mod "));
            for name in modules.filter_map(|line| line.strip_suffix(';')) {
                let place = format!("{folder}/{name}");
                let is_folder = is_folder(&format!("tests/{place}"));
                suites.push(suite(name, if is_folder { place } else { place + ".rs" }));
            }
        }
    }
    suites
}

#[test]
fn the_table_of_tests_has_every_test() {
    let packages = packages();
    let readme = read("tests/README.md");
    let suites = suites(&packages);
    assert!(suites.len() > 25, "{suites:?}");
    let with_tests: Vec<&Package> = packages
        .iter()
        .filter(|package| {
            let folder = &package.folder;
            has_tests(&format!("{folder}/src")) || has_tests(&format!("{folder}/tests"))
        })
        .collect();
    assert!(with_tests.len() > 5, "{with_tests:?}");
    assert_none(&suites_table::problems(&readme, &suites, &with_tests));
    let lines = readme.lines().count();
    assert!(lines <= 130, "{lines} lines");
}

#[test]
fn the_readme_of_compile_fail_has_every_folder_of_ui() {
    let ui = "tests/toolchain/suites/compile_fail/ui";
    let folders: Vec<String> = list(ui).into_iter().filter(|name| is_folder(&format!("{ui}/{name}"))).collect();
    assert!(folders.len() > 20, "{folders:?}");
    assert_none(&compile_fail::folders(&read("tests/toolchain/suites/compile_fail/README.md"), &folders));
}

#[test]
fn paths_in_documents_exist() {
    let exists = |place: &str| root().join(place).exists();
    for file in ["ARCHITECTURE.md", ".github/CONTRIBUTING.md"] {
        assert_none(&documents::paths(file, &read(file), exists));
    }
}

#[test]
fn the_readme_and_the_front_page_show_an_error_of_rustc_and_a_kernel() {
    let kernel = read("ptx/mean.cu");
    let error = read("tests/toolchain/suites/compile_fail/ui/ptx_type/double_for_float.stderr");
    // The lines above the place in the file.
    let message = error.split(" --> ").next().unwrap_or_default();
    let readme = read("README.md");
    assert_none(&documents::parts("README.md", &readme, &[("mean.cu", &kernel), ("double_for_float.stderr", message)]));
    let front = code::front_page(&read("kernel-args/src/lib.rs"));
    assert_none(&documents::parts(
        "The front page",
        &front,
        &[("mean.cu", &kernel), ("double_for_float.stderr", message)],
    ));
    let lines = readme.lines().count();
    assert!(lines <= 120, "README.md has {lines} lines: other topics are in the guide");
    for command in ["cargo run -p kernel-args-examples --example quickstart\n", "cargo test --workspace\n"] {
        assert!(readme.contains(command), "README.md does not name {command}");
    }
    // Files are named by links.
    for row in readme.lines().filter(|line| line.starts_with("| ")) {
        let names = table::code(row).into_iter().filter(|code| documents::is_path(code));
        assert_none(&names.map(|name| format!("README.md names `{name}` without a link")).collect::<Vec<_>>());
    }
}

/// The files of the guide's chapters.
fn chapters() -> Vec<String> {
    let files = list("kernel-args/guide").into_iter().map(|name| format!("kernel-args/guide/{name}"));
    files.filter(|file| english::is_text(file)).collect()
}

#[test]
fn code_in_documents_fits_on_a_page() {
    let mut problems = code::problems("README.md", &read("README.md"));
    let lib = "kernel-args/src/lib.rs";
    problems.extend(code::problems(lib, &code::front_page(&read(lib))));
    for file in chapters() {
        problems.extend(code::problems(&file, &read(&file)));
    }
    assert_none(&problems);
}

#[test]
fn the_front_page_links_every_chapter_of_the_guide() {
    let (front, guide) = (code::front_page(&read("kernel-args/src/lib.rs")), read("kernel-args/src/guide.rs"));
    let chapters = chapters();
    assert!(chapters.len() > 20, "{chapters:?}");
    for file in chapters {
        let name = Path::new(&file).file_stem().and_then(|name| name.to_str()).expect("a name");
        assert!(front.contains(&format!("(guide::{name})")), "the front page does not link {file}");
        assert!(guide.contains(&format!("\"{name}.md\"")), "the guide does not contain {file}");
    }
}

#[test]
fn lists_of_published_packages_have_all_of_them() {
    let packages = packages();
    let file = ".github/CONTRIBUTING.md";
    assert_none(&published::lists(file, &read(file), &packages));
}

/// The Rust files in a folder of the repository, with their relative paths.
fn sources(folder: &str, inside: &str, found: &mut Vec<(String, String)>) {
    for name in list(&format!("{folder}/{inside}")) {
        let path = format!("{inside}{name}");
        let place = format!("{folder}/{path}");
        if is_folder(&place) {
            sources(folder, &format!("{path}/"), found);
        } else if is_rust(&name) {
            found.push((path, read(&place)));
        }
    }
}

/// The only circle: the state of the test driver has a table for each kind of object (`Driver`), and a variant for each
/// kind of work (`Operation`), so it names the types of all folders. Each folder adds its calls to `Driver`: imports of
/// the state are not compared.
const STATE: (&str, &str) = ("crates/test-driver", "state");

#[test]
fn folders_import_downwards_only() {
    let (mut problems, mut files) = (Vec::new(), 0);
    for package in packages().iter().filter(|package| package.is_published) {
        let mut found = Vec::new();
        sources(&format!("{}/src", package.folder), "", &mut found);
        files += found.len();
        let mut imports = imports::imports(&found);
        if package.folder == STATE.0 {
            assert!(!imports::circles(STATE.0, &imports).is_empty(), "{STATE:?} needs no exception");
            for to in imports.values_mut() {
                to.retain(|module| module.first().is_none_or(|first| first != STATE.1));
            }
        }
        problems.extend(imports::circles(&package.folder, &imports));
    }
    assert!(files > 300, "only {files} files were read");
    assert_none(&problems);
}

#[test]
fn the_root_of_the_library_has_at_most_60_names() {
    let names = public_root::names(&read("kernel-args/src/lib.rs"));
    assert!(names.contains("KernelArgs"), "{names:?}");
    assert!(!names.contains("*"), "a glob import at the root");
    assert!(names.len() <= 60, "{} names at the root of kernel_args: put details into modules", names.len());
    println!("{} names", names.len());
}

/// Types that a user gets or implements, and seldom constructs: their documentation names the function or the trait.
const WITHOUT_EXAMPLE: &[&str] = &["ContextName", "Guard"];

#[test]
fn types_that_a_user_constructs_have_an_example() {
    let mut found = Vec::new();
    sources("kernel-args/src", "", &mut found);
    found.retain(|(path, _)| !path.starts_with("__private/"));
    let mut problems = examples::missing(&found);
    let is_allowed = |problem: &str, name| problem.contains(&format!("`{name}`"));
    for name in WITHOUT_EXAMPLE {
        let before = problems.len();
        problems.retain(|problem| !is_allowed(problem, name));
        assert!(problems.len() < before, "`{name}` has an example");
    }
    assert_none(&problems);
}

/// The folders of a published package with its sources.
fn source_folders(package: &Package) -> Vec<String> {
    let folders = ["src", "tracer"].map(|inside| format!("{}/{inside}", package.folder));
    folders.into_iter().filter(|folder| is_folder(folder)).collect()
}

#[test]
fn published_packages_are_no_larger_than_their_ceilings() {
    let published = packages().into_iter().filter(|package| package.is_published);
    let sizes = published.map(|package| {
        let mut found = Vec::new();
        for folder in source_folders(&package) {
            sources(&folder, "", &mut found);
        }
        let size = found.iter().map(|(path, text)| size::characters(&format!("/{path}"), text)).sum();
        (package.name, size)
    });
    let sizes: Vec<(String, usize)> = sizes.collect();
    println!("{sizes:?}, together {}", sizes.iter().map(|(_, size)| size).sum::<usize>());
    assert_none(&size::problems(&sizes));
}

#[test]
fn unsafe_blocks_are_in_few_files() {
    let (mut with_blocks, mut problems) = (Vec::new(), Vec::new());
    for folder in packages().iter().filter(|package| package.is_published).flat_map(source_folders) {
        let mut found = Vec::new();
        sources(&folder, "", &mut found);
        for (path, text) in &found {
            problems.extend(unsafe_blocks::as_above(&format!("{folder}/{path}"), text));
        }
        with_blocks.extend(unsafe_blocks::files(&found).into_iter().map(|path| format!("{folder}/{path}")));
    }
    problems.extend(unsafe_files::differences(&with_blocks));
    assert_none(&problems);
}

#[test]
fn the_architecture_has_every_package_and_folder() {
    let (packages, text) = (packages(), read("ARCHITECTURE.md"));
    let facts = packages.iter().filter(|package| package.is_published).map(|package| {
        let (folder, mut found) = (format!("{}/src", package.folder), Vec::new());
        sources(&folder, "", &mut found);
        let has_unsafe = !unsafe_blocks::files(&found).is_empty();
        // `kernel-args/src/driver` is a folder of folders. The test driver has its own table in its `lib.rs`.
        let is_shown = |folder: &str| {
            package.is_library()
                && !["driver", "memory/held"].contains(&folder)
                && folder.split('/').count() <= 1 + usize::from(folder.starts_with("driver/"))
        };
        let folders = found.iter().filter_map(|(path, _)| path.rsplit_once('/')).map(|(folder, _)| folder.to_owned());
        let folders: std::collections::BTreeSet<_> = folders.filter(|folder| is_shown(folder)).collect();
        let folders = folders.into_iter().map(|name| {
            let file = |end: &str| format!("{folder}/{name}{end}");
            let file = if root().join(file("/mod.rs")).exists() { file("/mod.rs") } else { file(".rs") };
            let first =
                read(&file).lines().next().and_then(|line| line.strip_prefix("//! ")).unwrap_or_default().to_owned();
            assert!(first.ends_with('.'), "{file}: the first line is no sentence: {first:?}");
            (name, first)
        });
        architecture::Facts { package, has_unsafe, folders: folders.collect() }
    });
    let lines = text.lines().count();
    assert!(lines <= 120, "ARCHITECTURE.md has {lines} lines: details are in the documentation of the modules");
    assert_none(&architecture::differences(&text, &facts.collect::<Vec<_>>()));
}

/// The rows of the table are the first lines of the folders' documentation.
#[test]
fn the_table_of_the_test_driver_has_every_folder() {
    let source = "crates/test-driver/src";
    let text = read(&format!("{source}/lib.rs")).replace("//! ", "");
    let mut rows = table::rows(&text, &["folder", "contents"]).expect("the table of folders");
    rows.sort_unstable();
    let folders = list(source).into_iter().filter(|name| name != "bin" && is_folder(&format!("{source}/{name}")));
    let expected: Vec<_> = folders
        .map(|name| {
            let text = read(&format!("{source}/{name}/mod.rs"));
            let line = text.lines().next().and_then(|line| line.strip_prefix("//! ")).unwrap_or_default();
            [format!("`{name}/`"), line.trim_end_matches('.').to_owned()]
        })
        .collect();
    assert_eq!(rows, expected);
}

/// The functions that write files are in `crates/nvrtc/src/files.rs`. The tracer and the test driver depend on no crate
/// of this workspace: they create new files in a folder of their own.
const WRITERS: &[&str] =
    &["crates/cli/tracer/report.rs", "crates/nvrtc/src/files.rs", "crates/test-driver/src/client/install.rs"];

#[test]
fn files_are_written_by_the_same_functions() {
    let mut writers = Vec::new();
    let published =
        packages().into_iter().filter(|package| package.is_published).map(|package| package.folder + "/src");
    for folder in published.chain(["tests/benches/src", "crates/cli/tracer"].map(String::from)) {
        let mut found = Vec::new();
        sources(&folder, "", &mut found);
        found.retain(|(path, _)| !path.contains("/tests/"));
        writers.extend(files::writers(&found).into_iter().map(|path| format!("{folder}/{path}")));
    }
    writers.sort();
    assert_eq!(writers, WRITERS);
}

/// The files of the repository, without those that the `.gitignore` of their folder names.
fn tracked() -> Vec<String> {
    let (mut files, mut folders) = (Vec::new(), vec![String::new()]);
    while let Some(folder) = folders.pop() {
        let ignored = fs::read_to_string(root().join(format!("{folder}.gitignore"))).unwrap_or_default();
        let is_ignored = |name: &str| {
            let mut patterns = ignored.lines().map(|pattern| pattern.trim_matches('/'));
            name == ".git"
                || patterns.any(|own| own.strip_suffix('*').map_or(name == own, |start| name.starts_with(start)))
        };
        for entry in fs::read_dir(root().join(&folder)).expect("a folder").map(|entry| entry.expect("an entry")) {
            let (name, kind) = (entry.file_name(), entry.file_type().expect("a type"));
            let name = name.to_str().expect("UTF-8");
            if kind.is_dir() && !is_ignored(name) {
                folders.push(format!("{folder}{name}/"));
            } else if kind.is_file() && !is_ignored(name) {
                files.push(folder.clone() + name);
            }
        }
    }
    files.sort();
    files
}

/// Debug information, for example, contains the folder in which the compiler ran.
#[test]
fn no_file_names_a_folder_of_a_machine() {
    let (mut count, mut problems) = (0, Vec::new());
    for file in tracked() {
        count += 1;
        problems.extend(absolute::paths(&file, &fs::read(root().join(&file)).expect("the file is read")));
    }
    assert!(count > 1000, "only {count} files were read");
    assert_none(&problems);
}

/// Files that start tools outside of trials: a program that makes a corpus, and benchmarks, which report a tool that is
/// missing.
const NO_TRIALS: [&str; 3] =
    ["tests/support/generator/src/bin/", "tests/support/generator/src/tools.rs", "tests/benches/"];

#[test]
fn trials_that_start_a_tool_declare_it() {
    let mut files = tracked();
    files.retain(|file| is_rust(file) && !NO_TRIALS.iter().any(|folder| file.starts_with(folder)));
    let texts = files.iter().map(|file| {
        let is_test = file.starts_with("tests/") || file.contains("/tests/");
        let text = read(file);
        (file, if is_test { text } else { tools::unit_tests(&text) })
    });
    let texts: Vec<_> = texts.collect();
    let library = read("tests/support/generator/src/tools.rs");
    let mut names: Vec<&str> = texts.iter().flat_map(|(_, text)| tools::declared(text)).collect();
    names.extend(tools::declared(&library));
    assert!(names.contains(&"g++") && names.contains(&"valgrind"), "{names:?}");
    let problems: Vec<_> = texts.iter().flat_map(|(file, text)| tools::started(file, text, &names)).collect();
    assert_none(&problems);
}

#[test]
fn comments_and_documents_are_plain_english() {
    let mut files = tracked();
    files.retain(|file| english::is_text(file));
    assert!(files.len() > 800, "only {} files were read", files.len());
    let list = english::List::new();
    let problems: Vec<String> = files.iter().flat_map(|file| list.phrases(file, &read(file))).collect();
    assert_none(&problems);
}

/// The compiler's messages name lines of these files, or they are written by a program.
const FIXED: &[&str] = &["tests/toolchain/suites/compile_fail/ui/", "golden/"];

#[test]
fn comments_wrap_and_few_refer_to_others() {
    let (mut problems, mut references, tracked) = (Vec::new(), 0, tracked());
    let files = tracked.iter().filter(|file| is_rust(file) && root().join(file).is_file());
    for file in files.filter(|file| !FIXED.iter().any(|fixed| file.contains(fixed))) {
        let text = read(file);
        problems.extend(comments::wide(file, &text));
        references += comments::references(&text);
    }
    assert_none(&problems);
    assert!(references <= 20, "{references} comments begin with `The same` or `Same as`: write what it is");
}

/// The documentation of a function begins with a verb in the third person: "Returns the size".
#[test]
fn documentation_of_functions_begins_with_a_verb() {
    let mut count = [0; 2];
    for package in packages().iter().filter(|package| package.is_published) {
        let mut found = Vec::new();
        sources(&format!("{}/src", package.folder), "", &mut found);
        for (_, text) in &found {
            let [all, without] = comments::functions(text);
            count = [count[0] + all, count[1] + without];
        }
    }
    let [all, without] = count;
    assert!(
        all > 1_500 && without * 100 <= all * 7,
        "{without} of {all} functions: begin with a verb (\"Returns the size\")"
    );
}

#[test]
fn sentences_of_the_documentation_are_short() {
    let mut problems = Vec::new();
    for package in packages().iter().filter(|package| package.is_published) {
        let (folder, mut found) = (format!("{}/src", package.folder), Vec::new());
        sources(&folder, "", &mut found);
        for (path, text) in &found {
            problems.extend(sentences::long(&format!("{folder}/{path}"), text));
        }
        let readme = format!("{}/README.md", package.folder);
        problems.extend(sentences::long(&readme, &read(&readme)));
    }
    let documents =
        ["ARCHITECTURE.md", ".github/CONTRIBUTING.md", "tests/README.md", "tests/benches/README.md"].map(String::from);
    for file in chapters().into_iter().chain(documents) {
        problems.extend(sentences::long(&file, &read(&file)));
    }
    assert_none(&problems);
}

#[test]
fn jobs_have_the_same_names_everywhere() {
    let files = [".ci/all", ".github/workflows/ci.yml", ".github/CONTRIBUTING.md"].map(read);
    let [script, workflow, contributing] = &files;
    assert_none(&jobs::differences(script, workflow, contributing));
}
