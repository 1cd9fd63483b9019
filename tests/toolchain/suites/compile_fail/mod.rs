//! Programs that must not compile, with the message that a user reads.
//!
//! Each case is `ui/KIND OF MISTAKE/CASE.rs`, its message `CASE.stderr` next to it: see `README.md`.

mod hints;
mod message;

use kernel_args_test_generator::tools::trial;
use kernel_args_toolchain_tests::{
    folder, golden, read, root,
    rustc::{Compiler, Crate, Kind},
    write,
};
use libtest_mimic::{Arguments, Failed, Trial};
use message::Places;
use std::{
    collections::BTreeSet,
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    sync::Arc,
};

/// Relative to the repository's root.
const FOLDER: &str = "tests/toolchain/suites/compile_fail";

/// The libraries of a user's crate, hostile macros, and kernels of a dependent crate.
const LIBRARIES: [&str; 9] = [
    "cudarc",
    "float8",
    "glam",
    "half",
    "kernel_args",
    "kernel_args_test_kernels",
    "kernel_args_test_macros",
    "mint",
    "num_complex",
];

/// Types are shown in full, and cases need not use all their definitions.
const OPTIONS: [&str; 4] = ["--verbose", "--diagnostic-width=140", "-A", "dead_code"];

/// The imports and the types of the programs whose hints declare types.
const OWN_TYPES: &str = "#![allow(dead_code, unused_imports, private_interfaces)]
use cudarc::driver::*;
use kernel_args::{texture::*, vector::*, *};
struct Cell;
struct Own;
struct Inner;
struct Box<T, const N: usize = 3>([T; N]);
struct Small;
struct Params;
struct Extension;
struct Mixed;
";

/// Errors in generic code that `cargo check` accepts: rustc detects them during code generation.
const FOUND_BY_A_BUILD: [&str; 19] = [
    "block_too_large/generic",
    "contract/no_stream",
    "framework/family_without_pattern",
    "framework/unbound_type",
    "global/exchanged_members",
    "global/length",
    "hints/variables",
    "kernel_item/generic",
    "launcher/default_stream",
    "launcher/ignored_stream",
    "launcher/no_stream",
    "launcher/other_function",
    "launcher/stream_of_floats",
    "packed_overaligned/aligned_struct",
    "packed_overaligned/tensor_map",
    "parts/generic",
    "ptx_entry/generic",
    "zero_sized/generic",
    "zero_sized/pushed",
];

pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = Suite::lay_out().and_then(|suite| trials(&Arc::new(suite)));
    match trials {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("compile_fail: {error}");
            ExitCode::FAILURE
        }
    }
}

fn trials(suite: &Arc<Suite>) -> Result<Vec<Trial>, String> {
    let mut trials = vec![];
    let cases = cases(&root().join(FOLDER).join("ui"))?;
    for case in cases.clone() {
        let suite = Arc::clone(suite);
        trials.push(trial(case.clone(), &[], move || suite.compare(&case)));
    }
    let names: Vec<_> = trials.iter().map(|trial| trial.name().to_owned()).collect();
    if let Some(gone) = FOUND_BY_A_BUILD.iter().find(|name| !names.iter().any(|known| known == *name)) {
        return Err(format!("{gone} is not a case"));
    }
    let hints = Arc::clone(suite);
    trials.push(trial("a_program_that_follows_the_hints_is_accepted", &[], move || hints.follow_hints(&cases)));
    let types = Arc::clone(suite);
    trials.push(trial("every_type_that_a_hint_declares_exists", &[], move || types.declared()));
    let suite = Arc::clone(suite);
    trials.push(trial("what_the_messages_ask_for_compiles_and_runs", &[], move || suite.right()));
    Ok(trials)
}

/// Every case, as `KIND/CASE`, sorted.
fn cases(ui: &Path) -> Result<Vec<String>, String> {
    let mut cases = Vec::new();
    for kind in list(ui)?.iter().filter(|kind| kind.is_dir()) {
        for case in list(kind)? {
            if case.extension().is_some_and(|extension| extension == "rs") {
                let name = case.strip_prefix(ui).unwrap_or(&case).with_extension("");
                cases.push(name.to_string_lossy().into_owned());
            }
        }
    }
    Ok(cases)
}

/// The files and folders in a folder, sorted.
fn list(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<_> = entries.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    Ok(paths)
}

/// The folder in which the cases are output.
struct Suite {
    /// Paths to the sources of other crates start here.
    workspace: PathBuf,
    sources: PathBuf,
    /// The folder with the PTX files of the cases: a case contains `ptx = "ptx/saxpy.ptx"`, like a user's crate.
    package: PathBuf,
    /// A hash of these files.
    inputs: u64,
}

