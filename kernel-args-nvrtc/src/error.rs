//! Why NVRTC did not do what it was asked.

use std::{ffi::c_int, fmt};

/// Why NVRTC cannot be used, or what it returned.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The library cannot be loaded: the system's reason.
    Library(String),
    /// The library is older than CUDA 11.2 and lacks this function.
    EntryPoint(&'static str),
    /// A call failed.
    Call {
        /// The function: `nvrtcCompileProgram`.
        name: &'static str,
        /// The `nvrtcResult` that it returned.
        status: c_int,
        /// NVRTC's name of this status, with the number.
        text: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library(why) => f.write_str(why),
            Self::EntryPoint(name) => write!(
                f,
                "this NVRTC is too old: it has no `{name}`\nhelp: install NVRTC of CUDA 11.2 or newer"
            ),
            Self::Call { name, text, .. } => write!(f, "{name} returned {text}"),
        }
    }
}

impl std::error::Error for Error {}
