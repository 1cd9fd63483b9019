//! Reads files piece by piece.

use kernel_args_image::fatbin::Source;
use std::{
    borrow::Cow,
    fs::{self, File},
    io::{self, Cursor, Read, Seek, SeekFrom},
    path::Path,
};

/// In bytes. Pipes are kept in memory.
const PIPE: u64 = 1 << 30;

pub(crate) struct Input {
    from: Box<dyn ReadSeek>,
    pub(super) size: u64,
    #[cfg(test)]
    pub(crate) count: u64,
}

trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

impl Input {
    /// Opens a file. One that the user named can also be a pipe, such as `<(…)`, or `-`, standard input.
    pub(crate) fn open(path: &Path, is_named: bool) -> io::Result<Self> {
        if is_named && path.as_os_str() == "-" {
            return Self::read(io::stdin().lock(), PIPE);
        }
        let kind = fs::metadata(path)?.file_type();
        if is_named && is_pipe(kind) {
            return Self::read(File::open(path)?, PIPE);
        }
        // Opening a pipe would wait for a writer.
        if !kind.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        Self::of_file(File::open(path)?)
    }

    pub(crate) fn of_file(file: File) -> io::Result<Self> {
        let size = file.metadata()?.len();
        Ok(Self::new(file, size))
    }

    fn read(from: impl Read, limit: u64) -> io::Result<Self> {
        let mut bytes = Vec::new();
        from.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            let what = format!("more than {limit} bytes: write them to a file, and pass its name");
            return Err(io::Error::other(what));
        }
        Ok(Self::of(bytes))
    }

    pub(crate) fn of(bytes: Vec<u8>) -> Self {
        let size = bytes.len() as u64;
        Self::new(Cursor::new(bytes), size)
    }

    fn new(from: impl ReadSeek + 'static, size: u64) -> Self {
        Self {
            from: Box::new(from),
            size,
            #[cfg(test)]
            count: 0,
        }
    }

    pub(crate) fn read_at(&mut self, at: u64, to: &mut [u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(at))?;
        self.read_exact(to)
    }

    pub(crate) fn head(&mut self, start: u64, size: u64) -> io::Result<Vec<u8>> {
        let size = size.min(self.size.saturating_sub(start));
        let mut bytes = vec![0; usize::try_from(size).map_err(io::Error::other)?];
        self.read_at(start, &mut bytes)?;
        Ok(bytes)
    }
}

impl Read for Input {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(to)?;
        #[cfg(test)]
        {
            self.count += read as u64;
        }
        Ok(read)
    }
}

impl Seek for Input {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.from.seek(to)
    }
}

/// Returns the name for messages. Invalid UTF-8 is replaced.
pub(crate) fn label(path: &Path) -> Cow<'_, str> {
    if path.as_os_str() == "-" { "standard input".into() } else { path.to_string_lossy() }
}

#[cfg(unix)]
fn is_pipe(kind: fs::FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&kind)
}

#[cfg(not(unix))]
fn is_pipe(kind: fs::FileType) -> bool {
    !kind.is_file()
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_input_is_an_error() {
        let read = |size: u64| Input::read(io::repeat(b'.').take(size), 1000);
        assert_eq!(read(1000).map(|input| input.size).unwrap(), 1000);
        for endless in [1001, u64::MAX] {
            let error = read(endless).err().unwrap().to_string();
            assert!(error.starts_with("more than 1000 bytes: "), "{error}");
        }
    }
}
