//! What can go wrong before, in and after a launch.

mod context;
mod details;
mod incompatible;
mod meaning;
#[cfg(feature = "nvrtc")]
mod nvrtc;
mod text;

use crate::{
    driver::api::{CallError, Unavailable},
    marshal::ContextName,
};
use cudarc::driver::DriverError;
use std::{borrow::Cow, boxed::Box, fmt, string::String, vec::Vec};

pub use crate::driver::api::DriverCall;
pub use context::ContextMismatch;
pub use details::{GraphError, LaunchError, Limit, MismatchError, UnsupportedAttribute};
pub use incompatible::IncompatibleImage;
pub(crate) use meaning::{Asked, Meaning, meaning};
#[cfg(feature = "nvrtc")]
pub use nvrtc::NvrtcError;

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
    /// The context that was current before [`with_current`](crate::context::with_current) was not made current again.
    #[non_exhaustive]
    NotRestored {
        /// The context that was current before.
        before: ContextName,
    },
    /// The kernels of one context cannot access the memory of another one.
    #[non_exhaustive]
    NoPeerAccess {
        /// The context of the memory, and the context of the kernels.
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

impl Error {
    /// An error that cudarc returned when it made a context current.
    #[cold]
    pub(crate) fn context(error: DriverError) -> Self {
        CallError::context(error).into()
    }

    /// An error that cudarc returned from `call`.
    #[cold]
    pub(crate) fn cudarc(call: &'static str, error: DriverError) -> Self {
        CallError::cudarc(call, error).into()
    }
}

impl From<CallError> for Error {
    #[cold]
    fn from(error: CallError) -> Self {
        match error {
            CallError::Unavailable(unavailable) => unavailable.into(),
            CallError::Returned(call) => Self::Driver(call),
        }
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
