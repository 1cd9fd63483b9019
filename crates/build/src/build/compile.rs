//! Compiles the sources that changed.

use super::{
    plan::{Build, What},
    record::{Record, hash},
    unit::{Described, Done, Made, Unit},
};
use crate::{
    compiler::{
        Compiler,
        headers::Headers,
        job::{Compiled, Job, Purpose},
    },
    constants,
    error::Error,
    jobserver::Jobserver,
    parallel, texts,
};
use kernel_args_image::dwarf;
use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    thread,
    time::SystemTime,
};

/// A source before compilation: its headers, and the result of an earlier build if it is still valid.
struct Task<'u> {
    unit: &'u Unit,
    headers: Headers,
    /// Inputs other than files, if all of them are known.
    decided: Option<Vec<String>>,
    /// The result of an earlier build if it would be the same now, and the files it was made from.
    kept: Option<(Made, BTreeSet<PathBuf>)>,
    /// The description of an earlier build if only the image must be compiled.
    described: Option<Described>,
}

impl Build<'_> {
    /// Compiles each source. The error contains the compiler's output for every source that does not compile.
    pub(super) fn compile(&self, compiler: &Compiler) -> Result<Vec<Done>, Error> {
        // Recorded before the search for headers, to notice a header that changes after this point.
        let start = SystemTime::now();
        let units = self.units.iter();
        let tasks: Vec<Task<'_>> = units.map(|unit| self.task(unit, compiler)).collect();
        let missing = tasks.iter().enumerate().filter(|(_, task)| task.kept.is_none());
        let jobs = missing.flat_map(|(at, task)| self.jobs(task).map(move |job| ((at, job.purpose), job)));
        let (keys, jobs): (Vec<_>, Vec<Job<'_>>) = jobs.unzip();
        let (at_once, jobserver) = self.at_once();
        let results = parallel::map(at_once, &jobserver, &jobs, |job| compiler.compile(job));
        let mut results: HashMap<(usize, Purpose), _> = keys.into_iter().zip(results).collect();
        let mut errors = Vec::new();
        let mut done = Vec::new();
        for (at, task) in tasks.into_iter().enumerate() {
            let (unit, headers) = (task.unit, task.headers);
            if let Some((made, files)) = task.kept {
                done.push(Done { headers: Some(headers), ..Done::new(made, files) });
                continue;
            }
            let source = &unit.source.path;
            let mut result = |purpose| results.remove(&(at, purpose));
            let image = result(Purpose::Image).transpose();
            let described = match task.described {
                Some(described) => Ok(described),
                None => result(Purpose::Description)
                    .unwrap_or_else(|| Err(String::new()))
                    .map(described)
                    .map_err(|said| texts::not_with_debug(source, compiler, &said))
                    .and_then(|described| with_constants(described, result(Purpose::Constants), unit, compiler)),
            };
            match (image, described) {
                (Ok(image), Ok(mut described)) => {
                    if !compiler.reports_files() {
                        described.files.clone_from(&headers.files);
                    }
                    let describe = |record: Record, lines: &[String], files: &_| {
                        let mut record = record;
                        self.files.describe(&mut record, lines, files, compiler.path());
                        record.state = task.decided.clone().unwrap_or_default();
                        if self.files.any_since(files, start) {
                            // The compiler may have read a different text than this build did. This entry matches no compiler,
                            // so the record is never reused.
                            let path = compiler.path().to_string_lossy().into_owned();
                            record.outside.insert(path, "changed".into());
                        }
                        record
                    };
                    let Described { text: description, mut files, mut warnings } = described;
                    let record = Record { description: hash(&description), ..Record::default() };
                    let of_description = Record { warnings: warnings.clone(), ..record.clone() };
                    let of_description = describe(of_description, &unit.lines_with_debug, &files);
                    let image = image.map(|image| {
                        files.extend(image.files);
                        // The debug build has its own warnings. The warnings of the program's image are reported.
                        warnings = lines(&image.messages);
                        image.bytes
                    });
                    if self.what == What::Descriptions {
                        files.insert(self.place(&unit.source, self.extension));
                    }
                    let record = Record { image: image.as_deref().map(hash), warnings, ..record };
                    let record = describe(record, &unit.lines, &files);
                    done.push(Done {
                        described: Some(of_description),
                        headers: Some(headers),
                        is_known: task.decided.is_some(),
                        ..Done::new(Made { image, description, record }, files)
                    });
                }
                // An error without debug information also occurs with it.
                (Err(said), _) => {
                    let archs = unit.options.archs.iter();
                    let archs: Vec<String> = archs.map(|arch| arch.target.compute()).collect();
                    errors.push(texts::does_not_compile(source, compiler, &archs, &said));
                }
                (Ok(_), Err(error)) => errors.push(error),
            }
        }
        Error::all(errors.into_iter().map(Error::new).collect())?;
        Ok(done)
    }

    fn task<'u>(&self, unit: &'u Unit, compiler: &Compiler) -> Task<'u> {
        let headers = compiler.headers(self.root, &unit.source.path, &unit.options);
        let decided = self.files.decided(&headers, compiler);
        let kept = decided.as_deref().and_then(|decided| self.kept(unit, decided, compiler));
        let described = decided
            .as_deref()
            .filter(|_| kept.is_none())
            .and_then(|decided| self.kept_description(unit, decided, compiler));
        Task { unit, headers, decided, kept, described }
    }

    fn jobs<'u>(&'u self, task: &Task<'u>) -> impl Iterator<Item = Job<'u>> {
        let unit = task.unit;
        let image = (self.what == What::Everything).then_some(Purpose::Image);
        let description = task.described.is_none().then_some(Purpose::Description);
        let constants = description.filter(|_| !unit.constants.is_empty()).map(|_| Purpose::Constants);
        let purposes = image.into_iter().chain(description).chain(constants);
        purposes.map(|purpose| Job {
            source: &unit.source,
            options: &unit.options,
            purpose,
            appended: (purpose == Purpose::Constants).then(|| constants::source(&unit.constants)),
            root: self.root,
            scratch: self.out,
        })
    }

    /// The number of concurrent compilations: the build script's setting, otherwise cargo's jobs, which it shares with all its
    /// processes.
    fn at_once(&self) -> (usize, Jobserver) {
        if let Some(jobs) = self.kernels.jobs {
            return (jobs.max(1), Jobserver::default());
        }
        let cargo = std::env::var("NUM_JOBS").ok();
        let jobs = cargo.and_then(|jobs| jobs.parse().ok());
        let jobs = jobs.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
        (jobs.max(1), Jobserver::of_process())
    }

    fn kept(&self, unit: &Unit, decided: &[String], compiler: &Compiler) -> Option<(Made, BTreeSet<PathBuf>)> {
        let record = Record::open(&self.place(&unit.source, "sources"))?;
        let path = compiler.path();
        if !self.files.is_fresh(&record, &unit.lines, decided, path) {
            return None;
        }
        let read = |extension: &str| super::files::read(&self.place(&unit.source, extension));
        let description = read("debug.ptx")?;
        let image = match self.made() {
            Some(extension) => Some(read(extension)?),
            None => None,
        };
        let is_same = hash(&description) == record.description && image.as_deref().map(hash) == record.image;
        let files = inputs(&record, path);
        let made = Made { image, description, record };
        is_same.then_some((made, files))
    }

    fn kept_description(&self, unit: &Unit, decided: &[String], compiler: &Compiler) -> Option<Described> {
        let record = Record::open(&self.place(&unit.source, "debug.sources"))?;
        let (path, lines) = (compiler.path(), &unit.lines_with_debug);
        if !self.files.is_fresh(&record, lines, decided, path) {
            return None;
        }
        let text = super::files::read(&self.place(&unit.source, "debug.ptx"))?;
        (hash(&text) == record.description).then(|| Described {
            text,
            files: inputs(&record, path),
            warnings: record.warnings,
        })
    }
}

