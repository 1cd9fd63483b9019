//! A source that was compiled.

use core::fmt;
use std::{string::String, sync::Arc, vec::Vec};

/// A source that NVRTC compiled: an [`Image`](crate::Image) for [`Module::load`](crate::Module::load) and
/// [`Module::link`](crate::Module::link). Cloning it is cheap.
///
/// ```no_run
/// # use kernel_args::{Module, compile::CompileOptions, image::JitOptions};
/// # fn main() -> Result<(), kernel_args::Error> {
/// # let ctx = kernel_args::context(0)?;
/// let options = CompileOptions::new().relocatable(true);
/// let kernels = options.compile(&ctx, "extern __device__ int twice(int); /* … */")?;
/// let helpers = options.compile(&ctx, "__device__ int twice(int i) { return 2 * i; }")?;
/// let module = Module::link(&ctx, [kernels.into(), helpers.into()], &JitOptions::new())?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct CompiledSource {
    pub(super) compiled: Arc<Compiled>,
    pub(super) cache_use: CacheUse,
}

/// Whether a source came from the cache, and if not, why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheUse {
    /// No cache was asked for.
    Off,
    /// It was in the cache: NVRTC did not compile it.
    Hit,
    /// It was compiled, and is in the cache now.
    Stored,
    /// It was compiled, and is not kept, because what it depends on cannot be told: the reason.
    /// [`CompileOptions::cache_key`](crate::compile::CompileOptions::cache_key) is the way out.
    Unknown(String),
    /// It was compiled, and the cache's folder could not be written to: what the system says.
    Failed(String),
}

/// What NVRTC made of a source.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Compiled {
    pub(super) architecture: String,
    /// Of a cubin too: it describes the kernels.
    pub(super) ptx: Vec<u8>,
    /// Empty where PTX was asked for.
    pub(super) cubin: Vec<u8>,
    /// PTX with debug information, where that was asked for.
    pub(super) debug: Vec<u8>,
    pub(super) log: String,
    /// Name expressions and their symbols.
    pub(super) names: Vec<(String, String)>,
}

impl CompiledSource {
    /// The cubin, or the PTX where that was asked for, or where NVRTC does not know the GPU.
    #[must_use]
    pub fn image(&self) -> &[u8] {
        if self.compiled.cubin.is_empty() {
            &self.compiled.ptx
        } else {
            &self.compiled.cubin
        }
    }

    /// The PTX, which NVRTC makes on the way to a cubin too.
    #[must_use]
    pub fn ptx(&self) -> &[u8] {
        &self.compiled.ptx
    }

    /// What it was compiled for: `sm_90`, `compute_90`.
    #[must_use]
    pub fn architecture(&self) -> &str {
        &self.compiled.architecture
    }

    /// NVRTC's log: warnings. Empty if there are none.
    #[must_use]
    pub fn log(&self) -> &str {
        &self.compiled.log
    }

    /// The symbol of the kernel that this name expression names.
    #[must_use]
    pub fn symbol(&self, name_expression: &str) -> Option<&str> {
        let names = &mut self.compiled.names.iter();
        names
            .find(|(expression, _)| expression == name_expression)
            .map(|(_, symbol)| symbol.as_str())
    }

    /// Whether it came from the cache, and if not, why.
    #[must_use]
    pub fn cache_use(&self) -> &CacheUse {
        &self.cache_use
    }

    /// Name expressions and their symbols.
    pub(crate) fn names(&self) -> &[(String, String)] {
        &self.compiled.names
    }

    /// Further images that describe the kernels of [`image`](Self::image).
    pub(crate) fn descriptions(&self) -> impl Iterator<Item = &[u8]> {
        let ptx = (!self.compiled.cubin.is_empty()).then_some(&self.compiled.ptx);
        let all = ptx.into_iter().chain([&self.compiled.debug]);
        all.map(Vec::as_slice).filter(|image| !image.is_empty())
    }
}

impl fmt::Debug for CompiledSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledSource")
            .field("architecture", &self.architecture())
            .field("bytes", &self.image().len())
            .field("names", &self.compiled.names)
            .field("cache_use", &self.cache_use)
            .finish_non_exhaustive()
    }
}
