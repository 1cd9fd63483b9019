//! The program `kernel-args replay`.

use super::{Outcome, file, saxpy};
use kernel_args::observe;
use kernel_args_tests::command_line;
use std::{fs, process::Command};

/// The program `kernel-args replay`, on the same driver.
pub(super) fn by_the_program() -> Outcome {
    let file = file("program");
    let recording = observe::record_to_file("saxpy", 3, &file);
    saxpy(4)?;
    assert!(recording.finish()?);
    let replay = |options: &[&str], code: i32| -> Outcome<String> {
        let program = command_line::program().ok_or("no program")?;
        let output = Command::new(program).arg("replay").args(options).arg(&file).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        let text = format!("{}{said}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(output.status.code(), Some(code), "{options:?}: {text}");
        Ok(text)
    };
    let contains = |text: &str, all: &[&str]| {
        for part in all {
            assert!(text.contains(part), "no `{part}` in\n{text}");
        }
    };
    contains(
        &replay(&[], 0)?,
        &[
            "saxpy<<<4, 32>>>\n",
            "  alpha  float         = 3.0\n",
            "  at byte 0 of memory 1 (",
            "bytes, only read: same\n",
            "bytes, written: same\n",
            "time: median ",
            "of 10, from",
            "the result is the recorded one\n",
        ],
    );
    let shown = replay(&["--show"], 0)?;
    assert!(!shown.contains("memory 0:"), "{shown}");
    contains(
        &replay(&["--grid", "3", "--block", "32,1,1", "-n", "0"], 1)?,
        &["first byte 386 (element 96), by at most 6.0\n", "the result differs from the recorded one\n"],
    );
    let json: serde_json::Value = serde_json::from_str(&replay(&["--json", "-n", "2"], 0)?)?;
    assert_eq!((&json["same"], &json["manifest"]["kernel"]), (&true.into(), &"saxpy".into()));
    assert_eq!(json["times_us"].as_array().map(Vec::len), Some(2));
    contains(&replay(&["--block", "2048"], 2)?, &["error: ", "this device allows at most (1024, 1024, 64)"]);
    contains(&replay(&["--block", "0"], 2)?, &["`0` is not a number above 0"]);
    contains(&replay(&["--image", "/dev/null"], 2)?, &["/dev/null"]);
    fs::write(&file, "no recording")?;
    contains(&replay(&[], 2)?, &["this is not a valid recording of a launch"]);
    fs::remove_file(&file)?;
    Ok(())
}