/// The files of a record, without the compiler.
fn inputs(record: &Record, compiler: &Path) -> BTreeSet<PathBuf> {
    let files = record.sources.keys().chain(record.outside.keys());
    let files = files.map(PathBuf::from);
    files.filter(|file| file != compiler).collect()
}

fn described(compiled: Compiled) -> Described {
    Described {
        text: match dwarf::reduce(&compiled.bytes) {
            Ok(text) => text.into_bytes(),
            // The full debug image is longer, but equivalent.
            Err(_) => compiled.bytes,
        },
        files: compiled.files,
        warnings: lines(&compiled.messages),
    }
}

fn with_constants(
    mut described: Described,
    result: Option<Result<Compiled, String>>,
    unit: &Unit,
    compiler: &Compiler,
) -> Result<Described, String> {
    let source = &unit.source.path;
    if let Some(result) = result {
        let names = || constants::expressions(&unit.constants);
        let ptx = result.map_err(|said| texts::not_constant(source, &names(), compiler, &said))?;
        let lines = constants::lines(&ptx.bytes, &unit.constants);
        let lines = lines.ok_or_else(|| texts::constants_missing(source, compiler))?;
        described.text.extend_from_slice(lines.as_bytes());
    }
    Ok(described)
}

fn lines(messages: &str) -> Vec<String> {
    messages.lines().map(str::to_owned).collect()
}
