//! Packages that use the macros, built by cargo: without `std`, with macros of another edition, with an image that
//! changes.
//!
//! They are in cargo's target folder, outside of this workspace, with its versions. Cargo locks that folder, so the
//! trials run one after another.

mod changed_file;
mod editions;
mod features;
mod no_std;

use kernel_args_test_generator::tools::trial;
use kernel_args_toolchain_tests::{folder, root, target};
use libtest_mimic::Arguments;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Output},
};

pub(crate) fn main() -> ExitCode {
    macro_rules! trials {
        ($($module:ident::$name:ident)*) => {
            vec![$(trial(stringify!($name), &[], $module::$name)),*]
        };
    }
    let trials = trials![
        changed_file::a_changed_image_is_compared_again
        changed_file::a_changed_debug_file_is_compared_again
        editions::macros_of_another_crate_and_edition_contain_derives
        features::a_message_names_the_feature_or_the_version_that_is_missing
        no_std::without_features_no_std_is_linked
        no_std::with_the_types_of_other_crates_no_std_is_linked
        no_std::with_headers_for_cpp_no_std_is_linked
        no_std::a_tree_that_links_std_is_found
    ];
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(1);
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Writes a package whose library is `lib.rs`. `manifest` follows the name. With the profile of this workspace, cargo
/// does not compile the packages of the registry once more.
fn lay_out(place: &str, manifest: &str, files: &[(&str, &str)]) -> PathBuf {
    let package = folder(place).unwrap();
    let name = package.file_name().unwrap_or_default().to_string_lossy();
    let manifest =
        format!("[package]\nname = {name:?}\n{manifest}\n[workspace]\n[profile.dev]\ndebug = false\nlto = \"off\"\n");
    for (file, text) in [&[("Cargo.toml", &*manifest)], files].concat() {
        fs::write(package.join(file), text).unwrap();
    }
    fs::copy(root().join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
    package
}

/// The path of the library, for the dependency on it.
fn path() -> String {
    format!("path = {:?}", root().join("kernel-args").to_string_lossy())
}

/// The library as a dependency. The packages in the tests of `kernel-args-build` have the same features, so cargo
/// compiles the macros once for all.
fn library() -> String {
    let features = r#"["bodies", "compressed", "debug-info", "generate", "kernels"]"#;
    format!("kernel-args = {{ {}, default-features = false, features = {features} }}\n", path())
}

/// `cargo check` of a package. What the other packages have compiled is reused.
fn check(package: &Path, variables: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet", "--color=never"])
        .current_dir(package)
        .env("CARGO_TARGET_DIR", target().unwrap())
        .envs(variables.iter().copied())
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap()
}
