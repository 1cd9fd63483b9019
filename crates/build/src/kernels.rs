//! The settings of a build.

use crate::{
    output::{Cudart, Output},
    texts,
};
use kernel_args_image::generate::Pointers;
use std::{
    env,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// CUDA kernels that a build script compiles: their sources and settings.
///
/// ```no_run
/// # fn main() -> Result<(), kernel_args_build::Error> {
/// kernel_args_build::Kernels::new()
///     .glob("src/kernels/*.cu")
///     .include("include")
///     .define("TILE", "16")
///     .arch("sm_75")
///     .build()
/// # }
/// ```
///
/// Relative paths are from the folder of the package's `Cargo.toml`.
///
/// # Output
///
/// In `OUT_DIR`, for each source:
///
/// | file | content |
/// |---|---|
/// | `NAME.ptx`, `.cubin` or `.fatbin` | the image, for the program |
/// | `NAME.debug.ptx` | the names, types and members of the parameters, without code |
/// | `NAME.sources`, `NAME.debug.sources` | the inputs of both files, and of the second one, to detect when they must be made again |
///
/// and `kernels.rs`, which [`kernel_args::include_kernels!`] includes: one `kernel_args::kernels!` with a module for
/// each source. The module has the name of the file; characters that are not allowed in Rust become `_`. For a source
/// without kernels and [`constants`](Self::constants) there is no module, and cargo shows a warning.
///
/// [`kernel_args::include_kernels!`]: https://docs.rs/kernel-args/latest/kernel_args/macro.include_kernels.html
#[derive(Clone, Default, Debug)]
#[must_use = "kernels are built by `build`"]
pub struct Kernels {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) patterns: Vec<String>,
    pub(crate) excluded: Vec<String>,
    pub(crate) includes: Vec<PathBuf>,
    pub(crate) defines: Vec<(String, Option<String>)>,
    /// Each with the source that it is of, or of all sources.
    pub(crate) constants: Vec<(Option<PathBuf>, String)>,
    pub(crate) std: Option<String>,
    pub(crate) flags: Vec<String>,
    pub(crate) archs: Vec<String>,
    pub(crate) output: Option<Output>,
    pub(crate) jobs: Option<usize>,
    pub(crate) compiler: Option<PathBuf>,
    /// The name of each library, and the patterns of its sources.
    pub(crate) libraries: Vec<(String, Vec<String>)>,
    pub(crate) relocatable: bool,
    pub(crate) cudart: Cudart,
    pub(crate) generate: bool,
    /// `raw` or `retained`; slices by default.
    pub(crate) pointers: Pointers,
    pub(crate) contracts: Vec<(String, String)>,
    pub(crate) fallback: Option<PathBuf>,
    pub(crate) optional: bool,
    pub(crate) krate: Option<String>,
    pub(crate) rust_file: Option<String>,
    /// Whether these settings or a clone were built.
    pub(crate) built: Arc<AtomicBool>,
}

/// Settings that are never built are an error: otherwise `include_kernels!` reports a file that does not exist.
impl Drop for Kernels {
    fn drop(&mut self) {
        let is_last = Arc::strong_count(&self.built) == 1;
        let has_source = !self.files.is_empty() || !self.patterns.is_empty() || !self.libraries.is_empty();
        if is_last
            && has_source
            && !self.built.load(Ordering::Relaxed)
            && !thread::panicking()
            && env::var_os("OUT_DIR").is_some()
        {
            println!("cargo::error={}", texts::NOT_BUILT);
        }
    }
}

