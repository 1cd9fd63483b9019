//! The program on a terminal: the progress bar, and colours. Python creates the terminal; without Python these tests
//! are ignored.

#[allow(dead_code, reason = "standard input is another suite's")]
mod common;

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    unix::main()
}

#[cfg(unix)]
mod unix {
    use super::common::{Folder, data, program, with};
    use kernel_args_test_generator::tools::{self as tools, PYTHON};
    use std::{
        fs,
        process::{ExitCode, Output},
    };

    pub(super) fn main() -> ExitCode {
        let tests: [(&str, fn()); 4] = [
            ("progress_is_shown_for_a_large_file", progress_is_shown_for_a_large_file),
            ("progress_fits_a_narrow_terminal", progress_fits_a_narrow_terminal),
            (
                "progress_is_shown_only_on_a_terminal_and_for_a_large_file",
                progress_is_shown_only_on_a_terminal_and_for_a_large_file,
            ),
            ("a_terminal_has_colours", a_terminal_has_colours),
        ];
        with(&[PYTHON], &tests)
    }

    /// Runs the program on a terminal with this many columns and these variables.
    fn on_terminal(streams: &str, columns: u32, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = tools::command(PYTHON);
        command.args(["tests/terminal.py", streams, &columns.to_string()]).arg(program().get_program()).args(arguments);
        for (name, _) in program().get_envs() {
            command.env_remove(name);
        }
        command.env("TERM", "xterm-256color").envs(variables.iter().copied());
        command.output().unwrap()
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// Runs `show` with a file of this many bytes that are not on the disk.
    fn show(size: u64, run: impl FnOnce(&[&str]) -> Output) -> String {
        let folder = Folder::new();
        let path = folder.write("large\u{1b}[31m.bin", b"\x89PNG");
        fs::File::options().write(true).open(&path).and_then(|file| file.set_len(size)).unwrap();
        let ran = run(&["show", &path]);
        assert_eq!(ran.status.code(), Some(2));
        text(&[ran.stdout, ran.stderr].concat())
    }

    const LARGE: u64 = 101_000_000;

    fn progress_is_shown_for_a_large_file() {
        let shown = show(LARGE, |arguments| on_terminal("stderr", 200, arguments, &[]));
        let bar = "\r\u{1b}[2K░░░░░░░░░░░░░░░░░░░░ 0 of 101 MB: large\\u{1b}[31m.bin\r\u{1b}[2K";
        assert!(shown.starts_with(bar), "{shown:?}");
        // The line is cleared at the end, before the error. A slow machine shows the bar again before that.
        assert!(shown.contains("large\\u{1b}[31m.bin\r\u{1b}[2Kerror: "), "{shown:?}");
    }

    fn progress_fits_a_narrow_terminal() {
        let shown = show(LARGE, |arguments| on_terminal("stderr", 30, arguments, &[]));
        assert!(shown.starts_with("\r\u{1b}[2K░░░░░░░░░░░░░░░░░░░░ 0 of 101\r"), "{shown:?}");
    }

    fn progress_is_shown_only_on_a_terminal_and_for_a_large_file() {
        let small = show(LARGE - 2_000_000, |arguments| on_terminal("stderr", 80, arguments, &[]));
        let dumb = show(LARGE, |arguments| on_terminal("stderr", 80, arguments, &[("TERM", "dumb")]));
        let piped = show(LARGE, |arguments| program().args(arguments).output().unwrap());
        for shown in [small, dumb, piped] {
            assert!(shown.starts_with("error: "), "{shown:?}");
        }
    }

    fn a_terminal_has_colours() {
        let debug = data("debug.ptx");
        let arguments = ["show", &debug];
        let coloured = |variables: &[(&str, &str)]| {
            let ran = on_terminal("both", 80, &arguments, variables);
            text(&ran.stdout).contains('\u{1b}')
        };
        assert!(coloured(&[]));
        assert!(!coloured(&[("NO_COLOR", "1")]));
        assert!(!coloured(&[("TERM", "dumb")]));
        // The byte map uses the colours of the parameters.
        let shown = text(&on_terminal("both", 80, &arguments, &[]).stdout);
        let map = shown.lines().find(|line| line.contains("    0  |")).unwrap();
        assert!(map.contains("|\u{1b}[36maaaa"), "{map:?}");
    }
}
