//! Fat binaries: containers of PTX texts and cubins, as written by `nvcc -fatbin`.
//!
//! The format is not documented. The rules come from the output of nvcc 13.0 in each compression mode, and of 13.5 for
//! Tile IR.
//!
//! A container is a header of 16 bytes (magic, `u16` version, `u16` header size, `u64` size of the rest), followed by
//! members. A member is a header of at least 64 bytes and its payload, padded to 8 bytes.

mod compression;
mod error;
mod stream;

pub use compression::Compression;
pub use error::{EXPANSION_FLOOR, EXPANSION_LIMIT, Error, HEADER_LIMIT, Kind, MAGIC, MEMBER_LIMIT};
pub use stream::{Source, Stream, StreamError, StreamedMember};

pub(crate) use error::WRAPPER_MAGIC;

use crate::prelude::*;
use crate::{
    code::target::Features,
    formats::bytes::{range, u16_at, u32_at, u64_at},
};
use kernel_args_abi::Sm;

/// The decompressed size that remains for a file, which may have several fat binaries: see [`Stream::with_budget`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    limit: u64,
    left: u64,
}

const fn expanded(size: u64) -> u64 {
    let limit = size.saturating_mul(EXPANSION_LIMIT);
    if limit < EXPANSION_FLOOR { EXPANSION_FLOOR } else { limit }
}

impl Budget {
    /// Creates the limit for a file of `size` bytes.
    #[must_use]
    pub const fn new(size: u64) -> Self {
        let limit = expanded(size);
        Self { limit, left: limit }
    }

    /// Returns the number of bytes that were decompressed.
    #[must_use]
    pub const fn used(&self) -> u64 {
        self.limit - self.left
    }

    pub(crate) fn bytes<'a>(&mut self, member: &Member<'a>) -> Result<Cow<'a, [u8]>, Error> {
        self.take(member, member.payload.len() as u64)?;
        member.decompress()
    }

    pub(crate) fn take(&mut self, member: &Member<'_>, packed: u64) -> Result<(), Error> {
        if member.compression != Compression::None {
            member.check_size(packed)?;
            let left = self.left.checked_sub(member.size);
            self.left = left.ok_or(Error::Total(self.limit))?;
        }
        Ok(())
    }
}

/// One member of a fat binary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Member<'a> {
    /// The contents.
    pub kind: Kind,
    /// The GPU generation. For PTX, the lowest supported one.
    pub sm: Sm,
    /// The features that the code may use, as nvcc 13.0 records them. Older versions may not.
    pub features: Features,
    /// The compression of the payload.
    pub compression: Compression,
    /// The bytes as stored in the container.
    pub payload: &'a [u8],
    /// The decompressed size in bytes.
    pub size: u64,
}

/// Returns the members of a fat binary, in order, not decompressed. Several consecutive containers are read as one.
///
/// # Errors
/// If it is not a fat binary, or is truncated.
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

fn container<'a>(bytes: &'a [u8], start: usize, members: &mut Vec<Member<'a>>) -> Result<usize, Error> {
    let cut = Error::Cut(start);
    let header = &bytes[start..];
    let (header_size, size) = container_header(header, cut)?;
    let mut rest = range(header, header_size, size).ok_or(cut)?;
    let end = start + header_size as usize + rest.len();
    while !rest.is_empty() {
        let (member, next) = Member::parse(rest).ok_or(Error::Cut(end - rest.len()))?;
        members.push(member);
        rest = next;
    }
    Ok(end)
}

fn container_header(header: &[u8], cut: Error) -> Result<(u64, u64), Error> {
    match u32_at(header, 0) {
        Some(MAGIC) => {}
        Some(WRAPPER_MAGIC) => return Err(Error::Wrapper),
        found => return Err(Error::Magic(found.unwrap_or(0))),
    }
    match u16_at(header, 4).ok_or(cut)? {
        1 => {}
        version => return Err(Error::Version(version)),
    }
    let header_size = u16_at(header, 6).ok_or(cut)?.max(CONTAINER_HEADER);
    Ok((header_size.into(), u64_at(header, 8).ok_or(cut)?))
}

