//! Tools that a machine can lack: compilers, Python, valgrind.
//!
//! A trial that uses tools is made by [`trial`]: without a tool that it needs it is ignored, with the reason. It asks
//! [`has`] for an [`optional`](Tool::optional) tool. Tools are started by [`command`], which panics if the trial has
//! not declared the tool: the mistake is found on machines that have it too.
//!
//! `KERNEL_ARGS_ONLY_TOOLS=1` ignores trials without tools: on the same machine with its tools hidden, they do the same
//! again.

use libtest_mimic::{Completion, Failed, Trial};
use std::{
    cell::RefCell,
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
};

/// A tool.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    name: &'static str,
    find: Find,
    is_optional: bool,
}

/// Finds the tool of a name: its path, or why it is missing.
pub type Find = fn(&str) -> Result<PathBuf, String>;

impl Tool {
    /// A tool that `find` finds.
    #[must_use]
    pub const fn new(name: &'static str, find: Find) -> Self {
        Self { name, find, is_optional: false }
    }

    /// A program in `PATH`, or where the variable of its name is set: `GXX` for g++, `LLVM_CXXFILT_19` for
    /// llvm-cxxfilt-19.
    #[must_use]
    pub const fn program(name: &'static str) -> Self {
        Self::new(name, program)
    }

    /// A package of Python.
    #[must_use]
    pub const fn of_python(name: &'static str) -> Self {
        Self::new(name, package_of_python)
    }

    /// The tool, for a trial that does something else without it.
    #[must_use]
    pub const fn optional(self) -> Self {
        Self { is_optional: true, ..self }
    }

    /// The path of the tool, or why it is missing.
    ///
    /// # Errors
    /// The reason.
    pub fn found(&self) -> Result<PathBuf, String> {
        static FOUND: Mutex<BTreeMap<&str, Result<PathBuf, String>>> = Mutex::new(BTreeMap::new());
        // Not while it is locked: this function finds Python for a package.
        if let Some(known) = FOUND.lock().unwrap_or_else(PoisonError::into_inner).get(self.name) {
            return known.clone();
        }
        let found = (self.find)(self.name);
        FOUND.lock().unwrap_or_else(PoisonError::into_inner).insert(self.name, found.clone());
        found
    }
}

/// Binutils and GCC.
pub const AR: Tool = Tool::program("ar");
#[allow(missing_docs)]
pub const GCC: Tool = Tool::program("gcc");
#[allow(missing_docs)]
pub const GXX: Tool = Tool::program("g++");
#[allow(missing_docs)]
pub const OBJCOPY: Tool = Tool::program("objcopy");
/// The interpreter of the scripts in this repository.
pub const PYTHON: Tool = Tool::program("python3");
/// NVRTC, as `ptx/toolchain.py` has downloaded it: the folder of the toolkit.
pub const NVRTC: Tool = Tool::new("nvrtc", toolkit);
/// nvcc with CUDA's headers, as `ptx/toolchain.py` has downloaded it: the folder of the toolkit.
pub const NVCC: Tool = Tool::new("nvcc", toolkit);

fn program(name: &str) -> Result<PathBuf, String> {
    let variable = name.to_uppercase().replace('-', "_").replace('+', "X");
    let program = env::var_os(&variable).map_or_else(|| PathBuf::from(name), PathBuf::from);
    let mut version = Command::new(&program);
    let version = version.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if version.status().is_ok_and(|status| status.success()) {
        return Ok(program);
    }
    Err(format!("{name} is not installed: it is neither in PATH nor where {variable} says"))
}

fn package_of_python(name: &str) -> Result<PathBuf, String> {
    let import = Command::new(PYTHON.found()?).args(["-c", &format!("import {name}")]).stderr(Stdio::null()).status();
    let is_there = import.is_ok_and(|status| status.success());
    is_there.then(|| name.into()).ok_or_else(|| format!("the package {name} of Python is not installed"))
}

fn toolkit(part: &str) -> Result<PathBuf, String> {
    let home = env::var_os("KERNEL_ARGS_TOOLCHAIN").map(PathBuf::from);
    let home = home.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../.toolchain"));
    let folder = home.join(format!("{part}-13.0.88/nvidia/cu13"));
    let is_there = folder.is_dir();
    is_there.then_some(folder).ok_or_else(|| format!("{part} is not installed: run `python3 ptx/toolchain.py {part}`"))
}

/// The variable that ignores trials without tools.
const ONLY_TOOLS: &str = "KERNEL_ARGS_ONLY_TOOLS";

