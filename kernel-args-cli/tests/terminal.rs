//! The program on a terminal: the progress bar, and colours. Python creates the terminal; without Python these tests are
//! ignored.

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
    use super::common::{Folder, bytes, data, program, with_python};
    use std::{
        fs,
        io::Write as _,
        process::{Command, ExitCode, Output},
        thread,
        time::Duration,
    };

    pub(super) fn main() -> ExitCode {
        let tests: [(&str, fn()); 5] = [
            ("progress_is_shown_after_a_second", progress_is_shown_after_a_second),
            ("progress_is_not_shown_in_a_pipe", progress_is_not_shown_in_a_pipe),
            ("progress_fits_a_narrow_terminal", progress_fits_a_narrow_terminal),
            ("what_is_quick_shows_no_progress", what_is_quick_shows_no_progress),
            ("a_terminal_has_colours", a_terminal_has_colours),
        ];
        with_python(&tests)
    }

    /// Runs the program on a terminal with this many columns and these variables.
    fn on_terminal(streams: &str, columns: u32, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = Command::new("python3");
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

    /// Runs `show` with a file that appears only after a delay, and with a second file whose name contains a colour sequence.
    fn slowly(run: impl FnOnce(&[&str]) -> Output) -> Output {
        let folder = Folder::new();
        let slow = folder.path("slow.ptx");
        let made = Command::new("mkfifo").arg(&slow).status();
        assert!(made.unwrap().success());
        let second = folder.write("second\u{1b}[31m.ptx", bytes("../ptx/saxpy.ptx"));
        thread::scope(|scope| {
            scope.spawn(|| {
                // The file is opened when the program starts to read.
                let mut pipe = fs::File::options().write(true).open(&slow).unwrap();
                thread::sleep(Duration::from_millis(1200));
                pipe.write_all(&bytes("../ptx/saxpy.ptx")).unwrap();
            });
            run(&["show", "--list", slow.to_str().unwrap(), &second])
        })
    }

    fn progress_is_shown_after_a_second() {
        let ran = slowly(|arguments| on_terminal("stderr", 200, arguments, &[]));
        let shown = text(&ran.stdout);
        assert!(ran.status.success(), "{shown}");
        assert!(shown.contains(" left: "), "{shown:?}");
        assert!(shown.contains("second") && !shown.contains("\u{1b}[31m"), "{shown:?}");
        // The line is cleared at the end.
        assert!(shown.ends_with("\u{1b}[2K"), "{shown:?}");
    }

    fn progress_is_not_shown_in_a_pipe() {
        let ran = slowly(|arguments| program().args(arguments).output().unwrap());
        assert_eq!((ran.status.code(), text(&ran.stderr).as_str()), (Some(0), ""));
        assert!(text(&ran.stdout).contains("\nsaxpy("));
    }

    fn progress_fits_a_narrow_terminal() {
        let ran = slowly(|arguments| on_terminal("stderr", 60, arguments, &[]));
        let shown = text(&ran.stdout);
        assert!(shown.contains(" left: "), "{shown:?}");
        let cleared = shown.replace("\u{1b}[2K", "");
        let lines = cleared.split(['\r', '\n']);
        let widest = lines.map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 60, "{widest}: {shown:?}");
    }

    fn what_is_quick_shows_no_progress() {
        let ran = on_terminal("stderr", 80, &["show", "../ptx/saxpy.ptx"], &[]);
        assert_eq!((ran.status.code(), text(&ran.stdout).as_str()), (Some(0), ""));
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
