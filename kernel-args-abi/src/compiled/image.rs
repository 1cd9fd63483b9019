//! An image with the descriptions of its kernels.

use super::fingerprint::{changed, fingerprint};
use crate::signature::reader::{PLACE, number_at};
use core::fmt;

/// An image that was read while a crate compiled, with what was read of its kernels: names, C++ types and members, where debug
/// information told them, be it in another file.
///
/// `kernel_args::kernels!` emits one for each module, as `IMAGE`. `Module::load` takes it, and verifies kernels with all of that.
pub struct CompiledImage {
    pub(super) bytes: &'static [u8],
    pub(super) table: &'static [u8],
    pub(super) names: &'static str,
}

impl CompiledImage {
    /// `table` and `names` are what an [`Encoder`](super::Encoder) made of an image with this fingerprint.
    ///
    /// # Panics
    /// Where `bytes` have another one.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const fn new(
        bytes: &'static [u8],
        expected: u64,
        table: &'static [u8],
        names: &'static str,
    ) -> Self {
        if fingerprint(bytes) != expected {
            changed()
        }
        Self {
            bytes,
            table,
            names,
        }
    }

    /// A table that needs no image: its texts stand in the table.
    #[doc(hidden)]
    #[must_use]
    pub const fn table(table: &'static [u8], names: &'static str) -> Self {
        Self {
            bytes: &[],
            table,
            names,
        }
    }

    /// The image as it stands in the file: PTX, a cubin or a fat binary.
    #[must_use]
    pub const fn bytes(&self) -> &'static [u8] {
        self.bytes
    }
}

/// A number of the beginning of a table: how many kernels there are, where each stands, and where structs do.
pub(super) const fn place_at(table: &[u8], index: usize) -> usize {
    number_at(table, PLACE * index)
}

impl fmt::Debug for CompiledImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledImage")
            .field("bytes", &self.bytes.len())
            .finish_non_exhaustive()
    }
}
