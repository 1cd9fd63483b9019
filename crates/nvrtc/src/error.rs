//! Errors of loading and calling NVRTC.

use std::{ffi::c_int, fmt};

/// Why NVRTC cannot be used, or which call failed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The library cannot be loaded. The text is the operating system's reason.
    Library(String),
    /// The library is older than CUDA 11.2 and lacks this function.
    EntryPoint(&'static str),
    /// A function of NVRTC returned an error.
    Call {
        /// The name of the function: `nvrtcCompileProgram`.
        name: &'static str,
        /// The `nvrtcResult` that it returned.
        status: c_int,
        /// NVRTC's name of this status and its number.
        text: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library(why) => f.write_str(why),
            Self::EntryPoint(name) => write!(
                f,
                "this NVRTC is too old: the function `{name}` is missing\nhelp: install NVRTC of CUDA 11.2 or newer"
            ),
            Self::Call { name, text, .. } => write!(f, "{name} returned {text}"),
        }
    }
}

impl std::error::Error for Error {}
