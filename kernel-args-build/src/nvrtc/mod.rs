//! The library NVRTC.

mod library;

use crate::{
    Output,
    compiler::{Compiled, Dependencies, Job, Purpose},
    includes, texts,
};
use library::{Library, Program};
use std::{
    ffi::CString,
    fs,
    path::{Path, PathBuf},
};

/// A compiler that is a library.
#[derive(Debug)]
pub(crate) struct Nvrtc {
    path: PathBuf,
    library: Library,
    /// The folders of CUDA's headers; none where there are none.
    headers: Vec<PathBuf>,
}

impl Nvrtc {
    /// Loads the library at a path, or of a name that the system finds. `places` are folders in which CUDA's headers may lie, if
    /// they do not lie beside the library.
    pub(crate) fn load(path: &Path, places: &[PathBuf]) -> Result<Self, String> {
        Ok(Self {
            path: path.to_owned(),
            library: Library::load(path)?,
            headers: headers(path, places),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn compile(&self, job: &Job<'_>) -> Result<Compiled, String> {
        let path = &job.source.path;
        let text =
            fs::read(job.root.join(path)).map_err(|error| texts::unreadable(path, &error))?;
        let source = CString::new(text).map_err(|_| texts::has_nul(path))?;
        let name = c_string(&path.to_string_lossy())?;
        let options = options(job, &self.headers);
        let options = options.iter().map(|option| c_string(option));
        let options = options.collect::<Result<Vec<_>, _>>()?;
        let wanted = if job.purpose == Purpose::Image && job.options.output == Output::Cubin {
            Program::Cubin
        } else {
            Program::Ptx
        };
        let compiled = self.library.compile(&source, &name, &options, wanted);
        let (bytes, log) = compiled.map_err(|mut said| {
            if said.contains("could not open source file")
                || said.contains("cannot open source file")
            {
                said += &texts::header_of_nvrtc(&self.headers);
            }
            said
        })?;
        Ok(Compiled {
            bytes,
            messages: log,
            dependencies: self.dependencies(job),
        })
    }

    fn dependencies(&self, job: &Job<'_>) -> Dependencies {
        let folders: Vec<PathBuf> = job
            .options
            .includes
            .iter()
            .chain(&self.headers)
            .cloned()
            .collect();
        let mut found = includes::dependencies(job.root, &job.source.path, &folders);
        // CUDA's own folder is not where a package chooses between headers.
        found
            .folders
            .retain(|folder| !self.headers.contains(folder));
        found
    }
}

fn c_string(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| texts::nul_in_option(text))
}

/// The options of a job.
fn options(job: &Job<'_>, headers: &[PathBuf]) -> Vec<String> {
    let options = job.options;
    let mut list = Vec::new();
    match job.purpose {
        Purpose::Image => {
            let arch = options.archs.first().map(|arch| match options.output {
                Output::Cubin => arch.target.to_string(),
                _ => arch.target.compute(),
            });
            list.extend(arch.map(|arch| format!("--gpu-architecture={arch}")));
            list.extend(options.flags.iter().cloned());
        }
        Purpose::Description => {
            list.push("--device-debug".into());
            let arch = options
                .described()
                .map(|arch| format!("--gpu-architecture={}", arch.target.compute()));
            list.extend(arch);
            list.extend(options.flags_with_debug().cloned());
        }
    }
    list.extend(options.std.iter().map(|std| format!("--std={std}")));
    list.extend(options.defines.iter().map(|(name, value)| match value {
        Some(value) => format!("-D{name}={value}"),
        None => format!("-D{name}"),
    }));
    let includes = options.includes.iter().chain(headers);
    list.extend(
        includes.map(|folder| format!("--include-path={}", job.root.join(folder).display())),
    );
    list
}

/// The folders of CUDA's headers: of the toolkit or the Python packages that the library is of, else of another place.
fn headers(library: &Path, places: &[PathBuf]) -> Vec<PathBuf> {
    const INSIDE: [&str; 3] = [
        "include",
        "targets/x86_64-linux/include",
        "cuda_runtime/include",
    ];
    let near = library
        .ancestors()
        .skip(2)
        .take(3)
        .filter(|folder| *folder != Path::new(""));
    let folders = near.map(Path::to_owned).chain(places.iter().cloned());
    let mut candidates = folders.flat_map(|folder| INSIDE.map(|inside| folder.join(inside)));
    let Some(found) = candidates.find(|folder| folder.join("cuda_fp16.h").is_file()) else {
        return Vec::new();
    };
    // Since CUDA 13 the C++ libraries have a folder of their own.
    let cccl = found.join("cccl");
    let cccl = cccl.is_dir().then_some(cccl);
    [Some(found), cccl].into_iter().flatten().collect()
}
