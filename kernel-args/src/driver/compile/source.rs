//! A source that was compiled.

use super::{
    super::{
        context::sm,
        error::Error,
        nvrtc::{Failure, Nvrtc, nvrtc},
        nvrtc_error::NvrtcError,
        versions::driver_version,
    },
    architecture::Architecture,
    cache::{self, CacheUse},
    includes,
    key::Key,
    options::CompileOptions,
};
use core::fmt;
use cudarc::driver::CudaContext;
use kernel_args_abi::Sm;
use std::{
    boxed::Box,
    ffi::CString,
    format,
    path::{Path, PathBuf},
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

/// A source that NVRTC compiled: an [`Image`](crate::Image) for [`Module::load`](crate::Module::load) and
/// [`Module::link`](crate::Module::link). Cloning it is cheap.
///
/// ```no_run
/// # use kernel_args::{CompileOptions, JitOptions, Module};
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
    compiled: Arc<Compiled>,
    cache_use: CacheUse,
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
    pub(in crate::driver) fn names(&self) -> &[(String, String)] {
        &self.compiled.names
    }

    /// Further images that describe the kernels of [`image`](Self::image).
    pub(in crate::driver) fn descriptions(&self) -> impl Iterator<Item = &[u8]> {
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

impl CompileOptions {
    /// Compiles a source for the context's GPU. [`Module::compile`](crate::Module::compile) does so and loads it.
    ///
    /// # Errors
    /// [`Error::Nvrtc`] where there is no NVRTC, or it does not compile the source: with its log.
    pub fn compile(&self, ctx: &Arc<CudaContext>, source: &str) -> Result<CompiledSource, Error> {
        self.compile_for(sm(ctx)?, source)
    }

    fn compile_for(&self, gpu: Sm, source: &str) -> Result<CompiledSource, Error> {
        let driver = driver_version()?;
        let missing = |why| Error::Nvrtc(Box::new(NvrtcError::missing(&why)));
        let nvrtc = nvrtc(driver.major).map_err(missing)?;
        let job = Job {
            options: self,
            source,
            nvrtc,
            version: nvrtc
                .version()
                .map_err(|failure| self.failed(nvrtc, &failure, ""))?,
        };
        let known = nvrtc
            .architectures()
            .map_err(|failure| self.failed(nvrtc, &failure, ""))?;
        let asked = self.architecture.as_deref();
        let architecture = Architecture::choose(asked, self.to_ptx, gpu, &known)
            .map_err(|problem| job.refused(&problem))?;
        let Some(folder) = &self.cache else {
            return Ok(CompiledSource {
                compiled: Arc::new(job.run(&architecture)?),
                cache_use: CacheUse::Off,
            });
        };
        let name = match key(self, source, job.version, &architecture) {
            Ok(name) => name,
            Err(why) => {
                return Ok(CompiledSource {
                    compiled: Arc::new(job.run(&architecture)?),
                    cache_use: CacheUse::Unknown(why.into()),
                });
            }
        };
        if let Some(compiled) = cache::read(folder, &name) {
            return Ok(CompiledSource {
                compiled: Arc::new(compiled),
                cache_use: CacheUse::Hit,
            });
        }
        let compiled = job.run(&architecture)?;
        let cache_use = cache::write(folder, &name, &compiled);
        Ok(CompiledSource {
            compiled: Arc::new(compiled),
            cache_use,
        })
    }

    #[cold]
    fn failed(&self, nvrtc: &Nvrtc, failure: &Failure, log: &str) -> Error {
        Error::Nvrtc(Box::new(NvrtcError::failed(
            self.source_name(),
            failure.call,
            failure.status.0,
            &nvrtc.describe(failure.status),
            log,
        )))
    }
}

/// One source with all that it is compiled by.
struct Job<'j> {
    options: &'j CompileOptions,
    source: &'j str,
    nvrtc: &'static Nvrtc,
    version: (i32, i32),
}

impl Job<'_> {
    #[cold]
    fn refused(&self, problem: &str) -> Error {
        let (major, minor) = self.version;
        let name = self.options.source_name();
        Error::Nvrtc(Box::new(NvrtcError::refused(
            name,
            &format!("NVRTC {major}.{minor}: {problem}"),
        )))
    }

    /// Compiles it, and once more for its debug information where that is asked for.
    fn run(&self, architecture: &Architecture) -> Result<Compiled, Error> {
        let mut compiled = self.compile(&architecture.name, None)?;
        if self.options.debug_info {
            let debug = self.compile(&architecture.of_ptx, Some("--device-debug"))?;
            compiled.debug = debug.ptx;
        }
        Ok(compiled)
    }

    fn compile(&self, architecture: &str, more: Option<&str>) -> Result<Compiled, Error> {
        let (options, nvrtc) = (self.options, self.nvrtc);
        let texts = Texts::new(options, self.source, architecture, more)
            .map_err(|what| self.refused(&format!("{what} has a NUL")))?;
        let failed = |failure: Failure, log: &str| options.failed(nvrtc, &failure, log);
        let mut program = nvrtc
            .program(&texts.source, &texts.name, &texts.headers)
            .map_err(|failure| failed(failure, ""))?;
        for expression in &texts.expressions {
            program
                .add_name(expression)
                .map_err(|failure| failed(failure, ""))?;
        }
        program
            .compile(&texts.options)
            .map_err(|failure| failed(failure, &program.log()))?;
        let (ptx, cubin) = program
            .ptx()
            .and_then(|ptx| Ok((ptx, program.cubin()?)))
            .map_err(|failure| failed(failure, ""))?;
        let log = program.log();
        if ptx.is_empty() && cubin.is_empty() {
            return Err(self.refused(
                "it made neither PTX nor a cubin\nhelp: leave out options for other output, such as `-dlto` and `-optix-ir`",
            ));
        }
        let mut names = Vec::new();
        for (expression, text) in options.name_expressions.iter().zip(&texts.expressions) {
            let symbol = program
                .symbol(text)
                .map_err(|failure| failed(failure, &log))?;
            names.push((expression.clone(), symbol));
        }
        Ok(Compiled {
            architecture: architecture.into(),
            ptx,
            cubin,
            debug: Vec::new(),
            log,
            names,
        })
    }
}

