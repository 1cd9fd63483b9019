//! Compiles the sources that changed.

use super::{
    plan::{Build, What},
    record::{Record, hash},
    unit::{Done, Made, Unit},
};
use crate::{
    compiler::{
        Compiler,
        headers::Headers,
        job::{Compiled, Job, Purpose},
    },
    error::Error,
    jobserver::Jobserver,
    parallel, texts,
};
use kernel_args_image::dwarf;
use std::{collections::BTreeSet, path::PathBuf, thread, time::SystemTime};

/// A source before compilation: its headers, and the result of an earlier build if it is still valid.
struct Task<'u> {
    unit: &'u Unit,
    headers: Headers,
    /// Inputs other than files, if all of them are known.
    decided: Option<Vec<String>>,
    /// The result of an earlier build if it would be the same now, and the files it was made from.
    kept: Option<(Made, BTreeSet<PathBuf>)>,
}

impl Build<'_> {
    /// Compiles each source. The error contains the compiler's output for every source that does not compile.
    pub(super) fn compile(&self, compiler: &Compiler) -> Result<Vec<Done>, Error> {
        // Recorded before the search for headers, to notice a header that changes after this point.
        let start = SystemTime::now();
        let units = self.units.iter();
        let tasks: Vec<Task<'_>> = units.map(|unit| self.task(unit, compiler)).collect();
        let missing = tasks.iter().filter(|task| task.kept.is_none());
        let jobs: Vec<Job<'_>> = missing.flat_map(|task| self.jobs(task.unit)).collect();
        let (at_once, jobserver) = self.at_once();
        let results = parallel::map(at_once, &jobserver, &jobs, |job| compiler.compile(job));
        let mut results = results.into_iter();
        let mut errors = Vec::new();
        let mut done = Vec::new();
        for task in tasks {
            let (unit, headers) = (task.unit, task.headers);
            if let Some((made, files)) = task.kept {
                done.push(Done {
                    made,
                    files,
                    headers: Some(headers),
                    is_known: true,
                    is_absent: false,
                });
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
                    let (mut made, mut files) = joined(image, described);
                    if !compiler.reports_files() {
                        files.clone_from(&headers.files);
                    }
                    if self.what == What::Descriptions {
                        files.insert(self.place(&unit.source, self.extension));
                    }
                    let record = &mut made.record;
                    self.files.describe(record, unit, &files, compiler.path());
                    if self.files.any_since(&files, start) {
                        // The compiler may have read a different text than this build did. This entry matches no compiler, so
                        // the record is never reused.
                        let path = compiler.path().to_string_lossy().into_owned();
                        record.outside.insert(path, "changed".into());
                    }
                    let is_known = task.decided.is_some();
                    record.state = task.decided.unwrap_or_default();
                    done.push(Done {
                        made,
                        files,
                        headers: Some(headers),
                        is_known,
                        is_absent: false,
                    });
                }
                // An error without debug information also occurs with it.
                (Err(said), _) => {
                    let archs = unit.options.archs.iter();
                    let archs: Vec<String> = archs.map(|arch| arch.target.compute()).collect();
                    errors.push(texts::does_not_compile(source, compiler, &archs, &said));
                }
                (Ok(_), Err(said)) => errors.push(texts::not_with_debug(source, compiler, &said)),
            }
        }
        Error::all(errors.into_iter().map(Error::new).collect())?;
        Ok(done)
    }

    fn task<'u>(&self, unit: &'u Unit, compiler: &Compiler) -> Task<'u> {
        let headers = compiler.headers(self.root, &unit.source.path, &unit.options);
        let decided = self.files.decided(&headers, compiler);
        let kept = decided
            .as_deref()
            .and_then(|decided| self.kept(unit, decided, compiler));
        Task {
            unit,
            headers,
            decided,
            kept,
        }
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

    /// The result of an earlier build if it would be the same now, and the files it was made from.
    fn kept(
        &self,
        unit: &Unit,
        decided: &[String],
        compiler: &Compiler,
    ) -> Option<(Made, BTreeSet<PathBuf>)> {
        let record = Record::open(&self.place(&unit.source, "sources"))?;
        let path = compiler.path();
        if !self.files.is_fresh(&record, unit, decided, path) {
            return None;
        }
        let read = |extension: &str| super::files::read(&self.place(&unit.source, extension));
        let description = read("debug.ptx")?;
        let image = match self.made() {
            Some(extension) => Some(read(extension)?),
            None => None,
        };
        let is_same =
            hash(&description) == record.description && image.as_deref().map(hash) == record.image;
        let files = record.sources.keys().chain(record.outside.keys());
        let files = files
            .map(PathBuf::from)
            .filter(|file| file != path)
            .collect();
        let made = Made {
            image,
            description,
            record,
        };
        is_same.then_some((made, files))
    }
}

/// Joins an image, its description, and the files that the compiler reports.
fn joined(image: Option<Compiled>, described: Compiled) -> (Made, BTreeSet<PathBuf>) {
    let mut files = described.files;
    let mut warnings = described.messages;
    let image = image.map(|image| {
        files.extend(image.files);
        // The debug build has its own warnings. The warnings of the program's image are reported.
        warnings = image.messages;
        image.bytes
    });
    let description = match dwarf::reduce(&described.bytes) {
        Ok(text) => text.into_bytes(),
        // The full debug image is longer, but equivalent.
        Err(_) => described.bytes,
    };
    let record = Record {
        image: image.as_deref().map(hash),
        description: hash(&description),
        warnings: warnings.lines().map(str::to_owned).collect(),
        ..Record::default()
    };
    let made = Made {
        image,
        description,
        record,
    };
    (made, files)
}
