//! The contents of a fat binary member, the limits, and the errors.

use super::compression::Compression;

/// The first four bytes of a fat binary, as a little-endian number.
pub const MAGIC: u32 = 0xba55_ed50;
pub(crate) const WRAPPER_MAGIC: u32 = 0x4662_43b1;

/// The maximum size of a member in bytes, decompressed or stored. NVIDIA's libraries have members of 160 MB.
pub const MEMBER_LIMIT: u64 = 1 << 30;

/// The maximum decompressed size of each member and of all members of a file, as a multiple of the compressed size.
/// nvcc's cubins expand 10 to 12 times.
pub const EXPANSION_LIMIT: u64 = 32;

/// The decompressed size in bytes that [`EXPANSION_LIMIT`] does not restrict: a small file can expand more.
pub const EXPANSION_FLOOR: u64 = 128 << 20;

/// The maximum size of a member's header that a [`Stream`](super::Stream) reads, in bytes. nvcc's have about 100 bytes.
pub const HEADER_LIMIT: u64 = 1 << 20;

/// The contents of a fat binary member.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// PTX text.
    Ptx,
    /// A cubin.
    Elf,
    /// NVVM IR for link-time optimisation (`code=lto_90`).
    Ltoir,
    /// Tile IR (`nvcc --tilebc`), which drivers for CUDA 13.1 and newer compile.
    TileIr,
    /// Unknown contents: the number in the header.
    Other(u16),
}

display!(Kind, |this, f| match this {
    Self::Ptx => f.write_str("PTX"),
    Self::Elf => f.write_str("a cubin"),
    Self::Ltoir => f.write_str("LTO-IR"),
    Self::TileIr => f.write_str("Tile IR"),
    Self::Other(kind) => write!(f, "data of unknown kind {kind}"),
});

/// Why a fat binary cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// It does not begin with [`MAGIC`]: the number at its beginning.
    Magic(u32),
    /// It is nvcc's wrapper from a host object file, which only points to a fat binary.
    Wrapper,
    /// The container has an unknown version.
    Version(u16),
    /// A header or a payload is truncated: the offset of the header.
    Cut(usize),
    /// The header of a member exceeds [`HEADER_LIMIT`]: its size in bytes.
    Header(u64),
    /// A member is neither PTX nor a cubin.
    Kind(Kind),
    /// A member is compressed, and the feature `compressed` is disabled.
    Feature(Compression),
    /// A member exceeds [`MEMBER_LIMIT`], or [`EXPANSION_LIMIT`] when decompressed.
    Size {
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// All members exceed this number of bytes when decompressed: see [`EXPANSION_LIMIT`].
    Total(u64),
    /// A member's payload is invalid for its compression, or has another size than in its header.
    Payload(Compression),
}

display!(error Error, |this, f| match this {
    Self::Magic(found) => write!(f, "not a fat binary: it begins with {found:#010x}, not {MAGIC:#010x}"),
    Self::Wrapper => f.write_str(
        "the wrapper of a fat binary (`__fatBinC_Wrapper_t`), which contains only its address: \
         pass the fat binary, for instance from `nvcc -fatbin`",
    ),
    Self::Version(version) => write!(f, "a fat binary of version {version}, but only version 1 is supported"),
    Self::Cut(at) => write!(f, "a truncated fat binary: the header or payload at byte {at} ends outside of it"),
    Self::Header(size) =>
        write!(f, "the header of a member of a fat binary has {size} bytes, more than the limit of {HEADER_LIMIT}"),
    Self::Kind(kind) => write!(
        f,
        "a member of a fat binary is {kind}, which does not contain its kernels' parameters: \
         compile to PTX or a cubin as well"
    ),
    Self::Feature(compression) => write!(
        f,
        "a member of a fat binary is compressed by {compression}: enable the feature `compressed` of \
         kernel-args, or compile with `--compress-mode=none`"
    ),
    Self::Size { size, limit } =>
        write!(f, "a member of a fat binary has {size} bytes, more than the limit of {limit} for its size in the file"),
    Self::Total(limit) => write!(
        f,
        "the members of a fat binary have more than {limit} bytes in total when decompressed, which is the limit \
         for a file of this size: split it, or compile with `--compress-mode=none`"
    ),
    Self::Payload(compression) => write!(f, "a member of a fat binary is not valid {compression} data"),
});
