//! Libraries of host functions, read once for all blocks of a crate that name them.

use super::file::{Cache, absolute_text, lock};
use crate::{diagnostics::Diagnostics, path::ImagePath, texts};
use kernel_args_image::{LauncherError, Launchers};
use std::{
    io,
    sync::{Arc, Mutex},
};

pub(crate) struct Library {
    /// For `include_bytes!`, which makes rustc compile the crate again when the file changes.
    pub(crate) path: String,
    /// The path as one block wrote it.
    pub(crate) written: String,
    pub(crate) launchers: Launchers,
}

#[derive(Clone)]
enum Problem {
    Io(Arc<io::Error>),
    Library(LauncherError),
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self::Io(Arc::new(error))
    }
}

/// Returns whether the file at this path is a library, not an image. `false` if it cannot be read.
#[cfg(feature = "generate")]
pub(crate) fn is_library(path: &ImagePath) -> bool {
    let read = |path| std::fs::read(path).is_ok_and(|bytes| Launchers::is_library(&bytes));
    path.resolve().is_ok_and(|resolved| read(resolved.path))
}

/// `None` if an error was reported.
pub(crate) fn library(path: &ImagePath, diagnostics: &mut Diagnostics) -> Option<Arc<Library>> {
    static CACHE: Mutex<Cache<Library, Problem>> = Mutex::new(Cache::new());

    let resolved = path.resolve().map_err(|error| diagnostics.push(error)).ok()?;
    let found = lock(&CACHE).get(&resolved.path, |path, bytes| {
        let path = absolute_text(path)?;
        Ok(Library {
            path,
            written: resolved.written.clone(),
            launchers: Launchers::read(bytes).map_err(Problem::Library)?,
        })
    });
    let what = |problem| match problem {
        Problem::Io(error) => texts::unreadable_library(&resolved.written, &resolved.path, &error),
        Problem::Library(what) => {
            format!("`{}` cannot be read as a library of host functions: {what}", resolved.written)
        }
    };
    let library = found.map_err(|problem| diagnostics.error(path.span, what(problem))).ok()?;
    let (mut all, root) = (lock(&ALL), root());
    if !all.iter().any(|(of, known)| *of == root && known.path == library.path) {
        all.push((root, library.clone()));
    }
    Some(library)
}

/// The libraries that blocks of a package have named, each with the package's folder: a language server expands several
/// packages in one process.
static ALL: Mutex<Vec<(String, Arc<Library>)>> = Mutex::new(Vec::new());

fn root() -> String {
    std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default()
}

/// Returns the paths of all libraries of this package that export a function.
pub(crate) fn owners(symbol: &str) -> Vec<String> {
    let (all, root) = (lock(&ALL), root());
    let own = all.iter().filter(|(of, library)| *of == root && library.launchers.exports(symbol));
    own.map(|(_, library)| library.written.clone()).collect()
}
