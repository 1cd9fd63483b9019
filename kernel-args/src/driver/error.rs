//! What can go wrong before, in and after a launch.

#[cfg(feature = "nvrtc")]
use super::nvrtc_error::NvrtcError;
use super::{
    api::{Status, Unavailable},
    context_error::{ContextMismatch, write_destroyed, write_not_restored},
    incompatible::IncompatibleImage,
    meaning::{Asked, meaning},
};
use crate::{device::vector::Dim3, marshal::ContextName};
use cudarc::driver::DriverError;
use std::{borrow::Cow, boxed::Box, fmt, string::String, vec::Vec};

/// Why a kernel was not loaded or not launched.
///
/// `Debug` writes the same text as `Display`: it is what `unwrap` prints, and a `main` that returns an error.
#[non_exhaustive]
pub enum Error {
    /// There is no CUDA driver on this machine.
    NoDriver,
    /// The driver is too old: it lacks this entry point.
    #[non_exhaustive]
    OldDriver {
        /// The entry point.
        missing: &'static str,
    },
    /// A driver call failed, outside a launch.
    Driver(DriverCall),
    /// A driver call of cudarc failed, outside this crate: the error that `?` turned into this one.
    Cudarc(DriverError),
    /// The driver rejected an image.
    #[non_exhaustive]
    Load {
        /// The call and what it returned.
        call: DriverCall,
        /// The error log of the driver's compiler or linker; may be empty.
        log: String,
        /// What the error usually means, what the image holds, and what to do: lines, each with a line break before it.
        explanation: String,
    },
    /// The image has no code for this GPU and this driver; the driver was not asked.
    Incompatible(Box<IncompatibleImage>),
    /// An image could not be read.
    Image(String),
    /// NVRTC did not compile the source: the error that `?` turned into this one.
    #[cfg(feature = "nvrtc")]
    Compile(Box<cudarc::nvrtc::CompileError>),
    /// A source was not compiled at run time, with NVRTC's log; or there is no NVRTC.
    #[cfg(feature = "nvrtc")]
    Nvrtc(Box<NvrtcError>),
    /// No kernel has that name, or several fit equally well.
    #[non_exhaustive]
    Entry {
        /// The name that was asked for.
        wanted: String,
        /// What is wrong with it.
        problem: &'static str,
        /// The kernels with the nearest names, or those that fit.
        candidates: Vec<String>,
    },
    /// The struct does not fit the kernel.
    Mismatch(Box<MismatchError>),
    /// The kernel was not verified, which `Kernel::require_verified` demands.
    #[non_exhaustive]
    Unverified {
        /// The kernel.
        kernel: String,
        /// Why it was not verified.
        reason: String,
    },
    /// The launch exceeds a limit of the device or the kernel; the driver was not called.
    Limit(Box<Limit>),
    /// The driver or the GPU lacks a launch attribute; the driver was not asked to launch.
    UnsupportedAttribute(Box<UnsupportedAttribute>),
    /// An argument or the stream belongs to another context than the kernel; nothing was enqueued or launched. For a
    /// verified `Kernel` the driver was not called.
    #[non_exhaustive]
    Foreign {
        /// The kernel.
        kernel: String,
        /// The field, or the index of an argument in a list; `None` for the stream.
        field: Option<Cow<'static, str>>,
        /// The context of the launch, and that of the argument or the stream.
        contexts: Box<ContextMismatch>,
    },
    /// A function was loaded in another context than the one that was given with it.
    #[non_exhaustive]
    ForeignFunction {
        /// The kernel.
        kernel: String,
        /// The context in which the function is loaded, and the one that was given.
        contexts: Box<ContextMismatch>,
    },
    /// A stream belongs to another context than the one that was given with it.
    ForeignStream(Box<ContextMismatch>),
    /// A context was reset or destroyed: what was made in it is gone.
    #[non_exhaustive]
    ContextDestroyed {
        /// The kernel; `None` where none was launched.
        kernel: Option<String>,
        /// The context.
        context: ContextName,
        /// The call and what it returned; `None` where the driver was not asked to do anything.
        call: Option<DriverCall>,
    },
    /// The context that was current before [`with_current`](crate::with_current) was not made current again.
    #[non_exhaustive]
    NotRestored {
        /// The context that was current before.
        before: ContextName,
    },
    /// The kernels of one context cannot access the memory of another one.
    #[non_exhaustive]
    NoPeerAccess {
        /// The context whose memory was to be accessed, and that of the kernels.
        contexts: Box<ContextMismatch>,
    },
    /// A green context was not made.
    Green(String),
    /// cudarc's function was asked for, but cudarc did not load the module.
    #[non_exhaustive]
    NotCudarc {
        /// The kernel, or what else was asked for.
        kernel: String,
    },
    /// A raw function was launched without a stream on a thread that has no current context.
    #[non_exhaustive]
    NoContext {
        /// The kernel.
        kernel: String,
    },
    /// The driver returned an error from a launch.
    Launch(Box<LaunchError>),
    /// A graph, or a node of one, was not made, changed or launched.
    Graph(Box<GraphError>),
    /// The kernel was launched, but its use of the arguments' memory was not recorded: other streams do not wait for it.
    #[non_exhaustive]
    Unrecorded {
        /// The kernel.
        kernel: String,
        /// The call and what it returned.
        call: DriverCall,
    },
}

