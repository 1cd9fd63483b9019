//! Images, read and parsed once for all structs and modules of a crate that name them.

use super::bodies;
use crate::texts;
use kernel_args_abi::compiled::fingerprint;
use kernel_args_image::{self as image, Code, CodeKind, Image, Kernels};
use proc_macro2::Literal;
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

pub(crate) struct File {
    /// For `include_bytes!`, which makes rustc compile the crate again when the file changes.
    pub(crate) path: String,
    pub(crate) length: usize,
    pub(crate) fingerprint: u64,
    pub(crate) kind: image::Kind,
    /// Nothing if the code cannot be listed.
    pub(crate) contents: Option<Vec<Code>>,
    pub(crate) kernels: Kernels<'static>,
}

impl File {
    /// Returns the literal of [`summary`](image::summary::summary()).
    pub(crate) fn summary<'s>(&self, symbols: impl IntoIterator<Item = &'s str>) -> Option<Literal> {
        let summary = image::summary::summary(self.kind, self.contents.as_deref()?, &self.kernels, symbols)?;
        Some(Literal::byte_string(&summary))
    }

    /// Returns the kernels, with the results of analysing the code of the `wanted` kernels.
    pub(crate) fn with_bodies(&self, wanted: &BTreeSet<&str>) -> Cow<'_, Kernels<'static>> {
        let analysed = || {
            // The cache does not keep the bytes. If the file has changed, rustc reports it.
            let bytes = fs::read(&self.path).ok().filter(|bytes| fingerprint(bytes) == self.fingerprint)?;
            let image = Image::read_again(&bytes).ok()?;
            // Each thread would decompress the members of a fat binary.
            let threads = match self.kind {
                image::Kind::Ptx => bodies::threads(bytes.len()),
                _ => 1,
            };
            bodies::analysed(&image, &self.kernels, wanted, threads).ok()
        };
        let is_needed = !wanted.is_empty() && cfg!(feature = "bodies");
        is_needed.then(analysed).flatten().map_or(Cow::Borrowed(&self.kernels), Cow::Owned)
    }
}

#[derive(Clone)]
pub(crate) enum Problem {
    Io(Arc<io::Error>),
    Empty,
    Image(image::Error),
    /// All its code has 32-bit addresses, which no GPU has: `Module::load` rejects it.
    AddressSize,
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self::Io(Arc::new(error))
    }
}

impl Problem {
    /// `file` is the path with the values of its variables, `path` the same as an absolute path.
    pub(crate) fn say(&self, file: &str, path: &Path) -> String {
        match self {
            Self::Io(error) => texts::unreadable(file, path, error),
            Self::Empty => texts::empty_image(file),
            Self::Image(error) => texts::not_an_image(file, error),
            Self::AddressSize => texts::address_size(file),
        }
    }
}

pub(crate) fn read(path: &Path) -> Result<Arc<File>, Problem> {
    static CACHE: Mutex<Cache<File, Problem>> = Mutex::new(Cache::new());

    lock(&CACHE).get(path, parse)
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Stamp = (SystemTime, u64);

/// The result for each file, until the file changes.
pub(super) struct Cache<T, E>(BTreeMap<PathBuf, (Stamp, Result<Arc<T>, E>)>);

impl<T, E: Clone + From<io::Error>> Cache<T, E> {
    pub(super) const fn new() -> Self {
        Self(BTreeMap::new())
    }

    pub(super) fn get(&mut self, path: &Path, parse: impl FnOnce(&Path, &[u8]) -> Result<T, E>) -> Result<Arc<T>, E> {
        let found = fs::metadata(path)?;
        // Reading a pipe or a device may never end. Reading a folder fails with its own error text.
        if !found.is_file() && !found.is_dir() {
            return Err(io::Error::other("it is not a regular file").into());
        }
        let stamp = (found.modified()?, found.len());
        if let Some((known, file)) = self.0.get(path)
            && *known == stamp
        {
            return file.clone();
        }
        let file = parse(path, &fs::read(path)?).map(Arc::new);
        self.0.insert(path.to_owned(), (stamp, file.clone()));
        file
    }
}

pub(super) fn absolute_text(path: &Path) -> io::Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| io::Error::other("its path is not UTF-8"))
}

