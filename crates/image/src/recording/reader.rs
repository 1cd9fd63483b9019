//! Reads a recording as a stream, and checks every part of it.

use super::{Error, IMAGE, MANIFEST, Manifest, Moment, Outcome, RESULT, memory_entry};
use crate::prelude::*;
use std::{
    fmt,
    io::{self, Read},
};
use tar::{Archive, EntryType};

/// The parameters twice as hexadecimal text, with names and values, and every pointer.
const MAX_MANIFEST: u64 = 16 << 20;
/// Cubins with larger sections do not exist.
const MAX_IMAGE: u64 = 2 << 30;

/// A recording. [`entries`](Self::entries) reads it.
pub struct Reader<R: Read>(Archive<R>);

/// The entries of a recording after the manifest, in their order.
pub struct Entries<'r, R: Read> {
    archive: tar::Entries<'r, R>,
    manifest: Manifest,
    has_begun: bool,
    is_over: bool,
    /// The number of the next allocation, before and after the launch.
    next: usize,
}

/// One entry.
pub enum Entry<'e> {
    /// The image.
    Image(Vec<u8>),
    /// An allocation, with as many bytes as in the manifest.
    Memory {
        /// Before or after the launch.
        moment: Moment,
        /// Its index in the manifest.
        index: usize,
        /// Its bytes. What is not read is skipped.
        content: Content<'e>,
    },
    /// What the driver returned: the last entry.
    Status(u32),
}

/// The bytes of an allocation. A file that ends before them is an error.
pub struct Content<'e> {
    entry: Box<dyn Read + 'e>,
    left: u64,
}

impl Read for Content<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.entry.read(buffer)?;
        if read == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends within an allocation"));
        }
        self.left = self.left.saturating_sub(read as u64);
        Ok(read)
    }
}

impl<R: Read> Reader<R> {
    /// Creates a recording that is read from `file`.
    pub fn new(file: R) -> Self {
        Self(Archive::new(file))
    }

    /// Reads the manifest.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the file is not a recording, or has a version or a size that this crate does not read.
    pub fn entries(&mut self) -> Result<Entries<'_, R>, Error> {
        // The extensions of tar (long names, sparse files) are entries of another type here, and rejected.
        let mut entries = self.0.entries()?.raw(true);
        let first = entries.next().ok_or_else(|| Error::invalid("the file is empty"))?;
        let mut first = first.map_err(not_tar)?;
        check_entry(&first, MANIFEST)?;
        let manifest = Manifest::parse(&bytes(&mut first, MAX_MANIFEST)?)?;
        drop(first);
        Ok(Entries { archive: entries, manifest, has_begun: false, is_over: false, next: 0 })
    }
}

impl<R: Read> Entries<'_, R> {
    /// Returns the manifest. All of its indices and sizes were checked.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the next entry; `None` after the last one.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an entry in the wrong order, or whose size differs from the manifest.
    pub fn next_entry(&mut self) -> Result<Option<Entry<'_>>, Error> {
        if self.is_over {
            return Ok(None);
        }
        let Some(mut entry) = self.archive.next().transpose().map_err(not_tar)? else {
            return Err(Error::invalid("the file ends before the result: the recording was not finished"));
        };
        let name = entry.path_bytes().into_owned();
        if name == RESULT.as_bytes() {
            let status = self.status(&mut entry)?;
            drop(entry);
            // Checked here, because a caller can stop at the result.
            return match self.archive.next() {
                None => Ok(Some(status)),
                Some(_) => Err(Error::invalid("entries follow the result")),
            };
        }
        if !core::mem::replace(&mut self.has_begun, true) && name == IMAGE.as_bytes() {
            check_entry(&entry, IMAGE)?;
            return Ok(Some(Entry::Image(bytes(&mut entry, MAX_IMAGE)?)));
        }
        let count = self.manifest.memory.len();
        let (moment, index) = match self.next.checked_sub(count) {
            None => (Moment::Before, self.next),
            Some(index) => (Moment::After, index),
        };
        let Some(memory) = self.manifest.memory.get(index) else {
            return Err(unexpected(&name, RESULT));
        };
        check_entry(&entry, &memory_entry(index, moment))?;
        let size = entry.size();
        if size != memory.size {
            return Err(Error::invalid(format!(
                "allocation {index} has {size} bytes, and {} in the manifest",
                memory.size
            )));
        }
        self.next += 1;
        Ok(Some(Entry::Memory { moment, index, content: Content { entry: Box::new(entry), left: size } }))
    }

    /// It follows all allocations before the launch, and either all or none after it.
    fn status<'e>(&mut self, entry: &mut tar::Entry<'_, R>) -> Result<Entry<'e>, Error> {
        let count = self.manifest.memory.len();
        if self.next != count && self.next != 2 * count {
            return Err(Error::invalid("the result comes before the last allocation"));
        }
        check_entry(entry, RESULT)?;
        let outcome: Outcome = serde_json::from_slice(&bytes(entry, MAX_MANIFEST)?)
            .map_err(|error| Error::invalid(format!("{RESULT}: {error}")))?;
        self.is_over = true;
        Ok(Entry::Status(outcome.status))
    }
}

fn check_entry<R: Read>(entry: &tar::Entry<'_, R>, name: &str) -> Result<(), Error> {
    let found = entry.path_bytes();
    if *found != *name.as_bytes() {
        return Err(unexpected(&found, name));
    }
    if entry.header().entry_type() == EntryType::Regular {
        Ok(())
    } else {
        Err(Error::invalid(format!("`{name}` is not a regular file")))
    }
}

fn unexpected(found: &[u8], wanted: &str) -> Error {
    let found = String::from_utf8_lossy(found);
    Error::invalid(format!("`{}` is in the place of `{wanted}`", found.escape_debug()))
}

fn bytes<R: Read>(entry: &mut tar::Entry<'_, R>, most: u64) -> Result<Vec<u8>, Error> {
    let size = entry.size();
    if size > most {
        return Err(Error::invalid(format!("an entry has {size} bytes, and at most {most} are read")));
    }
    // Nothing is allocated for bytes that the file does not have.
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes)?;
    if bytes.len() as u64 == size { Ok(bytes) } else { Err(Error::invalid("the file ends within an entry")) }
}

fn not_tar(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::Other | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
            // What follows a colon is the content of the file.
            let what = error.to_string();
            let what = what.split(':').next().unwrap_or_default();
            Error::invalid(format!("it is not a tar archive, or a damaged one: {what}"))
        }
        _ => Error::Io(error),
    }
}

impl<R: Read> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").finish_non_exhaustive()
    }
}

impl<R: Read> fmt::Debug for Entries<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entries").field("manifest", &self.manifest).finish_non_exhaustive()
    }
}

impl fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Image(bytes) => write!(f, "Image({} bytes)", bytes.len()),
            Self::Memory { moment, index, .. } => write!(f, "Memory({moment:?}, {index})"),
            Self::Status(status) => write!(f, "Status({status})"),
        }
    }
}