impl Kernels {
    /// Creates settings without a source.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a `.cu` file.
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.push(path.into());
        self
    }

    /// Adds `.cu` files.
    pub fn files(mut self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.files.extend(paths.into_iter().map(Into::into));
        self
    }

    /// Adds all files that match a pattern: `src/**/*.cu`. Cargo runs the build script again when a file is added to a
    /// folder of the package that it searches.
    pub fn glob(mut self, pattern: impl Into<String>) -> Self {
        self.patterns.push(pattern.into());
        self
    }

    /// Leaves out the files that match a pattern, for example files without an image: `src/**/*_test.cu`.
    pub fn exclude(mut self, pattern: impl Into<String>) -> Self {
        self.excluded.push(pattern.into());
        self
    }

    /// Adds a folder to the search path for headers.
    pub fn include(mut self, folder: impl Into<PathBuf>) -> Self {
        self.includes.push(folder.into());
        self
    }

    /// Adds folders to the search path for headers.
    pub fn includes(mut self, folders: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.includes.extend(folders.into_iter().map(Into::into));
        self
    }

    /// Defines a macro: `define("N", "4")`, or `define("FAST", None)` without a value.
    pub fn define<'v>(mut self, name: impl Into<String>, value: impl Into<Option<&'v str>>) -> Self {
        self.defines.push((name.into(), value.into().map(str::to_owned)));
        self
    }

    /// Makes constants of each source Rust constants in its module: macros, `constexpr` variables, enumerators and
    /// other constant expressions.
    ///
    /// `"TILE"` becomes `pub const TILE: i32 = 16;`, and `"sim::Mode::Fast"` becomes `Fast`. `"NAME = EXPRESSION"` sets
    /// the name, also if a kernel or a global variable has the same: `"SHARED_BYTES = TILE * TILE * sizeof(float)"`.
    ///
    /// The Rust type corresponds to the C++ type: the chapter `build` of the guide of `kernel-args` has examples.
    ///
    /// The values are part of the description, so committed files ([`fallback`](Self::fallback)) contain them. Without
    /// a compiler and without a committed description the build fails, even if it is [`optional`](Self::optional).
    pub fn constants(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.constants.extend(names.into_iter().map(|name| (None, name.into())));
        self
    }

    /// [Constants](Self::constants) of one source.
    pub fn constants_of(
        mut self,
        source: impl Into<PathBuf>,
        names: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let source = source.into();
        self.constants.extend(names.into_iter().map(|name| (Some(source.clone()), name.into())));
        self
    }

    /// Adds a static library of host functions that launch kernels, from all files that match the patterns.
    ///
    /// Its `extern "C"` functions become a module with this name in `kernels.rs`: their declarations, compared with the
    /// library, a struct of arguments for each, and their types. The features `debug-info` and `generate` of
    /// `kernel-args` are needed. Each source is compiled a second time with `-g`, for the description. `nvcc` compiles,
    /// with the settings of the kernels; host options are `.flag("-Xcompiler=-Wall")`. The program is linked with the
    /// library, the CUDA runtime ([`cudart`](Self::cudart)) and the C++ library.
    pub fn launchers(mut self, name: impl Into<String>, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.libraries.push((name.into(), patterns.into_iter().map(Into::into).collect()));
        self
    }

    /// Makes the device code of [`launchers`](Self::launchers) relocatable (`nvcc -dc`), so it can refer to code in
    /// other sources of the library, and links it.
    pub fn relocatable_device_code(mut self) -> Self {
        self.relocatable = true;
        self
    }

    /// Sets how the program is linked with the CUDA runtime, which [`launchers`](Self::launchers) need: statically by
    /// default. On the test driver, launchers run with the shared one only.
    pub fn cudart(mut self, cudart: Cudart) -> Self {
        self.cudart = cudart;
        self
    }

    /// Adds a compiler option. `nvcc` and NVRTC have different options. `--use_fast_math`, `--maxrregcount=64` and
    /// `-lineinfo` work with both.
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.flags.push(flag.into());
        self
    }

    /// Adds compiler options.
    pub fn flags(mut self, flags: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.flags.extend(flags.into_iter().map(Into::into));
        self
    }

    /// Sets the C++ version: `c++17`. The default is the compiler's.
    pub fn std(mut self, std: impl Into<String>) -> Self {
        self.std = Some(std.into());
        self
    }

    /// Sets the oldest GPU generation that runs the kernels: `sm_75`. A second generation makes a fat binary, with
    /// machine code for each `sm_` and PTX for each `compute_`, or for the newest `sm_` if there is no `compute_`.
    ///
    /// The default is the variable `CUDA_COMPUTE_CAP` (`75`), unless images are committed
    /// ([`fallback`](Self::fallback)), and otherwise the oldest generation that the compiler supports. The
    /// descriptions are of the newest generation: parameters must not depend on `__CUDA_ARCH__`.
    pub fn arch(mut self, arch: impl Into<String>) -> Self {
        self.archs.push(arch.into());
        self
    }

    /// Adds GPU generations: see [`arch`](Self::arch).
    pub fn archs(mut self, archs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.archs.extend(archs.into_iter().map(Into::into));
        self
    }

    /// Sets the kind of image for the program. The default is [`Output::Ptx`], or [`Output::Fatbin`] for several GPU
    /// generations.
    pub fn output(mut self, output: Output) -> Self {
        self.output = Some(output);
        self
    }

    /// Sets the number of concurrent compilations. The default is cargo's number of jobs, which all processes of the
    /// build share.
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = Some(jobs);
        self
    }

    /// Sets the compiler: the program `nvcc`, the library NVRTC, or the folder of a toolkit. By default the compiler is
    /// searched for: see [the crate](crate).
    pub fn compiler(mut self, path: impl Into<PathBuf>) -> Self {
        self.compiler = Some(path.into());
        self
    }

    /// Adds to each module a struct for the arguments of each kernel, and one for each type that a kernel takes by
    /// value, as `generate` of `kernel_args::kernels!` does. `kernels.rs` contains them as text, to read and to find in
    /// an editor.
    ///
    /// Without the feature `cudarc` of `kernel-args`, there are no slices: call [`raw_pointers`](Self::raw_pointers).
    pub fn generate(mut self) -> Self {
        self.generate = true;
        self
    }

    /// Adds a contract or `as` to the struct of a kernel that [`generate`](Self::generate) writes, or to a field:
    /// `contract("matmul", "block = 256")`, `contract("matmul.n", "as = i32")`, which makes the field a `usize`.
    pub fn contract(mut self, on: impl Into<String>, attribute: impl Into<String>) -> Self {
        self.contracts.push((on.into(), attribute.into()));
        self
    }

    /// Makes the structs of [`generate`](Self::generate) use `DevicePointer<T>` for pointers instead of cudarc slices.
    pub fn raw_pointers(mut self) -> Self {
        self.pointers = Pointers::Raw;
        self
    }

    /// Makes the structs of [`generate`](Self::generate) use `CudaView<T>` and `CudaViewMut<T>` for pointers: they take
    /// slices (`x.as_view()`) and views.
    pub fn view_pointers(mut self) -> Self {
        self.pointers = Pointers::Views;
        self
    }

    /// Makes the structs of [`generate`](Self::generate) use `Retained<DevicePointer<T>>` for pointers: nodes of graphs
    /// retain them.
    pub fn retained_pointers(mut self) -> Self {
        self.pointers = Pointers::Retained;
        self
    }

    /// Sets a folder of committed images, for machines without a compiler.
    ///
    /// `KERNEL_ARGS_BUILD_UPDATE=1 cargo build` writes them on a machine with a compiler: for each source the three
    /// files of `OUT_DIR`. A build without a compiler uses them with a warning, and fails if the sources, the headers
    /// of the package or the settings have changed since. A build with a compiler warns if they are out of date.
    pub fn fallback(mut self, folder: impl Into<PathBuf>) -> Self {
        self.fallback = Some(folder.into());
        self
    }

    /// Lets the package compile without a compiler and without committed images.
    ///
    /// Cargo then shows a warning, and loading an image is an error that says what makes it. Structs that name a
    /// kernel compile, but are not compared with it. Committed files ([`fallback`](Self::fallback)) can lack the
    /// images: the descriptions are enough to compare structs, and to name items and generated structs of a module.
    ///
    /// This is the default on docs.rs (the variable `DOCS_RS`), and if `KERNEL_ARGS_OPTIONAL` is `1`. Set the variable
    /// also if structs of another package name the kernels.
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Sets the path of the crate `kernel_args`, if it is re-exported: `crate::facade::kernel_args`.
    pub fn crate_path(mut self, path: impl Into<String>) -> Self {
        self.krate = Some(path.into());
        self
    }

    /// Sets the name of the Rust file in `OUT_DIR`, which is `kernels.rs` by default, for several sets of kernels that
    /// are compiled with different options. `kernel_args::include_kernels!("hopper.rs")` includes the file.
    pub fn rust_file(mut self, name: impl Into<String>) -> Self {
        self.rust_file = Some(name.into());
        self
    }
}