/// The texts that NVRTC takes, which end with NUL.
struct Texts {
    source: CString,
    name: CString,
    headers: Vec<(CString, CString)>,
    expressions: Vec<CString>,
    options: Vec<CString>,
}

impl Texts {
    /// The error is what has a NUL.
    fn new(
        options: &CompileOptions,
        source: &str,
        architecture: &str,
        more: Option<&str>,
    ) -> Result<Self, &'static str> {
        let text = |text: &str, what| CString::new(text).map_err(|_| what);
        let mut list = options.list();
        list.push(format!("--gpu-architecture={architecture}"));
        list.extend(more.map(ToString::to_string));
        let headers = options.headers.iter();
        let expressions = options.name_expressions.iter();
        Ok(Self {
            source: text(source, "the source")?,
            name: text(options.source_name(), "the source's name")?,
            headers: headers
                .map(|(name, content)| {
                    Ok((text(name, "a header's name")?, text(content, "a header")?))
                })
                .collect::<Result<_, _>>()?,
            expressions: expressions
                .map(|expression| text(expression, "a name expression"))
                .collect::<Result<_, _>>()?,
            options: list
                .iter()
                .map(|option| text(option, "an option"))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// The name of the cache's entry; why there is none.
fn key(
    options: &CompileOptions,
    source: &str,
    (major, minor): (i32, i32),
    architecture: &Architecture,
) -> Result<String, &'static str> {
    let mut key = Key::new();
    key.add(format!("NVRTC {major}.{minor}").as_bytes());
    key.add(options.source_name().as_bytes());
    key.add(source.as_bytes());
    key.add(architecture.name.as_bytes());
    key.list(options.list().iter().map(String::as_bytes));
    key.list(options.name_expressions.iter().map(String::as_bytes));
    let texts = options.headers.iter();
    let texts: Vec<_> = texts
        .flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()])
        .collect();
    key.list(texts.into_iter());
    key.add(&[u8::from(options.debug_info)]);
    key.list(options.cache_key.iter().map(String::as_bytes));
    match files(options, source) {
        Ok(files) => {
            for (path, text) in &files {
                let path = path.to_string_lossy();
                let there = [u8::from(text.is_some())];
                let text = text.as_deref().unwrap_or_default();
                key.list([path.as_bytes(), &there, text].into_iter());
            }
        }
        // The program's own key tells what cannot be seen.
        Err(_) if options.cache_key.is_some() => {}
        Err(why) => return Err(why),
    }
    Ok(key.finish())
}

