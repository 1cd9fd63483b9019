//! Headers whose names the search cannot resolve at once: after each change or addition the source is compiled again,
//! and cargo watches for it.

use super::{Package, parameters};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A package with its source and cargo's output directly in its folder.
fn top(name: &str, source: &str) -> Package {
    let mut package = Package::new(name);
    package.out = package.root.join("target/out");
    fs::create_dir_all(&package.out).unwrap();
    package.write_old("top.cu", source);
    package
}

/// The parameters of the kernel, and the paths that cargo watches in the package.
fn built(package: &Package, script: &str, home: &Path) -> (Vec<String>, Vec<String>) {
    let ran = package.run(script, &[("CUDA_HOME", home)]).succeeded();
    let name = if script == "computed" { "top" } else { "a" };
    let description = package.written(&format!("{name}.debug.ptx"));
    let watched = ran.directives("rerun-if-changed").into_iter();
    let own = watched.filter(|path| Path::new(path).is_relative());
    (parameters(description.as_bytes()), own.map(str::to_owned).collect())
}

const KERNEL: &str = "extern \"C\" __global__ void k(Taken* out) {}\n";

pub(super) fn a_header_that_a_macro_names_is_compiled_again(home: &Path, name: &str) {
    let source = format!("#include KIND\n{KERNEL}");
    let package = top(&format!("{name}-computed"), &source);
    package.write_old("kind.cuh", "typedef int Taken;\n");
    let (described, watched) = built(&package, "computed", home);
    assert_eq!(described, ["k(8 out: int* [])"]);
    assert!(watched.contains(&"kind.cuh".into()), "{watched:?}");
    let output = |path: &String| Path::new("target/out").starts_with(path);
    assert!(!watched.iter().any(output), "cargo runs the script each time: {watched:?}");
    package.write_old("kind.cuh", "typedef float Taken;\n");
    let (described, _) = built(&package, "computed", home);
    assert_eq!(described, ["k(8 out: float* [])"]);
}

/// Cargo watches the whole package: no option names the folder.
pub(super) fn a_header_of_another_folder_that_a_macro_names_is_watched(home: &Path, name: &str) {
    let package = Package::new(&format!("{name}-elsewhere"));
    let source = format!("#define KIND \"../kinds/kind.cuh\"\n#include KIND\n{KERNEL}");
    package.write_old("src/a.cu", &source);
    package.write_old("kinds/kind.cuh", "typedef int Taken;\n");
    let (described, watched) = built(&package, "all", home);
    assert_eq!(described, ["k(8 out: int* [])"]);
    let kind = package.root.join("kinds/kind.cuh");
    let is_watched = |path: &String| kind.starts_with(package.root.join(path).components().collect::<PathBuf>());
    let by_name = |path: &String| path.ends_with("kinds/kind.cuh");
    assert!(watched.iter().any(|path| path == "." || is_watched(path) || by_name(path)), "{watched:?}");
    package.write_old("kinds/kind.cuh", "typedef float Taken;\n");
    let (described, _) = built(&package, "all", home);
    assert_eq!(described, ["k(8 out: float* [])"]);
}

/// The new header hides a header that a macro names.
pub(super) fn a_header_that_appears_under_a_name_of_a_macro_is_compiled(home: &Path, name: &str) {
    let package = Package::new(&format!("{name}-computed-appears"));
    package.write_old("src/a.cu", &format!("#define KIND <kind.cuh>\n#include KIND\n{KERNEL}"));
    package.write_old("one/readme", "");
    package.write_old("two/kind.cuh", "typedef int Taken;\n");
    let (described, watched) = built(&package, "two_folders", home);
    assert_eq!(described, ["k(8 out: int* [])"]);
    assert!(watched.contains(&"one".into()), "{watched:?}");
    package.write_old("one/kind.cuh", "typedef float Taken;\n");
    let (described, _) = built(&package, "two_folders", home);
    assert_eq!(described, ["k(8 out: float* [])"]);
}

pub(super) fn a_new_header_that_a_macro_tests_is_compiled(home: &Path, name: &str) {
    let package = Package::new(&format!("{name}-asked"));
    package.write_old(
        "src/a.cu",
        &format!(
            "#define IT <it.cuh>\n#if __has_include(IT)\n#include <it.cuh>\n#else\ntypedef int Taken;\n#endif\n{KERNEL}"
        ),
    );
    package.write_old("one/readme", "");
    let (described, _) = built(&package, "two_folders", home);
    assert_eq!(described, ["k(8 out: int* [])"]);
    package.write_old("one/it.cuh", "typedef float Taken;\n");
    let (described, _) = built(&package, "two_folders", home);
    assert_eq!(described, ["k(8 out: float* [])"]);
}

/// A file next to the source takes precedence over one in a folder.
pub(super) fn a_header_that_appears_next_to_the_source_is_compiled(home: &Path, name: &str) {
    let package = Package::new(&format!("{name}-same-folder"));
    package.write_old("src/a.cu", &format!("#include \"it.cuh\"\n{KERNEL}"));
    package.write_old("one/it.cuh", "typedef int Taken;\n");
    let (described, watched) = built(&package, "two_folders", home);
    assert_eq!(described, ["k(8 out: int* [])"]);
    assert!(watched.contains(&"src".into()), "cargo watches for the new header: {watched:?}");
    package.write_old("src/it.cuh", "typedef float Taken;\n");
    let (described, watched) = built(&package, "two_folders", home);
    assert_eq!(described, ["k(8 out: float* [])"]);
    assert!(watched.contains(&"src/it.cuh".into()), "{watched:?}");
}

pub(super) fn a_header_in_the_folder_of_a_flag_is_compiled_again(home: &Path, name: &str) {
    let package = Package::new(&format!("{name}-flag"));
    package.write_old("src/a.cu", &format!("#include <it.cuh>\n{KERNEL}"));
    package.write_old("one/readme", "");
    package.write_old("two/it.cuh", "typedef int Taken;\n");
    let (described, watched) = built(&package, "flags", home);
    assert_eq!(described, ["k(8 out: int* [])"]);
    for folder in ["one", "two/it.cuh"] {
        assert!(watched.contains(&folder.into()), "{folder}: {watched:?}");
    }
    package.write_old("two/it.cuh", "typedef float Taken;\n");
    let (described, _) = built(&package, "flags", home);
    assert_eq!(described, ["k(8 out: float* [])"]);
    package.write_old("one/it.cuh", "typedef double Taken;\n");
    let (described, _) = built(&package, "flags", home);
    assert_eq!(described, ["k(8 out: double* [])"]);
}
