//! The library NVRTC.

use super::options::{Compiled, Job, Purpose};
use crate::{output::Output, texts};
use std::{
    collections::BTreeSet,
    ffi::CString,
    fs,
    path::{Path, PathBuf},
};

pub(super) struct Nvrtc {
    library: kernel_args_nvrtc::Nvrtc,
    /// Empty if the CUDA headers are not found.
    pub(super) headers: Vec<PathBuf>,
}

impl Nvrtc {
    /// `places` are folders that may contain CUDA's headers if they are not next to the library.
    pub(super) fn load(path: &Path, places: &[PathBuf]) -> Result<Self, kernel_args_nvrtc::Error> {
        Ok(Self { library: kernel_args_nvrtc::Nvrtc::open(path)?, headers: headers(path, places) })
    }

    pub(super) fn compile(&self, job: &Job<'_>) -> Result<Compiled, String> {
        let path = &job.source.path;
        let mut text = fs::read(job.root.join(path)).map_err(|error| texts::unreadable(path, &error))?;
        text.extend_from_slice(job.appended.as_deref().unwrap_or_default().as_bytes());
        let source = CString::new(text).map_err(|_| texts::has_nul(path))?;
        let name = c_string(&texts::path(path))?;
        let options = options(job, &self.headers);
        let options: Vec<_> = options.iter().map(|option| c_string(option)).collect::<Result<_, _>>()?;
        let to_text = |error: kernel_args_nvrtc::Error| error.to_string();
        let mut program = self.library.program(&source, &name, &[]).map_err(to_text)?;
        program.compile(&options).map_err(|error| {
            let mut said = program.log();
            if said.is_empty() {
                said = error.to_string();
            }
            if said.contains("could not open source file") || said.contains("cannot open source file") {
                said += &texts::header_of_nvrtc(&self.headers);
                if cfg!(windows) && options.iter().any(|option| !option.to_bytes().is_ascii()) {
                    said += texts::NOT_ASCII;
                }
            }
            said
        })?;
        let is_cubin = job.purpose == Purpose::Image && job.options.output == Output::Cubin;
        let bytes = if is_cubin { program.cubin() } else { program.ptx() };
        Ok(Compiled { bytes: bytes.map_err(to_text)?, messages: program.log(), files: BTreeSet::new() })
    }
}

fn c_string(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| texts::nul_in_option(text))
}

fn options(job: &Job<'_>, headers: &[PathBuf]) -> Vec<String> {
    let options = job.options;
    let (arch, flags) = options.of_purpose(job.purpose);
    let mut list = Vec::new();
    if job.purpose == Purpose::Description {
        list.push("--device-debug".into());
    }
    list.extend(arch.map(|arch| format!("--gpu-architecture={arch}")));
    list.extend(flags);
    list.extend(options.kernels.std.iter().map(|std| format!("--std={std}")));
    list.extend(options.definitions());
    let includes = options.kernels.includes.iter().chain(headers);
    // NVRTC for Windows reads paths in the code page of the system. A relative path needs no characters of the
    // package's own path.
    let canonical = |path: &Path| fs::canonicalize(path).ok();
    let is_here = cfg!(windows) && canonical(Path::new(".")).is_some_and(|here| canonical(job.root) == Some(here));
    let path = |folder: &PathBuf| match folder.strip_prefix(job.root) {
        Ok(inside) if is_here => inside.to_owned(),
        _ if is_here => folder.clone(),
        _ => job.root.join(folder),
    };
    list.extend(includes.map(|folder| format!("--include-path={}", path(folder).display())));
    list
}

/// Next to the library in its toolkit or Python packages, otherwise in `places`.
fn headers(library: &Path, places: &[PathBuf]) -> Vec<PathBuf> {
    const INSIDE: [&str; 3] = ["include", "targets/x86_64-linux/include", "cuda_runtime/include"];
    let near = library.ancestors().skip(2).take(3).filter(|folder| *folder != Path::new(""));
    let folders = near.map(Path::to_owned).chain(places.iter().cloned());
    let mut candidates = folders.flat_map(|folder| INSIDE.map(|inside| folder.join(inside)));
    let Some(found) = candidates.find(|folder| folder.join("cuda_fp16.h").is_file()) else {
        return Vec::new();
    };
    // Since CUDA 13 the C++ libraries have their own folder.
    let cccl = found.join("cccl");
    let cccl = cccl.is_dir().then_some(cccl);
    [Some(found), cccl].into_iter().flatten().collect()
}
