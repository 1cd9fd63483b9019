//! The stages and their results.

use crate::mutants::{
    cases::Case,
    source::{Place, covers},
    visible::Source,
    workspace::Diagnostic,
};
use kernel_args_stand_in::{Session, Settings};
use std::{
    collections::BTreeMap,
    path::PathBuf,
    process::{Child, Stdio},
};

/// The result of a stage for a struct.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Finding {
    /// Whether the struct was rejected.
    pub(crate) refused: bool,
    /// The fields that the error names.
    pub(crate) fields: Vec<String>,
    /// The number of missing parameters in the error.
    pub(crate) missing: usize,
    /// The missing parameters, if the stage names them.
    pub(crate) numbers: Vec<usize>,
    /// Other output of the stage.
    pub(crate) text: String,
}

/// A point in time at which mistakes are detected.
pub(crate) struct Stage {
    pub(crate) name: &'static str,
    /// The source of its information.
    pub(crate) source: Source,
    /// The expected output for every accepted struct.
    pub(crate) accepts: &'static str,
    /// The structs that it judges.
    pub(crate) covers: fn(&Case) -> bool,
    /// The results by the number of the case.
    pub(crate) findings: BTreeMap<usize, Finding>,
}

/// The results of the stage "PTX named in the derive", or of the stage with debug information, from rustc's errors.
pub(crate) fn derive(
    cases: &[Case],
    diagnostics: &[Diagnostic],
    packages: &[String],
    source: Source,
) -> Result<Stage, String> {
    let mut findings: BTreeMap<usize, Finding> = (0..cases.len()).map(|case| (case, Finding::default())).collect();
    for diagnostic in diagnostics.iter().filter(|found| packages.contains(&found.package)) {
        let Some((case, place)) = &diagnostic.place else {
            return Err(format!("an error in no struct's lines: {diagnostic:#?}"));
        };
        let finding = findings.entry(*case).or_default();
        finding.refused = true;
        match place {
            Place::Field(name) => finding.fields.push(name.clone()),
            Place::Struct => {
                let numbers = missing(&diagnostic.message);
                finding.missing += numbers.len();
                finding.numbers.extend(numbers);
            }
            Place::Definition => {}
        }
        finding.text.push_str(&diagnostic.message);
        finding.text.push('\n');
    }
    Ok(Stage {
        name: match source {
            Source::Debug => "debug info in it",
            _ => "PTX in the derive",
        },
        source,
        accepts: "",
        covers: match source {
            Source::Debug => covers,
            _ => |_| true,
        },
        findings,
    })
}

/// The missing parameters in an error. If the error names several candidates, the first one.
fn missing(message: &str) -> Vec<usize> {
    let parts = message.split("no field for ").skip(1);
    parts
        .filter_map(|part| {
            let part = part.strip_prefix("parameter ").or_else(|| part.strip_prefix("one of the parameters "))?;
            let end = part.find(|c: char| !c.is_ascii_digit())?;
            part[..end].parse().ok()
        })
        .collect()
}

/// A way to load: its name in the programs, the stage's name, the source of information about the kernel, and the
/// output for a struct that matches.
type Way = (&'static str, &'static str, Source, &'static str);

const DRIVER: [Way; 4] = [
    ("debug", "load: debug info", Source::Debug, "fits driver and image"),
    ("ptx", "load: PTX", Source::Ptx, "fits driver and image"),
    ("cubin", "load: cubin", Source::Cubin, "fits driver and image"),
    ("function", "load: function", Source::Driver, "fits driver"),
];

const OLD: [Way; 4] = [
    ("debug", "old: debug info", Source::Debug, "fits image"),
    ("ptx", "old driver: PTX", Source::Ptx, "fits image"),
    ("cubin", "old driver: cubin", Source::Cubin, "fits image"),
    ("function", "old driver: function", Source::Nothing, "unverified"),
];

/// The loading stages, on the default test driver and on an old one.
pub(crate) fn load(programs: &[PathBuf]) -> Result<Vec<Stage>, String> {
    let mut stages = Vec::new();
    for (settings, ways) in [(Settings::new(), DRIVER), (Settings::new().old(), OLD)] {
        let text = run(&settings, programs)?;
        for (word, name, source, accepts) in ways {
            let findings: BTreeMap<usize, Finding> = text.lines().filter_map(|line| finding(line, word)).collect();
            if !findings.is_empty() {
                stages.push(Stage { name, source, accepts, covers: |_| true, findings });
            }
        }
    }
    Ok(stages)
}

/// Runs the programs in parallel and returns their output.
fn run(settings: &Settings, programs: &[PathBuf]) -> Result<String, String> {
    let session = Session::start(settings).map_err(|error| error.to_string())?;
    let children: Vec<Child> = programs
        .iter()
        .map(|program| {
            let mut command = session.command(program);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().map_err(|error| format!("{}: {error}", program.display()))
        })
        .collect::<Result<_, _>>()?;
    let mut text = String::new();
    for child in children {
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        text.push_str(&String::from_utf8_lossy(&output.stdout));
    }
    Ok(text)
}

/// A line of `judge.rs`.
fn finding(line: &str, way: &str) -> Option<(usize, Finding)> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [case, found_way, word, fields, missing] = columns.as_slice() else {
        return None;
    };
    let finding = Finding {
        refused: *word == "refused",
        fields: fields.split(',').filter(|name| !name.is_empty()).map(Into::into).collect(),
        missing: missing.parse().ok()?,
        numbers: Vec::new(),
        text: (*word).to_owned(),
    };
    (*found_way == way).then_some((case.parse().ok()?, finding))
}
