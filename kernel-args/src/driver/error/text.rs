//! The text of an error.

use super::{
    DriverCall, Error,
    context::{write_destroyed, write_not_restored},
    details::help,
    meaning::{Asked, meaning},
};
use crate::driver::api::Status;
use std::fmt;

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