impl Suite {
    fn lay_out() -> Result<Self, String> {
        let sources = root().join(FOLDER);
        let package = folder("compile_fail")?;
        let ptx = folder("compile_fail/ptx")?;
        let mut hasher = DefaultHasher::new();
        for folder in [root().join("ptx"), sources.join("ui/ptx")] {
            for file in list(&folder)? {
                let is_named = |extension| ["ptx", "fatbin", "cu"].iter().any(|name| extension == *name);
                if file.extension().is_some_and(is_named)
                    && let Some(name) = file.file_name()
                {
                    let bytes = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
                    (name, &bytes).hash(&mut hasher);
                    write(&ptx.join(name), &bytes)?;
                }
            }
        }
        Ok(Self { workspace: root(), sources, package, inputs: hasher.finish() })
    }

    fn compiler(&self, kind: &str) -> Compiler<'_> {
        Compiler {
            folder: &self.workspace,
            output: self.package.join("output").join(kind),
            libraries: &LIBRARIES,
            options: &OPTIONS,
            inputs: self.inputs,
        }
    }

    fn program(&self, case: &str, kind: Kind) -> Crate {
        Crate {
            name: case.rsplit('/').next().unwrap_or(case).to_owned(),
            file: self.sources.join(format!("ui/{case}.rs")),
            package: self.package.clone(),
            kind,
        }
    }

    /// Compares the message of a case, or writes it if `KERNEL_ARGS_BLESS` is set.
    fn compare(&self, case: &str) -> Result<(), Failed> {
        let (folder, _) = case.split_once('/').unwrap_or_default();
        let compiler = self.compiler(folder);
        let mut output = compiler.one(&self.program(case, Kind::CheckedLibrary))?;
        if FOUND_BY_A_BUILD.contains(&case) {
            if !output.success {
                return Err("`cargo check` finds this mistake: it is no longer one of FOUND_BY_A_BUILD".into());
            }
            output = compiler.one(&self.program(case, Kind::Program))?;
        }
        if output.success {
            return Err("it compiles".into());
        }
        let places = Places {
            workspace: &self.workspace,
            cases: &self.sources,
            case: &format!("ui/{case}.rs"),
            package: &self.package,
        };
        let message = message::all(&output.messages, &places);
        let golden = self.sources.join(format!("ui/{case}.stderr"));
        Ok(golden::compare(&golden, &message)?)
    }

    /// Compiles the types that the hints in the golden files declare.
    fn declared(&self) -> Result<(), Failed> {
        let mut goldens = vec![self.workspace.join("crates/abi/tests/check/sources.txt")];
        goldens.push(self.sources.join("../launchers/messages.txt"));
        for kind in list(&self.sources.join("ui"))?.iter().filter(|kind| kind.is_dir()) {
            goldens.extend(list(kind)?.into_iter().filter(|file| file.extension().is_some_and(|end| end == "stderr")));
        }
        let mut types = BTreeSet::new();
        for golden in &goldens {
            let text = read(golden)?;
            let hints = text.lines().filter(|line| ["declare ", "add a field"].iter().any(|hint| line.contains(hint)));
            let declared = hints.flat_map(|hint| hint.split('`').skip(1).step_by(2)).filter_map(|code| {
                let (name, ty) = code.split_once(": ")?;
                name.chars().all(|c| c.is_alphanumeric() || "_#".contains(c)).then_some(ty)
            });
            // The elements of a pointer can be unknown.
            types.extend(declared.map(|ty| ty.replace("<…>", "<f32>")));
        }
        if types.len() < 40 {
            return Err(format!("few types: {types:?}").into());
        }
        let functions = types.iter().enumerate().map(|(i, ty)| format!("pub fn f{i}<'a>(_: {ty}, _: &'a u8) {{}}\n"));
        let file = self.package.join("declared.rs");
        write(&file, OWN_TYPES.to_owned() + &functions.collect::<String>())?;
        let program = Crate { file, ..self.program("declared", Kind::CheckedLibrary) };
        let output = self.compiler("declared").one(&program)?;
        let errors: String = output.rendered("error").collect();
        if output.success { Ok(()) } else { Err(errors.into()) }
    }

    fn right(&self) -> Result<(), Failed> {
        let output = self.compiler("right").one(&self.program("right", Kind::Program))?;
        let Some(program) = &output.program else {
            return Err(output.rendered("error").collect::<String>().into());
        };
        let output = Command::new(program).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        Ok(())
    }
}
