//! Compiles the sources that changed.

use super::{
    files::read,
    plan::{Build, Described, Done, Made, Unit},
    record::{Record, hash},
};
use crate::{
    compiler::{
        Compiler,
        headers::Headers,
        options::{Compiled, Job, Purpose},
    },
    constants,
    error::all,
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

/// A source before compilation.
struct Task<'u> {
    unit: &'u Unit<'u>,
    headers: Headers,
    /// Inputs other than files, if all of them are known.
    decided: Option<Vec<String>>,
    /// What an earlier build made, and from which files, if it would be the same now.
    kept: Option<(Made, BTreeSet<PathBuf>)>,
    /// The description of an earlier build if only the image must be compiled.
    described: Option<Described>,
}

impl Build<'_> {
    /// The error contains the compiler's output for every source that does not compile.
    pub(super) fn compile(&self, compiler: &Compiler) -> Result<Vec<Done>, String> {
        // Recorded before the search for headers, to notice a header that changes after this point.
        let start = SystemTime::now();
        let tasks: Vec<Task<'_>> = self.units.iter().map(|unit| self.task(unit, compiler)).collect();
        let missing = tasks.iter().enumerate().filter(|(_, task)| task.kept.is_none());
        let jobs: Vec<_> = missing.flat_map(|(at, task)| self.jobs(task).map(move |job| (at, job))).collect();
        let (at_once, jobserver) = self.at_once();
        let compile = |(at, job): &(usize, Job<'_>)| ((*at, job.purpose), compiler.compile(job));
        let mut results: HashMap<_, _> = parallel::map(at_once, &jobserver, &jobs, compile).into_iter().collect();
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
                None => described(unit, compiler, result(Purpose::Description), result(Purpose::Constants)),
            };
            match (image, described) {
                (Ok(image), Ok(mut described)) => {
                    if !compiler.reports_files() {
                        described.files.clone_from(&headers.files);
                    }
                    let describe = |mut record: Record, lines: &[String], files: &_| {
                        self.files.describe(&mut record, lines, files, &compiler.path);
                        record.state = task.decided.clone().unwrap_or_default();
                        if self.files.any_since(files, start) {
                            // The compiler may have read a different text than this build did: this entry matches no
                            // compiler.
                            let path = compiler.path.to_string_lossy().into_owned();
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
                    if self.made.is_none() {
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
                    let archs: Vec<_> = unit.options.archs.iter().map(|arch| arch.target.compute()).collect();
                    errors.push(texts::does_not_compile(source, compiler, &archs, &said));
                }
                (Ok(_), Err(error)) => errors.push(error),
            }
        }
        all(&errors)?;
        Ok(done)
    }

    fn task<'u>(&self, unit: &'u Unit<'u>, compiler: &Compiler) -> Task<'u> {
        let (source, path) = (&unit.source, &compiler.path);
        let headers = Headers::of(self.root, &source.path, &unit.options, compiler);
        let decided = self.files.decided(&headers, compiler);
        // The description of an earlier build with its record, if both would be the same now.
        let earlier = |record: &str, lines: &[String]| {
            let record = Record::open(&self.place(source, record))?;
            let is_fresh = self.files.is_fresh(&record, lines, decided.as_deref()?, path);
            let text = read(&self.place(source, self.description))
                .filter(|text| is_fresh && hash(text) == record.description)?;
            let inputs = record.sources.keys().chain(record.outside.keys()).map(PathBuf::from);
            let files: BTreeSet<PathBuf> = inputs.filter(|file| file != path).collect();
            Some((record, text, files))
        };
        let kept = earlier("sources", &unit.lines).and_then(|(record, description, files)| {
            let image = match self.made {
                Some(extension) => Some(read(&self.place(source, extension))?),
                None => None,
            };
            let is_same = image.as_deref().map(hash) == record.image;
            is_same.then_some((Made { image, description, record }, files))
        });
        let described = if kept.is_none() { earlier("debug.sources", &unit.lines_with_debug) } else { None };
        let described = described.map(|(record, text, files)| Described { text, files, warnings: record.warnings });
        Task { unit, headers, decided, kept, described }
    }

    fn jobs<'u>(&'u self, task: &Task<'u>) -> impl Iterator<Item = Job<'u>> {
        let unit = task.unit;
        let image = self.made.map(|_| Purpose::Image);
        let description = task.described.is_none().then_some(Purpose::Description);
        let constants = description.filter(|_| !unit.constants.is_empty()).map(|_| Purpose::Constants);
        [image, description, constants].into_iter().flatten().map(|purpose| Job {
            source: &unit.source,
            options: &unit.options,
            purpose,
            appended: (purpose == Purpose::Constants).then(|| constants::source(&unit.constants)),
            root: self.root,
            scratch: self.out,
        })
    }

    /// Returns the build script's setting, otherwise cargo's jobs, which it shares with all its processes.
    fn at_once(&self) -> (usize, Jobserver) {
        if let Some(jobs) = self.kernels.jobs {
            return (jobs.max(1), Jobserver::default());
        }
        let cargo = std::env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok());
        let jobs = cargo.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
        (jobs.max(1), Jobserver::of_process())
    }
}

fn described(
    unit: &Unit<'_>,
    compiler: &Compiler,
    description: Option<Result<Compiled, String>>,
    values: Option<Result<Compiled, String>>,
) -> Result<Described, String> {
    let source: &Path = &unit.source.path;
    let described = description.unwrap_or_else(|| Err(String::new()));
    let Compiled { bytes, messages, files } =
        described.map_err(|said| texts::not_with_debug(source, compiler, &said))?;
    // The full debug image is longer, but equivalent.
    let mut text = dwarf::reduce(&bytes).map_or(bytes, String::into_bytes);
    if let Some(values) = values {
        let names = || constants::expressions(&unit.constants);
        let ptx = values.map_err(|said| texts::not_constant(source, &names(), compiler, &said))?;
        let lines = constants::lines(&ptx.bytes, &unit.constants);
        text.extend(lines.ok_or_else(|| texts::constants_missing(source, compiler))?.bytes());
    }
    Ok(Described { text, files, warnings: lines(&messages) })
}

fn lines(messages: &str) -> Vec<String> {
    messages.lines().map(str::to_owned).collect()
}