/// A driver call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DriverCall {
    /// The entry point.
    pub call: &'static str,
    /// What it returned.
    pub status: Status,
}

/// A struct that does not fit a kernel.
#[derive(Debug)]
#[non_exhaustive]
pub struct MismatchError {
    /// The kernel.
    pub kernel: String,
    /// The struct; `Arguments` for a list.
    pub arguments: String,
    /// The fields that are wrong, or the indices of the arguments in a list, in order. A parameter that no field passes is not
    /// among them.
    pub fields: Vec<String>,
    /// Both sides, field by field, as a text.
    pub table: String,
}

/// A launch that exceeds a limit.
#[derive(Debug)]
#[non_exhaustive]
pub struct Limit {
    /// The kernel.
    pub kernel: String,
    /// What was requested.
    pub requested: String,
    /// The limit.
    pub limit: String,
    /// What to do.
    pub help: &'static str,
}

/// A launch attribute that the driver or the GPU lacks.
#[derive(Debug)]
#[non_exhaustive]
pub struct UnsupportedAttribute {
    /// The kernel.
    pub kernel: String,
    /// The option of `launch!`, which is the method of [`Launch`](crate::Launch).
    pub attribute: &'static str,
    /// The oldest driver, by its CUDA version, or the oldest GPU that has it.
    pub required: String,
    /// The driver or the GPU at hand.
    pub found: String,
    /// What to do.
    pub help: &'static str,
}

/// A graph, or a node of one, that was not made, changed or launched.
#[derive(Debug)]
#[non_exhaustive]
pub struct GraphError {
    /// The kernel of the node; `None` for another node, and for the graph as a whole.
    pub kernel: Option<String>,
    /// What was not done, as a sentence: "the node was not updated".
    pub action: &'static str,
    /// Why, with the arguments where the driver has rejected them.
    pub reason: String,
    /// What the driver returned; `None` where it was not asked.
    pub status: Option<Status>,
    /// What to do; may be empty.
    pub help: &'static str,
}

/// A launch for which the driver returned an error.
#[derive(Debug)]
#[non_exhaustive]
pub struct LaunchError {
    /// The kernel.
    pub kernel: String,
    /// What the driver returned.
    pub status: Status,
    /// The grid in blocks.
    pub grid: Dim3,
    /// The block in threads.
    pub block: Dim3,
    /// Dynamic shared memory per block in bytes.
    pub shared: u32,
    /// The launch attributes with their values and what each one needs; empty where there were none.
    pub attributes: String,
    /// Every argument by its field's name, decoded.
    pub arguments: String,
    /// What the kernel uses: registers, memory, threads of a block; empty where the driver does not tell, as in a lost context.
    pub resources: String,
    /// The limit that the launch exceeds where there is one, else what this error usually means at a launch.
    pub meaning: Cow<'static, str>,
    /// What to do; may be empty.
    pub help: &'static str,
}

