//! Compiles crates with rustc and the libraries that cargo has built for this package.
//!
//! cargo would compile these libraries again for a different workspace. As with cargo, a crate is compiled again only
//! if an input of rustc has changed; here this also applies to crates that do not compile.

mod record;

use crate::write;
use record::Record;
use serde_json::{Value, json};
use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// The options that cargo passes to rustc for this package: a name and a path after each `--extern`, a folder after
/// each `-L`.
const LIBRARIES: &[&str] = kernel_args_test_macros::libraries!();

/// The output of a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An executable program.
    Program,
    /// A library without generated code, as in `cargo check`.
    CheckedLibrary,
}

/// A crate.
#[derive(Clone, Debug)]
pub struct Crate {
    /// Its name.
    pub name: String,
    /// The first file, relative to [`Compiler::folder`].
    pub file: PathBuf,
    /// The package folder for the macros: they search files there.
    pub package: PathBuf,
    /// The output of its compilation.
    pub kind: Kind,
}

/// The result of compiling a crate.
#[derive(Debug)]
pub struct Compiled {
    /// Every message.
    pub messages: Vec<Value>,
    /// The program, if one was requested and the crate compiles.
    pub program: Option<PathBuf>,
    /// Whether the crate compiles.
    pub success: bool,
}

impl Compiled {
    /// The messages of this level in rustc's format.
    pub fn rendered(&self, level: &str) -> impl Iterator<Item = &str> {
        let of_level = move |message: &&Value| message["level"] == level;
        let messages = self.messages.iter().filter(of_level);
        messages.filter_map(|message| message["rendered"].as_str())
    }
}

/// Compiles crates of a folder.
#[derive(Clone, Debug)]
pub struct Compiler<'c> {
    /// The folder of the sources, and the working directory of rustc.
    pub folder: &'c Path,
    /// The folder for the output.
    pub output: PathBuf,
    /// The names of the libraries that the crates may use.
    pub libraries: &'c [&'c str],
    /// Additional options for rustc.
    pub options: &'c [&'c str],
    /// A hash of inputs that rustc does not list, such as missing files.
    pub inputs: u64,
}

/// The libraries for crates that read images and load kernels.
pub const USUAL: [&str; 5] = ["cudarc", "half", "kernel_args", "kernel_args_abi", "kernel_args_image"];

impl<'c> Compiler<'c> {
    /// For crates that [`lay_out`] wrote.
    #[must_use]
    pub fn new(folder: &'c Path, libraries: &'c [&'c str]) -> Self {
        Self { folder, output: folder.join("output"), libraries, options: &[], inputs: 0 }
    }

    /// Compiles crates, as many in parallel as there are processors.
    ///
    /// # Errors
    /// If rustc cannot be started. A crate that does not compile is not an error.
    pub fn compile(&self, crates: &[Crate]) -> Result<Vec<Compiled>, String> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..threads.min(crates.len()) {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(one) = crates.get(index) else {
                            break;
                        };
                        let compiled = self.one(one);
                        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                        done.push((index, compiled));
                    }
                });
            }
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(index, _)| *index);
        done.into_iter().map(|(_, compiled)| compiled).collect()
    }

    /// Compiles a crate.
    ///
    /// # Errors
    /// The errors of [`Compiler::compile`].
    pub fn one(&self, one: &Crate) -> Result<Compiled, String> {
        fs::create_dir_all(&self.output).map_err(|error| format!("{}: {error}", self.output.display()))?;
        let (crate_type, emit) = match one.kind {
            Kind::Program => ("bin", "link,dep-info"),
            Kind::CheckedLibrary => ("lib", "metadata,dep-info"),
        };
        let mut command = Command::new(program());
        command
            .arg(&one.file)
            .args(["--crate-name", &one.name])
            .args(["--edition=2024", "--crate-type", crate_type, "--emit", emit])
            .args(["--error-format=json", "--out-dir"])
            .arg(&self.output)
            .args(libraries(self.libraries))
            .args(self.options)
            .current_dir(self.folder)
            .env("CARGO_MANIFEST_DIR", &one.package)
            // For rustc this variable means that cargo has started it.
            .env("CARGO_CRATE_NAME", &one.name)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        let record = Record::new(self, one, &command)?;
        if let Some(known) = record.read() {
            return Ok(self.compiled(one, &known));
        }
        record.clear();
        let output = command.output().map_err(|error| format!("rustc cannot be started: {error}"))?;
        let text = String::from_utf8_lossy(&output.stderr);
        let status = output.status;
        // Without an exit code, a signal has ended it: there is no result.
        let code = status.code().ok_or_else(|| format!("rustc: {status}"))?;
        let text = format!("{code}\n{text}");
        record.write(&text)?;
        Ok(self.compiled(one, &text))
    }

    /// Creates the result from the exit code and the messages, one per line.
    fn compiled(&self, one: &Crate, text: &str) -> Compiled {
        let mut lines = text.lines();
        let success = lines.next() == Some("0");
        let program = success && one.kind == Kind::Program;
        Compiled {
            messages: lines.map(message).collect(),
            program: program.then(|| self.output.join(&one.name)),
            success,
        }
    }
}

/// A line of rustc. If rustc crashes, it also writes other lines.
fn message(line: &str) -> Value {
    let error = || json!({"level": "error", "message": line, "rendered": line, "spans": []});
    serde_json::from_str(line).unwrap_or_else(|_| error())
}

/// The compiler that cargo has used. A variable makes rustup select it.
fn program() -> OsString {
    env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

/// The options for these libraries and their dependencies.
fn libraries(names: &[&str]) -> Vec<&'static str> {
    let pairs = LIBRARIES.chunks_exact(2);
    let wanted = pairs.filter(|pair| {
        let name = pair[1].split_once('=').map(|(name, _)| name);
        pair[0] == "-L" || name.is_some_and(|name| names.contains(&name))
    });
    wanted.flatten().copied().collect()
}

/// Writes the files of a crate into a folder with its name, which is its package. rustc compiles the first file.
///
/// # Errors
/// If they cannot be written.
pub fn lay_out(folder: &Path, name: &str, kind: Kind, files: &[(&str, &str)]) -> Result<Crate, String> {
    let place = folder.join(name);
    fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    for (file, text) in files {
        write(&place.join(file), text)?;
    }
    Ok(Crate {
        name: name.to_owned(),
        file: Path::new(name).join(files.first().map_or("", |(file, _)| file)),
        package: place,
        kind,
    })
}
