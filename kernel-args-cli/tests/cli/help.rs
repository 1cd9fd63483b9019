//! Help, completions and the manual page.

use super::common::run;

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
        &["show", "../ptx/saxpy.ptx"][..],
        &["show", "--kernel", "sax*", "--arch", "sm_75", "../ptx/saxpy.ptx"],
        &["show", "--summary", "../ptx"],
        &["show", "--json", "../ptx/saxpy.ptx"],
        &["diff", "../ptx/saxpy.ptx", "../ptx/saxpy.ptx"],
        &["diff", "--json", "../ptx/saxpy.ptx", "../ptx/saxpy.ptx"],
    ] {
        assert_eq!(run(arguments).code, 0, "{arguments:?}");
    }
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
