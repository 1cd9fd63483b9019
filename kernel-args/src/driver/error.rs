//! What can go wrong before, in and after a launch.

use super::api::{Status, Unavailable};
use crate::device::vector::Dim3;
use cudarc::driver::DriverError;
use std::{boxed::Box, fmt, string::String, vec::Vec};

/// Why a kernel was not loaded or not launched.
#[derive(Debug)]
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
    /// The driver rejected an image.
    #[non_exhaustive]
    Load {
        /// The call and what it returned.
        call: DriverCall,
        /// The error log of the driver's compiler or linker; may be empty.
        log: String,
    },
    /// An image could not be read.
    Image(String),
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
    /// An argument or the stream belongs to another context than the kernel; nothing was enqueued or launched. For a
    /// verified `Kernel` the driver was not called.
    #[non_exhaustive]
    Foreign {
        /// The kernel.
        kernel: String,
        /// The field; `None` for the stream.
        field: Option<&'static str>,
    },
    /// A function was loaded in another context than the one that was given with it.
    #[non_exhaustive]
    ForeignFunction {
        /// The kernel.
        kernel: String,
        /// The ordinal of the device on which the function is loaded.
        loaded_on: i32,
        /// The ordinal of the device of the context that was given.
        given: i32,
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
    /// The struct.
    pub arguments: &'static str,
    /// The fields that are wrong, in order. A parameter that no field passes is not among them.
    pub fields: Vec<&'static str>,
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
    /// Every argument by its field's name, decoded.
    pub arguments: String,
    /// What this error usually means at a launch.
    pub meaning: &'static str,
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
                if matches!(call.status.0, 900..=908) {
                    f.write_str(WHILE_CAPTURING)?;
                }
                Ok(())
            }
            Self::Load { call, log } if log.is_empty() => call.fmt(f),
            Self::Load { call, log } => write!(f, "{call}; the driver's compiler says:\n{log}"),
            Self::Image(problem) => f.write_str(problem),
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
            Self::Foreign { kernel, field } => {
                write!(f, "kernel `{kernel}` was not launched: ")?;
                match field {
                    Some(field) => write!(
                        f,
                        "`{field}` belongs to another context (another device?) than the launch\n\
                         help: allocate it on a stream of the kernel's context, or load the kernel in the argument's \
                         context"
                    ),
                    None => f.write_str(
                        "the stream belongs to another context (another device?) than the kernel\n\
                         help: use a stream of the context in which the kernel was loaded",
                    ),
                }
            }
            Self::ForeignFunction {
                kernel,
                loaded_on,
                given,
            } => write!(
                f,
                "kernel `{kernel}` was loaded in a context of device {loaded_on}, which is not the context of device \
                 {given} that was given\n\
                 help: give the context in which cudarc loaded the module"
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

/// The help for an error of a call on a stream that is being captured. cudarc has a launch wait for the last use of each slice,
/// which a capture cannot contain.
const WHILE_CAPTURING: &str = "\n\
    help: the stream is being captured into a graph, and cannot wait for work outside of the capture: capture a launch with \
    `launch!(kernel, grid, block, args, node, stream = &stream)`, which does not wait";

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(kernel) = &self.kernel {
            write!(f, "kernel `{kernel}`: ")?;
        }
        write!(f, "{}: {}", self.action, self.reason)?;
        if !self.help.is_empty() {
            write!(f, "\nhelp: {}", self.help)?;
        }
        Ok(())
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

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "launching kernel `{}` returned {}\n  {}\n  grid {}, block {}, {} bytes of dynamic shared memory",
            self.kernel, self.status, self.meaning, self.grid, self.block, self.shared
        )?;
        if !self.arguments.is_empty() {
            write!(f, "\n{}", self.arguments)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
impl std::error::Error for Limit {}
impl std::error::Error for GraphError {}
impl std::error::Error for MismatchError {}
impl std::error::Error for LaunchError {}
