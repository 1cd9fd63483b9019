//! The imports of the generated text.

use super::{docs::WIDTH, options::Options};
use alloc::{collections::BTreeSet, format, string::String, vec::Vec};
use core::fmt::Write as _;

#[derive(Default)]
pub(super) struct Imports {
    pub(super) core: BTreeSet<&'static str>,
    pub(super) krate: BTreeSet<&'static str>,
    pub(super) vectors: BTreeSet<&'static str>,
    pub(super) external: BTreeSet<&'static str>,
    pub(super) driver: BTreeSet<&'static str>,
}

impl Imports {
    pub(super) fn write(&self, text: &mut String, options: &Options<'_>) {
        let krate = options.krate;
        let core = if options.without_prelude { "::core" } else { "core" };
        import(text, &format!("{core}::ffi"), &self.core);
        if !self.core.is_empty() {
            text.push('\n');
        }
        import(text, &format!("{krate}::external::cudarc::driver"), &self.driver);
        import(text, &format!("{krate}::external"), &self.external);
        import(text, &format!("{krate}::vector"), &self.vectors);
        let has_modules = !self.driver.is_empty() || !self.external.is_empty() || !self.vectors.is_empty();
        if has_modules && self.krate.len() == 1 {
            // The editions sort modules and a single type differently, except in separate groups.
            text.push('\n');
        }
        import(text, krate, &self.krate);
    }
}

/// `use path::{A, B};`
fn import(text: &mut String, path: &str, names: &BTreeSet<&str>) {
    let list: Vec<&str> = names.iter().copied().collect();
    match list.as_slice() {
        [] => return,
        [name] => {
            let _ = writeln!(text, "use {path}::{name};");
            return;
        }
        names => {
            let line = format!("use {path}::{{{}}};", names.join(", "));
            if line.len() < WIDTH - 1 {
                let _ = writeln!(text, "{line}");
                return;
            }
        }
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
