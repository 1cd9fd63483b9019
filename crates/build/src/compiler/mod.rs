//! The two compilers behind one interface.

pub(crate) mod arch;
pub(crate) mod find;
pub(crate) mod headers;
pub(crate) mod job;
mod nvcc;
mod nvrtc;
pub(crate) mod options;

use headers::Headers;
use job::{Compiled, Job};
use nvcc::Nvcc;
use nvrtc::Nvrtc;
use options::Options;
use std::{fmt, path::Path};

#[derive(Debug)]
pub(crate) enum Compiler {
    Nvcc(Nvcc),
    Nvrtc(Nvrtc),
}

impl Compiler {
    /// Compiles a source. The error is the compiler's output.
    pub(crate) fn compile(&self, job: &Job<'_>) -> Result<Compiled, String> {
        match self {
            Self::Nvcc(nvcc) => nvcc.compile(job),
            Self::Nvrtc(nvrtc) => nvrtc.compile(job),
        }
    }

    /// The headers that a source can include. CUDA's headers are included only if the compiler does not report the files that
    /// it reads.
    pub(crate) fn headers(&self, root: &Path, source: &Path, options: &Options) -> Headers {
        let cuda = match self {
            Self::Nvcc(_) => &[],
            Self::Nvrtc(nvrtc) => nvrtc.headers(),
        };
        Headers::of(root, source, options, cuda)
    }

    pub(crate) const fn reports_files(&self) -> bool {
        matches!(self, Self::Nvcc(_))
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Nvcc(nvcc) => nvcc.path(),
            Self::Nvrtc(nvrtc) => nvrtc.path(),
        }
    }
}

impl fmt::Display for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Nvcc(_) => "nvcc",
            Self::Nvrtc(_) => "NVRTC",
        };
        write!(f, "{name} ({})", self.path().display())
    }
}
