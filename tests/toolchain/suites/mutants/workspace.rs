//! The generated crates, built once, and rustc's errors for each line.

use crate::mutants::source::{Place, Source};
use kernel_args_toolchain_tests::rustc::{self, Compiler, Crate, Kind, USUAL};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The purpose of a generated crate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// rustc must detect mistakes in it.
    Checked,
    /// It must run.
    Program,
}

/// A generated crate.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) purpose: Purpose,
    pub(crate) source: Source,
}

/// An error of rustc.
#[derive(Debug)]
pub(crate) struct Diagnostic {
    pub(crate) package: String,
    /// The case that contains the line, and the part of its struct; `None` if no case contains it.
    pub(crate) place: Option<(usize, Place)>,
    pub(crate) message: String,
}

/// The result of a build.
pub(crate) struct Built {
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The path of each [`Purpose::Program`].
    pub(crate) programs: Vec<PathBuf>,
}

/// Writes and builds all packages.
pub(crate) fn build(folder: &Path, packages: &[Package]) -> Result<Built, String> {
    let crates = packages.iter().map(|package| package.lay_out(folder));
    let crates = crates.collect::<Result<Vec<_>, _>>()?;
    let mut built = Built { diagnostics: Vec::new(), programs: Vec::new() };
    for (package, compiled) in packages.iter().zip(Compiler::new(folder, &USUAL).compile(&crates)?) {
        let errors = compiled.messages.iter().filter(|message| message["level"] == "error");
        let diagnostics: Vec<_> = errors.flat_map(|message| diagnostic(package, message)).collect();
        let is_program = package.purpose == Purpose::Program;
        if is_program == diagnostics.is_empty() && is_program == compiled.program.is_some() {
            built.diagnostics.extend(diagnostics);
            built.programs.extend(compiled.program);
        } else {
            return Err(format!("`{}` was not compiled as it should be:\n{:#?}", package.name, diagnostics.first()));
        }
    }
    Ok(built)
}

impl Package {
    fn lay_out(&self, folder: &Path) -> Result<Crate, String> {
        let text = &*self.source.text;
        let (kind, files) = match self.purpose {
            Purpose::Checked => (Kind::CheckedLibrary, vec![("lib.rs", text)]),
            Purpose::Program => {
                let judge = ("judge.rs", crate::mutants::source::judge());
                (Kind::Program, vec![("main.rs", text), judge])
            }
        };
        rustc::lay_out(folder, &self.name, kind, &files)
    }
}

/// One entry for each line of an error, or one without a position.
fn diagnostic(package: &Package, message: &Value) -> Vec<Diagnostic> {
    let text = message["message"].as_str().unwrap_or_default();
    // rustc prints the number of its errors at the end.
    if text.starts_with("aborting due to") {
        return Vec::new();
    }
    let spans = message["spans"].as_array().map_or(&[][..], Vec::as_slice);
    let primary = spans.iter().filter(|span| span["is_primary"] == true);
    let mut places: Vec<Option<(usize, Place)>> = primary.map(|span| place(package, span)).collect();
    if places.is_empty() {
        places.push(None);
    }
    let diagnostic = |place| Diagnostic { package: package.name.clone(), place, message: text.to_owned() };
    places.into_iter().map(diagnostic).collect()
}

/// The line of a span in the generated crate: the line of the outermost expansion.
fn place(package: &Package, span: &Value) -> Option<(usize, Place)> {
    let mut span = span;
    loop {
        let line = span["line_start"].as_u64().and_then(|line| usize::try_from(line).ok())?;
        let file = span["file_name"].as_str().unwrap_or_default();
        let own = file.starts_with(&package.name);
        if let Some(place) = package.source.places.get(&line).filter(|_| own) {
            return Some(place.clone());
        }
        span = span.get("expansion")?.get("span")?;
    }
}
