//! Without its features the library needs no standard library.
//!
//! `tests/no_std` is a crate of its own that brings a panic handler: rustc refuses a second one (E0152), which `std`
//! has, so that it compiles only where nothing in its tree links `std`. It knows the library by another name alone.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Lays the crate out under the target folder, as a package outside of this workspace, with its versions.
fn lay_out(name: &str, features: &str, library_features: &str) -> io::Result<PathBuf> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&package)?;
    let library = tests.with_file_name("kernel-args");
    let manifest = format!(
        "[package]\nname = \"no-std\"\nedition = \"2024\"\n\n\
         [lib]\npath = {source:?}\n\n\
         [dependencies.renamed]\npackage = \"kernel-args\"\npath = {library:?}\n\
         default-features = false\nfeatures = [{library_features}]\n\n\
         [features]\ndefault = [{features}]\nlinks-std = []\n\n\
         [workspace]\n",
        source = tests.join("no_std/lib.rs").to_string_lossy(),
        library = library.to_string_lossy(),
    );
    fs::write(package.join("Cargo.toml"), manifest)?;
    fs::copy(
        tests.with_file_name("Cargo.lock"),
        package.join("Cargo.lock"),
    )?;
    let image = tests.with_file_name("ptx").join("saxpy.ptx");
    fs::copy(image, package.join("saxpy.ptx"))?;
    Ok(package)
}

fn check(package: &Path) -> io::Result<Output> {
    // What the workspace's own build has compiled serves here too.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet", "--color=never"])
        .current_dir(package)
        .envs(target.map(|target| ("CARGO_TARGET_DIR", target)))
        .env_remove("RUSTFLAGS")
        .output()
}

#[test]
#[cfg_attr(miri, ignore = "it starts a compiler")]
fn without_features_no_std_is_linked() {
    let package = lay_out("no_std", "", "").expect("the crate can be laid out");
    let output = check(&package).expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The features that stand for types of other crates.
const OTHER_CRATES: &str =
    r#""float8", "glam", "glam-032", "half", "mint", "nalgebra", "num-complex", "zerocopy""#;

#[test]
#[cfg_attr(miri, ignore = "it starts a compiler")]
fn with_the_types_of_other_crates_no_std_is_linked() {
    let package = lay_out("no_std-crates", "", OTHER_CRATES).expect("the crate can be laid out");
    let output = check(&package).expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
#[cfg_attr(miri, ignore = "it starts a compiler")]
fn with_headers_for_cpp_no_std_is_linked() {
    let package = lay_out("no_std-header", "", "\"header\"").expect("the crate can be laid out");
    let output = check(&package).expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
#[cfg_attr(miri, ignore = "it starts a compiler")]
fn a_tree_that_links_std_is_found() {
    let package = lay_out("no_std-with", "\"links-std\"", "").expect("the crate can be laid out");
    let output = check(&package).expect("cargo runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && message.contains("E0152"),
        "`std` was linked and rustc did not refuse it: {message}"
    );
}