impl Error {
    /// An error that cudarc returned when it made a context current. It returns the error of an earlier call there that
    /// could not return it.
    #[cold]
    pub(super) fn context(error: DriverError) -> Self {
        Self::cudarc(
            "cuCtxGetCurrent or cuCtxSetCurrent, or an earlier call in this context,",
            error,
        )
    }

    /// An error that cudarc returned from `call`.
    #[cold]
    pub(super) fn cudarc(call: &'static str, error: DriverError) -> Self {
        Self::Driver(DriverCall {
            call,
            status: error.0.into(),
        })
    }
}

impl From<Unavailable> for Error {
    #[cold]
    fn from(unavailable: Unavailable) -> Self {
        match unavailable {
            Unavailable::Library => Self::NoDriver,
            Unavailable::EntryPoint(missing) => Self::OldDriver { missing },
        }
    }
}

impl Status {
    /// The error of a driver call, by the call's name.
    pub(super) fn check(self, call: &'static str) -> Result<(), Error> {
        if self == Self::SUCCESS {
            Ok(())
        } else {
            Err(Error::Driver(DriverCall { call, status: self }))
        }
    }
}

impl fmt::Display for DriverCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} returned {}", self.call, self.status)
    }
}

impl From<DriverError> for Error {
    #[cold]
    fn from(error: DriverError) -> Self {
        Self::Cudarc(error)
    }
}

#[cfg(feature = "nvrtc")]
impl From<cudarc::nvrtc::CompileError> for Error {
    #[cold]
    fn from(error: cudarc::nvrtc::CompileError) -> Self {
        Self::Compile(Box::new(error))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDriver => f.write_str(
                "no CUDA driver was found on this machine (libcuda.so, nvcuda.dll on Windows)\n\
                 help: install NVIDIA's driver, or add its folder to the library path",
            ),
            Self::OldDriver { missing } => write!(
                f,
                "the CUDA driver on this machine is too old: it has no `{missing}`\n\
                 help: install a newer driver"
            ),
            Self::Driver(call) => {
                call.fmt(f)?;
                explain(f, call.status, Asked::Other)
            }
            Self::Cudarc(error) => {
                let status = Status::from(error.0);
                write!(f, "a driver call of cudarc returned {status}")?;
                explain(f, status, Asked::Other)
            }
            Self::Load {
                call,
                log,
                explanation,
            } => write_load(f, call, log, explanation),
            Self::Incompatible(image) => write!(f, "the image was not loaded: {image}"),
            Self::Image(problem) => f.write_str(problem),
            #[cfg(feature = "nvrtc")]
            Self::Compile(error) => write_cudarc_compile(f, error),
            #[cfg(feature = "nvrtc")]
            Self::Nvrtc(error) => error.fmt(f),
            Self::Entry {
                wanted,
                problem,
                candidates,
            } => {
                write!(f, "cannot find kernel `{wanted}`: {problem}")?;
                for candidate in candidates {
                    write!(f, "\n  {candidate}")?;
                }
                Ok(())
            }
            Self::Mismatch(mismatch) => mismatch.fmt(f),
            Self::Unverified { kernel, reason } => {
                write!(f, "kernel `{kernel}` could not be verified: {reason}")
            }
            Self::Limit(limit) => limit.fmt(f),
            Self::UnsupportedAttribute(unsupported) => unsupported.fmt(f),
            Self::Foreign {
                kernel,
                field,
                contexts,
            } => contexts.write_foreign(f, kernel, field.as_deref()),
            Self::ForeignFunction { kernel, contexts } => contexts.write_function(f, kernel),
            Self::ForeignStream(contexts) => contexts.write_stream(f),
            Self::ContextDestroyed {
                kernel,
                context,
                call,
            } => write_destroyed(f, kernel.as_deref(), *context, call.as_ref()),
            Self::NotRestored { before } => write_not_restored(f, *before),
            Self::NoPeerAccess { contexts } => contexts.write_no_access(f),
            Self::Green(problem) => f.write_str(problem),
            Self::NotCudarc { kernel } => write!(
                f,
                "cudarc has no function for kernel `{kernel}`, because cudarc did not load its module\n\
                 help: load the module with `ctx.load_module` and pass it to `Module::from_cudarc`"
            ),
            Self::NoContext { kernel } => write!(
                f,
                "kernel `{kernel}` was not launched: no context is current on this thread\n\
                 help: name a stream, `stream = &stream`, or call `ctx.bind_to_thread()` before"
            ),
            Self::Launch(launch) => launch.fmt(f),
            Self::Graph(graph) => graph.fmt(f),
            Self::Unrecorded { kernel, call } => write!(
                f,
                "kernel `{kernel}` was launched, but its use of the arguments was not recorded: {call}\n\
                 help: synchronize the stream before another one uses the same memory"
            ),
        }
    }
}

