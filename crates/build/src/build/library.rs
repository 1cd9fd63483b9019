//! Static libraries of host functions: their objects are units of a build of their own, in a folder of `OUT_DIR`.

use super::{
    files::write,
    is_on,
    plan::{Build, Done, Unit},
};
use crate::{
    compiler::{Compiler, find::Search, nvcc, options::Options},
    directives::Directives,
    environment::Environment,
    identifier::module_name,
    modules::KRATE,
    output::Cudart,
    sources, texts,
};
use kernel_args_image::Launchers;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, PoisonError},
};

impl Build<'_> {
    /// Builds the libraries, and keeps their modules.
    pub(super) fn libraries(&mut self, options: &Options<'_>, environment: &Environment) -> Result<Directives, String> {
        let mut directives = Directives::default();
        if cfg!(windows) && !self.kernels.libraries.is_empty() {
            return Err(texts::NO_LIBRARY_ON_WINDOWS.into());
        }
        let options = Options { makes_objects: true, ..options.clone() };
        for (index, (name, patterns)) in self.kernels.libraries.iter().enumerate() {
            if self.kernels.libraries[..index].iter().any(|(other, _)| other == name) {
                return Err(texts::same_library(name));
            }
            if module_name(name) != *name {
                return Err(texts::no_library_name(name));
            }
            let out = self.out.join(format!("launchers-{name}"));
            fs::create_dir_all(&out).map_err(|error| texts::cannot_write(&out, &error))?;
            let (sources, folders) = sources::find(self.root, &[], patterns, &[])?;
            let mut build = Build {
                extension: "o",
                description: "debug.o",
                library: Some(name),
                fallback: self.fallback.as_ref().map(|folder| folder.join(name)),
                libraries: String::new(),
                made: Some("o"),
                units: Vec::new(),
                files: super::Files::new(self.root, &out, environment),
                out: &out,
                ..*self
            };
            for source in sources {
                let unit = build.unit(source, options.clone())?;
                build.units.push(unit);
            }
            let search = Search::of_system(environment, self.root, true);
            directives.add(build.run(&search)?);
            directives.files.extend(folders);
            let described = out.join(format!("{name}.debug.a"));
            let module =
                if described.is_file() { build.module(name, &directives) } else { format!("\npub mod {name} {{}}\n") };
            self.libraries.push_str(&module);
        }
        Ok(directives)
    }

    /// Returns the object with the linked device code, which is committed like the objects.
    fn linked(
        &self,
        name: &str,
        compiler: Option<&Compiler>,
        objects: &[PathBuf],
        search: &Search<'_>,
    ) -> Result<PathBuf, String> {
        let linked = self.out.join(format!("{name}.link.o"));
        let committed = self.fallback.as_ref().map(|folder| self.root.join(folder).join(format!("{name}.link.o")));
        let copy = |from: &Path, to: &Path| {
            let bytes = fs::read(from).map_err(|error| texts::not_committed(from, &error))?;
            write(to, &bytes)
        };
        match (compiler, self.units.first()) {
            (Some(compiler), Some(Unit { options, .. })) => {
                let link = nvcc::link(&compiler.path, &options.archs, objects, &linked);
                link.map_err(|said| texts::no_device_link(name, &said))?;
                if let Some(committed) = committed.filter(|_| is_on(search.environment, "KERNEL_ARGS_BUILD_UPDATE")) {
                    copy(&linked, &committed)?;
                }
            }
            _ => _ = committed.map(|committed| copy(&committed, &linked)).transpose()?,
        }
        Ok(linked)
    }

    fn module(&self, name: &str, directives: &Directives) -> String {
        let krate = self.kernels.krate.as_deref();
        let path = krate.map_or_else(String::new, |krate| format!("    crate = {krate};\n"));
        let file = format!("concat!(env!(\"OUT_DIR\"), {:?})", format!("/launchers-{name}/{name}.debug.a"));
        let mut text = format!("{}::kernels! {{\n{path}    pub mod {name} = {file}", krate.unwrap_or(KRATE));
        if directives.is_absent {
            let sources: Vec<String> = self.units.iter().map(|unit| texts::path(&unit.source.path)).collect();
            let _ = write!(text, ", absent({:?}, {:?})", sources.join("`, `"), directives.warnings.join("\n"));
        }
        text + ";\n}\n"
    }

    /// Makes the library and its description from the objects, and what the linker needs.
    pub(super) fn finish(
        &self,
        name: &str,
        done: &[Done],
        search: &Search<'_>,
        tried: Option<&str>,
        directives: &mut Directives,
    ) -> Result<(), String> {
        let of = |extension: &str| -> Vec<PathBuf> {
            self.units.iter().map(|unit| self.place(&unit.source, extension)).collect()
        };
        let described = self.out.join(format!("{name}.debug.a"));
        // Without a compiler and a committed description, the description is a text.
        if done.iter().any(|done| !done.made.description.starts_with(b"\x7fELF")) {
            let _ = fs::remove_file(&described);
            return Ok(());
        }
        archive(search, &described, &of(self.description))?;
        let bytes = fs::read(&described).map_err(|error| texts::unread_library(name, &error))?;
        exports(name, &Launchers::read(&bytes).map_err(|error| texts::unread_library(name, &error))?)?;
        if done.iter().any(|done| done.is_absent) {
            return Ok(());
        }
        let mut objects = of(self.extension);
        let library = self.out.join(format!("lib{name}.a"));
        let compiler = if tried.is_none() { search.run(self.kernels.compiler.as_deref()).ok() } else { None };
        if self.kernels.relocatable {
            objects.push(self.linked(name, compiler.as_ref(), &objects, search)?);
        }
        archive(search, &library, &objects)?;
        let mut link = |line: String| directives.linked.push(line);
        link(format!("rustc-link-search=native={}", self.out.display()));
        // With all objects, a function that two libraries of a program export is an error of the linker, which names
        // both libraries.
        link(format!("rustc-link-lib=static:+whole-archive={name}"));
        if self.kernels.relocatable {
            link("rustc-link-lib=static=cudadevrt".into());
        }
        let runtime = match self.kernels.cudart {
            Cudart::Static => &["static=cudart_static", "dylib=dl", "dylib=rt", "dylib=pthread"][..],
            Cudart::Shared => &["dylib=cudart"],
            Cudart::None => &[],
        };
        let toolkit = compiler.as_ref().and_then(|compiler| compiler.path.ancestors().nth(2).map(Path::to_owned));
        let folders = ["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"];
        let folders = toolkit.iter().flat_map(|toolkit| folders.map(|folder| toolkit.join(folder)));
        for folder in folders.filter(|folder| folder.is_dir()) {
            link(format!("rustc-link-search=native={}", folder.display()));
        }
        runtime.iter().chain(&["dylib=stdc++"]).for_each(|library| link(format!("rustc-link-lib={library}")));
        Ok(())
    }
}

