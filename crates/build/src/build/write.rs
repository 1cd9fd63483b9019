//! Writes into `OUT_DIR`.

use super::{
    files::{read, write},
    plan::{Build, Done, Unit},
};
use crate::{
    constants,
    modules::{self, Module, structs},
    texts,
};
use kernel_args_image::Image;
use std::{
    cell::RefCell,
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

impl Build<'_> {
    /// Returns warnings. `tried` are the places where no compiler was found.
    pub(super) fn write(&self, done: &[Done], tried: Option<&str>) -> Result<Vec<String>, String> {
        let rust = self.out.join(self.library.or(self.kernels.rust_file.as_deref()).unwrap_or("kernels.rs"));
        let records = self.units.iter().map(|unit| self.place(&unit.source, "sources"));
        claim(std::iter::once(rust.clone()).chain(records))?;
        let used = RefCell::default();
        let mut warnings = Vec::new();
        let mut with_kernels = Vec::new();
        for (Unit { source, constants, .. }, done) in self.units.iter().zip(done) {
            let made = &done.made;
            if let Some(bytes) = &made.image {
                write(&self.place(source, self.extension), bytes)?;
            }
            let absent = tried.filter(|_| done.is_absent);
            write(&self.place(source, self.description), &made.description)?;
            let record = self.place(source, "sources");
            let of_description = self.place(source, "debug.sources");
            if done.is_known {
                write(&record, made.record.write().as_bytes())?;
                if let Some(described) = &done.described {
                    write(&of_description, described.write().as_bytes())?;
                }
            } else {
                // An image with unknown inputs is compiled each time.
                let _ = fs::remove_file(record);
                let _ = fs::remove_file(of_description);
            }
            if !made.record.warnings.is_empty() {
                warnings.push(made.record.warnings.join("\n"));
            }
            if self.library.is_some() {
                continue;
            }
            let items = constants::items(&made.description, constants, &source.path);
            let items =
                items.ok_or_else(|| texts::unknown_constants(&source.path, &constants::expressions(constants)))?;
            let kernels = Image::read(&made.description).and_then(|image| image.kernels());
            // `kernels!` reports images that cannot be read, at the right place.
            let has_kernels = absent.is_some() || kernels.map_or(true, |kernels| kernels.symbols().next().is_some());
            if has_kernels || !constants.is_empty() {
                let structs = self.kernels.generate.then(|| {
                    let image = made.image.as_deref().unwrap_or(&made.description);
                    structs(image, &made.description, self.kernels, &used)
                });
                with_kernels.push(Module { source, absent, has_kernels, constants: items, structs });
            } else {
                warnings.push(texts::no_kernels(&source.path));
            }
        }
        if self.library.is_some() {
            return Ok(warnings);
        }
        let (used, is_whole) = (used.into_inner(), with_kernels.iter().all(|module| module.absent.is_none()));
        if let Some((on, _)) = self.kernels.contracts.iter().find(|(on, _)| is_whole && !used.contains(on)) {
            return Err(texts::no_struct(on));
        }
        self.remove_stale(&rust)?;
        let text = modules::write(with_kernels, self.extension, self.kernels.krate.as_deref()) + &self.libraries;
        write(&rust, text.as_bytes())?;
        Ok(warnings)
    }

    fn remove_stale(&self, rust: &Path) -> Result<(), String> {
        // The names of all sources, one per line.
        let list = rust.with_extension("list");
        let names: BTreeSet<&str> = self.units.iter().map(|unit| unit.source.name.as_str()).collect();
        let earlier = read(&list).unwrap_or_default();
        let earlier = String::from_utf8_lossy(&earlier);
        for name in earlier.lines().filter(|name| !names.contains(name)) {
            let images: &[&str] = if self.made.is_some() { &["ptx", "cubin", "fatbin"] } else { &[] };
            for extension in images.iter().chain(&["debug.ptx", "debug.sources", "sources"]) {
                // The file exists if an earlier build wrote this kind of output.
                let _ = fs::remove_file(self.out.join(format!("{name}.{extension}")));
            }
        }
        let text: String = names.iter().flat_map(|name| [name, "\n"]).collect();
        write(&list, text.as_bytes())
    }
}

/// Two sets of kernels of one build script must not write the same files.
fn claim(paths: impl Iterator<Item = PathBuf>) -> Result<(), String> {
    static CLAIMED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut claimed = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in paths {
        if !claimed.insert(path.clone()) {
            return Err(texts::written_twice(&path));
        }
    }
    Ok(())
}
