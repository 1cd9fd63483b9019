//! The two compilers behind one interface.

pub(crate) mod arch;
pub(crate) mod find;
pub(crate) mod headers;
pub(crate) mod nvcc;
mod nvrtc;
pub(crate) mod options;

use nvrtc::Nvrtc;
use options::{Compiled, Job};
use std::{fmt, path::PathBuf};

/// The library NVRTC, or the program `nvcc`.
pub(crate) struct Compiler {
    pub(crate) path: PathBuf,
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

    pub(crate) const fn reports_files(&self) -> bool {
        self.nvrtc.is_none()
    }
}

impl fmt::Display for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.nvrtc.is_some() { "NVRTC" } else { "nvcc" };
        write!(f, "{name} ({})", self.path.display())
    }
}
