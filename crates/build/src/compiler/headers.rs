//! The headers that a source can include, and those that could appear.

use super::{Compiler, options::Options};
use kernel_args_nvrtc::{Search, Text, Unknown, includes, option};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// Paths are relative to the folder of the package.
#[derive(Default)]
pub(crate) struct Headers {
    /// The source and the headers that exist.
    pub(crate) files: BTreeSet<PathBuf>,
    /// Headers that would be included if they existed.
    pub(crate) absent: BTreeSet<PathBuf>,
    /// Where headers of unknown names may be included; `None` if all names are known.
    pub(crate) folders: Option<BTreeSet<PathBuf>>,
}

impl Headers {
    /// With CUDA's headers only if the compiler does not report the files that it reads.
    pub(crate) fn of(root: &Path, source: &Path, options: &Options<'_>, compiler: &Compiler) -> Self {
        let cuda: &[PathBuf] = compiler.nvrtc.as_ref().map_or(&[], |nvrtc| &nvrtc.headers);
        let kernels = options.kernels;
        let flags = option::named(kernels.flags.iter().map(String::as_str));
        let macros = kernels.defines.iter().map(|(name, value)| {
            let value = value.as_deref().unwrap_or("1");
            option::definition(&format!("{name}={value}"))
        });
        let directives: String = macros.chain([flags.directives]).collect();
        let folders = [&*kernels.includes, &*flags.folders].concat();
        let search = Search {
            root,
            folders: [&*folders, cuda].concat(),
            texts: vec![Text { name: "", text: &directives }],
            files: vec![source.to_owned()],
        };
        let includes = includes(&search);
        let mut unknown = includes.unknown.iter();
        // The time of its compilation alone is no reason to compile a source again.
        let is_unknown = flags.is_incomplete || unknown.any(|why| *why != Unknown::Time);
        let mut headers = Self::default();
        for (path, text) in includes.files {
            let paths = match text {
                Some(_) => &mut headers.files,
                None => &mut headers.absent,
            };
            paths.insert(path);
        }
        if is_unknown {
            // A name in quotes is relative to the file that includes it, and can lead to any folder.
            let of_files = headers.files.iter().filter_map(|file| file.parent());
            let own = [Path::new("")].into_iter().chain(of_files);
            headers.folders = Some(own.map(Path::to_owned).chain(folders).collect());
        }
        headers
    }
}
