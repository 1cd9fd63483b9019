//! The thread that finds images in files and reads their bytes.

use super::{
    gate::Gate,
    input::{Input, Window},
    job::Job,
    locate::{Located, Nothing, locate},
    paths::{Named, Skipped},
};
use crate::{
    error::Error,
    place::{Kind, Place, Unit},
    progress::Progress,
};
use kernel_args_image::{
    self as image,
    fatbin::{self, Budget, Stream, StreamError, StreamedMember},
};
use std::{ops::ControlFlow, sync::mpsc};

pub(super) struct Reader<'g> {
    pub(super) send: mpsc::SyncSender<Job<'g>>,
    pub(super) gate: &'g Gate,
    /// The number of PTX texts and cubins, and the number of units, so far.
    pub(super) images: u32,
    pub(super) units: u32,
    pub(super) done: u64,
    pub(super) progress: Progress,
    pub(super) skipped: Skipped,
    pub(super) errors: Vec<Error>,
}

impl Reader<'_> {
    pub(super) fn file(&mut self, number: u32, named: &Named) {
        self.progress.file(&named.name, self.done);
        let mut input = match named.open() {
            Ok(input) => input,
            Err(error) if named.is_direct => return self.errors.push(Error::new(&named.name, error)),
            Err(error) => return self.skipped.cannot_open(&named.name, &error),
        };
        match locate(&mut input, named.is_direct) {
            Ok(located) => self.located(&mut input, number, named, &located),
            Err(Nothing::Broken(at, what)) => self.errors.push(Error::new(&named.name, what).at(at)),
            Err(_) if !named.is_direct => self.skipped.foreign += 1,
            Err(Nothing::Foreign(what)) => self.errors.push(Error::new(&named.name, what).at(0)),
            Err(Nothing::NoDeviceCode(format)) => {
                let article = if format.starts_with(['E', 'a']) { "an" } else { "a" };
                let what = format!(
                    "no kernels: it is {article} {format} without device code (a section `.nv_fatbin`, or PTX, a cubin or a fat binary \
                     in its data)\nhelp: `show --launchers` shows the functions of the host that launch kernels"
                );
                self.errors.push(Error::new(&named.name, what));
            }
        }
        self.done += named.size;
        self.progress.set(self.done);
    }

    fn located(&mut self, input: &mut Input, number: u32, named: &Named, located: &[Located]) {
        let errors = self.errors.len();
        let (images, skipped) = (self.images, self.skipped.members);
        let mut member = None;
        let mut budget = Budget::new(input.size);
        for part in located {
            if member != Some(&part.member) {
                member = Some(&part.member);
                self.units += 1;
            }
            let unit = Unit { number, file: named.name.clone(), member: part.member.clone() };
            match part.kind {
                image::Kind::Ptx => self.whole(input, &unit, Kind::Ptx, part),
                image::Kind::Cubin => self.whole(input, &unit, Kind::Cubin, part),
                _ => {
                    // The rest of the file would exceed the same limit.
                    if self.fat_binary(input, &unit, part, &mut budget).is_break() {
                        break;
                    }
                }
            }
        }
        if images == self.images && errors == self.errors.len() && named.is_direct {
            let what = match self.skipped.members - skipped {
                0 => "no kernels: the fat binaries are empty".to_owned(),
                _ => "no kernels: the fat binaries contain no PTX and no cubins, only formats that do not describe parameters, such \
                      as LTO-IR and Tile IR: compile to PTX or a cubin as well"
                    .to_owned(),
            };
            self.errors.push(Error::new(&named.name, what));
        }
    }

    fn whole(&mut self, input: &mut Input, unit: &Unit, kind: Kind, part: &Located) {
        if part.size > fatbin::MEMBER_LIMIT {
            let what =
                format!("a PTX text or cubin of {} bytes, above the limit of {}", part.size, fatbin::MEMBER_LIMIT);
            return self.errors.push(Error::new(unit, what).at(part.start));
        }
        match input.head(part.start, part.size) {
            Ok(bytes) => self.job(unit, part.start, kind, None, bytes),
            Err(error) => self.errors.push(Error::new(unit, error).at(part.start)),
        }
    }

    /// `budget` is what remains of the file's.
    fn fat_binary(&mut self, input: &mut Input, unit: &Unit, part: &Located, budget: &mut Budget) -> ControlFlow<()> {
        let window = Window { input, start: part.start, size: part.size };
        let mut stream = Stream::with_budget(window, *budget);
        // Offsets are relative to the start of the file.
        let error = |error: StreamError<std::io::Error>, at: u64| {
            let (at, what) = match error {
                StreamError::Fatbin { at, error: fatbin::Error::Cut(cut) } => {
                    (at, fatbin::Error::Cut(part.start as usize + cut).to_string())
                }
                StreamError::Fatbin { at, error } => (at, error.to_string()),
                other => (at, other.to_string()),
            };
            Error::new(unit, what).at(part.start + at)
        };
        while let Some(member) = stream.next() {
            let member = match member {
                Ok(member) => member,
                Err(found) => {
                    let is_over = matches!(found, StreamError::Fatbin { error: fatbin::Error::Total(_), .. });
                    self.errors.push(error(found, 0));
                    if is_over {
                        return ControlFlow::Break(());
                    }
                    break;
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
                Ok(payload) => self.job(unit, part.start + member.at(), kind, Some(member), payload),
                Err(found) => self.errors.push(error(found, member.at())),
            }
        }
        *budget = stream.budget();
        ControlFlow::Continue(())
    }

    fn job(&mut self, unit: &Unit, at: u64, kind: Kind, member: Option<StreamedMember>, bytes: Vec<u8>) {
        let place = Place { unit: unit.clone(), at, kind, sm: member.as_ref().map(StreamedMember::sm) };
        let size = member.as_ref().map_or(0, StreamedMember::size).max(bytes.len() as u64);
        let job = Job { image: self.images, unit: self.units, place, member, bytes, _pass: self.gate.enter(size) };
        self.images += 1;
        // The receiving threads end only after this thread.
        _ = self.send.send(job);
    }
}

