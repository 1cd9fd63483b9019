//! A program whose author follows the first hint in the output of rustc, again and again.
//!
//! Each hint is followed mechanically in the source. All programs of a round are compiled together.

mod source;
mod step;

use crate::{
    rustc::{Compiled, Compiler, Crate, Kind},
    write,
};
use serde_json::Value;
use source::Item;
use std::{collections::BTreeMap, fs, path::Path};
use step::mistakes;

/// The hints that name what to write in a struct.
const HINTS: [&str; 15] = [
    "declare `",
    "declare field ",
    "declare the members",
    "add a field",
    "move it ",
    "swap them",
    "remove it",
    "remove `",
    "put the ",
    "the kernel's struct has ",
    "this struct has `",
    "write `#[",
    " in its `#[kernel_args(",
    "write the kernel's names",
    "write the kernel's value",
];

/// Whether a hint names what to write.
#[must_use]
pub fn names_what_to_write(hint: &str) -> bool {
    HINTS.iter().any(|text| hint.contains(text))
}

/// A program on its way.
#[derive(Debug)]
pub struct Program {
    /// Its source, changed by each step.
    pub text: String,
    /// The number of hints that it has followed.
    pub steps: usize,
    /// The number of steps that it may take.
    most: usize,
    /// The hints that it has followed.
    log: String,
    /// `Ok` if it is accepted, otherwise the error whose hint cannot be followed.
    pub end: Option<Result<(), String>>,
}

/// Programs by name.
pub type Programs = BTreeMap<String, Program>;

/// Follows hints in all programs until each is accepted, or has no hint that can be followed. `package` contains the
/// images of the programs and gets their texts. `kind` is how a program is compiled.
///
/// # Errors
/// If a file cannot be written or rustc cannot be started.
pub fn follow(programs: &mut Programs, compiler: &Compiler<'_>, package: &Path, kind: Kind) -> Result<(), String> {
    // Not next to the images: errors list the folders of the package.
    let sources = package.join("output/hints");
    fs::create_dir_all(&sources).map_err(|error| format!("{}: {error}", sources.display()))?;
    while programs.values().any(|program| program.end.is_none()) {
        let mut crates = vec![];
        for (case, program) in programs.iter().filter(|(_, program)| program.end.is_none()) {
            let name = format!("{}_{}", case.replace('/', "_"), program.steps);
            let file = sources.join(format!("{name}.rs"));
            write(&file, &program.text)?;
            crates.push(Crate { name, file, package: package.to_owned(), kind });
        }
        let results = match kind {
            Kind::CheckedLibrary => together(compiler, &sources, &crates)?,
            Kind::Program => compiler.compile(&crates)?,
        };
        let open = programs.values_mut().filter(|program| program.end.is_none());
        for (program, compiled) in open.zip(results) {
            program.end = program.advance(&compiled);
        }
    }
    Ok(())
}

/// The programs of one crate.
const TOGETHER: usize = 16;

/// Compiles programs, many of them as modules of one crate: rustc then starts once.
///
/// rustc evaluates constants only if it finds no other error. So a program with such an error is compiled alone, and
/// the remaining programs of its crate once more.
fn together(compiler: &Compiler<'_>, sources: &Path, programs: &[Crate]) -> Result<Vec<Compiled>, String> {
    let (mut done, mut open) = (BTreeMap::new(), programs.to_vec());
    while !open.is_empty() {
        let (mut alone, mut again) = (vec![], vec![]);
        let roots = open.chunks(TOGETHER).map(|chunk| root(sources, chunk)).collect::<Result<Vec<_>, _>>()?;
        for (chunk, all) in open.chunks(TOGETHER).zip(compiler.compile(&roots)?) {
            let errors = || all.messages.iter().filter(|message| message["level"] == "error");
            // The last message only counts the errors.
            let is_summary = |error: &Value| error["spans"].as_array().is_none_or(Vec::is_empty);
            let others = || errors().filter(|error| !is_summary(error) && error["code"]["code"] != "E0080");
            let has_other = |program: &Crate| others().any(|error| is_of(error, &program.file));
            let is_known = |error: &Value| chunk.iter().any(|program| is_of(error, &program.file));
            if all.success != errors().next().is_none() || !errors().all(|error| is_summary(error) || is_known(error)) {
                alone.extend_from_slice(chunk);
            } else if others().next().is_some() {
                let (odd, rest): (Vec<_>, Vec<_>) = chunk.iter().cloned().partition(has_other);
                alone.extend(odd);
                again.extend(rest);
            } else {
                done.extend(chunk.iter().map(|program| (program.name.clone(), part(&all, &program.file))));
            }
        }
        let results = compiler.compile(&alone)?;
        done.extend(alone.into_iter().map(|program| program.name).zip(results));
        open = again;
    }
    Ok(programs.iter().filter_map(|program| done.remove(&program.name)).collect())
}

