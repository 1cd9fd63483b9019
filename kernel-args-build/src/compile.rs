//! Compiling what is not there yet.

use crate::{
    Error,
    compiler::{Compiled, Compiler, Dependencies, Job, Purpose},
    fallback::Made,
    jobserver::Jobserver,
    parallel,
    record::{Record, hash},
    run::{Build, Done, Unit, What},
    texts,
};
use kernel_args_image::dwarf;
use std::{collections::BTreeSet, fs, path::PathBuf, thread, time::SystemTime};

impl Build<'_> {
    /// What each source is compiled to, or what the compiler says of those that do not compile.
    pub(crate) fn compile(&self, compiler: &Compiler) -> Result<Vec<Done>, Error> {
        let kept = self.units.iter().map(|unit| self.kept(unit, compiler));
        let kept: Vec<Option<Done>> = kept.collect();
        let missing = self
            .units
            .iter()
            .zip(&kept)
            .filter(|(_, kept)| kept.is_none());
        let jobs: Vec<Job<'_>> = missing.flat_map(|(unit, _)| self.jobs(unit)).collect();
        let start = SystemTime::now();
        let (at_once, jobserver) = self.at_once();
        let results = parallel::map(at_once, &jobserver, &jobs, |job| compiler.compile(job));
        let mut results = results.into_iter();
        let mut errors = Vec::new();
        let mut done = Vec::new();
        for (unit, kept) in self.units.iter().zip(kept) {
            if let Some(kept) = kept {
                done.push(kept);
                continue;
            }
            let source = &unit.source.path;
            let image = match self.what {
                What::Everything => results.next().transpose(),
                What::Descriptions => Ok(None),
            };
            let described = results.next().unwrap_or_else(|| Err(String::new()));
            match (image, described) {
                (Ok(image), Ok(described)) => {
                    let (mut made, dependencies) = joined(image, described);
                    self.files
                        .describe(&mut made.record, unit, &dependencies, compiler.path());
                    if self.files.any_since(&dependencies, start) {
                        // Perhaps another text was compiled than was read now: no compiler has this state.
                        let path = compiler.path().to_string_lossy().into_owned();
                        made.record.outside.insert(path, "changed".into());
                    }
                    done.push(Done { made, dependencies });
                }
                // What is wrong without debug information is wrong with it.
                (Err(said), _) => {
                    let archs = &unit.options.archs;
                    errors.push(texts::does_not_compile(source, compiler, archs, &said));
                }
                (Ok(_), Err(said)) => errors.push(texts::not_with_debug(source, compiler, &said)),
            }
        }
        Error::all(errors.into_iter().map(Error::new).collect())?;
        Ok(done)
    }

    fn jobs<'u>(&'u self, unit: &'u Unit) -> impl Iterator<Item = Job<'u>> {
        let purposes: &[Purpose] = match self.what {
            What::Everything => &[Purpose::Image, Purpose::Description],
            What::Descriptions => &[Purpose::Description],
        };
        purposes.iter().map(|purpose| Job {
            source: &unit.source,
            options: &unit.options,
            purpose: *purpose,
            root: self.root,
            scratch: self.out,
        })
    }

    /// How many compilations run at once: as many as the script says, else cargo's jobs, which it shares with all that it runs.
    fn at_once(&self) -> (usize, Jobserver) {
        if let Some(jobs) = self.kernels.jobs {
            return (jobs.max(1), Jobserver::default());
        }
        let cargo = std::env::var("NUM_JOBS").ok();
        let jobs = cargo.and_then(|jobs| jobs.parse().ok());
        let jobs = jobs.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
        (jobs.max(1), Jobserver::of_process())
    }

    /// What was made before, if it would be the same now.
    fn kept(&self, unit: &Unit, compiler: &Compiler) -> Option<Done> {
        let record = Record::open(&self.place(&unit.source, "sources"))?;
        if !self.files.is_fresh(&record, unit, compiler.path()) {
            return None;
        }
        let read = |extension: &str| fs::read(self.place(&unit.source, extension)).ok();
        let description = read("debug.ptx")?;
        let image = match self.made() {
            Some(extension) => Some(read(extension)?),
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
}

/// An image and its description together.
fn joined(image: Option<Compiled>, described: Compiled) -> (Made, Dependencies) {
    let mut dependencies = described.dependencies;
    let mut warnings = described.messages;
    let image = image.map(|image| {
        dependencies.files.extend(image.dependencies.files);
        dependencies.folders.extend(image.dependencies.folders);
        // A debug build has its own; those of the program count.
        warnings = image.messages;
        image.bytes
    });
    let description = match dwarf::description(&described.bytes) {
        Ok(text) => text.into_bytes(),
        // Longer, and as good.
        Err(_) => described.bytes,
    };
    let record = Record {
        image: image.as_deref().map(hash),
        description: hash(&description),
        warnings: warnings.lines().map(str::to_owned).collect(),
        ..Record::default()
    };
    (
        Made {
            image,
            description,
            record,
        },
        dependencies,
    )
}
