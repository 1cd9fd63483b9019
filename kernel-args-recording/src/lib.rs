//! The file format in which `kernel-args` records one launch of a kernel.
//!
//! | item | content |
//! |---|---|
//! | [`Manifest`] | everything about the launch except the image and the memory |
//! | [`Writer`] | writes a recording as a stream |
//! | [`Reader`], [`Entries`] | read one, and check every part of it |
//!
//! The README of this crate has the format: a tar archive with entries in a fixed order.
#![forbid(unsafe_code)]

mod error;
mod manifest;
mod reader;
mod writer;

pub use error::Error;
pub use manifest::{Attribute, ElementType, MAX_PARAMETER_BYTES, Machine, Manifest, Memory, Parameter, Pointer};
pub use reader::{Entries, Entry, Reader};
pub use writer::Writer;

/// Before or after the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before the launch.
    Before,
    /// After the launch has finished.
    After,
}

/// What the driver returned: the last entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Outcome {
    status: u32,
}

const MANIFEST: &str = "manifest.json";
const IMAGE: &str = "image";
const RESULT: &str = "result.json";

/// The name of the entry of an allocation.
fn memory_entry(index: usize, moment: Moment) -> String {
    let moment = match moment {
        Moment::Before => "before",
        Moment::After => "after",
    };
    format!("memory/{index}.{moment}")
}
