//! What can go wrong before, in and after a launch: one enum, with a group for each step.
//!
//! | to change | open |
//! |---|---|
//! | what an error code of the driver means | `meaning.rs`; which limit a launch exceeds: `resources.rs` of `launch` |
//! | the error that a kernel has left in its context | `lost.rs`, which every group with a code contains; the fields in it: `fields.rs` |
//! | a text | the file of its group: `load.rs`, `verify.rs`, `launch.rs`, `launcher.rs`, `run.rs`, `context.rs`, `graph.rs`, `nvrtc.rs`, `pointer.rs`, `texture.rs` |

mod context;
#[cfg(feature = "observe")]
mod fault;
mod fields;
mod global;
#[cfg(feature = "graphs")]
mod graph;
mod incompatible;
mod launch;
mod launcher;
mod load;
mod lost;
mod meaning;
#[cfg(feature = "nvrtc")]
mod nvrtc;
#[cfg(feature = "observe")]
mod pointer;
#[cfg(feature = "record")]
mod recording;
mod run;
#[cfg(feature = "textures")]
mod texture;
mod verify;

use crate::driver::api::{CallError, Status, Unavailable};
use cudarc::driver::DriverError;
use std::fmt;

pub use crate::driver::api::DriverCall;
pub use context::{ContextError, ContextMismatch, GreenError};
pub(crate) use fields::register_fields;
pub use global::{GlobalError, GlobalMismatch};
#[cfg(feature = "graphs")]
pub use graph::GraphError;
pub use incompatible::IncompatibleImage;
pub use launch::{BrokenContract, FailedLaunch, LaunchError, Limit, UnsupportedAttribute};
pub use launcher::FailedLauncher;
pub(crate) use launcher::runtime_name;
pub use load::{ImageError, LoadError};
#[cfg(feature = "observe")]
pub(crate) use lost::FLIGHT_RECORDER;
pub use lost::LostContext;
pub(crate) use lost::Near;
pub(crate) use meaning::{Asked, Meaning, help, meaning};
#[cfg(feature = "nvrtc")]
pub use nvrtc::{CompileError, NvrtcError};
#[cfg(feature = "record")]
pub use recording::RecordingError;
pub use run::{Elsewhere, OutsideOf, RunError};
#[cfg(feature = "textures")]
pub use texture::TextureError;
pub use verify::{MismatchError, Unverified, VerifyError};
#[cfg(feature = "observe")]
pub use {
    fault::{ContextFault, PointsTo, RecordedArgument, RunningLaunch},
    pointer::{AlignedBy, BadPointer, PointerProblem},
};

/// The result of a function that is compiled for each struct: it would copy the 88 bytes of an [`Error`] at each `?`.
pub(crate) type BoxedResult<T = ()> = Result<T, Box<Error>>;

impl From<CallError> for Box<Error> {
    #[cold]
    #[inline(never)]
    fn from(error: CallError) -> Self {
        Self::new(error.into())
    }
}

/// Why a kernel was not loaded or not launched.
///
/// ```
/// use kernel_args::{Error, error::LaunchError};
///
/// fn is_too_large(error: &Error) -> bool {
///     matches!(error, Error::Launch(LaunchError::Limit(_)))
/// }
/// ```
///
/// `Debug` writes the same text as `Display`: `unwrap` prints it, and a `main` that returns an error. So do the errors
/// in it.
#[non_exhaustive]
pub enum Error {
    /// This machine has no CUDA driver.
    NoDriver,
    /// The driver is too old: it lacks this entry point.
    #[non_exhaustive]
    OldDriver {
        /// The entry point.
        missing: &'static str,
    },
    /// A driver call failed, outside a launch.
    #[non_exhaustive]
    Driver {
        /// The entry point.
        call: &'static str,
        /// The status that it returned.
        status: Status,
        /// If it is the error of a kernel: what is known about it.
        lost: Option<Box<LostContext>>,
    },
    /// A driver call of cudarc failed, outside this crate: the error that `?` converted. The error of a kernel becomes
    /// [`Self::Driver`].
    Cudarc(DriverError),
    /// A source was not compiled at run time.
    #[cfg(feature = "nvrtc")]
    Compile(CompileError),
    /// An image was not loaded, or a kernel was not found in it.
    Load(LoadError),
    /// The arguments do not match the kernel, or cannot be verified.
    Verify(VerifyError),
    /// A context is wrong, or was destroyed.
    Context(ContextError),
    /// A launch was rejected, or the driver returned an error for it.
    Launch(LaunchError),
    /// A run of a sequence, a capture or a pool rejected a call.
    Run(RunError),
    /// A global variable was not found, or not read or written.
    Global(GlobalError),
    /// A graph, or a node of a graph, was not created, changed or launched.
    #[cfg(feature = "graphs")]
    Graph(Box<GraphError>),
    /// A launch was not recorded in a file, or a recording was not launched.
    #[cfg(feature = "record")]
    Recording(RecordingError),
    /// An array, a texture or a surface was not created, or an array was not copied.
    #[cfg(feature = "textures")]
    Texture(TextureError),
}

