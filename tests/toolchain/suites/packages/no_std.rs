//! Without its features the library does not need the standard library.
//!
//! `tests/no_std` is a separate crate with its own panic handler. rustc rejects a second panic handler (E0152), and
//! `std` has one, so the crate compiles only if nothing in its dependency tree links `std`. It renames the library.

use super::{check, path};
use kernel_args_toolchain_tests::root;
use std::{fs, path::PathBuf};

/// `features` are the crate's own, `library_features` the features of the library.
fn lay_out(name: &str, features: &str, library_features: &str) -> PathBuf {
    let source = root().join("tests/no_std/lib.rs");
    let manifest = format!(
        "edition = \"2024\"\n[lib]\npath = {source:?}\n\
         [dependencies]\nrenamed = {{ package = \"kernel-args\", {}, default-features = false, features = [\"kernels\", {library_features}] }}\n\
         [features]\ndefault = [{features}]\nlinks-std = []\n",
        path(),
        source = source.to_string_lossy(),
    );
    let image = fs::read_to_string(root().join("ptx/saxpy.ptx")).unwrap();
    super::lay_out(name, &manifest, &[("saxpy.ptx", &image)])
}

pub(super) fn without_features_no_std_is_linked() {
    let package = lay_out("no_std", "", "");
    let output = check(&package, &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The features for foreign types.
const OTHER_CRATES: &str = r#""float8", "glam", "glam-032", "half", "mint", "nalgebra", "num-complex", "zerocopy""#;

pub(super) fn with_the_types_of_other_crates_no_std_is_linked() {
    let package = lay_out("no_std-crates", "", OTHER_CRATES);
    let output = check(&package, &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

pub(super) fn with_headers_for_cpp_no_std_is_linked() {
    let package = lay_out("no_std-header", "", "\"header\"");
    let output = check(&package, &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

pub(super) fn a_tree_that_links_std_is_found() {
    let package = lay_out("no_std-with", "\"links-std\"", "");
    let output = check(&package, &[]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && message.contains("E0152"),
        "`std` was linked and rustc did not refuse it: {message}"
    );
}
