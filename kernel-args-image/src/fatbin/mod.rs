//! Fat binaries: containers of PTX texts and cubins, as `nvcc -fatbin` writes them.
//!
//! The format is not documented. What is read here was found in the output of nvcc 13.0 in each of its
//! compression modes, and agrees with what is publicly known of older toolkits.
//!
//! A container is a header of 16 bytes (magic, `u16` version, `u16` header size, `u64` size of the
//! rest), then members. A member is a header of 64 bytes or more and its payload, padded to 8 bytes.

mod compression;
mod stream;

pub use compression::Compression;
pub use stream::{Source, Stream, StreamError, StreamedMember};

use crate::Features;
use alloc::{borrow::Cow, vec::Vec};
use core::fmt;
use kernel_args_abi::param_layout::Sm;

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

/// What members may still take when they are decompressed one after another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    limit: u64,
    left: u64,
}

impl Budget {
    /// For a fat binary of `size` bytes.
    pub(crate) fn new(size: usize) -> Self {
        Self::of(size as u64)
    }

    fn of(size: u64) -> Self {
        let limit = size.saturating_mul(EXPANSION_LIMIT).max(MEMBER_LIMIT);
        Self { limit, left: limit }
    }

    /// The bytes of a member.
    pub(crate) fn bytes<'a>(&mut self, member: &Member<'a>) -> Result<Cow<'a, [u8]>, Error> {
        if member.compression == Compression::None {
            return Ok(Cow::Borrowed(member.payload));
        }
        self.take(member)?;
        member.decompress()
    }

    /// Counts a member, before it is decompressed.
    pub(crate) fn take(&mut self, member: &Member<'_>) -> Result<(), Error> {
        if member.compression != Compression::None {
            member.check_size()?;
            self.take_bytes(member.size)?;
        }
        Ok(())
    }

    fn take_bytes(&mut self, size: u64) -> Result<(), Error> {
        let left = self.left.checked_sub(size);
        self.left = left.ok_or(Error::Total(self.limit))?;
        Ok(())
    }
}

/// One member of a fat binary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Member<'a> {
    /// What it holds.
    pub kind: Kind,
    /// The GPU generation that it is for; of PTX, the lowest one.
    pub sm: Sm,
    /// Which features of that generation it may use. (Found in the output of nvcc 13.0; older ones may not tell.)
    pub features: Features,
    /// How its payload is compressed.
    pub compression: Compression,
    /// Its bytes as they lie in the container.
    pub payload: &'a [u8],
    /// The size of its bytes when decompressed.
    pub size: u64,
}

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

/// The members of a fat binary, in order, without decompressing them.
///
/// Several containers that follow each other, as in the section `.nv_fatbin` of a program, are read as
/// one.
///
/// # Errors
/// Where it is not a fat binary, or is cut off.
pub fn members(bytes: &[u8]) -> Result<Vec<Member<'_>>, Error> {
    let mut members = Vec::new();
    let mut at = 0;
    loop {
        at = container(bytes, at, &mut members)?;
        let padding = bytes[at..].iter().take(8).take_while(|&&b| b == 0).count();
        match u32_at(&bytes[at + padding..], 0) {
            Some(MAGIC) => at += padding,
            _ => return Ok(members),
        }
    }
}

/// Reads the container at `start`: where it ends.
fn container<'a>(
    bytes: &'a [u8],
    start: usize,
    members: &mut Vec<Member<'a>>,
) -> Result<usize, Error> {
    let header = &bytes[start..];
    match u32_at(header, 0) {
        Some(MAGIC) => {}
        Some(WRAPPER_MAGIC) => return Err(Error::Wrapper),
        found => return Err(Error::Magic(found.unwrap_or(0))),
    }
    let cut = Error::Cut(start);
    let version = u16_at(header, 4).ok_or(cut)?;
    if version != 1 {
        return Err(Error::Version(version));
    }
    let header_size = usize::from(u16_at(header, 6).ok_or(cut)?);
    let size = usize::try_from(u64_at(header, 8).ok_or(cut)?).map_err(|_| cut)?;
    let mut rest = header
        .get(header_size.max(16)..)
        .and_then(|rest| rest.get(..size))
        .ok_or(cut)?;
    let end = bytes.len() - header.len() + header_size.max(16) + size;
    while !rest.is_empty() {
        let (member, next) = Member::parse(rest).ok_or(Error::Cut(end - rest.len()))?;
        members.push(member);
        rest = next;
    }
    Ok(end)
}

