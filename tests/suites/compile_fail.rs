//! What must not compile, with the message that a user reads.
//!
//! Each case is `tests/ui/KIND OF MISTAKE/CASE.rs`, its message `CASE.stderr` beside it: see `tests/ui/README.md`.

use std::{fs, path::Path};

/// trybuild compiles the cases as programs of a crate of its own. The PTX files that they name are put there, so
/// that a case says `ptx = "ptx/saxpy.ptx"` as a user does.
fn lay_out_ptx() -> std::io::Result<()> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .with_file_name("tests")
        .join("trybuild")
        .join(env!("CARGO_PKG_NAME"))
        .join("ptx");
    fs::create_dir_all(&root)?;
    for folder in [tests.join("../ptx"), tests.join("ui/ptx")] {
        for file in fs::read_dir(folder)? {
            let file = file?.path();
            if file.extension().is_some_and(|extension| extension == "ptx")
                && let Some(name) = file.file_name()
            {
                fs::write(root.join(name), fs::read(&file)?)?;
            }
        }
    }
    Ok(())
}

#[test]
fn mistakes_are_errors_that_say_how_to_mend_them() {
    lay_out_ptx().expect("the PTX files of the cases can be copied");
    let cases = trybuild::TestCases::new();
    // A program that runs makes trybuild build all of them to the end: some mistakes show in generic code only.
    cases.pass("ui/right.rs");
    cases.compile_fail("ui/*/*.rs");
}
