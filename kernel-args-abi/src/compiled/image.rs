//! An image with the descriptions of its kernels.

use super::fingerprint::{changed, fingerprint};

/// An image and the table of its kernels: one `static` of each module that `kernels!` emits.
#[derive(Debug)]
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
    #[must_use]
    pub const fn table(table: &'static [u8], names: &'static str) -> Self {
        Self {
            bytes: &[],
            table,
            names,
        }
    }
}
