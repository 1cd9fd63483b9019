//! The two compilers behind one interface.

pub(crate) mod arch;
pub(crate) mod find;
pub(crate) mod headers;
mod nvcc;
mod nvrtc;
pub(crate) mod options;

use headers::Headers;
use nvrtc::Nvrtc;
use options::{Compiled, Job, Options};
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// The library NVRTC, or the program `nvcc`.
#[derive(Debug)]
pub(crate) struct Compiler {
    path: PathBuf,
    nvrtc: Option<Nvrtc>,
}

impl Compiler {
    /// Compiles a source. The error is the compiler's output.
    pub(crate) fn compile(&self, job: &Job<'_>) -> Result<Compiled, String> {
        match &self.nvrtc {
            Some(nvrtc) => nvrtc.compile(job),
            None => nvcc::compile(&self.path, job),
        }
    }

    /// With CUDA's headers only if the compiler does not report the files that it reads.
    pub(crate) fn headers(&self, root: &Path, source: &Path, options: &Options) -> Headers {
        Headers::of(root, source, options, self.nvrtc.as_ref().map_or(&[], |nvrtc| &nvrtc.headers))
    }

    /// Links the device code of relocatable objects.
    pub(crate) fn link(&self, archs: &[arch::Arch], objects: &[PathBuf], output: &Path) -> Result<(), String> {
        nvcc::link(&self.path, archs, objects, output)
    }

    pub(crate) const fn reports_files(&self) -> bool {
        self.nvrtc.is_none()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.nvrtc.is_some() { "NVRTC" } else { "nvcc" };
        write!(f, "{name} ({})", self.path.display())
    }
}