const CONTAINER_HEADER: u16 = 16;

impl<'a> Member<'a> {
    /// Returns a PTX text or cubin that is not in a fat binary.
    pub(crate) const fn plain(kind: Kind, payload: &'a [u8]) -> Self {
        let (features, compression) = (Features::Baseline, Compression::None);
        Self { kind, sm: Sm(0), features, compression, payload, size: payload.len() as u64 }
    }

    fn parse(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let header_size = usize::try_from(u32_at(bytes, 4)?).ok()?;
        let (header, rest) = bytes.split_at_checked(header_size)?;
        let header = MemberHeader::parse(header)?;
        let (payload, rest) = rest.split_at_checked(usize::try_from(header.padded).ok()?)?;
        let payload = range(payload, 0, header.packed)?;
        Some((Member { payload, ..header.member }, rest))
    }

    /// Returns the PTX text or cubin. PTX may end with NULs.
    ///
    /// # Errors
    /// If it is neither PTX nor a cubin, or its payload cannot be decompressed.
    pub fn bytes(&self) -> Result<Cow<'a, [u8]>, Error> {
        match self.kind {
            Kind::Ptx | Kind::Elf => self.decompress(),
            kind => Err(Error::Kind(kind)),
        }
    }

    fn decompress(&self) -> Result<Cow<'a, [u8]>, Error> {
        if self.compression == Compression::None {
            return Ok(Cow::Borrowed(self.payload));
        }
        let size = self.check_size(self.payload.len() as u64)?;
        #[cfg(not(feature = "compressed"))]
        {
            let _ = size;
            Err(Error::Feature(self.compression))
        }
        #[cfg(feature = "compressed")]
        match self.compression.decompress(self.payload, size) {
            Some(bytes) => Ok(Cow::Owned(bytes)),
            None => Err(Error::Payload(self.compression)),
        }
    }

    fn check_size(&self, packed: u64) -> Result<usize, Error> {
        let limit = expanded(packed).min(MEMBER_LIMIT);
        match usize::try_from(self.size) {
            Ok(size) if self.size <= limit => Ok(size),
            _ => Err(Error::Size { size: self.size, limit }),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct MemberHeader {
    member: Member<'static>,
    /// With padding, in bytes.
    padded: u64,
    /// In bytes. For an uncompressed payload, this includes padding.
    packed: u64,
}

impl MemberHeader {
    const LEAST: usize = 64;

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
        let (compression, packed, size) = if flags & ZSTD != 0 {
            (Compression::Zstd, packed, unpacked)
        } else if flags & LZ4 != 0 {
            (Compression::Lz4, packed, unpacked)
        } else {
            (Compression::None, padded, padded)
        };
        let kind = match u16_at(bytes, 0)? {
            1 => Kind::Ptx,
            2 => Kind::Elf,
            8 => Kind::Ltoir,
            0x80 => Kind::TileIr,
            other => Kind::Other(other),
        };
        let member = Member {
            kind,
            sm: Sm(u16::try_from(u32_at(bytes, 28)?).ok()?),
            features: if flags & ARCHITECTURE != 0 {
                Features::Architecture
            } else if flags & FAMILY != 0 {
                Features::Family
            } else {
                Features::Baseline
            },
            compression,
            payload: &[],
            size,
        };
        Some(Self { member, padded, packed })
    }
}

/// Checks that texts are inside the header: the file name (offset and length), and the compiler options (the offset of
/// an offset of a NUL-terminated text).
fn texts_end(header: &[u8]) -> Option<()> {
    let text = |at: u32, length: u32| range(header, at.into(), length.into());
    let (options, name, length) = (u32_at(header, 20)?, u32_at(header, 32)?, u32_at(header, 36)?);
    if (name, length) != (0, 0) {
        text(name, length)?;
    }
    if options != 0 {
        let options = u32_at(text(options, 4)?, 0)?;
        header.get(usize::try_from(options).ok()?..)?.iter().position(|&b| b == 0)?;
    }
    Some(())
}
