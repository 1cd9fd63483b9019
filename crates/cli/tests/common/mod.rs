//! Runs the program, and manages temporary files.

use kernel_args_test_generator::tools::{Tool, trial};
use libtest_mimic::Arguments;
use std::{
    ffi::OsStr,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
};

/// The program's output and exit code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

/// Runs tests that need tools.
pub(crate) fn with(tools: &[Tool], tests: &[(&str, fn())]) -> ExitCode {
    let trials = tests.iter().map(|&(name, test)| trial(name, tools, test)).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The program, without the caller's colour variables: `CI` enables colours on every terminal.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kernel-args"));
    for variable in ["CI", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(variable);
    }
    command
}

pub(crate) fn run<A: AsRef<OsStr>>(arguments: &[A]) -> Ran {
    finish(&program().args(arguments).output().expect("the program starts"))
}

/// Runs with this standard input.
pub(crate) fn run_with(arguments: &[&str], input: &[u8]) -> Ran {
    let mut command = program();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let output = thread::scope(|scope| {
        scope.spawn(move || _ = stdin.write_all(input));
        child.wait_with_output().expect("the program ends")
    });
    finish(&output)
}

fn finish(output: &Output) -> Ran {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let stderr = text(&output.stderr);
    assert!(!stderr.contains("panicked"), "{stderr}");
    Ran { stdout: text(&output.stdout), stderr, code: output.status.code().expect("no signal ends it") }
}

/// A folder that is removed on drop.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("cli-{}-{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file and returns its path.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, bytes).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// The path of a file in the reader's tests.
pub(crate) fn data(name: &str) -> String {
    format!("../image/tests/data/{name}")
}

/// The content of a file in this folder.
pub(crate) fn bytes(path: &str) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}