thread_local! {
    /// The tools that the trial of this thread has declared or asked for, by name.
    static DECLARED: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// What a trial returns: nothing, whether it was ignored for another reason than a tool, or an error.
pub trait Ended {
    /// For the harness.
    ///
    /// # Errors
    /// If the trial failed.
    fn result(self) -> Result<Completion, Failed>;
}

impl Ended for () {
    fn result(self) -> Result<Completion, Failed> {
        Ok(Completion::Completed)
    }
}

impl Ended for Completion {
    fn result(self) -> Result<Completion, Failed> {
        Ok(self)
    }
}

impl<C: Ended, E: Into<Failed>> Ended for Result<C, E> {
    fn result(self) -> Result<Completion, Failed> {
        self.map_err(Into::into)?.result()
    }
}

/// A trial that uses tools. Without one that it needs it counts as ignored, with the reason.
pub fn trial<C: Ended>(name: impl Into<String>, tools: &[Tool], run: impl FnOnce() -> C + Send + 'static) -> Trial {
    /// The next trial of the thread has other tools, also after a panic.
    struct Forget;
    impl Drop for Forget {
        fn drop(&mut self) {
            DECLARED.take();
        }
    }
    let tools = tools.to_vec();
    Trial::ignorable_test(name, move || {
        if tools.is_empty() && env::var_os(ONLY_TOOLS).is_some() {
            return Ok(Completion::ignored_with("it uses no tool"));
        }
        if let Some(why) = tools.iter().filter(|tool| !tool.is_optional).find_map(|tool| tool.found().err()) {
            return Ok(Completion::ignored_with(why));
        }
        let _forget = Forget;
        DECLARED.set(tools.iter().map(|tool| tool.name).collect());
        run().result()
    })
}

/// The path of a tool, or why it is missing. Panics if the trial of this thread has not declared the tool.
#[track_caller]
fn declared(tool: Tool) -> Result<PathBuf, String> {
    let name = tool.name;
    let is_declared = DECLARED.with_borrow(|declared| declared.contains(&name));
    let help = format!("help: make it by `trial(name, &[{name}], run)`");
    assert!(is_declared, "this trial uses {name}, and does not declare it\n{help}");
    tool.found()
}

/// Whether an optional tool is there.
///
/// # Panics
/// If the trial of this thread has not declared the tool.
#[must_use]
#[track_caller]
pub fn has(tool: Tool) -> bool {
    declared(tool).is_ok()
}

/// The path of a tool.
///
/// # Panics
/// If the trial of this thread has not declared the tool, or the tool is missing.
#[must_use]
#[track_caller]
pub fn path(tool: Tool) -> PathBuf {
    declared(tool).unwrap_or_else(|why| panic!("{why}"))
}

/// A command that starts a tool.
///
/// # Panics
/// As [`path`].
#[must_use]
#[track_caller]
pub fn command(tool: Tool) -> Command {
    Command::new(path(tool))
}

/// Makes a named pipe, on Linux without a program.
///
/// # Panics
/// If it cannot be made.
pub fn pipe(path: &Path) {
    #[cfg(target_os = "linux")]
    rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::from_raw_mode(0o600)).expect("a pipe");
    #[cfg(not(target_os = "linux"))]
    assert!(Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success()), "mkfifo");
}

#[cfg(test)]
mod tests {
    use super::*;
    use libtest_mimic::{Arguments, Conclusion};

    const CARGO: Tool = Tool::program("cargo");
    const NOTHING: Tool = Tool::program("a-tool-that-no-machine-has");

    fn run(trials: Vec<Trial>) -> [u64; 3] {
        // One thread, which forgets what the trial before has declared.
        let file = env::temp_dir().join(format!("kernel-args-{}-{}", std::process::id(), trials[0].name()));
        let logfile = file.to_str().map(String::from);
        let arguments = Arguments { test_threads: Some(1), logfile, ..Arguments::default() };
        let Conclusion { num_passed, num_failed, num_ignored, .. } = libtest_mimic::run(&arguments, trials);
        let _ = std::fs::remove_file(file);
        [num_passed, num_failed, num_ignored]
    }

    fn call() {
        assert!(command(CARGO).arg("--version").status().is_ok_and(|status| status.success()));
    }

    #[test]
    fn a_trial_that_does_not_declare_what_it_uses_fails() {
        assert_eq!(run(vec![trial("declared", &[CARGO], call), trial("not declared", &[], call)]), [1, 1, 0]);
        let panics = trial("panics", &[CARGO], || assert!(!has(CARGO), "a failure"));
        assert_eq!(run(vec![panics, trial("after a panic", &[], call)]), [0, 2, 0]);
        let other = trial("another tool", &[PYTHON], call);
        assert!(matches!(run(vec![other]), [0, 1, 0] | [0, 0, 1]));
    }

    #[test]
    fn a_trial_may_ask_for_a_tool() {
        let asks = || {
            assert!(has(CARGO) && !has(NOTHING));
            call();
        };
        let tools = [CARGO.optional(), NOTHING.optional()];
        assert_eq!(run(vec![trial("asks", &tools, asks), trial("does not declare it", &[CARGO], asks)]), [1, 1, 0]);
    }

    #[test]
    fn without_a_tool_a_trial_is_ignored() {
        let fails = || -> Result<(), &str> { Err("it runs") };
        assert_eq!(run(vec![trial("one", &[NOTHING], fails), trial("two", &[CARGO, NOTHING], fails)]), [0, 0, 2]);
        assert_eq!(run(vec![trial("fails", &[CARGO], fails)]), [0, 1, 0]);
        let reason = NOTHING.found().expect_err("it is missing");
        assert!(reason.contains("a-tool-that-no-machine-has is not installed"), "{reason}");
    }
}
