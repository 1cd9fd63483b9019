//! What must not compile, with the message that a user reads.
//!
//! Each case is `ui/KIND OF MISTAKE/CASE.rs`, its message `CASE.stderr` beside it: see `README.md`.

use std::{
    env, fs, io,
    panic::{self, AssertUnwindSafe},
    path::Path,
    process::Command,
};

/// trybuild compiles the cases as programs of a crate of its own. The PTX files that they name are put there, so
/// that a case says `ptx = "ptx/saxpy.ptx"` as a user does.
fn lay_out_ptx() -> io::Result<()> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .with_file_name("tests")
        .join("trybuild")
        .join(env!("CARGO_PKG_NAME"))
        .join("ptx");
    fs::create_dir_all(&root)?;
    for folder in [package.join("../../ptx"), package.join("ui/ptx")] {
        for file in fs::read_dir(folder)? {
            let file = file?.path();
            let is_image = |extension| extension == "ptx" || extension == "fatbin";
            if file.extension().is_some_and(is_image)
                && let Some(name) = file.file_name()
            {
                fs::write(root.join(name), fs::read(&file)?)?;
            }
        }
    }
    Ok(())
}

/// Mistakes in generic code that `cargo check` accepts: rustc finds them where it generates code.
const FOUND_BY_A_BUILD: [&str; 9] = [
    "ui/block_too_large/generic.rs",
    "ui/entries/load.rs",
    "ui/kernel_item/generic.rs",
    "ui/launch/load_without_ptx.rs",
    "ui/packed_overaligned/aligned_struct.rs",
    "ui/packed_overaligned/tensor_map.rs",
    "ui/ptx_entry/generic.rs",
    "ui/zero_sized/generic.rs",
    "ui/zero_sized/pushed.rs",
];

/// Every case, as `ui/KIND/CASE.rs`, in order.
fn all() -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for kind in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("ui"))? {
        let kind = kind?;
        if !kind.file_type()?.is_dir() {
            continue;
        }
        for case in fs::read_dir(kind.path())? {
            let (kind, case) = (kind.file_name(), case?.path());
            if case.extension().is_some_and(|extension| extension == "rs")
                && let Some(name) = case.file_name()
            {
                found.push(format!("ui/{}/{}", kind.display(), name.display()));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Compares every message, or writes it where `KERNEL_ARGS_BLESS` is set.
#[test]
fn mistakes_are_errors_that_say_how_to_mend_them() {
    let name = "mistakes_are_errors_that_say_how_to_mend_them";
    if env::var_os("KERNEL_ARGS_BLESS").is_some() && env::var_os("TRYBUILD").is_none() {
        let this = env::current_exe().expect("the test knows its own file");
        let status = Command::new(this)
            .args(["--exact", name, "--nocapture"])
            .env("TRYBUILD", "overwrite")
            .status();
        assert!(status.expect("the test starts itself again").success());
        return;
    }
    lay_out_ptx().expect("the PTX files of the cases can be copied");
    // trybuild checks all cases at once as long as none must be built.
    let checked = trybuild::TestCases::new();
    for case in all().expect("the cases can be listed") {
        if !FOUND_BY_A_BUILD.contains(&&*case) {
            checked.compile_fail(case);
        }
    }
    // It compares when it is dropped, and panics where a message differs: the others are compared all the same.
    let first = panic::catch_unwind(AssertUnwindSafe(|| drop(checked)));
    let built = trybuild::TestCases::new();
    built.pass("ui/right.rs");
    for case in FOUND_BY_A_BUILD {
        built.compile_fail(case);
    }
    drop(built);
    if let Err(differences) = first {
        panic::resume_unwind(differences);
    }
}
