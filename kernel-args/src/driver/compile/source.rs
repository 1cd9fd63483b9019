use std::sync::Arc;

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
    #[cfg(feature = "observe")]
    pub(crate) name: Arc<str>,
}

/// Whether a source came from the cache, and the reason if it did not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheUse {
    /// Caching was not enabled.
    Off,
    /// The entry was in the cache: NVRTC did not compile the source.
    Hit,
    /// The source was compiled and stored in the cache.
    Stored,
    /// The source was compiled and not stored, because some of its dependencies are unknown, for this reason. Set
    /// [`CompileOptions::cache_key`](crate::compile::CompileOptions::cache_key) to cache it.
    Unknown(String),
    /// The source was compiled, but writing to the cache's folder failed with this error.
    Failed(String),
}

#[derive(PartialEq, Eq, Debug)]
pub(super) struct Compiled {
    pub(super) architecture: String,
    /// Also present with a cubin: it contains the parameters of the kernels.
    pub(super) ptx: Vec<u8>,
    /// Empty if only PTX was requested.
    pub(super) cubin: Vec<u8>,
    /// PTX with debug information, if it was requested.
    pub(super) debug: Vec<u8>,
    pub(super) log: String,
    pub(super) names: Vec<(String, String)>,
}

impl CompiledSource {
    /// Returns the cubin; PTX if that was requested or if NVRTC does not support the GPU.
    #[must_use]
    pub fn image(&self) -> &[u8] {
        if self.compiled.cubin.is_empty() { &self.compiled.ptx } else { &self.compiled.cubin }
    }

    /// Returns the PTX, which NVRTC also generates for a cubin.
    #[must_use]
    pub fn ptx(&self) -> &[u8] {
        &self.compiled.ptx
    }

    /// Returns the target architecture: `sm_90`, `compute_90`.
    #[must_use]
    pub fn architecture(&self) -> &str {
        &self.compiled.architecture
    }

    /// NVRTC's log with its warnings; can be empty.
    #[must_use]
    pub fn log(&self) -> &str {
        &self.compiled.log
    }

    /// Returns the symbol of the kernel for this name expression.
    #[must_use]
    pub fn symbol(&self, name_expression: &str) -> Option<&str> {
        let names = &mut self.compiled.names.iter();
        names.find(|(expression, _)| expression == name_expression).map(|(_, symbol)| symbol.as_str())
    }

    /// Returns whether it came from the cache, and the reason if it did not.
    #[must_use]
    pub fn cache_use(&self) -> &CacheUse {
        &self.cache_use
    }

    pub(crate) fn names(&self) -> &[(String, String)] {
        &self.compiled.names
    }

    pub(crate) fn extra_images(&self) -> impl Iterator<Item = &[u8]> {
        let ptx = (!self.compiled.cubin.is_empty()).then_some(&self.compiled.ptx);
        let all = ptx.into_iter().chain([&self.compiled.debug]);
        all.map(Vec::as_slice).filter(|image| !image.is_empty())
    }
}

debug!(
    CompiledSource,
    this =>
        architecture: this.architecture(),
        bytes: this.image().len(),
        names: this.compiled.names,
        cache_use: this.cache_use
);