fn parse(path: &Path, bytes: &[u8]) -> Result<File, Problem> {
    if bytes.is_empty() {
        return Err(Problem::Empty);
    }
    let path = absolute_text(path)?;
    // `Module::load` would reject an image that fails this check: the driver receives cubins and fat binaries without
    // a length.
    let kind = image::validate(bytes).map_err(Problem::Image)?;
    let image = Image::read_again(bytes).map_err(Problem::Image)?;
    let contents = image::contents_of(kind, bytes).ok();
    let is_32_bit = |code: &Code| matches!(code.kind, CodeKind::Ptx { address_size: Some(32), .. });
    if contents.as_ref().is_some_and(|codes| !codes.is_empty() && codes.iter().all(is_32_bit)) {
        return Err(Problem::AddressSize);
    }
    Ok(File {
        path,
        length: bytes.len(),
        fingerprint: fingerprint(bytes),
        kind,
        contents,
        kernels: image.kernels().map_err(Problem::Image)?.into_owned(),
    })
}

#[allow(clippy::unwrap_used, clippy::panic)]
#[cfg(test)]
mod tests {
    use super::{Cache, Problem, parse, read};
    use std::{cell::Cell, fs, path::PathBuf};

    const HEAD: &[u8] = b".version 9.0\n.target sm_90\n";

    /// A file of one test, removed on drop.
    struct Temporary(PathBuf);

    impl Temporary {
        fn new(name: &str) -> Self {
            let name = format!("kernel-args-{}-{name}", std::process::id());
            Self(std::env::temp_dir().join(name))
        }

        fn holding(name: &str, parts: &[&[u8]]) -> Self {
            let file = Self::new(name);
            fs::write(&file.0, parts.concat()).unwrap();
            file
        }
    }

    impl Drop for Temporary {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    #[test]
    fn a_file_is_parsed_once_until_it_changes() {
        let file = Temporary::holding("once.ptx", &[HEAD, b".entry a() {}"]);
        let parses = Cell::new(0);
        let mut cache = Cache::new();
        let mut symbols = || {
            let counted = |path: &_, bytes: &_| {
                parses.set(parses.get() + 1);
                parse(path, bytes)
            };
            match cache.get(&file.0, counted) {
                Ok(file) => file.kernels.symbols().map(String::from).collect(),
                Err(_) => Vec::new(),
            }
        };
        for _ in 0..20 {
            assert_eq!(symbols(), ["a"]);
        }
        assert_eq!(parses.get(), 1);
        fs::write(&file.0, [HEAD, b".entry a() {} .entry b() {}"].concat()).unwrap();
        assert_eq!(symbols(), ["a", "b"]);
        // A file that does not parse is not parsed again either.
        fs::write(&file.0, [HEAD, b".entry a("].concat()).unwrap();
        assert_eq!([symbols(), symbols()].concat(), [""; 0]);
        assert_eq!(parses.get(), 3);
    }

    #[test]
    fn a_comment_in_another_encoding_is_read() {
        let file = Temporary::holding("latin1.ptx", &[HEAD, b"// gr\xf6\xdfe\n.entry k() {}\n\0"]);
        let read = read(&file.0).unwrap_or_else(|problem| panic!("{}", problem.say("k.ptx", &file.0)));
        assert_eq!(read.kernels.symbols().collect::<Vec<_>>(), ["k"]);
        assert_eq!(read.length, HEAD.len() + 23 + 1);
    }

    /// Reading it would wait for a writer.
    #[cfg(unix)]
    #[test]
    fn a_pipe_is_refused() {
        let pipe = Temporary::new("pipe.ptx");
        kernel_args_test_generator::tools::pipe(&pipe.0);
        let Err(problem) = read(&pipe.0) else {
            panic!("a pipe was read");
        };
        assert!(
            matches!(&problem, Problem::Io(error) if error.to_string() == "it is not a regular file"),
            "{}",
            problem.say("pipe.ptx", &pipe.0)
        );
    }
}