impl<'a> Member<'a> {
    /// The member at the beginning of `bytes`, and the bytes after it.
    fn parse(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let header_size = usize::try_from(u32_at(bytes, 4)?).ok()?;
        let (header, rest) = bytes.split_at_checked(header_size)?;
        let header = Header::parse(header)?;
        let (payload, rest) = rest.split_at_checked(usize::try_from(header.padded).ok()?)?;
        let payload = payload.get(..usize::try_from(header.packed).ok()?)?;
        Some((header.member(payload), rest))
    }

    /// The PTX text or cubin. PTX may end with NULs.
    ///
    /// # Errors
    /// Where it is neither, or its payload cannot be decompressed.
    pub fn bytes(&self) -> Result<Cow<'a, [u8]>, Error> {
        match self.kind {
            Kind::Ptx | Kind::Elf => {}
            kind => return Err(Error::Kind(kind)),
        }
        self.decompress()
    }

    /// The bytes, whatever they are.
    fn decompress(&self) -> Result<Cow<'a, [u8]>, Error> {
        if self.compression == Compression::None {
            return Ok(Cow::Borrowed(self.payload));
        }
        let size = self.check_size()?;
        self.compression
            .decompress(self.payload, size)
            .map(Cow::Owned)
    }

    fn check_size(&self) -> Result<usize, Error> {
        match usize::try_from(self.size) {
            Ok(size) if self.size <= MEMBER_LIMIT => Ok(size),
            _ => Err(Error::Size(self.size)),
        }
    }
}

/// What the header of a member says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Header {
    kind: Kind,
    sm: Sm,
    features: Features,
    compression: Compression,
    /// The size of its payload with padding, in bytes.
    padded: u64,
    /// The size of its payload, in bytes; where it is not compressed, with padding.
    packed: u64,
    /// The size of its bytes when decompressed.
    size: u64,
}

impl Header {
    /// The size of the part whose numbers are read, in bytes.
    const LEAST: usize = 64;

    /// Reads a header: exactly its bytes.
    fn parse(bytes: &[u8]) -> Option<Self> {
        const LZ4: u64 = 0x2000;
        const ZSTD: u64 = 0x8000;
        const ARCHITECTURE: u64 = 0x10_0000;
        const FAMILY: u64 = 0x20_0000;
        let padded = u64_at(bytes, 8)?;
        let packed = u64::from(u32_at(bytes, 16)?);
        let flags = u64_at(bytes, 40)?;
        let unpacked = u64_at(bytes, 56)?;
        texts_end(bytes)?;
        let compression = match (flags & LZ4 != 0, flags & ZSTD != 0) {
            (_, true) => Compression::Zstd,
            (true, false) => Compression::Lz4,
            (false, false) => Compression::None,
        };
        let (packed, size) = match compression {
            Compression::None => (padded, padded),
            _ => (packed, unpacked),
        };
        let kind = match u16_at(bytes, 0)? {
            1 => Kind::Ptx,
            2 => Kind::Elf,
            8 => Kind::Ltoir,
            other => Kind::Other(other),
        };
        Some(Self {
            kind,
            sm: Sm(u16::try_from(u32_at(bytes, 28)?).ok()?),
            features: match (flags & ARCHITECTURE != 0, flags & FAMILY != 0) {
                (true, _) => Features::Architecture,
                (false, true) => Features::Family,
                (false, false) => Features::Baseline,
            },
            compression,
            padded,
            packed,
            size,
        })
    }

    /// The member with this header and payload.
    fn member(self, payload: &[u8]) -> Member<'_> {
        Member {
            kind: self.kind,
            sm: self.sm,
            features: self.features,
            compression: self.compression,
            payload,
            size: self.size,
        }
    }
}

/// Whether the texts that a member's header names end inside of it: the file's name, by offset and length,
/// and the compiler's options, by the offset of an offset of a text with NUL.
fn texts_end(header: &[u8]) -> Option<()> {
    let text = |at: u32, length: u32| {
        let start = usize::try_from(at).ok()?;
        header.get(start..start.checked_add(usize::try_from(length).ok()?)?)
    };
    let (options, name, length) = (
        u32_at(header, 20)?,
        u32_at(header, 32)?,
        u32_at(header, 36)?,
    );
    if (name, length) != (0, 0) {
        text(name, length)?;
    }
    if options != 0 {
        let options = u32_at(text(options, 4)?, 0)?;
        header
            .get(usize::try_from(options).ok()?..)?
            .iter()
            .position(|&b| b == 0)?;
    }
    Some(())
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
