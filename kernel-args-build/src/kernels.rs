//! What is built.

use crate::output::Output;
use std::path::PathBuf;

/// CUDA kernels that a build script compiles: their sources, and how.
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
/// # What is written
///
/// Into `OUT_DIR`, for each source:
///
/// | file | what is in it |
/// |---|---|
/// | `NAME.ptx`, `.cubin` or `.fatbin` | the image, for the program |
/// | `NAME.debug.ptx` | the names, types and members of the parameters; no code |
/// | `NAME.sources` | what both were made from, so that they are not made again |
///
/// and `kernels.rs`, which [`kernel_args::include_kernels!`] includes: one `kernel_args::kernels!` with a module for each source.
/// The module has the file's name; characters that Rust does not take become `_`. A source without kernels has no module, and
/// cargo shows a warning.
///
/// [`kernel_args::include_kernels!`]: https://docs.rs/kernel-args/latest/kernel_args/macro.include_kernels.html
#[derive(Clone, Default, Debug)]
#[must_use = "kernels are built by `build`"]
pub struct Kernels {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) patterns: Vec<String>,
    pub(crate) includes: Vec<PathBuf>,
    pub(crate) defines: Vec<(String, Option<String>)>,
    pub(crate) std: Option<String>,
    pub(crate) flags: Vec<String>,
    pub(crate) archs: Vec<String>,
    pub(crate) output: Option<Output>,
    pub(crate) jobs: Option<usize>,
    pub(crate) compiler: Option<PathBuf>,
    pub(crate) generate: bool,
    pub(crate) raw_pointers: bool,
    pub(crate) fallback: Option<PathBuf>,
    pub(crate) krate: Option<String>,
    pub(crate) rust_file: Option<String>,
}

impl Kernels {
    /// No source yet.
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

    /// Adds all files that match a pattern: `src/**/*.cu`. Cargo runs the build script again when a file is added to a folder of
    /// the package that the pattern looks in.
    pub fn glob(mut self, pattern: impl Into<String>) -> Self {
        self.patterns.push(pattern.into());
        self
    }

    /// Adds a folder in which headers are looked for.
    pub fn include(mut self, folder: impl Into<PathBuf>) -> Self {
        self.includes.push(folder.into());
        self
    }

    /// Adds folders in which headers are looked for.
    pub fn includes(mut self, folders: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.includes.extend(folders.into_iter().map(Into::into));
        self
    }

    /// Defines a macro: `define("N", "4")`, or `define("FAST", None)` without a value.
    pub fn define<'v>(
        mut self,
        name: impl Into<String>,
        value: impl Into<Option<&'v str>>,
    ) -> Self {
        self.defines
            .push((name.into(), value.into().map(str::to_owned)));
        self
    }

    /// Adds an option of the compiler. `nvcc` and NVRTC do not have the same ones: `--use_fast_math`, `--maxrregcount=64` and
    /// `-lineinfo` are options of both.
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.flags.push(flag.into());
        self
    }

    /// Adds options of the compiler.
    pub fn flags(mut self, flags: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.flags.extend(flags.into_iter().map(Into::into));
        self
    }

    /// The version of C++: `c++17`. Without it the compiler's own.
    pub fn std(mut self, std: impl Into<String>) -> Self {
        self.std = Some(std.into());
        self
    }

    /// The oldest GPU generation that runs the kernels: `sm_75`. A second one makes a fat binary, with machine code for each `sm_`
    /// and PTX for each `compute_`, or for the newest `sm_` if there is no `compute_`.
    ///
    /// Without it the variable `CUDA_COMPUTE_CAP` says so (`75`), as for other crates that compile CUDA, unless images are committed
    /// ([`fallback`](Self::fallback)); else the compiler takes the oldest that it knows. Described are the kernels as they are compiled for the newest: parameters must not depend on
    /// `__CUDA_ARCH__`.
    pub fn arch(mut self, arch: impl Into<String>) -> Self {
        self.archs.push(arch.into());
        self
    }

    /// Adds GPU generations: see [`arch`](Self::arch).
    pub fn archs(mut self, archs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.archs.extend(archs.into_iter().map(Into::into));
        self
    }

    /// What is written for the program. Without it [`Output::Ptx`], or [`Output::Fatbin`] for several GPU generations.
    pub fn output(mut self, output: Output) -> Self {
        self.output = Some(output);
        self
    }

    /// How many compilations run at once. Without it as many as cargo's own jobs, which it shares with all else that it runs.
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = Some(jobs);
        self
    }

    /// The compiler: the program `nvcc`, the library NVRTC, or the folder of a toolkit. Without it, it is looked for: see
    /// [the crate](crate).
    pub fn compiler(mut self, path: impl Into<PathBuf>) -> Self {
        self.compiler = Some(path.into());
        self
    }

    /// Each module also has a struct for the arguments of each kernel, and one for each type that a kernel takes by value: see
    /// `generate` of `kernel_args::kernels!`.
    pub fn generate(mut self) -> Self {
        self.generate = true;
        self
    }

    /// The structs of [`generate`](Self::generate) have `DevicePointer<T>` for pointers, in the place of slices of cudarc.
    pub fn raw_pointers(mut self) -> Self {
        self.raw_pointers = true;
        self
    }

    /// A folder of committed images, for machines without a compiler.
    ///
    /// `KERNEL_ARGS_BUILD_UPDATE=1 cargo build` writes them where there is a compiler: for each source the three files of
    /// `OUT_DIR`. A build without a compiler takes them, and cargo shows a warning that says so. It is an error if they were made
    /// from other sources, headers of the package or settings than there are. A build with a compiler does not take them, but
    /// warns if they are out of date.
    pub fn fallback(mut self, folder: impl Into<PathBuf>) -> Self {
        self.fallback = Some(folder.into());
        self
    }

    /// The path of the crate `kernel_args`, if it is re-exported: `crate::facade::kernel_args`.
    pub fn crate_path(mut self, path: impl Into<String>) -> Self {
        self.krate = Some(path.into());
        self
    }

    /// The name of the Rust file in `OUT_DIR`, in the place of `kernels.rs`: for a build script with several sets of kernels, which
    /// are compiled with different options. `kernel_args::include_kernels!("hopper.rs")` includes it.
    pub fn rust_file(mut self, name: impl Into<String>) -> Self {
        self.rust_file = Some(name.into());
        self
    }
}
