//! The file format in which `kernel-args` records one launch of a kernel: [`Writer`] and [`Reader`].
//!
//! `kernel-args replay` launches it again: a recording has the image, the arguments, and the memory behind the
//! pointers, before and after the launch.
//!
//! A recording is a tar archive, so `tar tf` lists it and `tar xf` unpacks it:
//!
//! | entry | content |
//! |---|---|
//! | `manifest.json` | the kernel, its geometry, attributes and arguments, and where the pointers point: [`Manifest`] |
//! | `image` | the PTX, cubin or fat binary that was loaded; absent if it was not known |
//! | `memory/0.before`, `memory/1.before`, … | each allocation, before the launch |
//! | `memory/0.after`, `memory/1.after`, … | the same after it; absent if the kernel failed |
//! | `result.json` | what the driver returned: `{"status": 0}` |
//!
//! The entries are in this order, so a recording is written and read as a stream. A reader treats it as hostile.
//!
//! A replay allocates new memory and replaces the addresses in the arguments. Memory at the recorded addresses
//! (`cuMemAddressReserve`) would also make pointers in device memory right, but the driver treats the address as a
//! hint, and what such pointers point to is not known.

mod manifest;
mod reader;
mod writer;

pub use manifest::{Attribute, ElementType, MAX_PARAMETER_BYTES, Machine, Manifest, Memory, Parameter, Pointer};
pub use reader::{Entries, Entry, Reader};
pub use writer::Writer;

use crate::prelude::*;
use std::io;

/// Before or after the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before the launch.
    Before,
    /// After the launch has finished.
    After,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Outcome {
    status: u32,
}

const MANIFEST: &str = "manifest.json";
const IMAGE: &str = "image";
const RESULT: &str = "result.json";

fn memory_entry(index: usize, moment: Moment) -> String {
    let moment = match moment {
        Moment::Before => "before",
        Moment::After => "after",
    };
    format!("memory/{index}.{moment}")
}

/// Why a recording is not read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be read.
    Io(io::Error),
    /// It is not a recording, or a damaged one. The text names the part.
    Invalid(String),
}

impl Error {
    fn invalid(what: impl Into<String>) -> Self {
        Self::Invalid(what.into())
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

display!(Error, |this, f| match this {
    Self::Io(error) => write!(f, "the recording cannot be read: {error}"),
    Self::Invalid(what) => write!(f, "this is not a valid recording of a launch: {what}"),
});

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Invalid(_) => None,
        }
    }
}
