//! A build, from the settings to the output for cargo.
//!
//! | to change | open |
//! |---|---|
//! | a setting | its method in `kernels.rs`, then `options.rs` of the compiler, or `modules.rs` |
//! | what happens without a compiler | `fallback.rs` (committed images), `unit.rs` (no image) |

mod compile;
mod fallback;
mod files;
mod plan;
mod record;
mod unit;
mod write;

use crate::{
    compiler::{
        arch::Arch,
        find::{Places, Search, Tried},
        options::Options,
    },
    constants::Constant,
    directives::Directives,
    environment::Environment,
    error::Error,
    kernels::Kernels,
    output::Output,
    sources::{self, Source},
    texts,
};
use fallback::Fallback;
use files::Files;
use kernel_args_image::ptx;
use plan::{Build, What};
use record::Record;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};
use unit::{Done, Unit};

impl Kernels {
    /// Compiles the kernels and writes `kernels.rs`.
    ///
    /// # Errors
    /// If a source does not compile: the error contains the compiler's output for each of them. If no compiler is found: the
    /// error lists every place that was tried. If a setting or file is wrong: the error explains what to change.
    pub fn build(self) -> Result<(), Error> {
        run(&self, What::Everything, &Environment::of_process())
    }

    /// Describes the kernels of images that another crate compiles, such as `cudaforge` or `bindgen_cuda`, and writes `kernels.rs`.
    ///
    /// The images are in `OUT_DIR` under the names of their sources. Call this function after the call that compiles them, with
    /// the same sources, headers and defines. The GPU generation is read from the image if it is PTX:
    ///
    /// ```ignore
    /// let ptx = cudaforge::KernelBuilder::new().source_glob("src/**/*.cu").watch(["src/params.cuh"]).build_ptx()?;
    /// ptx.write(out_dir.join("ptx.rs"))?;
    /// kernel_args_build::Kernels::new().glob("src/**/*.cu").debug_info()?;
    /// ```
    ///
    /// # Errors
    /// The errors of [`build`](Self::build). Also an error if an image does not exist, or is older than a header of the package
    /// that its source includes: these crates check only the headers that their `watch` names.
    pub fn debug_info(self) -> Result<(), Error> {
        run(&self, What::Descriptions, &Environment::of_process())
    }
}

fn run(kernels: &Kernels, what: What, environment: &Environment) -> Result<(), Error> {
    kernels.built.store(true, Ordering::Relaxed);
    let folder = |name: &str| {
        let value = environment.get_untracked(name).map(PathBuf::from);
        value.ok_or_else(|| Error::new(texts::no_build_script(name)))
    };
    let (root, out) = (folder("CARGO_MANIFEST_DIR")?, folder("OUT_DIR")?);
    let (mut archs, output) = Options::targets(&kernels.archs, kernels.output)?;
    // Committed files are the same on each machine.
    if archs.is_empty() && what == What::Everything && kernels.fallback.is_none() {
        archs.extend(of_variable(environment)?);
    }
    let options = Options {
        includes: kernels.includes.clone(),
        defines: kernels.defines.clone(),
        std: kernels.std.clone(),
        flags: kernels.flags.clone(),
        archs,
        output,
    };
    let (sources, folders) = sources::find(&root, &kernels.files, &kernels.patterns, &kernels.excluded)?;
    let mut build = Build {
        kernels,
        what,
        is_optional: kernels.optional || is_on(environment, "DOCS_RS") || is_on(environment, "KERNEL_ARGS_OPTIONAL"),
        units: Vec::new(),
        extension: output.extension(),
        files: Files::new(&root, &out, environment),
        root: &root,
        out: &out,
    };
    for source in sources {
        let unit = build.unit(source, options.clone())?;
        build.units.push(unit);
    }
    build.require_sources_of_constants()?;
    let search = Search {
        environment,
        places: Places::of_system(environment),
        root: &root,
        needs_nvcc: what == What::Everything && output == Output::Fatbin,
    };
    let mut directives = build.run(&search)?;
    directives.files.extend(folders);
    directives.files.extend(build.header_folders());
    directives.variables.extend(environment.read());
    print!("{}", directives.text());
    Ok(())
}

