//! The macros of one crate in another crate of a different edition.

use super::{check, lay_out, library};
use kernel_args_toolchain_tests::{folder, root};
use std::fs;

/// A macro that finds the library through its own crate.
const THROUGH_CRATE: &str = "
pub use kernel_args;

#[macro_export]
macro_rules! through {
    ($item:item) => {
        #[derive($crate::kernel_args::KernelArgs)]
        #[kernel_args(crate = $crate::kernel_args)]
        $item
    };
}
";

/// `FIELD` is the identifier `gen`, a keyword since edition 2024.
const USER: &str = "
#![deny(warnings)]
#![forbid(unsafe_code)]

#[macro_use]
extern crate macros;

through! { pub struct Through { pub FIELD: u8 } }
args! { pub struct Args { pub FIELD: u8 } }
device! { #[repr(C)] pub struct Device { pub FIELD: u8, pub last: u32 } }
";

pub(super) fn macros_of_another_crate_and_edition_contain_derives() {
    for (macros, user) in [("2021", "2024"), ("2024", "2021")] {
        let name = format!("fragments-{macros}-{user}");
        let ptx = folder(&format!("{name}/ptx")).unwrap();
        for image in ["saxpy.ptx", "saxpy_typed.ptx"] {
            fs::copy(root().join("ptx").join(image), ptx.join(image)).unwrap();
        }
        let module = |module: &str| {
            let file = format!("tests/suites/library/hygiene/fragments/{module}.rs");
            let file = root().join(file);
            format!("#[path = {:?}]\npub mod {module};\n", file.to_string_lossy())
        };
        let lay_out = |package: &str, edition: &str, source: &str, dependency: &str| {
            let manifest = format!(
                "edition = {edition:?}\n[lib]\npath = \"lib.rs\"\n\
                 [dependencies]\n{}{dependency}",
                library()
            );
            lay_out(&format!("{name}/{package}"), &manifest, &[("lib.rs", source)])
        };
        lay_out("macros", macros, &(module("exported") + THROUGH_CRATE), "");
        let field = if user == "2024" { "r#gen" } else { "gen" };
        let source = USER.replace("FIELD", field) + &module("used");
        let package = lay_out("user", user, &source, "macros = { path = \"../macros\" }\n");
        let output = check(&package, &[]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "macros {macros}, user {user}: {message}");
    }
}
