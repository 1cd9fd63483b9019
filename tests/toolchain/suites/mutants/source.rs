//! Writes the structs as Rust and records the content of each line.

use crate::mutants::{
    cases::Case,
    corpus::{CHUNK, Corpus, DEBUG, Kernel, symbol},
    kind::Kind,
};
use kernel_args_test_generator::size;
use kernel_args_toolchain_tests::read;
use std::{collections::BTreeMap, fmt::Write as _, path::PathBuf};

/// The part of a struct on a line.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Place {
    /// The field with this name.
    Field(String),
    /// The struct's name, or its attributes.
    Struct,
    /// A type of one of its fields.
    Definition,
}

/// The text of a crate.
#[derive(Clone, Default)]
pub(crate) struct Source {
    pub(crate) text: String,
    lines: usize,
    /// The content of a line, counted from 1: the number of the case, and the part of its struct.
    pub(crate) places: BTreeMap<usize, (usize, Place)>,
}

pub(crate) const HEAD: &str = "\
#![allow(warnings)]
use core::num::*;
use kernel_args::{*, texture::*, vector::*};
";

impl Source {
    pub(crate) fn new() -> Self {
        let mut source = Self::default();
        source.line(HEAD.trim_end());
        source
    }

    pub(crate) fn line(&mut self, text: &str) {
        self.lines += 1 + text.matches('\n').count();
        self.text.push_str(text);
        self.text.push('\n');
    }

    pub(crate) fn placed(&mut self, case: usize, place: &Place, text: &str) {
        for line in text.lines() {
            self.line(line);
            self.places.insert(self.lines, (case, place.clone()));
        }
    }

    /// A struct with its types. `attribute` names its kernel, or is empty.
    pub(crate) fn structure(&mut self, number: usize, case: &Case, attribute: &str) {
        self.placed(number, &Place::Definition, &case.definitions);
        self.placed(number, &Place::Struct, "#[derive(KernelArgs)]");
        self.placed(number, &Place::Struct, attribute);
        self.placed(number, &Place::Struct, "pub struct Args {");
        for field in &case.fields {
            let text = format!("pub {}: {},", field.name, field.ty.rust());
            self.placed(number, &Place::Field(field.name.clone()), &text);
        }
        self.line("}");
    }
}

/// All cases of some kernels: a module for each kernel, which contains a module for each mutant.
fn modules(
    source: &mut Source,
    cases: &[Case],
    share: &std::ops::Range<usize>,
    wanted: impl Fn(&Case) -> bool,
    attribute: impl Fn(usize) -> String,
) {
    let mut open = false;
    for (number, case) in cases.iter().enumerate() {
        // The module of a mutant is inside the module of the correct struct, and uses its types.
        let is_right = case.kind.is_none();
        if !share.contains(&case.kernel) || !is_right && !wanted(case) {
            continue;
        }
        if let Some((_, inner)) = case.module.split_once("::") {
            source.line(&format!("pub mod {inner} {{ use super::*;"));
            source.structure(number, case, &attribute(case.kernel));
            source.line("}");
        } else {
            if open {
                source.line("}");
            }
            source.line(&format!("pub mod {} {{ use super::*;", case.module));
            source.structure(number, case, &attribute(case.kernel));
            open = true;
        }
    }
    if open {
        source.line("}");
    }
}

/// The structs that name their PTX in the derive. With debug information: the structs that `covers` selects.
pub(crate) fn with_ptx(cases: &[Case], kernels: &[Kernel], share: std::ops::Range<usize>, debug: bool) -> Source {
    let mut source = Source::new();
    let wanted = |case: &Case| !debug || covers(case);
    modules(&mut source, cases, &share, wanted, |kernel| names_kernel("../images", kernel, &kernels[kernel], debug));
    source
}

/// The attribute of a struct that names its kernel, by its number, and the PTX in the folder `images`.
pub(crate) fn names_kernel(images: &str, number: usize, kernel: &Kernel, debug: bool) -> String {
    let (chunk, name) = (number / CHUNK, kernel.name());
    let second = if debug { format!("debug_info = \"{images}/{DEBUG}/c{chunk}.ptx\", ") } else { String::new() };
    format!("#[kernel_args(ptx = \"{images}/c{chunk}.ptx\", {second}entry = \"{name}\")]")
}

/// Whether a struct is compared with debug information at compile time. All are compared in a full run. By default: in
/// the first image, the correct structs, and the structs for which debug information makes a difference.
pub(crate) fn covers(case: &Case) -> bool {
    size::is_full() || case.kernel < CHUNK && (case.is_right() || case.kind.is_some_and(Kind::is_for_debug_info))
}

/// The part of the program that does not change between runs.
const JUDGE: &str = include_str!("judge.rs");

/// A program that loads every kernel for every struct and prints the library's results.
pub(crate) fn program(
    cases: &[Case],
    kernels: &[Kernel],
    corpus: &Corpus,
    share: std::ops::Range<usize>,
) -> Result<Source, String> {
    let mut source = Source::new();
    source.line("mod judge;");
    modules(&mut source, cases, &share, |_| true, |_| String::new());
    let mut table = String::new();
    for chunk in share.start / CHUNK..share.end.div_ceil(CHUNK) {
        let images = &corpus.images[chunk];
        let ptx = read(&images.ptx)?;
        let spelled = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let (cubin, debug) = (spelled(&images.cubin), spelled(&images.debug));
        let _ = writeln!(
            table,
            "judge::Images {{ ptx: {:?}, cubin: {cubin:?}, debug: {debug:?}, kernels: &[",
            images.ptx.display().to_string()
        );
        for (number, case) in cases.iter().enumerate() {
            if case.kernel / CHUNK != chunk || !share.contains(&case.kernel) {
                continue;
            }
            let name = kernels[case.kernel].name();
            let symbol =
                symbol(&ptx, name).ok_or_else(|| format!("{} has no kernel `{name}`", images.ptx.display()))?;
            let _ = writeln!(
                table,
                "judge::Struct {{ case: {number}, entry: {name:?}, symbol: {symbol:?}, load: judge::load::<{}::Args> }},",
                case.module
            );
        }
        table.push_str("] },\n");
    }
    source.line(&format!("fn main() {{ judge::run(IMAGES) }}\nconst IMAGES: &[judge::Images] = &[\n{table}];"));
    Ok(source)
}

/// The module `judge.rs`, next to the text of [`program`].
pub(crate) fn judge() -> &'static str {
    JUDGE
}
