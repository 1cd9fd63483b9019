//! All errors have one form, and one exit code.

#[cfg(target_os = "linux")]
use super::common::program;
use super::common::{Folder, bytes, data, run};

/// `error: …` or `warning: …`, indented lines, lines of help; once or more.
fn check(stderr: &str, first: &str) {
    assert!(stderr.starts_with(&format!("error: {first}")), "{stderr}");
    assert!(stderr.ends_with('\n') && !stderr.contains("\n\n"), "{stderr}");
    for line in stderr.lines() {
        let is_first = ["error: ", "warning: "].iter().any(|start| line.starts_with(start));
        let is_help = line.starts_with("help: ");
        assert!(is_first || is_help || line.starts_with("  "), "{stderr}");
        // A sentence of clap.
        assert!(!line.ends_with('.') || line.ends_with("..."), "{stderr}");
        // Names are in backticks.
        assert!(!line.contains(" '") && !line.contains('\u{1b}'), "{stderr}");
    }
}

#[test]
fn every_error_has_the_same_form() {
    let folder = Folder::new();
    let list = folder.write("kernels.list", "no list");
    let wrong =
        folder.write("wrong.ptx", ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .f33 a) {}");
    let broken = folder.write("broken.cubin", &bytes(&data("kernels.sm_75.cubin"))[..1000]);
    folder.write("folder/notes.txt", "text");
    let directory = folder.path("folder").to_str().unwrap().to_owned();
    let saxpy = "../../ptx/saxpy.ptx";
    // Windows, and wine, have texts of their own.
    let no_file = |name: &str| format!("{name}: {}", if cfg!(windows) { "" } else { "No such file" });
    let cases: &[(&[&str], &str)] = &[
        // The command line.
        (&["shwo"], "unrecognized subcommand `shwo`\nhelp: a similar"),
        (&["show"], "the following required arguments were not provided:\n  <FILE>...\nhelp: usage: "),
        (&["show", ""], "a value is required for `<FILE>...`"),
        (&["show", "--frob", "x"], "unexpected argument `--frob` found\nhelp: "),
        (&["show", "--json", "--list", "x"], "the argument `--json` cannot be used with `--list`\nhelp: usage: "),
        (&["show", "--arch", "hopper", "x"], "invalid value `hopper` for `--arch <GPU>`: a GPU"),
        (&["show", "--color", "red", "x"], "invalid value `red` for `--color <WHEN>`\n  [possible values: "),
        (&["check", saxpy], "the following required arguments were not provided:\n  <--against <LIST>|--lint>\nhelp: "),
        (&["trace"], "the following required arguments were not provided:\n  <COMMAND>...\nhelp: usage: "),
        (&["trace", "--record", "a#b", "x"], "invalid value `a#b` for `--record <PATTERN#N>`: "),
        (&["completions", "cmd"], "invalid value `cmd` for `<SHELL>`\n  [possible values: "),
        // Files.
        (&["nowhere.ptx"], &no_file("nowhere.ptx")),
        (&["show", &directory], &format!("{directory}: no kernels: 1 file ")),
        (&["show", &wrong], &format!("{wrong}: at byte 0: PTX cannot be parsed: line 4, ")),
        (&["show", &broken], &format!("{broken}: at byte ")),
        (&["show", &list], &format!("{list}: at byte 0: a text, not a file of kernels: name PTX, ")),
        (&["show", "--kernel", "daxpy", saxpy], &format!("{saxpy}: no kernel matches `daxpy`\nhelp: ")),
        (&["show", "--arch", "90", saxpy], &format!("{saxpy}: no kernels for sm_90, ")),
        (&["diff", "nowhere", saxpy], &no_file("nowhere")),
        (&["check", saxpy, "--against", &list], &format!("{list}: at byte 0: line 1: ")),
        (&["check", saxpy, "--against", "nowhere"], &no_file("nowhere")),
        (&["rust", saxpy, "--debug-info", saxpy], &format!("{saxpy}: no debug information of kernels: ")),
        (&["header", saxpy, "--guard", "1 2"], &format!("{saxpy}: the header cannot be written: ")),
        #[cfg(target_os = "linux")]
        (&["trace", "./nowhere"], "./nowhere: the program cannot be started: "),
        #[cfg(target_os = "linux")]
        (&["trace", "-o", &directory, "true"], &format!("{directory}: this name is ")),
        #[cfg(target_os = "linux")]
        (&["trace", "-o", "nowhere/file", "true"], &no_file("nowhere/file")),
        #[cfg(feature = "replay")]
        (&["replay", "nowhere"], &no_file("nowhere: the recording cannot be read")),
        #[cfg(feature = "replay")]
        (&["replay", saxpy], &format!("{saxpy}: this is not a valid recording of a launch: it is not a tar archive")),
        #[cfg(feature = "replay")]
        (&["replay", "--grid", "0", saxpy], "invalid value `0` for `--grid <X,Y,Z>`: "),
    ];
    for (arguments, first) in cases {
        let ran = run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}: {}", ran.stderr);
        check(&ran.stderr, first);
    }
}

/// An argument is shown without what controls a terminal.
#[test]
fn errors_of_the_command_line_are_escaped() {
    for arguments in [&["show", "--x\u{1b}[31m"][..], &["x\u{1b}]0;y\u{7}"], &["show", "--arch", "\u{202e}", "x"]] {
        let ran = run(arguments);
        assert_eq!(ran.code, 2);
        assert!(!ran.stderr.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{:?}", ran.stderr);
    }
}

/// A full disk is an error of the file that is written.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_with_the_name_of_the_file() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = program().args(["show", "../../ptx/saxpy.ptx"]).stdout(full).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    check(&stderr, "standard output cannot be written: No space left");
}