impl Error {
    #[cold]
    pub(crate) fn context(error: DriverError) -> Self {
        CallError::context(error).into()
    }

    #[cold]
    pub(crate) fn cudarc(call: &'static str, error: DriverError) -> Self {
        CallError::cudarc(call, error).into()
    }

    /// Returns what is known about the kernel that has failed, if this is the error that it left in its context. Every
    /// later call in this context returns it, also calls of cudarc and of other libraries.
    #[must_use]
    pub fn lost_context(&self) -> Option<&LostContext> {
        match self {
            Self::Driver { lost, .. } | Self::Load(LoadError::Rejected { lost, .. }) => lost.as_deref(),
            Self::Launch(error) => error.lost_context(),
            #[cfg(feature = "graphs")]
            Self::Graph(error) => error.lost.as_deref(),
            _ => None,
        }
    }
}

macro_rules! conversions {
    ($($(#[$when:meta])* $ty:ty: $given:pat => $error:expr;)*) => {$(
        $(#[$when])*
        impl From<$ty> for Error {
            #[cold]
            fn from($given: $ty) -> Self {
                $error
            }
        }
    )*};
}

conversions! {
    DriverCall: DriverCall { call, status } => Self::Driver { call, status, lost: LostContext::new(status, Near::Nothing) };
    CallError: error => match error {
        CallError::Unavailable(unavailable) => unavailable.into(),
        CallError::Returned(call) => call.into(),
    };
    Unavailable: unavailable => match unavailable {
        Unavailable::Library => Self::NoDriver,
        Unavailable::EntryPoint(missing) => Self::OldDriver { missing },
    };
    DriverError: error => match LostContext::new(error.0.into(), Near::Nothing) {
        None => Self::Cudarc(error),
        lost => Self::Driver { call: "a driver call of cudarc", status: error.0.into(), lost },
    };
    #[cfg(feature = "nvrtc")]
    cudarc::nvrtc::CompileError: error => Self::Compile(CompileError::Cudarc(Box::new(error)));
}

display!(Error, |this, f| {
    match this {
            Self::NoDriver => f.write_str(
                "no CUDA driver was found on this machine (libcuda.so, nvcuda.dll on Windows)\n\
                 help: install NVIDIA's driver, or add its folder to the library path; to test without a GPU on Linux, run the command with \
                 `kernel-args-test-driver` (`cargo install kernel-args-test-driver`)",
            ),
            Self::OldDriver { missing } => {
                write!(f, "the CUDA driver on this machine is too old: it has no `{missing}`")?;
                match since(missing) {
                    Some(cuda) => {
                        write!(f, ", which CUDA {cuda} added\nhelp: install a driver of CUDA {cuda} or newer")
                    }
                    None => f.write_str("\nhelp: install a newer driver"),
                }
            }
            Self::Driver { call, status, lost: Some(lost) } => lost.write(f, format_args!("{call} returned {status}")),
            Self::Driver { call, status, lost: None } => returned(f, call, *status),
            Self::Cudarc(error) => returned(f, "a driver call of cudarc", error.0.into()),
            group => source(group, f),
        }
});

fn since(entry_point: &str) -> Option<&'static str> {
    match entry_point {
        "cuDeviceGetGraphMemAttribute"
        | "cuDeviceGraphMemTrim"
        | "cuDeviceSetGraphMemAttribute"
        | "cuGraphAddMemAllocNode"
        | "cuGraphAddMemFreeNode" => Some("11.4"),
        "cuGraphExecUpdate_v2" => Some("12.0"),
        "cuGraphAddNode_v2" | "cuGraphConditionalHandleCreate" => Some("12.3"),
        _ => None,
    }
}

/// Writes the text of an error that only consists of its source.
fn source(error: &dyn std::error::Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    error.source().map_or(Ok(()), |source| fmt::Display::fmt(source, f))
}

fn returned(f: &mut fmt::Formatter<'_>, call: &str, status: Status) -> fmt::Result {
    write!(f, "{call} returned {status}")?;
    let Some(meaning) = meaning(status, Asked::Other) else {
        return Ok(());
    };
    write!(f, "\n  {}", meaning.what)?;
    help(f, meaning.help)
}

/// Implements `Debug`, which writes the same text as `Display`, and `Error` with its sources.
macro_rules! errors {
    ($($(#[$when:meta])* $error:ident $({ $($(#[$of:meta])* $pattern:pat => $source:expr,)* })?)*) => {$(
        $(#[$when])*
        debug_as_display!($error);

        $(#[$when])*
        impl std::error::Error for $error {
            $(fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
                #[allow(unreachable_patterns, reason = "some errors have a source in each variant")]
                match self {
                    $($(#[$of])* $pattern => Some($source),)*
                    _ => None,
                }
            })?
        }
    )*};
}

errors! {
    Error {
        Self::Cudarc(error) => error,
        #[cfg(feature = "nvrtc")] Self::Compile(error) => error,
        Self::Load(error) => error,
        Self::Verify(error) => error,
        Self::Context(error) => error,
        Self::Launch(error) => error,
        Self::Run(error) => error,
        Self::Global(error) => error,
        #[cfg(feature = "graphs")] Self::Graph(error) => &**error,
        #[cfg(feature = "record")] Self::Recording(error) => error,
        #[cfg(feature = "textures")] Self::Texture(error) => error,
    }
    BrokenContract { Self { contract, .. } => contract, }
    #[cfg(feature = "nvrtc")] CompileError { Self::Nvrtc(error) => &**error, Self::Cudarc(error) => &**error, }
    #[cfg(feature = "nvrtc")] NvrtcError
    ContextError {
        Self::Destroyed { call: Some(call), .. } | Self::NoDevice { call, .. } => call,
        Self::Green(error) => error,
    }
    GreenError
    GlobalError { Self::Mismatch(mismatch) => &**mismatch, }
    GlobalMismatch
    #[cfg(feature = "graphs")] GraphError
    IncompatibleImage
    LaunchError {
        Self::Failed(launch) => &**launch,
        Self::Launcher(launcher) => &**launcher,
        Self::Limit(limit) => &**limit,
        Self::Contract(contract) => &**contract,
        #[cfg(feature = "observe")] Self::Pointer(pointer) => &**pointer,
        Self::UnsupportedAttribute(unsupported) => &**unsupported,
        Self::UseNotRecorded { call, .. } => call,
    }
    RunError
    FailedLaunch
    FailedLauncher
    Limit
    LostContext
    UnsupportedAttribute
    LoadError {
        Self::Image(image) => image,
        Self::Incompatible(image) => &**image,
        Self::Rejected { call, .. } => call,
    }
    ImageError {
        Self::File { error, .. } => error,
        Self::Format(error) | Self::FileFormat { error, .. } => error,
    }
    #[cfg(feature = "observe")] BadPointer
    #[cfg(feature = "record")] RecordingError {
        Self::Write { error, .. } => error,
        Self::Read { error, .. } => error,
    }
    #[cfg(feature = "textures")] TextureError
    VerifyError { Self::Mismatch(mismatch) => &**mismatch, Self::Unverified { reason, .. } => reason, }
    MismatchError
    Unverified
}

fn lines<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: impl IntoIterator<Item = T>) -> fmt::Result {
    items.into_iter().try_for_each(|item| write!(f, "\n  {item}"))
}

/// Writes two names, each with what belongs to it, on two lines.
fn two_sides(f: &mut fmt::Formatter<'_>, sides: [(&str, impl fmt::Display); 2]) -> fmt::Result {
    let width = sides.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    lines(f, sides.map(|(name, what)| format!("{name:width$}  {what}")))
}

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn an_old_driver_is_named_with_the_version_that_has_the_call() {
        let text = |missing| Error::OldDriver { missing }.to_string();
        assert_eq!(
            text("cuGraphAddNode_v2"),
            "the CUDA driver on this machine is too old: it has no `cuGraphAddNode_v2`, which CUDA 12.3 added\n\
             help: install a driver of CUDA 12.3 or newer"
        );
        assert_eq!(
            text("cuGraphCreate"),
            "the CUDA driver on this machine is too old: it has no `cuGraphCreate`\n\
             help: install a newer driver"
        );
    }
}
