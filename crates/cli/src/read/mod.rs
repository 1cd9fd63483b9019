//! Reads files: one thread reads headers, several threads decompress and parse, in limited memory.
//!
//! | to change | open |
//! |---|---|
//! | a format of files | `locate.rs`; places in a program: `sections.rs`, `embedded.rs` |
//! | host functions | `launchers.rs` |
//! | what limits the work for a hostile file | `locate.rs`, `meter.rs` |

mod catalog;
mod embedded;
mod gate;
mod input;
mod job;
mod launchers;
mod locate;
mod meter;
mod paths;
mod reader;
mod sections;

pub(crate) use input::{Input, label};
pub(crate) use launchers::read as launchers;
pub(crate) use paths::Skipped;

use crate::{error::Error, global::Globals, kernel::Kernel, place::Place, progress::Progress};
use catalog::Catalog;
use gate::Gate;
use job::Job;
use paths::{Named, Origin};
use reader::Reader;
use std::{
    fs::File,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError, mpsc},
    thread,
};

#[derive(Default)]
pub(crate) struct Files {
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) globals: Globals,
    /// Every PTX text and cubin.
    pub(crate) places: Vec<Place>,
    pub(crate) errors: Vec<Error>,
    pub(crate) warnings: Vec<Error>,
    pub(crate) skipped: Skipped,
}

/// Whether the code of the kernel with this symbol is analysed.
pub(crate) type Wanted<'w> = dyn Fn(&str) -> bool + Sync + 'w;

/// Reads files, directories, and standard input for `-`.
pub(crate) fn read(paths: &[PathBuf], wanted: &Wanted<'_>) -> Files {
    let mut skipped = Skipped::default();
    let (named, errors) = paths::files(paths, &mut skipped);
    let progress = Progress::new(named.iter().map(|named| named.size).sum());
    all(&named, errors, skipped, wanted, progress)
}

pub(crate) fn read_open(name: &str, file: File, wanted: &Wanted<'_>) -> Files {
    let size = file.metadata().map_or(0, |found| found.len());
    let named = Named { name: name.into(), origin: Origin::File(file), size, is_direct: true };
    all(&[named], Vec::new(), Skipped::default(), wanted, Progress::hidden(size))
}

fn all(named: &[Named], errors: Vec<Error>, skipped: Skipped, wanted: &Wanted<'_>, progress: Progress) -> Files {
    let (catalog, gate) = (Mutex::default(), Gate::default());
    let (send, receive) = mpsc::sync_channel::<Job<'_>>(16);
    let receive = Mutex::new(receive);
    let threads = thread::available_parallelism().map_or(1, usize::from).clamp(1, 4);
    let (_progress, skipped, mut errors) = thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let Ok(job) = lock(&receive).recv() else { return };
                    job.run(&catalog, wanted);
                }
            });
        }
        let mut reader = Reader { send, gate: &gate, images: 0, units: 0, done: 0, progress, skipped, errors };
        for (number, named) in (0..).zip(named) {
            reader.file(number, named);
        }
        (reader.progress, reader.skipped, reader.errors)
    });
    let mut catalog: Catalog = catalog.into_inner().unwrap_or_else(PoisonError::into_inner);
    catalog.errors.append(&mut errors);
    catalog.finish(skipped)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
