use super::{
    architecture::Architecture,
    cache,
    key::key,
    options::CompileOptions,
    source::{CacheUse, Compiled, CompiledSource},
};
#[cfg(feature = "observe")]
use crate::driver::observe::{self, CompileEvent, Event};
use crate::driver::{
    context::{driver_version, sm},
    error::{CompileError, Error, NvrtcError},
};
use cudarc::driver::CudaContext;
use kernel_args_abi::Sm;
use kernel_args_nvrtc::Nvrtc;
use std::{ffi::CString, sync::Arc};

impl CompileOptions {
    /// Compiles a source for the context's GPU. [`Module::compile`](crate::Module::compile) also loads the result.
    ///
    /// # Errors
    /// [`Error::Compile`] if NVRTC is not found or does not compile the source; the error contains NVRTC's log.
    pub fn compile(&self, ctx: &Arc<CudaContext>, source: &str) -> Result<CompiledSource, Error> {
        let gpu = sm(ctx)?;
        #[cfg(feature = "observe")]
        if observe::is_active() {
            let event = CompileEvent { name: self.source_name(), source, cache: self.cache.as_deref() };
            return observe::around(&Event::Compilation(&event), || self.compile_for(gpu, source));
        }
        self.compile_for(gpu, source)
    }

    fn compile_for(&self, gpu: Sm, source: &str) -> Result<CompiledSource, Error> {
        let driver = driver_version()?;
        let nvrtc = kernel_args_nvrtc::system(driver.major).map_err(|error| self.failed(error, ""))?;
        let asked = nvrtc.version().and_then(|version| Ok((version, nvrtc.architectures()?)));
        let (version, known) = asked.map_err(|error| self.failed(&error, ""))?;
        let job = Job { options: self, source, nvrtc, version };
        let architecture = Architecture::choose(self.architecture.as_deref(), self.to_ptx, gpu, &known);
        let architecture = architecture.map_err(|problem| job.refused(&problem))?;
        let key = || key(self, source, job.version, &architecture);
        let run = || job.run(&architecture);
        let (compiled, cache_use) = match self.cache.as_deref().map(|folder| (folder, key())) {
            None => (run()?, CacheUse::Off),
            Some((_, Err(why))) => (run()?, CacheUse::Unknown(why.into())),
            Some((folder, Ok(known))) => {
                if let Some(compiled) = cache::read(folder, &known.0) {
                    (compiled, CacheUse::Hit)
                } else {
                    let compiled = run()?;
                    let cache_use = if key().is_ok_and(|now| now == known) {
                        cache::write(folder, &known.0, &compiled)
                    } else {
                        CacheUse::Unknown("a file that the source includes was changed during the compilation".into())
                    };
                    (compiled, cache_use)
                }
            }
        };
        Ok(CompiledSource {
            compiled: Arc::new(compiled),
            cache_use,
            #[cfg(feature = "observe")]
            name: self.source_name().into(),
        })
    }

    #[cold]
    fn failed(&self, error: &kernel_args_nvrtc::Error, log: &str) -> Error {
        let error = NvrtcError::failed(self.source_name(), error, log);
        Error::Compile(CompileError::Nvrtc(Box::new(error)))
    }
}

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
        Error::Compile(CompileError::Nvrtc(Box::new(NvrtcError {
            source_name: Some(self.options.source_name().into()),
            call: None,
            problem: format!("NVRTC {major}.{minor}: {problem}"),
            log: String::new(),
        })))
    }

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
        let failed = |error| options.failed(&error, "");
        let text = |text: &str, what| CString::new(text).map_err(|_| self.refused(&format!("{what} contains a NUL")));
        let (source, name) = (text(self.source, "the source")?, text(options.source_name(), "the source's name")?);
        let headers = options.headers.iter();
        let headers = headers.map(|(name, content)| Ok((text(name, "a header's name")?, text(content, "a header")?)));
        let headers = headers.collect::<Result<Vec<_>, Error>>()?;
        let expressions = options.name_expressions.iter().map(|expression| text(expression, "a name expression"));
        let expressions = expressions.collect::<Result<Vec<_>, _>>()?;
        let mut list = options.list();
        list.push(format!("--gpu-architecture={architecture}"));
        list.extend(more.map(ToString::to_string));
        let list = list.iter().map(|option| text(option, "an option")).collect::<Result<Vec<_>, _>>()?;
        let mut program = nvrtc.program(&source, &name, &headers).map_err(failed)?;
        expressions.iter().try_for_each(|expression| program.add_name(expression)).map_err(failed)?;
        program.compile(&list).map_err(|error| options.failed(&error, &program.log()))?;
        let (ptx, cubin) = program.ptx().and_then(|ptx| Ok((ptx, program.cubin()?))).map_err(failed)?;
        let log = program.log();
        if ptx.is_empty() && cubin.is_empty() {
            return Err(self.refused(
                "it made neither PTX nor a cubin\nhelp: leave out options for other output, such as `-dlto` and `-optix-ir`",
            ));
        }
        let mut names = Vec::new();
        for (expression, text) in options.name_expressions.iter().zip(&expressions) {
            let symbol = program.symbol(text).map_err(|error| options.failed(&error, &log))?;
            names.push((expression.clone(), symbol));
        }
        Ok(Compiled { architecture: architecture.into(), ptx, cubin, debug: Vec::new(), log, names })
    }
}
