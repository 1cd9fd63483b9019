//! Reads files: headers in one thread, decompression and parsing in the others. What is decompressed at one time is limited.

mod catalog;
mod embedded;
mod gate;
mod input;
mod locate;
mod merge;
pub(crate) mod observe;
mod paths;
pub(crate) mod place;
mod ptx_text;
mod reader;
mod sections;

pub(crate) use catalog::Finished;

use crate::{error::Error, progress::Progress};
use catalog::Catalog;
use gate::{Gate, Pass};
use kernel_args_image::{self as image, fatbin::StreamedMember};
use place::{Kind, Place};
use reader::Reader;
use std::{
    io,
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
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Skipped {
    /// Files of directories that hold no device code.
    pub(crate) foreign: usize,
    /// Files of directories that cannot be opened.
    pub(crate) unreadable: usize,
    /// The first of these, and why.
    pub(crate) examples: Vec<Error>,
    /// Members of fat binaries that are neither PTX nor cubins.
    pub(crate) members: usize,
}

impl Skipped {
    fn cannot_open(&mut self, name: &str, error: &io::Error) {
        /// Of more only the number is told.
        const MOST: usize = 8;
        self.unreadable += 1;
        if self.examples.len() < MOST {
            self.examples.push(Error::new(name, error.to_string()));
        }
    }
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
