//! The macros of one crate in another crate of a different edition.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

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

/// Writes the macros and their user as two packages. Returns the package of the user.
fn lay_out(macros: &str, user: &str) -> io::Result<PathBuf> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let repository = tests.with_file_name("");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fragments-{macros}-{user}"));
    let module = |name: &str| {
        let file = tests.join(format!("suites/library/hygiene/fragments/{name}.rs"));
        format!("#[path = {:?}]\npub mod {name};\n", file.to_string_lossy())
    };
    let field = if user == "2024" { "r#gen" } else { "gen" };
    let user_source = USER.replace("FIELD", field) + &module("used");
    let library = format!(
        "kernel-args = {{ path = {:?}, default-features = false }}\n",
        repository.join("kernel-args").to_string_lossy()
    );
    let own = "macros = { path = \"../macros\" }\n";
    for (name, edition, source, dependency) in [
        ("macros", macros, module("exported") + THROUGH_CRATE, ""),
        ("user", user, user_source, own),
    ] {
        let package = folder.join(name);
        fs::create_dir_all(&package)?;
        let manifest = format!(
            "[package]\nname = {name:?}\nedition = {edition:?}\n[lib]\npath = \"lib.rs\"\n[workspace]\n\
             [dependencies]\n{dependency}{library}"
        );
        fs::write(package.join("Cargo.toml"), manifest)?;
        fs::write(package.join("lib.rs"), source)?;
        fs::copy(repository.join("Cargo.lock"), package.join("Cargo.lock"))?;
    }
    fs::create_dir_all(folder.join("ptx"))?;
    for image in ["ptx/saxpy.ptx", "ptx/saxpy_typed.ptx"] {
        fs::copy(repository.join(image), folder.join(image))?;
    }
    Ok(folder.join("user"))
}

#[test]
#[cfg_attr(miri, ignore = "it starts a compiler")]
fn macros_of_another_crate_and_edition_contain_derives() {
    for (macros, user) in [("2021", "2024"), ("2024", "2021")] {
        let package = lay_out(macros, user).expect("the packages can be written");
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
        let output = Command::new(env!("CARGO"))
            .args(["check", "--offline", "--quiet", "--color=never"])
            .current_dir(package)
            .envs(target.map(|target| ("CARGO_TARGET_DIR", target)))
            .env_remove("RUSTFLAGS")
            .output()
            .expect("cargo runs");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "macros {macros}, user {user}: {message}"
        );
    }
}
