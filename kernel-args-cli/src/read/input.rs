//! Reads files piece by piece.

use kernel_args_image::fatbin::Source;
use std::{
    fs::File,
    io::{self, Cursor, Read, Seek, SeekFrom},
    path::Path,
};

/// A file, or the content of standard input.
pub(crate) enum Input {
    File(File, u64),
    Bytes(Cursor<Vec<u8>>),
}

impl Input {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let size = file.metadata()?;
        if size.is_file() {
            return Ok(Self::File(file, size.len()));
        }
        // A pipe, such as `<(…)`, does not support seeking.
        Self::read(file)
    }

    pub(crate) fn stdin() -> io::Result<Self> {
        Self::read(io::stdin().lock())
    }

    fn read(mut from: impl Read) -> io::Result<Self> {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes)?;
        Ok(Self::Bytes(Cursor::new(bytes)))
    }

    /// The size in bytes.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::File(_, size) => *size,
            Self::Bytes(bytes) => bytes.get_ref().len() as u64,
        }
    }

    pub(crate) fn read_at(&mut self, at: u64, to: &mut [u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(at))?;
        self.read_exact(to)
    }

    /// Reads up to `size` bytes, starting at `start`.
    pub(crate) fn head(&mut self, start: u64, size: u64) -> io::Result<Vec<u8>> {
        let size = size.min(self.size().saturating_sub(start));
        let mut bytes = vec![0; usize::try_from(size).map_err(io::Error::other)?];
        self.read_at(start, &mut bytes)?;
        Ok(bytes)
    }
}

impl Read for Input {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file, _) => file.read(to),
            Self::Bytes(bytes) => bytes.read(to),
        }
    }
}

impl Seek for Input {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::File(file, _) => file.seek(to),
            Self::Bytes(bytes) => bytes.seek(to),
        }
    }
}

/// A part of a file.
pub(crate) struct Window<'i> {
    pub(crate) input: &'i mut Input,
    pub(crate) start: u64,
    pub(crate) size: u64,
}

impl Source for Window<'_> {
    type Error = io::Error;

    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&mut self, at: u64, to: &mut [u8]) -> Result<(), io::Error> {
        self.input.read_at(self.start + at, to)
    }
}
