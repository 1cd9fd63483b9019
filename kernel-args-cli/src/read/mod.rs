//! Reads files: headers in one thread, decompression and parsing in the others. What is decompressed at one time is limited.

mod catalog;
mod gate;
mod input;
mod locate;
mod merge;
pub(crate) mod observe;
mod paths;
pub(crate) mod place;

pub(crate) use catalog::Finished;

use crate::{error::Error, progress::Progress};
use catalog::Catalog;
use gate::{Gate, Pass};
use input::{Input, Window};
use kernel_args_abi::{
    Sm,
    fatbin::{self, Stream, StreamError, StreamedMember},
    image,
};
use locate::{Located, Nothing, What, locate};
use paths::Named;
use place::{Kind, Place, Unit};
use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError, mpsc},
    thread,
};

/// All that files tell.
#[derive(Debug)]
pub(crate) struct Files {
    pub(crate) read: Finished,
    pub(crate) skipped: Skipped,
}

/// What is passed over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Skipped {
    /// Files of directories that hold no device code.
    pub(crate) foreign: usize,
    /// Files of directories that cannot be opened.
    pub(crate) unreadable: usize,
    /// Members of fat binaries that are neither PTX nor cubins.
    pub(crate) members: usize,
}

/// Reads files, directories, and standard input for `-`.
pub(crate) fn read(paths: &[PathBuf]) -> Files {
    let mut skipped = Skipped::default();
    let (named, mut errors) = paths::files(paths, &mut skipped);
    let progress = Progress::new(named.iter().map(|named| named.size).sum());
    let catalog = Mutex::new(Catalog::default());
    let gate = Gate::new();
    let (send, receive) = mpsc::sync_channel::<Job<'_>>(16);
    let receive = Mutex::new(receive);
    let threads = thread::available_parallelism()
        .map_or(1, usize::from)
        .clamp(1, 4);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let job = receive
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .recv();
                    let Ok(job) = job else { return };
                    job.run(&catalog);
                }
            });
        }
        let mut reader = Reader {
            send,
            gate: &gate,
            images: 0,
            units: 0,
            done: 0,
            progress: &progress,
            skipped: &mut skipped,
            errors: &mut errors,
        };
        for (number, named) in (0..).zip(&named) {
            reader.file(number, named);
        }
    });
    let mut catalog = catalog.into_inner().unwrap_or_else(PoisonError::into_inner);
    catalog.errors.append(&mut errors);
    Files {
        read: catalog.finish(),
        skipped,
    }
}

/// A PTX text or cubin that is to be read.
struct Job<'g> {
    image: u32,
    unit: u32,
    place: Place,
    bytes: Bytes,
    /// Gives its memory back.
    _pass: Pass<'g>,
}

enum Bytes {
    Plain(Vec<u8>),
    Member(StreamedMember, Vec<u8>),
}

impl Job<'_> {
    fn run(self, catalog: &Mutex<Catalog>) {
        let Self {
            image,
            unit,
            place,
            bytes,
            _pass,
        } = self;
        let observed = match &bytes {
            Bytes::Plain(bytes) => observe(place.kind, bytes),
            Bytes::Member(member, payload) => {
                let bytes = member.with_payload(payload).bytes();
                let bytes = bytes.map_err(image::Error::Fatbin);
                bytes.and_then(|bytes| observe(place.kind, &bytes))
            }
        };
        drop(bytes);
        let mut catalog = catalog.lock().unwrap_or_else(PoisonError::into_inner);
        match observed {
            Ok(observed) => catalog.add(image, unit, place, observed),
            Err(error) => {
                let error = Error::new(place.unit.to_string(), error.to_string());
                catalog.errors.push(error.at(place.at));
            }
        }
    }
}

fn observe(kind: Kind, bytes: &[u8]) -> Result<observe::Observed, image::Error> {
    match kind {
        Kind::Ptx => observe::ptx(bytes),
        Kind::Cubin => observe::cubin(bytes),
    }
}

struct Reader<'g, 'r> {
    send: mpsc::SyncSender<Job<'g>>,
    gate: &'g Gate,
    /// How many PTX texts and cubins, and how many units, there have been.
    images: u32,
    units: u32,
    /// The bytes of the files that have been read.
    done: u64,
    progress: &'r Progress,
    skipped: &'r mut Skipped,
    errors: &'r mut Vec<Error>,
}

