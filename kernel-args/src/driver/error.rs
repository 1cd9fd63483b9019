//! What can go wrong before, in and after a launch.

use super::{geometry::Dim, status::Status};
use std::{boxed::Box, fmt, string::String, vec::Vec};

/// Why a kernel was not loaded or not launched.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is no CUDA driver on this machine.
    NoDriver,
    /// The driver is too old: it lacks this entry point.
    OldDriver {
        /// The entry point.
        missing: &'static str,
    },
    /// A driver call failed, outside a launch.
    Driver(DriverCall),
    /// The driver rejected an image; `log` is what its compiler or linker said.
    Load {
        /// The call and its error.
        call: DriverCall,
        /// The error log of the driver's compiler or linker; may be empty.
        log: String,
    },
    /// An image could not be read.
    Image(String),
    /// No entry of that name, or several that fit equally well.
    Entry {
        /// The name that was asked for.
        wanted: String,
        /// What is wrong with it.
        problem: &'static str,
        /// The nearest or the fitting entries.
        candidates: Vec<String>,
    },
    /// The struct does not fit the kernel.
    Mismatch(Box<MismatchError>),
    /// The kernel could not be verified, and the caller insisted.
    Unverified {
        /// The kernel.
        kernel: String,
        /// Why.
        reason: String,
    },
    /// A launch that a limit forbids; the driver was not called.
    Limit(Box<Limit>),
    /// An argument belongs to another context than the launch; the driver was not called.
    Foreign {
        /// The kernel.
        kernel: String,
        /// The field; `None` for the stream.
        field: Option<&'static str>,
    },
    /// The driver returned an error from a launch.
    Launch(Box<LaunchError>),
}

/// A driver call and its error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriverCall {
    /// The entry point.
    pub call: &'static str,
    /// What it returned.
    pub status: Status,
}

/// A struct that does not fit a kernel.
#[derive(Debug)]
pub struct MismatchError {
    /// The kernel's entry.
    pub kernel: String,
    /// The struct.
    pub arguments: &'static str,
    /// The fields that are wrong, in order. A parameter that no field passes is not among them.
    pub fields: Vec<&'static str>,
    /// Both sides, field by field, for a reader.
    pub table: String,
}

/// A launch that a limit forbids.
#[derive(Debug)]
pub struct Limit {
    /// The kernel.
    pub kernel: String,
    /// What was asked for.
    pub asked: String,
    /// The limit, and what to do.
    pub limit: String,
}

/// A launch that the driver refused.
#[derive(Debug)]
pub struct LaunchError {
    /// The kernel.
    pub kernel: String,
    /// What the driver returned.
    pub status: Status,
    /// The grid in blocks.
    pub grid: Dim,
    /// The block in threads.
    pub block: Dim,
    /// Dynamic shared memory per block in bytes.
    pub shared: u32,
    /// Every argument by its field's name, decoded.
    pub arguments: String,
    /// What this error usually means at a launch.
    pub meaning: &'static str,
}

impl Error {
    /// An error that cudarc returned while a context was made current or asked.
    #[cold]
    pub(crate) fn current(error: cudarc::driver::DriverError) -> Self {
        Self::Driver(DriverCall {
            call: "making the context current, or an earlier asynchronous call in it,",
            status: error.0.into(),
        })
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
                "there is no CUDA driver on this machine: libcuda.so (nvcuda.dll on Windows) was not found; \
                 install NVIDIA's driver, or add its folder to the library path",
            ),
            Self::OldDriver { missing } => {
                write!(f, "the CUDA driver on this machine is too old: it has no `{missing}`; install a newer one")
            }
            Self::Driver(call) => call.fmt(f),
            Self::Load { call, log } if log.is_empty() => call.fmt(f),
            Self::Load { call, log } => write!(f, "{call}; the driver's compiler says:\n{log}"),
            Self::Image(problem) => f.write_str(problem),
            Self::Entry {
                wanted,
                problem,
                candidates,
            } => {
                write!(f, "no kernel `{wanted}`: {problem}")?;
                for candidate in candidates {
                    write!(f, "\n  {candidate}")?;
                }
                Ok(())
            }
            Self::Mismatch(mismatch) => mismatch.fmt(f),
            Self::Unverified { kernel, reason } => {
                write!(f, "kernel `{kernel}` could not be verified: {reason}")
            }
            Self::Limit(limit) => write!(
                f,
                "kernel `{}` was not launched: {}, but {}",
                limit.kernel, limit.asked, limit.limit
            ),
            Self::Foreign {
                kernel,
                field: Some(field),
            } => write!(
                f,
                "kernel `{kernel}` was not launched: `{field}` belongs to another context (another device?) \
                 than the launch; allocate it on a stream of the kernel's context, or load the kernel in its"
            ),
            Self::Foreign { kernel, field: None } => write!(
                f,
                "kernel `{kernel}` was not launched: the stream belongs to another context (another device?) \
                 than the kernel; use a stream of the context in which the kernel was loaded"
            ),
            Self::Launch(launch) => launch.fmt(f),
        }
    }
}

impl fmt::Display for MismatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.table)
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
impl std::error::Error for MismatchError {}
impl std::error::Error for LaunchError {}
