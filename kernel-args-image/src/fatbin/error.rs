//! What a member of a fat binary holds, the limits, and why bytes are no fat binary.

use super::compression::Compression;
use core::fmt;

/// The first four bytes of a fat binary, as a little-endian number.
pub const MAGIC: u32 = 0xba55_ed50;
/// The same of the wrapper that nvcc puts around one in host object files.
pub(crate) const WRAPPER_MAGIC: u32 = 0x4662_43b1;

/// The largest member that is decompressed, in bytes.
pub const MEMBER_LIMIT: u64 = 128 << 20;

/// How large all members of a fat binary may be together when decompressed: this many times the size of the
/// fat binary, or [`MEMBER_LIMIT`] where that is more.
pub const EXPANSION_LIMIT: u64 = 32;

/// The longest header of a member that a [`Stream`] reads, in bytes. Those of nvcc have about 100.
pub const HEADER_LIMIT: u64 = 1 << 20;

/// What a member of a fat binary holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// PTX text.
    Ptx,
    /// A cubin.
    Elf,
    /// NVVM IR, for optimisation while linking (`code=lto_90`).
    Ltoir,
    /// What this crate does not know: the number in its header.
    Other(u16),
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ptx => f.write_str("PTX"),
            Self::Elf => f.write_str("a cubin"),
            Self::Ltoir => f.write_str("LTO-IR"),
            Self::Other(kind) => write!(f, "something of unknown kind {kind}"),
        }
    }
}

/// Why bytes are not a fat binary that can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// It does not begin with [`MAGIC`]: the number it begins with.
    Magic(u32),
    /// It is the wrapper that nvcc puts in host object files, which points to a fat binary.
    Wrapper,
    /// The container is of another version.
    Version(u16),
    /// A header or a payload ends outside of the bytes: the offset of the header.
    Cut(usize),
    /// The header of a member is longer than [`HEADER_LIMIT`], which a [`Stream`] does not read: its size in bytes.
    Header(u64),
    /// A member is not PTX or a cubin.
    Kind(Kind),
    /// A member is compressed, and the crate was built without its feature `compressed`.
    Feature(Compression),
    /// A member would be larger than [`MEMBER_LIMIT`] when decompressed.
    Size(u64),
    /// All members together would be larger than this many bytes when decompressed: see [`EXPANSION_LIMIT`].
    Total(u64),
    /// A member's payload is not what its compression writes, or has another size than its header says.
    Payload(Compression),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic(found) => write!(f, "not a fat binary: it begins with {found:#010x}, not {MAGIC:#010x}"),
            Self::Wrapper => f.write_str(
                "the wrapper of a fat binary (`__fatBinC_Wrapper_t`), which holds its address only: \
                 pass the fat binary, for instance from `nvcc -fatbin`",
            ),
            Self::Version(version) => write!(f, "a fat binary of version {version}, where 1 is known"),
            Self::Cut(at) => write!(f, "a fat binary that is cut off: what begins at byte {at} ends outside of it"),
            Self::Header(size) => write!(
                f,
                "the header of a member of a fat binary is {size} bytes large, above the limit of {HEADER_LIMIT}"
            ),
            Self::Kind(kind) => write!(
                f,
                "a member of a fat binary is {kind}, which does not tell its kernels' parameters: \
                 compile to PTX or a cubin as well"
            ),
            Self::Feature(compression) => write!(
                f,
                "a member of a fat binary is compressed by {compression}: enable the feature `compressed` of \
                 kernel-args, or compile with `--compress-mode=none`"
            ),
            Self::Size(size) => write!(
                f,
                "a member of a fat binary is {size} bytes large when decompressed, above the limit of {MEMBER_LIMIT}"
            ),
            Self::Total(limit) => write!(
                f,
                "the members of a fat binary are together larger than {limit} bytes when decompressed, which is the limit \
                 for a file of this size: split it, or compile with `--compress-mode=none`"
            ),
            Self::Payload(compression) => write!(f, "a member of a fat binary is not proper {compression} data"),
        }
    }
}

impl core::error::Error for Error {}