impl Reader<'_, '_> {
    fn file(&mut self, number: u32, named: &Named) {
        self.progress.file(&named.name);
        let mut input = match named.open() {
            Ok(input) => input,
            Err(error) if named.is_direct => {
                self.errors
                    .push(Error::new(&*named.name, error.to_string()));
                return;
            }
            Err(_) => {
                self.skipped.unreadable += 1;
                return;
            }
        };
        match locate(&mut input, named.is_direct) {
            Ok(located) => self.located(&mut input, number, named, &located),
            Err(Nothing::Broken(at, what)) => {
                self.errors.push(Error::new(&*named.name, what).at(at));
            }
            Err(_) if !named.is_direct => self.skipped.foreign += 1,
            Err(Nothing::Foreign(what)) => {
                self.errors.push(Error::new(&*named.name, what).at(0));
            }
            Err(Nothing::NoDeviceCode(format)) => {
                let what = format!(
                    "no kernels: it is an {format} without device code (a section `.nv_fatbin`)"
                );
                let what = what.replace("an PE", "a PE").replace("an COFF", "a COFF");
                self.errors
                    .push(Error::new(&*named.name, what.replace("an Mach", "a Mach")));
            }
        }
        self.done += named.size;
        self.progress.set(self.done);
    }

    fn located(&mut self, input: &mut Input, number: u32, named: &Named, located: &[Located]) {
        let errors = self.errors.len();
        let (images, others) = (self.images, self.skipped.members);
        let mut member = None;
        for part in located {
            if member != Some(&part.member) {
                member = Some(&part.member);
                self.units += 1;
            }
            let unit = Unit {
                number,
                file: named.name.clone(),
                member: part.member.clone(),
            };
            match part.what {
                What::Ptx => self.whole(input, &unit, Kind::Ptx, part),
                What::Cubin => self.whole(input, &unit, Kind::Cubin, part),
                What::Fatbin => self.fat_binary(input, &unit, part),
            }
        }
        if images == self.images && errors == self.errors.len() && named.is_direct {
            let what = match self.skipped.members - others {
                0 => "no kernels: its fat binaries are empty".to_owned(),
                _ => "no kernels: its fat binaries hold neither PTX nor cubins, but what does not tell their parameters, such \
                      as LTO-IR: compile to PTX or a cubin as well"
                    .to_owned(),
            };
            self.errors.push(Error::new(&*named.name, what));
        }
    }

    fn whole(&mut self, input: &mut Input, unit: &Unit, kind: Kind, part: &Located) {
        if part.size > fatbin::MEMBER_LIMIT {
            let what = format!(
                "a PTX text or cubin of {} bytes, above the limit of {}",
                part.size,
                fatbin::MEMBER_LIMIT
            );
            self.errors
                .push(Error::new(unit.to_string(), what).at(part.start));
            return;
        }
        match input.head(part.start, part.size) {
            Ok(bytes) => {
                let size = bytes.len() as u64;
                self.job(unit, part.start, kind, None, size, Bytes::Plain(bytes));
            }
            Err(error) => {
                let error = Error::new(unit.to_string(), error.to_string());
                self.errors.push(error.at(part.start));
            }
        }
    }

    fn fat_binary(&mut self, input: &mut Input, unit: &Unit, part: &Located) {
        let mut stream = Stream::new(Window {
            input,
            start: part.start,
            size: part.size,
        });
        let error = |error: StreamError<std::io::Error>, at: u64| match error {
            StreamError::Fatbin { at, error } => {
                Error::new(unit.to_string(), error.to_string()).at(part.start + at)
            }
            other => Error::new(unit.to_string(), other.to_string()).at(part.start + at),
        };
        while let Some(member) = stream.next() {
            let member = match member {
                Ok(member) => member,
                Err(found) => {
                    self.errors.push(error(found, 0));
                    return;
                }
            };
            self.progress.set(self.done + part.start + member.at());
            let kind = match member.kind() {
                fatbin::Kind::Ptx => Kind::Ptx,
                fatbin::Kind::Elf => Kind::Cubin,
                _ => {
                    self.skipped.members += 1;
                    continue;
                }
            };
            match stream.payload(&member) {
                Ok(payload) => {
                    let size = member.size().max(member.payload_size());
                    let at = part.start + member.at();
                    let bytes = Bytes::Member(member, payload);
                    self.job(unit, at, kind, Some(member.sm()), size, bytes);
                }
                Err(found) => self.errors.push(error(found, member.at())),
            }
        }
    }

    /// Hands an image over, as soon as there is memory for as many bytes.
    fn job(&mut self, unit: &Unit, at: u64, kind: Kind, sm: Option<Sm>, size: u64, bytes: Bytes) {
        let place = Place {
            unit: unit.clone(),
            at,
            kind,
            sm,
        };
        let job = Job {
            image: self.images,
            unit: self.units,
            place,
            bytes,
            _pass: self.gate.enter(size),
        };
        self.images += 1;
        // The threads that receive end after this one only.
        _ = self.send.send(job);
    }
}
