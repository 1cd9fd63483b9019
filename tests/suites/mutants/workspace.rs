//! The generated crates, built once, and what rustc says of each line.

use crate::source::{Place, Source};
use kernel_args_compiler_tests::generated::{self, Generated};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// What a generated crate is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// rustc must find mistakes in it.
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
    /// The case in whose lines it is, and where; `None` where it is in none's.
    pub(crate) place: Option<(usize, Place)>,
    pub(crate) message: String,
}

/// What a build gave.
pub(crate) struct Built {
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Of each [`Purpose::Program`], where it was built.
    pub(crate) programs: Vec<PathBuf>,
}

/// Writes the packages, and builds them all.
pub(crate) fn build(folder: &Path, packages: &[Package]) -> Result<Built, String> {
    let crates: Vec<Generated> = packages.iter().map(Package::generated).collect();
    let output = generated::build(folder, &crates, &[])?;
    let mut built = Built {
        diagnostics: Vec::new(),
        programs: Vec::new(),
    };
    for message in &output.messages {
        let target = message["target"]["name"].as_str().unwrap_or_default();
        let Some(package) = packages.iter().find(|package| package.name == target) else {
            continue;
        };
        if let Some(program) = message["executable"].as_str() {
            built.programs.push(program.into());
        }
        if message["message"]["level"] == "error" {
            built
                .diagnostics
                .extend(diagnostic(package, &message["message"]));
        }
    }
    let mut judged: BTreeMap<&str, usize> = BTreeMap::new();
    for diagnostic in &built.diagnostics {
        *judged.entry(&diagnostic.package).or_default() += 1;
    }
    for package in packages {
        let program = built
            .programs
            .iter()
            .any(|path| path.ends_with(&package.name));
        let judged = judged.contains_key(package.name.as_str());
        if (package.purpose == Purpose::Program) != program || program == judged {
            return Err(format!(
                "`{}` was not compiled as it should be:\n{}\n{:#?}",
                package.name,
                output.stderr,
                built
                    .diagnostics
                    .iter()
                    .find(|found| found.package == package.name)
            ));
        }
    }
    Ok(built)
}

impl Package {
    fn generated(&self) -> Generated<'_> {
        let text = &*self.source.text;
        Generated {
            name: self.name.clone(),
            files: match self.purpose {
                Purpose::Checked => vec![("lib.rs", text)],
                Purpose::Program => vec![("main.rs", text), ("judge.rs", crate::source::judge())],
            },
        }
    }
}

/// One for each line that an error is at; one without a place where it is at none.
fn diagnostic(package: &Package, message: &Value) -> Vec<Diagnostic> {
    let text = message["message"].as_str().unwrap_or_default();
    // rustc counts its errors in the end.
    if text.starts_with("aborting due to") {
        return Vec::new();
    }
    let spans = message["spans"].as_array().map_or(&[][..], Vec::as_slice);
    let primary = spans.iter().filter(|span| span["is_primary"] == true);
    let mut places: Vec<Option<(usize, Place)>> =
        primary.map(|span| place(package, span)).collect();
    if places.is_empty() {
        places.push(None);
    }
    let diagnostic = |place| Diagnostic {
        package: package.name.clone(),
        place,
        message: text.to_owned(),
    };
    places.into_iter().map(diagnostic).collect()
}

/// The line of a span that the generated crate itself wrote: that of the outermost expansion.
fn place(package: &Package, span: &Value) -> Option<(usize, Place)> {
    let mut span = span;
    loop {
        let line = span["line_start"]
            .as_u64()
            .and_then(|line| usize::try_from(line).ok())?;
        let file = span["file_name"].as_str().unwrap_or_default();
        let own = file.starts_with(&package.name);
        if let Some(place) = package.source.places.get(&line).filter(|_| own) {
            return Some(place.clone());
        }
        span = span.get("expansion")?.get("span")?;
    }
}
