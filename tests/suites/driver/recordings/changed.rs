//! Files that were changed or damaged after the recording.

use super::{Outcome, file, replayed, saxpy};
use kernel_args::{
    observe,
    replay::{Replay, ReplayOptions},
};
use kernel_args_image::recording::{Entry, Manifest, Moment, Reader, Writer};
use std::{fs, io::Read as _, path::Path};

/// The entries of a recording.
pub(super) struct Parts {
    manifest: Manifest,
    image: Option<Vec<u8>>,
    pub(super) memory: Vec<(Moment, usize, Vec<u8>)>,
    pub(super) status: u32,
}

impl Parts {
    pub(super) fn read(file: &Path) -> Outcome<Self> {
        let mut reader = Reader::new(fs::File::open(file)?);
        let mut entries = reader.entries()?;
        let manifest = entries.manifest().clone();
        let mut parts = Self { manifest, image: None, memory: Vec::new(), status: 0 };
        while let Some(entry) = entries.next_entry()? {
            match entry {
                Entry::Image(image) => parts.image = Some(image),
                Entry::Memory { moment, index, mut content } => {
                    let mut bytes = Vec::new();
                    content.read_to_end(&mut bytes)?;
                    parts.memory.push((moment, index, bytes));
                }
                Entry::Status(status) => parts.status = status,
            }
        }
        Ok(parts)
    }

    fn write(&self, file: &Path) -> Outcome {
        let mut writer = Writer::new(fs::File::create(file)?, &self.manifest, self.image.as_deref())?;
        for (moment, index, bytes) in &self.memory {
            writer.memory(*moment, *index, &**bytes)?;
        }
        writer.finish(self.status)?;
        Ok(())
    }
}

/// What the file contains is what is launched and compared.
pub(super) fn a_changed_file() -> Outcome {
    let file = file("changed");
    let recording = observe::record_to_file("saxpy", 1, &file);
    saxpy(2)?;
    assert!(recording.finish()?);
    let change = |change: fn(&mut Parts)| -> Outcome<Replay> {
        let mut parts = Parts::read(&file)?;
        change(&mut parts);
        let changed = file.with_extension("changed");
        parts.write(&changed)?;
        let replay = replayed(&changed, &ReplayOptions::new());
        fs::remove_file(&changed)?;
        Ok(replay?)
    };
    assert!(change(|_| ())?.is_same());
    // x[1] is 5 instead of 2 before the launch.
    let replay = change(|parts| parts.memory[0].2[4..8].copy_from_slice(&5.0_f32.to_le_bytes()))?;
    let [x, y] = [0, 1].map(|index| replay.memory[index].difference.map(|one| (one.first, one.largest)));
    assert_eq!((x, y), (Some((6, Some(3.0))), Some((6, Some(3.0)))), "{replay:?}");
    // `alpha` is 2 instead of 1.
    let replay = change(|parts| parts.manifest.parameters[1].bytes = 2.0_f32.to_le_bytes().into())?;
    let difference = replay.memory[1].difference.ok_or("all elements differ")?;
    assert_eq!((difference.first, difference.largest), (2, Some(2.0)), "{replay:?}");
    // The last byte after the launch.
    let replay = change(|parts| *parts.memory[3].2.last_mut().expect("bytes") ^= 1)?;
    let difference = replay.memory[1].difference.ok_or("a byte differs")?;
    assert_eq!((difference.bytes, difference.first), (1, replay.memory[1].size - 1));
    let error = change(|parts| {
        parts.manifest.attributes =
            vec![kernel_args_image::recording::Attribute { id: 7, text: String::new(), value: [1; 64] }];
    });
    let error = error.err().ok_or("an event")?.to_string();
    assert!(error.contains("launch attribute 7"), "{error}");
    let cut = fs::read(&file)?;
    fs::write(&file, &cut[..cut.len() / 2])?;
    let error = replayed(&file, &ReplayOptions::new()).err().ok_or("a cut file")?;
    assert!(error.to_string().contains("the file ends"), "{error}");
    fs::remove_file(&file)?;
    let error = replayed(&file, &ReplayOptions::new()).err().ok_or("no file")?.to_string();
    assert!(error.contains("cannot be read") && error.contains(".launch"), "{error}");
    Ok(())
}
