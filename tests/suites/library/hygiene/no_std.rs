//! Without its features the library does not need the standard library.
//!
//! `tests/no_std` is a separate crate with its own panic handler. rustc rejects a second panic handler (E0152), and `std` has
//! one, so the crate compiles only if nothing in its dependency tree links `std`. It renames the library.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Writes the crate into the target folder, as a package outside of this workspace, with the same versions.
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
    // The artifacts of the workspace's own build are reused.
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

/// The features for foreign types.
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
