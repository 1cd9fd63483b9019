//! A build, from the settings to the output for cargo.
//!
//! | to change | open |
//! |---|---|
//! | a setting | its method in `kernels.rs`, then `options.rs` of the compiler, or `modules.rs` |
//! | what happens without a compiler | `fallback.rs` (committed images), `plan.rs` (no image) |

mod compile;
mod fallback;
mod files;
mod library;
mod plan;
mod record;
mod write;

use crate::{
    compiler::{
        arch::Arch,
        find::Search,
        options::{Options, Purpose},
    },
    constants::Constant,
    directives::Directives,
    environment::Environment,
    error::{Error, all},
    kernels::Kernels,
    output::Output,
    sources::{self, Source},
    texts,
};
use files::Files;
use kernel_args_image::ptx;
use plan::{Build, Done, Unit};
use record::Record;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

impl Kernels {
    /// Compiles the kernels and writes `kernels.rs`.
    ///
    /// # Errors
    /// If a source does not compile: the error contains the compiler's output for each of them. If no compiler is
    /// found: the error lists every place that was tried. If a setting or file is wrong: the error explains what to
    /// change.
    pub fn build(self) -> Result<(), Error> {
        run(&self, true).map_err(Error)
    }

    /// Describes the kernels of images that another crate compiles, such as `cudaforge` or `bindgen_cuda`, and writes
    /// `kernels.rs`.
    ///
    /// The images are in `OUT_DIR` under the names of their sources. Call this function after the call that compiles
    /// them, with the same sources, headers and defines. The GPU generation is read from the image if it is PTX.
    ///
    /// # Errors
    /// The errors of [`build`](Self::build). Also an error if an image does not exist, or is older than a header of the
    /// package that its source includes: these crates check only the headers that their `watch` names.
    pub fn debug_info(self) -> Result<(), Error> {
        run(&self, false).map_err(Error)
    }
}

/// Without `makes_images`, only descriptions are compiled.
fn run(kernels: &Kernels, makes_images: bool) -> Result<(), String> {
    kernels.built.store(true, Ordering::Relaxed);
    let environment = &Environment::of_process();
    let folder = |name: &str| {
        let value = environment.get_untracked(name).map(PathBuf::from);
        value.ok_or_else(|| texts::no_build_script(name))
    };
    let (root, out) = (&*folder("CARGO_MANIFEST_DIR")?, &*folder("OUT_DIR")?);
    let (mut archs, output) = Options::targets(&kernels.archs, kernels.output)?;
    // Committed files are the same on each machine.
    if archs.is_empty() && makes_images && kernels.fallback.is_none() {
        archs.extend(of_variable(environment)?);
    }
    let options = Options { kernels, archs, output, makes_objects: false };
    let is_optional = kernels.optional || is_on(environment, "DOCS_RS") || is_on(environment, "KERNEL_ARGS_OPTIONAL");
    let extension = output.extension();
    let mut build = Build {
        kernels,
        extension,
        description: "debug.ptx",
        library: None,
        fallback: kernels.fallback.clone(),
        libraries: String::new(),
        made: makes_images.then_some(extension),
        is_optional,
        units: Vec::new(),
        files: Files::new(root, out, environment),
        root,
        out,
    };
    let mut directives = build.libraries(&options, environment)?;
    let has_kernels = !kernels.files.is_empty() || !kernels.patterns.is_empty() || kernels.libraries.is_empty();
    let (sources, folders) = if has_kernels {
        sources::find(root, &kernels.files, &kernels.patterns, &kernels.excluded)?
    } else {
        Default::default()
    };
    for source in sources {
        let unit = build.unit(source, options.clone())?;
        build.units.push(unit);
    }
    for of in kernels.constants.iter().filter_map(|(of, _)| of.as_ref()) {
        if !build.units.iter().any(|unit| sources::is_same(root, of, &unit.source.path)) {
            return Err(texts::no_source_of_constants(of));
        }
    }
    let needs_nvcc = makes_images && output == Output::Fatbin;
    if build.units.is_empty() {
        build.write(&[], None)?;
    } else {
        directives.add(build.run(&Search::of_system(environment, root, needs_nvcc))?);
    }
    directives.files.extend(folders);
    // Cargo watches the folders of headers in the package for new headers.
    directives.files.extend(kernels.includes.iter().filter(|folder| build.files.is_watchable(folder)).cloned());
    directives.variables.extend(environment.read());
    print!("{}", directives.text());
    Ok(())
}