impl Build<'_> {
    fn unit(&self, source: Source, mut options: Options) -> Result<Unit, Error> {
        if self.what == What::Descriptions
            && options.archs.is_empty()
            && let Ok(image) = fs::read(self.place(&source, self.extension))
        {
            options.archs.extend(target(&image));
        }
        let of_source = self.kernels.constants.iter().filter(|(of, _)| {
            let is_it = |of: &PathBuf| sources::is_same(self.root, of, &source.path);
            of.as_ref().is_none_or(is_it)
        });
        let constants = of_source.map(|(_, text)| Constant::parse(text));
        let constants = constants.collect::<Result<Vec<_>, _>>()?;
        for (at, constant) in constants.iter().enumerate() {
            if let Some(other) = constants[..at].iter().find(|other| other.name == constant.name) {
                let (one, other) = (&other.expression, &constant.expression);
                return Err(Error::new(texts::same_constant(&constant.name, one, other)));
            }
        }
        let (mut lines, mut lines_with_debug) = (options.lines(self.root), options.lines_with_debug(self.root));
        lines.extend(constants.iter().map(Constant::line));
        lines_with_debug.extend(constants.iter().map(Constant::line));
        Ok(Unit { source, options, constants, lines, lines_with_debug })
    }

    fn require_sources_of_constants(&self) -> Result<(), Error> {
        let mut named = self.kernels.constants.iter().filter_map(|(of, _)| of.as_ref());
        let missing = named.find(|of| {
            let mut units = self.units.iter();
            !units.any(|unit| sources::is_same(self.root, of, &unit.source.path))
        });
        missing.map_or(Ok(()), |of| Err(Error::new(texts::no_source_of_constants(of))))
    }

    fn require_images(&self) -> Result<(), Error> {
        for Unit { source, .. } in &self.units {
            let image = self.place(source, self.extension);
            if !image.is_file() {
                return Err(Error::new(texts::no_image(&source.path, &image)));
            }
        }
        Ok(())
    }

    /// The folders of headers in the package. Cargo watches them for new headers.
    fn header_folders(&self) -> impl Iterator<Item = PathBuf> {
        let folders = self.kernels.includes.iter();
        folders.filter(|folder| self.files.is_watchable(folder)).cloned()
    }

    fn run(&self, search: &Search<'_>) -> Result<Directives, Error> {
        let fallback =
            self.kernels.fallback.as_deref().map(|folder| Fallback { folder, root: self.root, extension: self.made() });
        let update = fallback.is_some() && is_on(search.environment, "KERNEL_ARGS_BUILD_UPDATE");
        let mut directives = Directives::default();
        let found = search.run(self.kernels.compiler.as_deref());
        if self.what == What::Descriptions && (found.is_ok() || !self.is_optional) {
            self.require_images()?;
        }
        let tried = found.as_ref().err().map(|tried| texts::tried(tried));
        let done = match (found, &fallback) {
            (Ok(compiler), _) => {
                let done = self.compile(&compiler)?;
                if compiler.path().is_file() {
                    directives.files.insert(compiler.path().to_owned());
                }
                if let Some(fallback) = &fallback {
                    directives.warnings.extend(self.compare(fallback, &done, update)?);
                }
                done
            }
            (Err(tried), Some(fallback)) if !update => {
                let done = self.take(fallback, &tried)?;
                if !done.iter().all(|done| done.is_absent) {
                    directives.warnings.push(texts::took_fallback(fallback.folder));
                }
                done
            }
            (Err(_), None) if self.is_optional => self.units.iter().map(Done::unknown).collect(),
            (Err(tried), _) => {
                return Err(Error::new(texts::no_compiler(&tried, fallback.is_some())));
            }
        };
        if self.what == What::Descriptions {
            Error::all(self.stale(&done).collect())?;
        }
        directives.warnings.extend(self.write(&done, tried.as_deref())?);
        let units = self.units.iter().zip(&done);
        let absent = units.filter(|(_, done)| done.is_absent);
        let absent: Vec<&Path> = absent.map(|(unit, _)| &*unit.source.path).collect();
        if !absent.is_empty() {
            directives.is_absent = true;
            directives.warnings.push(texts::made_nothing(&absent));
        }
        for (unit, done) in self.units.iter().zip(&done) {
            directives.files.extend(self.files.watched(&done.files, done.headers.as_ref()));
            let committed = fallback.iter().flat_map(|fallback| fallback.files(&unit.source));
            directives.files.extend(committed.filter(|path| self.root.join(path).is_file()));
        }
        Ok(directives)
    }

    /// Rejects images that are older than a header of the package. The crate that compiles them may check only the sources, and
    /// the description would then be of a newer struct than the image.
    ///
    /// Crates that compare contents keep an image if a header has a new time and the same content. So an image that was described
    /// before with the same contents is right.
    fn stale(&self, done: &[Done]) -> impl Iterator<Item = Error> {
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
            Some(Error::new(texts::stale_image(&image, newer, &source.path)))
        })
    }

    /// Writes the committed files, or warns if they are out of date. Also warns if a change of a header cannot be noticed.
    fn compare(&self, fallback: &Fallback<'_>, done: &[Done], update: bool) -> Result<Vec<String>, Error> {
        let mut warnings = Vec::new();
        for (Unit { source, lines, .. }, done) in self.units.iter().zip(done) {
            if update {
                fallback.update(source, &done.made)?;
                if !done.is_known {
                    warnings.push(texts::not_noticed(&source.path));
                }
            } else {
                warnings.extend(fallback.take(source, &self.files, lines, false).err());
            }
        }
        Ok(warnings)
    }

    fn take(&self, fallback: &Fallback<'_>, tried: &Tried) -> Result<Vec<Done>, Error> {
        let mut errors = Vec::new();
        let mut done = Vec::new();
        for unit in &self.units {
            let Unit { source, lines, .. } = unit;
            if self.is_optional && !fallback.has(source) {
                done.push(Done::unknown(unit));
                continue;
            }
            match fallback.take(source, &self.files, lines, self.is_optional) {
                Ok(made) => {
                    let is_absent = match self.made() {
                        Some(_) => made.image.is_none(),
                        None => !self.place(source, self.extension).is_file(),
                    };
                    let files = made.record.sources.keys().map(PathBuf::from).collect();
                    done.push(Done { is_known: !is_absent, is_absent, ..Done::new(made, files) });
                }
                Err(why) => errors.push(Error::new(why)),
            }
        }
        if !errors.is_empty() {
            errors.push(Error::new(texts::no_compiler(tried, true)));
        }
        Error::all(errors)?;
        Ok(done)
    }
}

/// Whether a variable is set, and not to 0.
fn is_on(environment: &Environment, name: &'static str) -> bool {
    environment.get(name).is_some_and(|value| value != "0")
}

/// The GPU generation in the environment variable that other CUDA build crates use.
fn of_variable(environment: &Environment) -> Result<Option<Arch>, Error> {
    const NAME: &str = "CUDA_COMPUTE_CAP";
    let Some(value) = environment.get(NAME) else {
        return Ok(None);
    };
    let value = value.to_string_lossy();
    match Arch::parse(&value) {
        Some(arch) => Ok(Some(arch)),
        None => Err(Error::new(texts::no_arch_in(&value, NAME))),
    }
}

/// The GPU generation of an image that another crate has compiled: kernels may depend on it. Only PTX contains it in text form.
fn target(image: &[u8]) -> Option<Arch> {
    let header = ptx::Header::read(image).ok()?;
    Arch::parse(header.target.text.split(',').next()?.trim())
}