/// Makes a static library, unless it has the same objects already.
fn archive(search: &Search<'_>, library: &Path, objects: &[PathBuf]) -> Result<(), String> {
    let program = PathBuf::from(search.environment.get("AR").unwrap_or_else(|| OsString::from("ar")));
    let made = library.with_extension("new");
    let _ = fs::remove_file(&made);
    // `D`: without times, so the same objects make the same library.
    let finished = Command::new(&program).arg("crsD").arg(&made).args(objects).output();
    let failed = |said: &str| Err(texts::no_archive(&program, library, said));
    match finished {
        Ok(finished) if finished.status.success() => {}
        Ok(finished) => return failed(String::from_utf8_lossy(&finished.stderr).trim()),
        Err(error) => return failed(&error.to_string()),
    }
    let bytes = fs::read(&made).map_err(|error| texts::not_written(&made, &error))?;
    let _ = fs::remove_file(&made);
    write(library, &bytes)
}

/// Rejects a function that another library of this build script exports.
fn exports(library: &str, launchers: &Launchers) -> Result<(), String> {
    static KNOWN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    for (symbol, _) in launchers.functions() {
        let other = known.entry(symbol.to_owned()).or_insert_with(|| library.to_owned());
        if other != library {
            return Err(texts::same_launcher(symbol, other, library));
        }
    }
    Ok(())
}