/// The crate whose modules are these programs.
fn root(sources: &Path, programs: &[Crate]) -> Result<Crate, String> {
    let module = |program: &Crate| format!("#[path = \"{}\"]\nmod {};\n", program.file.display(), program.name);
    let name = format!("{}_and_{}_more", programs[0].name, programs.len() - 1);
    let file = sources.join(format!("{name}.rs"));
    write(&file, programs.iter().map(module).collect::<String>())?;
    Ok(Crate { name, file, ..programs[0].clone() })
}

/// What rustc says of one module.
fn part(all: &Compiled, file: &Path) -> Compiled {
    let messages: Vec<Value> = all.messages.iter().filter(|message| is_of(message, file)).cloned().collect();
    let success = messages.iter().all(|message| message["level"] != "error");
    Compiled { messages, program: None, success }
}

/// Whether a message is about a file.
fn is_of(message: &Value, file: &Path) -> bool {
    message["spans"].as_array().is_some_and(|spans| spans.iter().any(|span| is_in(span, file)))
}

/// Whether a span is in a file, or in the expansion of a macro there.
fn is_in(span: &Value, file: &Path) -> bool {
    let own = span["file_name"].as_str().is_some_and(|name| Path::new(name) == file);
    own || span["expansion"].is_object() && is_in(&span["expansion"]["span"], file)
}

impl Program {
    /// A program at the beginning.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self { text, steps: 0, most: 0, log: String::new(), end: None }
    }

    /// A program that was already compiled, after its first step.
    #[must_use]
    pub fn compiled(text: String, compiled: &Compiled) -> Self {
        let mut program = Self::new(text);
        program.end = program.advance(compiled);
        program
    }

    /// The names and types of the fields of a struct.
    #[must_use]
    pub fn fields(&self, name: &str) -> Vec<(String, String)> {
        let own = Item::within(&self.text, name);
        own.map_or_else(Vec::new, |own| own.fields.into_iter().map(|field| (field.name, field.ty)).collect())
    }

    /// One step. The end, if this is the last.
    fn advance(&mut self, compiled: &Compiled) -> Option<Result<(), String>> {
        if compiled.success {
            return Some(Ok(()));
        }
        let mistakes = mistakes(&compiled.messages);
        if self.steps == 0 {
            self.most = mistakes.len() + 3;
        }
        let Some(mistake) = mistakes.iter().find(|mistake| names_what_to_write(&mistake.hint)) else {
            return Some(Err(compiled.rendered("error").next().unwrap_or_default().to_owned()));
        };
        if self.steps == self.most {
            return Some(Err(format!("{}not accepted after that: {}: {}", self.log, mistake.what, mistake.hint)));
        }
        self.steps += 1;
        self.log.extend([&mistake.what, ": ", &mistake.hint, "\n    "]);
        match mistake.follow(&self.text) {
            Ok(text) => self.text = text,
            Err(why) => return Some(Err(format!("{why}\n    {}: {}", mistake.what, mistake.hint))),
        }
        None
    }
}