/// What a code usually means, and what to do, each on a line of its own.
fn explain(f: &mut fmt::Formatter<'_>, status: Status, asked: Asked) -> fmt::Result {
    let Some(meaning) = meaning(status, asked) else {
        return Ok(());
    };
    write!(f, "\n  {}", meaning.what)?;
    help(f, meaning.help)
}

fn help(f: &mut fmt::Formatter<'_>, help: &str) -> fmt::Result {
    if help.is_empty() {
        return Ok(());
    }
    write!(f, "\nhelp: {help}")
}

fn write_load(
    f: &mut fmt::Formatter<'_>,
    call: &DriverCall,
    log: &str,
    explanation: &str,
) -> fmt::Result {
    write!(f, "{call}")?;
    if !log.is_empty() {
        write!(f, "; the driver's compiler says:\n{log}")?;
    }
    f.write_str(explanation)
}

#[cfg(feature = "nvrtc")]
fn write_cudarc_compile(
    f: &mut fmt::Formatter<'_>,
    error: &cudarc::nvrtc::CompileError,
) -> fmt::Result {
    match error {
        cudarc::nvrtc::CompileError::CompileError { log, .. } => {
            let log = log.to_string_lossy();
            write!(f, "NVRTC did not compile the source:\n{log}")
        }
        other => write!(f, "NVRTC failed: {other}"),
    }
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(kernel) = &self.kernel {
            write!(f, "kernel `{kernel}`: ")?;
        }
        write!(f, "{}: {}", self.action, self.reason)?;
        help(f, self.help)
    }
}

impl fmt::Display for MismatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.table)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kernel,
            requested,
            limit,
            help,
        } = self;
        write!(
            f,
            "kernel `{kernel}` was not launched: requested {requested}, but {limit}\nhelp: {help}"
        )
    }
}

impl fmt::Display for UnsupportedAttribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kernel,
            attribute,
            required,
            found,
            help,
        } = self;
        write!(
            f,
            "kernel `{kernel}` was not launched: the launch attribute `{attribute}` needs {required}, and {found}\n\
             help: {help}"
        )
    }
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "launching kernel `{}` returned {}\n  {}\n  grid {}, block {}, {} bytes of dynamic shared memory",
            self.kernel, self.status, self.meaning, self.grid, self.block, self.shared
        )?;
        if !self.attributes.is_empty() {
            write!(f, "\n  attributes: {}", self.attributes)?;
        }
        if !self.resources.is_empty() {
            write!(f, "\n  the kernel uses {}", self.resources)?;
        }
        if !self.arguments.is_empty() {
            write!(f, "\n{}", self.arguments)?;
        }
        help(f, self.help)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Cudarc(error) => Some(error),
            #[cfg(feature = "nvrtc")]
            Self::Compile(error) => Some(&**error),
            _ => None,
        }
    }
}
impl std::error::Error for Limit {}
impl std::error::Error for GraphError {}
impl std::error::Error for MismatchError {}
impl std::error::Error for LaunchError {}
impl std::error::Error for UnsupportedAttribute {}
