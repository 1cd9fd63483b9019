//! The imports of the generated text.

use super::{docs::WIDTH, options::Options, ty::From};
use crate::prelude::*;
use core::fmt::Write as _;

#[derive(Default)]
pub(super) struct Imports(BTreeMap<From, BTreeSet<&'static str>>);

impl Imports {
    pub(super) fn add(&mut self, from: From, name: &'static str) {
        if from != From::Language {
            self.0.entry(from).or_default().insert(name);
        }
    }

    pub(super) fn write(&self, text: &mut String, options: &Options<'_>) {
        let krate = options.krate;
        for (from, names) in &self.0 {
            let has_modules = || self.0.range(From::Driver..From::Crate).next().is_some();
            // The editions sort modules and a single type differently, except in separate groups.
            if *from == From::Crate && names.len() == 1 && has_modules() {
                text.push('\n');
            }
            let path = match from {
                From::Core if options.without_prelude => "::core::ffi".into(),
                From::Language | From::Core => "core::ffi".into(),
                From::Driver => format!("{krate}::external::cudarc::driver"),
                From::External => format!("{krate}::external"),
                From::Texture => format!("{krate}::texture"),
                From::Vector => format!("{krate}::vector"),
                From::Crate => krate.into(),
            };
            import(text, &path, names);
            if *from == From::Core {
                text.push('\n');
            }
        }
    }
}

/// `use path::{A, B};`
fn import(text: &mut String, path: &str, names: &BTreeSet<&str>) {
    let list: Vec<&str> = names.iter().copied().collect();
    let line = match list.as_slice() {
        [name] => format!("use {path}::{name};"),
        names => format!("use {path}::{{{}}};", names.join(", ")),
    };
    if list.len() == 1 || line.len() < WIDTH - 1 {
        let _ = writeln!(text, "{line}");
        return;
    }
    let _ = writeln!(text, "use {path}::{{");
    let mut line = String::from("   ");
    for name in list {
        if line.len() + name.len() + " ,".len() >= WIDTH {
            let _ = writeln!(text, "{line}");
            line = String::from("   ");
        }
        let _ = write!(line, " {name},");
    }
    let _ = writeln!(text, "{line}\n}};");
}
