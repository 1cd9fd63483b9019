//! The example succeeds with and without a GPU, and prints which case applies.

use std::process::Command;

#[test]
fn it_launches_or_reports_that_it_cannot() {
    let output = Command::new(env!("CARGO_BIN_EXE_build-script")).output().expect("cargo has built it");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("the largest difference from the host"), "{text}");
}
