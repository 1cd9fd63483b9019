//! A build, from the settings to `kernels.rs`.

use crate::{
    Error, Kernels,
    cache::{Files, write},
    compiler::{Compiled, Compiler, Dependencies, Job, Purpose},
    directives::Directives,
    environment::Environment,
    fallback::{Fallback, Made},
    find::{Places, Search, Tried},
    modules::{self, Style},
    options::Options,
    parallel,
    record::{Record, hash},
    sources::{self, Source},
    texts,
};
use kernel_args_abi::{dwarf, image::Image};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
    time::SystemTime,
};

/// What is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Everything,
    /// Another crate makes the images.
    Descriptions,
}

/// Builds, and tells cargo.
pub(crate) fn run(kernels: &Kernels, what: What, environment: &Environment) -> Result<(), Error> {
    let places = Places::of_system(environment);
    let directives = build(kernels, what, environment, places)?;
    print!("{}", directives.text());
    Ok(())
}

/// Builds; what cargo is to be told.
pub(crate) fn build(
    kernels: &Kernels,
    what: What,
    environment: &Environment,
    places: Places,
) -> Result<Directives, Error> {
    let folder = |name: &str| {
        let value = environment.get_untracked(name).map(PathBuf::from);
        value.ok_or_else(|| Error::new(texts::no_build_script(name)))
    };
    let (root, out) = (folder("CARGO_MANIFEST_DIR")?, folder("OUT_DIR")?);
    let (archs, output) = Options::targets(&kernels.archs, kernels.output)?;
    let options = Options {
        includes: kernels.includes.clone(),
        defines: kernels.defines.clone(),
        std: kernels.std.clone(),
        flags: kernels.flags.clone(),
        archs,
        output,
    };
    let (sources, folders) = sources::find(&root, &kernels.files, &kernels.patterns)?;
    let build = Build {
        kernels,
        what,
        lines: options.lines(&root),
        files: Files::new(&root, &out),
        options,
        sources,
        root: &root,
        out: &out,
    };
    let search = Search {
        environment,
        places,
        root: &root,
        needs_nvcc: what == What::Everything && output == crate::Output::Fatbin,
    };
    let mut directives = build.run(&search)?;
    directives.files.extend(folders);
    directives.variables.extend(environment.asked());
    Ok(directives)
}

struct Build<'a> {
    kernels: &'a Kernels,
    what: What,
    options: Options,
    /// The options as a record has them.
    lines: Vec<String>,
    sources: Vec<Source>,
    files: Files<'a>,
    root: &'a Path,
    out: &'a Path,
}

/// What became of a source.
struct Done {
    made: Made,
    dependencies: Dependencies,
}

