//! Help, completions and the manual page.

use super::common::{Folder, bytes, program, run, run_with};

#[test]
fn help_has_examples_and_exit_codes() {
    for command in ["show", "diff", "check", "rust", "header"] {
        let ran = run(&[command, "--help"]);
        assert_eq!(ran.code, 0);
        assert!(ran.stdout.contains("Examples:\n  kernel-args"), "{}", ran.stdout);
        assert!(ran.stdout.contains("--kernel <PATTERN>"), "{}", ran.stdout);
    }
    let ran = run(&["--help"]);
    assert!(ran.stdout.contains("Exit codes:\n  0  success"), "{}", ran.stdout);
    for option in ["--json", "--list", "--summary", "--arch", "--no-demangle", "--color"] {
        assert!(run(&["show", "--help"]).stdout.contains(option), "{option}");
    }
}

/// The examples in the help work.
#[test]
fn examples_are_right() {
    for arguments in [
        &["show", "../../ptx/saxpy.ptx"][..],
        &["show", "--kernel", "sax*", "--arch", "sm_75", "../../ptx/saxpy.ptx"],
        &["show", "--summary", "../../ptx"],
        &["show", "--json", "../../ptx/saxpy.ptx"],
        &["diff", "../../ptx/saxpy.ptx", "../../ptx/saxpy.ptx"],
        &["diff", "--json", "../../ptx/saxpy.ptx", "../../ptx/saxpy.ptx"],
    ] {
        assert_eq!(run(arguments).code, 0, "{arguments:?}");
    }
}

/// A file, or an option of `show`, where a command is expected.
#[test]
fn a_file_is_shown() {
    let shown = run(&["show", "../../ptx/saxpy.ptx", "--list"]);
    assert_eq!(shown.code, 0);
    for arguments in [
        &["../../ptx/saxpy.ptx", "--list"][..],
        &["--list", "../../ptx/saxpy.ptx"],
        &["--list", "--", "../../ptx/saxpy.ptx"],
    ] {
        assert_eq!(run(arguments), shown, "{arguments:?}");
    }
    assert_eq!(run_with(&["-", "--list"], &bytes("../../ptx/saxpy.ptx")), shown);
    let folder = Folder::new();
    // A name without a dot, the name of a command, and a folder.
    for name in ["kernels", "show", "help"] {
        folder.write(&format!("files/{name}"), bytes("../../ptx/saxpy.ptx"));
    }
    let inside = |arguments: &[&str]| {
        let output = program().current_dir(folder.path("files")).args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    for name in ["kernels", "./show", "./help"] {
        assert_eq!(inside(&[name, "--list"]), (Some(0), shown.stdout.clone()), "{name}");
    }
    assert_eq!(run(&[folder.path("files").to_str().unwrap(), "--list"]), shown);
    assert_eq!(inside(&["show"]).0, Some(2));
    assert!(inside(&["help"]).1.starts_with("Shows and compares"));
    assert!(inside(&["--help"]).1.contains("kernel-args <FILE>..."));
    assert!(inside(&["-V"]).1.starts_with("kernel-args "));
    // No file and no command.
    assert!(run(&["nowhere.ptx"]).stderr.starts_with("error: nowhere.ptx: "));
    assert!(run(&["shwo", "../../ptx/saxpy.ptx"]).stderr.contains("help: a similar subcommand exists: `show`\n"));
}

#[test]
fn wrong_usage_is_exit_code_2() {
    for arguments in [&["show"][..], &["shaw"], &["show", "--jason", "x"], &["check", "x"], &["diff", "x"]] {
        let ran = run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
    }
    assert!(run(&["shaw"]).stderr.contains("show"));
    let both = run(&["show", "--json", "--list", "x"]);
    assert!(both.code == 2 && both.stderr.contains("cannot be used with"), "{}", both.stderr);
}

#[test]
fn shells_complete_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = run(&["completions", shell]);
        assert_eq!(ran.code, 0);
        for word in ["show", "diff", "check", "no-demangle", "against"] {
            assert!(ran.stdout.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn the_manual_page_has_every_command() {
    let ran = run(&["man"]);
    assert_eq!(ran.code, 0);
    for text in [
        ".TH kernel-args 1",
        "COMMAND SHOW",
        "COMMAND DIFF",
        "COMMAND CHECK",
        "\\-\\-against",
        ".SS SYNOPSIS",
        ".SH \"EXIT STATUS\"",
        ".SS \"EXAMPLES\"\n.nf\n  kernel\\-args show \\-\\-list",
    ] {
        assert!(ran.stdout.contains(text), "{text}");
    }
    assert!(ran.stdout.is_ascii());
    // The page refers only to pages that exist.
    assert!(!ran.stdout.contains("(1)"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("EXTRA"));
}
