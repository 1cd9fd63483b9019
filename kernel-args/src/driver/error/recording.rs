//! Recordings of launches that were not written, read or launched again.

use std::{io, path::PathBuf};

/// Why a launch was not recorded, or a recording was not launched.
#[non_exhaustive]
pub enum RecordingError {
    /// The file was not written.
    #[non_exhaustive]
    Write {
        /// The file.
        file: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// The file was not read.
    #[non_exhaustive]
    Read {
        /// The file.
        file: PathBuf,
        /// The error.
        error: kernel_args_image::recording::Error,
    },
    /// The recording has no image, and the options name none.
    NoImage,
    /// The kernel in the image has other parameters than the recorded launch.
    #[non_exhaustive]
    Parameters {
        /// The kernel.
        kernel: String,
        /// The sizes of the recorded parameters in bytes.
        recorded: Vec<usize>,
        /// The sizes of the kernel's parameters; `None` if neither the image nor the driver shows them.
        found: Option<Vec<usize>>,
    },
    /// The recording has a launch attribute that this version does not know, or that contains an address.
    #[non_exhaustive]
    Attribute {
        /// Its number, `CUlaunchAttributeID`.
        id: u32,
    },
}

display!(RecordingError, |this, f| match this {
    Self::Write { file, error } => {
        write!(f, "the launch was not recorded: {}: {error}", file.display())
    }
    Self::Read { file, error } => write!(f, "{}: {error}", file.display()),
    Self::NoImage => f.write_str(
        "the recording has no image: the module was loaded before the recording was requested, or by other code\n\
                 help: name the image with `kernel-args replay --image`, or `Replay::image`",
    ),
    Self::Parameters { kernel, recorded, found } => {
        write!(
            f,
            "kernel `{kernel}` does not have the recorded parameters\n  recorded {recorded:?} bytes\n  kernel   "
        )?;
        match found {
            Some(found) => write!(
                f,
                "{found:?} bytes\nhelp: replay an image whose kernel has the recorded parameters, or record the launch again"
            ),
            None => f.write_str(
                "not known: the image cannot be read, and the driver is older than 12.4\nhelp: install a newer driver",
            ),
        }
    }
    Self::Attribute { id } => write!(
        f,
        "the recording has the launch attribute {id}, which cannot be replayed\nhelp: remove it from `attributes` in `manifest.json`"
    ),
});
