//! Errors of NVRTC.

use super::meaning::help;

/// Why a source was not compiled at run time.
#[non_exhaustive]
pub enum CompileError {
    /// NVRTC did not compile the source, or is missing.
    Nvrtc(Box<NvrtcError>),
    /// cudarc's `compile_ptx` failed: the error that `?` converted.
    Cudarc(Box<cudarc::nvrtc::CompileError>),
}

/// A source that NVRTC did not compile, or the reason why NVRTC cannot be used. `Display` shows NVRTC's log, which
/// refers to the lines of the source by its name.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NvrtcError {
    /// The source's name; `None` if NVRTC itself is missing.
    pub source_name: Option<String>,
    /// The NVRTC call that failed and its `nvrtcResult`; `None` if NVRTC was not called.
    pub call: Option<(&'static str, i32)>,
    /// The problem, as text.
    pub problem: String,
    /// NVRTC's log; can be empty.
    pub log: String,
}

impl NvrtcError {
    #[cold]
    pub(crate) fn failed(source_name: &str, error: &kernel_args_nvrtc::Error, log: &str) -> Self {
        let (source_name, call, problem) = match error {
            kernel_args_nvrtc::Error::Library(_) => (
                None,
                None,
                "NVRTC was not found on this machine (libnvrtc.so, nvrtc64_*.dll on Windows)\n\
                help: install NVRTC, which is a part of the CUDA toolkit, or add its folder to the library path \
                (`LD_LIBRARY_PATH`, `PATH` on Windows)"
                    .into(),
            ),
            kernel_args_nvrtc::Error::Call { name, status, .. } => {
                (Some(source_name.into()), Some((*name, *status)), error.to_string())
            }
            error => (None, None, error.to_string()),
        };
        Self { source_name, call, problem, log: log.into() }
    }

    fn help(&self) -> &'static str {
        const ADVICE: [(&str, &str); 6] = [
            (
                "open source file",
                "add the header's folder with `include_path`, or pass its text with `header`; CUDA's own headers are in the \
                 toolkit's folder `include`",
            ),
            (
                "in parsing name expression",
                "a name expression is a kernel's name as code at the end of the source refers to it, with its namespace and its \
                 template arguments: `ns::axpy<float>`",
            ),
            (
                "libnvrtc-builtins",
                "the library libnvrtc-builtins must be in the library path, of the same version as NVRTC",
            ),
            (
                "unrecognized option",
                "NVRTC has its own options, which are fewer than nvcc's: see \"Supported Compile Options\" in its documentation",
            ),
            (
                "invalid value for --gpu-architecture",
                "this NVRTC does not support the architecture: remove `architecture`, or use a newer NVRTC",
            ),
            ("cannot open include file", "add the header's folder with `include_path`, or pass its text with `header`"),
        ];
        let known = ADVICE.iter().find(|(part, _)| self.log.contains(part));
        known.map_or("", |(_, advice)| advice)
    }
}

display!(CompileError, |this, f| match this {
    Self::Nvrtc(error) => error.fmt(f),
    Self::Cudarc(error) => match &**error {
        cudarc::nvrtc::CompileError::CompileError { log, .. } => {
            let log = log.to_string_lossy();
            write!(f, "NVRTC did not compile the source:\n{log}")
        }
        error => write!(f, "NVRTC failed: {error}"),
    },
});

display!(NvrtcError, |this, f| {
    match &this.source_name {
        Some(name) => write!(f, "`{name}` was not compiled: {}", this.problem)?,
        None => f.write_str(&this.problem)?,
    }
    if !this.log.is_empty() {
        write!(f, "\n{}", this.log)?;
    }
    help(f, this.help())
});