impl Build<'_> {
    fn run(&self, search: &Search<'_>) -> Result<Directives, Error> {
        let fallback = self.kernels.fallback.as_deref().map(|folder| Fallback {
            folder,
            root: self.root,
            extension: self.extension(),
        });
        let update = fallback.is_some()
            && search
                .environment
                .get("KERNEL_ARGS_BUILD_UPDATE")
                .is_some_and(|value| value != "0");
        let mut directives = Directives::default();
        let compiler = search.run(self.kernels.compiler.as_deref());
        let done = match (&compiler, &fallback) {
            (Ok(compiler), _) => self.compile(compiler)?,
            (Err(tried), Some(fallback)) if !update => {
                directives
                    .warnings
                    .push(texts::took_fallback(fallback.folder));
                self.take(fallback, tried)?
            }
            (Err(tried), _) => {
                return Err(Error::new(texts::no_compiler(tried, fallback.is_some())));
            }
        };
        if let (Some(fallback), Ok(_)) = (&fallback, &compiler) {
            for (source, done) in self.sources.iter().zip(&done) {
                if update {
                    fallback.update(source, &done.made)?;
                } else if let Err(why) = fallback.take(source, &self.files, &self.lines) {
                    directives.warnings.push(why);
                }
            }
        }
        self.write(&done, &mut directives)?;
        if let Ok(compiler) = &compiler
            && compiler.path().is_file()
        {
            directives.files.insert(compiler.path().to_owned());
        }
        for (source, done) in self.sources.iter().zip(&done) {
            directives
                .files
                .extend(self.files.watched(&done.dependencies).cloned());
            let committed = fallback.iter().flat_map(|fallback| fallback.files(source));
            directives
                .files
                .extend(committed.filter(|path| self.root.join(path).is_file()));
        }
        Ok(directives)
    }

    /// Of the images; `None` where another crate makes them.
    fn extension(&self) -> Option<&'static str> {
        (self.what == What::Everything).then(|| self.options.output.extension())
    }

    fn place(&self, source: &Source, extension: &str) -> PathBuf {
        self.out.join(format!("{}.{extension}", source.name))
    }

    /// Compiles what is not there yet.
    fn compile(&self, compiler: &Compiler) -> Result<Vec<Done>, Error> {
        let kept: Vec<Option<Done>> = self
            .sources
            .iter()
            .map(|source| self.kept(source, compiler))
            .collect();
        let purposes: &[Purpose] = match self.what {
            What::Everything => &[Purpose::Image, Purpose::Description],
            What::Descriptions => &[Purpose::Description],
        };
        let missing = self
            .sources
            .iter()
            .zip(&kept)
            .filter(|(_, kept)| kept.is_none());
        let jobs: Vec<Job<'_>> = missing
            .flat_map(|(source, _)| {
                purposes.iter().map(move |purpose| Job {
                    source,
                    options: &self.options,
                    purpose: *purpose,
                    root: self.root,
                    scratch: self.out,
                })
            })
            .collect();
        let start = SystemTime::now();
        let mut results =
            parallel::map(self.jobs(), &jobs, |job| compiler.compile(job)).into_iter();
        let mut errors = Vec::new();
        let mut done = Vec::new();
        for (source, kept) in self.sources.iter().zip(kept) {
            if let Some(kept) = kept {
                done.push(kept);
                continue;
            }
            let image = match self.what {
                What::Everything => results.next().transpose(),
                What::Descriptions => Ok(None),
            };
            let described = results.next().unwrap_or_else(|| Err(String::new()));
            match (image, described) {
                (Ok(image), Ok(described)) => {
                    done.push(self.done(image, described, compiler, start));
                }
                // What is wrong without debug information is wrong with it.
                (Err(said), _) => errors.push(Error::new(texts::does_not_compile(
                    &source.path,
                    compiler,
                    &said,
                ))),
                (Ok(_), Err(said)) => {
                    errors.push(Error::new(texts::not_with_debug(
                        &source.path,
                        compiler,
                        &said,
                    )));
                }
            }
        }
        Error::all(errors)?;
        Ok(done)
    }

    fn jobs(&self) -> usize {
        let cargo = std::env::var("NUM_JOBS")
            .ok()
            .and_then(|jobs| jobs.parse().ok());
        let jobs = self.kernels.jobs.or(cargo);
        jobs.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from))
            .max(1)
    }

    /// What was made before, if it would be the same now.
    fn kept(&self, source: &Source, compiler: &Compiler) -> Option<Done> {
        let record = Record::open(&self.place(source, "sources"))?;
        if !self.files.is_fresh(&record, &self.lines, compiler.path()) {
            return None;
        }
        let description = fs::read(self.place(source, "debug.ptx")).ok()?;
        let image = match self.extension() {
            Some(extension) => Some(fs::read(self.place(source, extension)).ok()?),
            None => None,
        };
        let is_same =
            hash(&description) == record.description && image.as_deref().map(hash) == record.image;
        let paths = record
            .sources
            .keys()
            .chain(record.outside.keys())
            .map(PathBuf::from);
        let dependencies = Dependencies {
            files: paths.filter(|path| path != compiler.path()).collect(),
            folders: BTreeSet::new(),
        };
        let made = Made {
            image,
            description,
            record,
        };
        is_same.then_some(Done { made, dependencies })
    }

    /// What the compiler wrote, and what it was made from.
    fn done(
        &self,
        image: Option<Compiled>,
        described: Compiled,
        compiler: &Compiler,
        start: SystemTime,
    ) -> Done {
        let mut dependencies = described.dependencies;
        let mut warnings = described.messages;
        if let Some(image) = &image {
            dependencies
                .files
                .extend(image.dependencies.files.iter().cloned());
            dependencies
                .folders
                .extend(image.dependencies.folders.iter().cloned());
            // A debug build has its own; those of the program count.
            warnings.clone_from(&image.messages);
        }
        let description = match dwarf::description(&described.bytes) {
            Ok(text) => text.into_bytes(),
            // Longer, and as good.
            Err(_) => described.bytes,
        };
        let image = image.map(|image| image.bytes);
        let mut record = Record {
            options: self.lines.clone(),
            image: image.as_deref().map(hash),
            description: hash(&description),
            warnings: warnings.lines().map(str::to_owned).collect(),
            ..Record::default()
        };
        self.files
            .describe(&mut record, &dependencies, compiler.path());
        if self.files.any_since(&dependencies, start) {
            // Perhaps another text was compiled than was read now. No time is this one.
            record.outside.insert(
                compiler.path().to_string_lossy().into_owned(),
                "changed".into(),
            );
        }
        Done {
            made: Made {
                image,
                description,
                record,
            },
            dependencies,
        }
    }

    /// What was committed.
    fn take(&self, fallback: &Fallback<'_>, tried: &Tried) -> Result<Vec<Done>, Error> {
        let mut errors = Vec::new();
        let mut done = Vec::new();
        for source in &self.sources {
            match fallback.take(source, &self.files, &self.lines) {
                Ok(made) => {
                    let mut dependencies = Dependencies::default();
                    dependencies
                        .files
                        .extend(made.record.sources.keys().map(PathBuf::from));
                    done.push(Done { made, dependencies });
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

    /// Writes the files of all sources, and `kernels.rs`.
    fn write(&self, done: &[Done], directives: &mut Directives) -> Result<(), Error> {
        let style = Style {
            extension: self.options.output.extension(),
            generate: self.kernels.generate,
            krate: self.kernels.krate.as_deref(),
        };
        let rust = self
            .out
            .join(self.kernels.rust_file.as_deref().unwrap_or("kernels.rs"));
        claim(
            &rust,
            self.sources
                .iter()
                .map(|source| self.place(source, "sources")),
        )?;
        let mut with_kernels = Vec::new();
        for (source, Done { made, dependencies }) in self.sources.iter().zip(done) {
            let image = self.place(source, style.extension);
            match &made.image {
                Some(bytes) => write(&image, bytes)?,
                None if !image.is_file() => {
                    return Err(Error::new(texts::no_image(&source.path, &image)));
                }
                None => {}
            }
            write(&self.place(source, "debug.ptx"), &made.description)?;
            let record = self.place(source, "sources");
            if dependencies.folders.is_empty() {
                write(&record, made.record.write().as_bytes())?;
            } else {
                // Not all headers are known: it is compiled each time.
                let _ = fs::remove_file(record);
            }
            if !made.record.warnings.is_empty() {
                directives.warnings.push(made.record.warnings.join("\n"));
            }
            if has_kernels(&made.description) {
                with_kernels.push(source);
            } else {
                directives.warnings.push(texts::no_kernels(&source.path));
            }
        }
        self.remove_stale(&rust)?;
        write(&rust, modules::write(with_kernels, &style).as_bytes())
    }

    /// Removes what an earlier build wrote of sources that are no more.
    fn remove_stale(&self, rust: &Path) -> Result<(), Error> {
        // The names of all that `rust` names, one on each line.
        let list = rust.with_extension("list");
        let names: BTreeSet<&str> = self
            .sources
            .iter()
            .map(|source| source.name.as_str())
            .collect();
        let earlier = fs::read_to_string(&list).unwrap_or_default();
        for name in earlier.lines().filter(|name| !names.contains(name)) {
            let images: &[&str] = match self.what {
                What::Everything => &["ptx", "cubin", "fatbin"],
                What::Descriptions => &[],
            };
            for extension in images.iter().chain(&["debug.ptx", "sources"]) {
                // It is there if that output was made.
                let _ = fs::remove_file(self.out.join(format!("{name}.{extension}")));
            }
        }
        let text: String = names.iter().flat_map(|name| [name, "\n"]).collect();
        write(&list, text.as_bytes())
    }
}

fn has_kernels(description: &[u8]) -> bool {
    let kernels = Image::read(description).and_then(|image| image.kernels());
    // What cannot be read is told by `kernels!`, with its place.
    kernels.map_or(true, |kernels| kernels.symbols().next().is_some())
}

/// Two sets of kernels of one build script do not write the same files.
fn claim(rust: &Path, records: impl Iterator<Item = PathBuf>) -> Result<(), Error> {
    static CLAIMED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if cfg!(test) {
        return Ok(());
    }
    let mut claimed = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in std::iter::once(rust.to_owned()).chain(records) {
        if claimed.contains(&path) {
            return Err(Error::new(texts::written_twice(&path)));
        }
        claimed.insert(path);
    }
    Ok(())
}