/// What the source can include.
fn files(options: &CompileOptions, source: &str) -> Result<includes::Files, &'static str> {
    if options.others.iter().any(|option| names_files(option)) {
        return Err("an option names files");
    }
    let own = Path::new(options.source_name()).parent();
    let mut folders: Vec<PathBuf> = own.into_iter().map(Path::to_path_buf).collect();
    folders.extend(options.include_paths.iter().cloned());
    let headers = options.headers.iter().map(|(_, text)| text.as_str());
    includes::files(source, headers, &folders).map_err(includes::Untold::text)
}

/// Whether an option has NVRTC read or write files that the source does not name. NVRTC documentation, "Supported Compile Options".
fn names_files(option: &str) -> bool {
    const FILES: [&str; 10] = [
        "include-path",
        "include",
        "pre-include",
        "pch",
        "create-pch",
        "use-pch",
        "pch-dir",
        "pch_dir",
        "fdevice-time-trace",
        "device-time-trace",
    ];
    let option = option.trim_start_matches('-');
    let name = option.split(['=', ' ']).next().unwrap_or_default();
    option.starts_with('I') || FILES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_name_files_are_known() {
        for option in [
            "-I/usr/include",
            "-I /usr",
            "--include-path=/usr",
            "--pre-include=a.h",
            "-include a.h",
            "--pch",
            "-pch-dir=x",
            "--use-pch=x",
        ] {
            assert!(names_files(option), "{option}");
        }
        for option in [
            "--use_fast_math",
            "-G",
            "--std=c++20",
            "--maxrregcount=1",
            "-DInclude=1",
            "--device-int128",
        ] {
            assert!(!names_files(option), "{option}");
        }
    }

    #[test]
    fn every_part_of_a_source_is_in_its_key() {
        let options = || CompileOptions::new().define("A", 1).header("a.h", "int a;");
        let key =
            |options: &CompileOptions, source: &str, version: (i32, i32), architecture: &str| {
                let architecture =
                    Architecture::choose(Some(architecture), false, Sm(90), &[]).unwrap();
                key(options, source, version, &architecture)
            };
        let base = key(&options(), "int x;", (13, 0), "sm_90").unwrap();
        assert_eq!(key(&options(), "int x;", (13, 0), "sm_90").unwrap(), base);
        for other in [
            key(&options(), "int y;", (13, 0), "sm_90"),
            key(&options(), "int x;", (13, 1), "sm_90"),
            key(&options(), "int x;", (13, 0), "sm_90a"),
            key(&options(), "int x;", (13, 0), "compute_90"),
            key(&options().define("B", 1), "int x;", (13, 0), "sm_90"),
            key(&options().header("b.h", ""), "int x;", (13, 0), "sm_90"),
            key(&options().name("other.cu"), "int x;", (13, 0), "sm_90"),
            key(
                &options().name_expression("f<int>"),
                "int x;",
                (13, 0),
                "sm_90",
            ),
            key(&options().debug_info(true), "int x;", (13, 0), "sm_90"),
            key(&options().cache_key(""), "int x;", (13, 0), "sm_90"),
            key(&options().cache_key("2"), "int x;", (13, 0), "sm_90"),
            key(&options().line_info(), "int x;", (13, 0), "sm_90"),
        ] {
            assert_ne!(other.unwrap(), base);
        }
        let computed = "#include MACRO";
        assert!(key(&options(), computed, (13, 0), "sm_90").is_err());
        assert!(key(&options().cache_key("1"), computed, (13, 0), "sm_90").is_ok());
        assert!(key(&options().option("-I/usr"), "int x;", (13, 0), "sm_90").is_err());
    }
}