impl<'a> Build<'a> {
    fn unit(&self, source: Source, mut options: Options<'a>) -> Result<Unit<'a>, String> {
        if self.made.is_none()
            && options.archs.is_empty()
            && let Ok(image) = fs::read(self.place(&source, self.extension))
        {
            options.archs.extend(target(&image));
        }
        let mut constants: Vec<Constant> = Vec::new();
        for (of, text) in &self.kernels.constants {
            let is_other = of.as_ref().is_some_and(|of| !sources::is_same(self.root, of, &source.path));
            if is_other || self.library.is_some() {
                continue;
            }
            let constant = Constant::parse(text)?;
            if let Some(other) = constants.iter().find(|other| other.name == constant.name) {
                let (one, other) = (&other.expression, &constant.expression);
                return Err(texts::same_constant(&constant.name, one, other));
            }
            constants.push(constant);
        }
        let [lines, lines_with_debug] = [Purpose::Image, Purpose::Description].map(|purpose| {
            let options = options.lines(purpose, self.root).into_iter();
            options.chain(constants.iter().map(Constant::line)).collect()
        });
        Ok(Unit { source, options, constants, lines, lines_with_debug })
    }

    fn run(&self, search: &Search<'_>) -> Result<Directives, String> {
        let fallback = self.fallback.as_deref();
        let update = fallback.is_some() && is_on(search.environment, "KERNEL_ARGS_BUILD_UPDATE");
        let mut directives = Directives::default();
        let found = search.run(self.kernels.compiler.as_deref());
        if self.made.is_none() && (found.is_ok() || !self.is_optional) {
            for Unit { source, .. } in &self.units {
                let image = self.place(source, self.extension);
                if !image.is_file() {
                    let name = source.path.display().to_string();
                    return Err(texts::no_image(&source.path, &image, &name));
                }
            }
        }
        let tried = found.as_ref().err().map(|tried| texts::tried(tried));
        let done = match (found, fallback) {
            (Ok(compiler), _) => {
                let done = self.compile(&compiler)?;
                if compiler.path.is_file() {
                    directives.files.insert(compiler.path);
                }
                if let Some(folder) = fallback {
                    directives.warnings.extend(self.compare(folder, &done, update)?);
                }
                done
            }
            (Err(tried), Some(folder)) if !update => {
                let done = self.take(folder, &tried)?;
                if !done.iter().all(|done| done.is_absent) {
                    directives.warnings.push(texts::took_fallback(folder));
                }
                done
            }
            (Err(_), None) if self.is_optional => self.units.iter().map(Done::unknown).collect(),
            (Err(tried), _) => return Err(texts::no_compiler(&tried, fallback.is_some())),
        };
        if self.made.is_none() {
            all(&self.stale(&done).collect::<Vec<_>>())?;
        }
        directives.warnings.extend(self.write(&done, tried.as_deref())?);
        if let Some(library) = self.library {
            self.finish(library, &done, search, tried.as_deref(), &mut directives)?;
        }
        let mut absent = Vec::new();
        for (Unit { source, .. }, done) in self.units.iter().zip(&done) {
            if done.is_absent {
                absent.push(texts::path(&source.path));
            }
            directives.files.extend(self.files.watched(&done.files, done.headers.as_ref()));
            directives.files.extend(fallback.into_iter().flat_map(|folder| self.committed_files(folder, source)));
        }
        if !absent.is_empty() {
            directives.is_absent = true;
            // A compiler that was installed since.
            directives.variables.insert("PATH");
            directives.warnings.push(texts::made_nothing(&absent));
        }
        Ok(directives)
    }

    /// Rejects images that are older than a header of the package: the crate that compiles them may check only the
    /// sources.
    ///
    /// An image that was described before with the same contents is right: crates that compare contents keep it.
    fn stale(&self, done: &[Done]) -> impl Iterator<Item = String> {
        let modified = |path: &Path| fs::metadata(path).and_then(|found| found.modified()).ok();
        let units = self.units.iter().zip(done);
        units.filter_map(move |(Unit { source, .. }, done)| {
            let image = self.place(source, self.extension);
            let earlier = Record::open(&self.place(source, "sources"));
            if earlier.is_some_and(|earlier| earlier.has_contents_of(&done.made.record, &image)) {
                return None;
            }
            let time = modified(&image)?;
            let headers = done.made.record.sources.keys().map(Path::new);
            let newer = headers
                .filter(|header| self.root.join(header) != self.root.join(&source.path))
                .find(|header| modified(&self.root.join(header)).is_some_and(|other| other > time))?;
            Some(texts::stale_image(&image, newer, &source.path))
        })
    }
}

/// Returns whether a variable is set, and not to 0.
fn is_on(environment: &Environment, name: &'static str) -> bool {
    environment.get(name).is_some_and(|value| value != "0")
}

/// Returns the GPU generation in the environment variable that other CUDA build crates use.
fn of_variable(environment: &Environment) -> Result<Option<Arch>, String> {
    const NAME: &str = "CUDA_COMPUTE_CAP";
    let Some(value) = environment.get(NAME) else {
        return Ok(None);
    };
    let value = value.to_string_lossy();
    Arch::parse(&value).map(Some).ok_or_else(|| texts::no_arch_in(&value, NAME))
}

/// Kernels may depend on the generation of the image. Only PTX contains it in text form.
fn target(image: &[u8]) -> Option<Arch> {
    let header = ptx::Header::read(image).ok()?;
    Arch::parse(header.target.text.split(',').next()?.trim())
}
