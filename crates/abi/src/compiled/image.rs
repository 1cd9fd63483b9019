//! An image with the data that was read about its kernels.

use super::fingerprint::{changed, fingerprint};
use crate::signature::reader::{PLACE, number_at};
use core::{any::Any, fmt};

/// An image that was read while a crate compiled, with the data about its kernels: names, and C++ types and members
/// from debug information (possibly in another file).
///
/// `kernel_args::kernels!` generates one per module, as `IMAGE`. `Module::load` accepts it and verifies kernels with
/// this data.
#[allow(missing_docs, reason = "only generated code names the hidden fields")]
pub struct CompiledImage {
    #[doc(hidden)]
    pub bytes: &'static [u8],
    #[doc(hidden)]
    pub table: &'static [u8],
    #[doc(hidden)]
    pub names: &'static str,
    /// What reads the image when it is loaded: nothing without the feature `cudarc` of `kernel_args`.
    #[doc(hidden)]
    pub readers: Option<Readers>,
    /// The compute capabilities for which the image has code: 86 for `sm_86`. Empty if they are unknown.
    #[doc(hidden)]
    pub gpus: &'static [u16],
    /// Whether no symbol is mangled. The kernels are then sorted by symbol, so a pattern is searched for by bisection.
    #[doc(hidden)]
    pub is_plain: bool,
    /// Why the image does not exist. `bytes` then only describe its kernels.
    #[doc(hidden)]
    pub absent: Option<&'static Absent>,
    /// The table of the global variables. Each is a list with one parameter.
    #[doc(hidden)]
    pub variables: Option<&'static Self>,
}

/// Why an image does not exist: the build script found no compiler. Its kernels are described, or unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Absent {
    /// The source of the image.
    pub source: &'static str,
    /// The places where a compiler was searched for, one per line, each with the reason for its rejection.
    pub tried: &'static str,
}

/// What reads an image when it is loaded: a type of `kernel_args`.
///
/// An image with a summary refers to no readers, so the linker can remove them.
pub type Readers = &'static (dyn Any + Send + Sync);

impl CompiledImage {
    /// `table` and `names` are the output of an [`Encoder`](super::Encoder) for an image with this fingerprint.
    ///
    /// # Panics
    /// If the fingerprint of `bytes` differs.
    #[doc(hidden)]
    #[track_caller]
    pub const fn new(bytes: &'static [u8], expected: u64, table: &'static [u8], names: &'static str) -> Self {
        if fingerprint(bytes) != expected {
            changed()
        }
        Self { bytes, ..Self::table(table, names) }
    }

    /// Returns a table that needs no image: it contains all of its texts.
    #[doc(hidden)]
    pub const fn table(table: &'static [u8], names: &'static str) -> Self {
        Self { bytes: &[], table, names, readers: None, gpus: &[], is_plain: false, absent: None, variables: None }
    }

    /// Returns the image as in the file: PTX, a cubin or a fat binary. Empty if the build script found no compiler for
    /// it.
    #[must_use]
    pub const fn bytes(&self) -> &'static [u8] {
        if self.absent.is_some() { &[] } else { self.bytes }
    }
}

/// Returns an entry of the table's header: the number of kernels, the position of each kernel, and the position of the
/// structs.
pub(super) const fn place_at(table: &[u8], index: usize) -> usize {
    number_at(table, PLACE * index)
}

impl fmt::Debug for CompiledImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledImage").field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}
