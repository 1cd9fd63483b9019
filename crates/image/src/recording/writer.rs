//! Writes a recording as a stream.

use super::{IMAGE, MANIFEST, Manifest, Moment, Outcome, RESULT, memory_entry};
use crate::prelude::*;
use std::{
    fmt,
    io::{self, Read, Write},
};
use tar::{Builder, EntryType, Header};

/// Writes one recording. Call [`memory`](Self::memory) for each allocation before the launch, then for each after it,
/// then [`finish`](Self::finish).
pub struct Writer<W: Write> {
    archive: Builder<W>,
    sizes: Vec<u64>,
}

impl<W: Write> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("sizes", &self.sizes).finish_non_exhaustive()
    }
}

impl<W: Write> Writer<W> {
    /// Writes the manifest and the image.
    ///
    /// # Errors
    /// Errors of `file`.
    pub fn new(file: W, manifest: &Manifest, image: Option<&[u8]>) -> io::Result<Self> {
        let mut writer =
            Self { archive: Builder::new(file), sizes: manifest.memory.iter().map(|memory| memory.size).collect() };
        writer.json(MANIFEST, manifest)?;
        if let Some(image) = image {
            writer.entry(IMAGE, image.len() as u64, image)?;
        }
        Ok(writer)
    }

    /// Writes the allocation `index` of the manifest from the start of `content`.
    ///
    /// # Errors
    /// Errors of `content` and of the file, and a `content` that ends before the allocation does.
    ///
    /// # Panics
    /// If the manifest has no allocation `index`.
    pub fn memory(&mut self, moment: Moment, index: usize, content: impl Read) -> io::Result<()> {
        let size = self.sizes[index];
        self.entry(&memory_entry(index, moment), size, content)
    }

    /// Writes what the driver returned for the launch: 0 for success. Returns the file.
    ///
    /// # Errors
    /// Errors of the file.
    pub fn finish(mut self, status: u32) -> io::Result<W> {
        self.json(RESULT, &Outcome { status })?;
        self.archive.into_inner()
    }

    fn json(&mut self, name: &str, value: &impl serde::Serialize) -> io::Result<()> {
        let mut json = serde_json::to_vec_pretty(value)?;
        json.push(b'\n');
        self.entry(name, json.len() as u64, &*json)
    }

    fn entry(&mut self, name: &str, size: u64, content: impl Read) -> io::Result<()> {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(0o644);
        header.set_size(size);
        let mut content = content.take(size);
        self.archive.append_data(&mut header, name, &mut content)?;
        if content.limit() > 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("{name} ends before its {size} bytes")));
        }
        Ok(())
    }
}