#[cfg(test)]
mod tests {
    use super::{super::paths::Origin, *};
    use std::thread;

    /// Returns a fat binary with a member that claims this decompressed size. Nothing is decompressed.
    fn claiming(size: u64) -> Vec<u8> {
        let fatbin = include_bytes!("../../../image/tests/data/one.size.fatbin");
        let mut bytes = fatbin.to_vec();
        bytes[16 + 56..16 + 64].copy_from_slice(&size.to_le_bytes());
        bytes
    }

    /// Reads parts of a file. Returns the decompressed size of the members that would be parsed, and the errors.
    fn read(bytes: Vec<u8>, parts: &[Located]) -> (u64, Vec<Error>) {
        let (send, receive) = mpsc::sync_channel::<Job<'_>>(1);
        let gate = Gate::default();
        let (progress, skipped, errors) = (Progress::hidden(0), Skipped::default(), Vec::new());
        let origin = Origin::Path("file".into());
        let named = Named { name: "file".into(), origin, size: bytes.len() as u64, is_direct: true };
        thread::scope(|scope| {
            let sizes = scope.spawn(|| {
                let size = |job: Job<'_>| job.member.map_or(job.bytes.len() as u64, |member| member.size());
                receive.into_iter().map(size).sum()
            });
            let mut reader = Reader { send, gate: &gate, images: 0, units: 0, done: 0, progress, skipped, errors };
            reader.located(&mut Input::of(bytes), 0, &named, parts);
            let Reader { send, errors, .. } = reader;
            drop(send);
            (sizes.join().expect("no panic"), errors)
        })
    }

    /// The fat binaries of a file are in sections, or in members of an archive.
    #[test]
    fn the_parts_of_a_file_have_one_budget() {
        let one = claiming(fatbin::EXPANSION_FLOOR / 4);
        let bytes = one.repeat(40);
        for is_archive in [false, true] {
            let part = |number: usize| Located {
                kind: image::Kind::Fatbin,
                start: (number * one.len()) as u64,
                size: one.len() as u64,
                member: is_archive.then(|| number.to_string().into()),
            };
            let parts: Vec<Located> = (0..40).map(part).collect();
            let (size, errors) = read(bytes.clone(), &parts);
            let limit = fatbin::EXPANSION_FLOOR + bytes.len() as u64 * 8;
            assert!(size <= limit, "{size} of {limit}");
            assert!(size >= fatbin::EXPANSION_FLOOR / 2, "{size}");
            assert_eq!(errors.len(), 1, "{errors:?}");
            assert!(errors[0].what.contains("bytes in total when decompressed"), "{errors:?}");
        }
    }
}
