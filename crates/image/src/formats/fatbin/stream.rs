//! Reads fat binaries piece by piece: a library of several gigabytes is never in memory completely.

use super::{
    Budget, CONTAINER_HEADER, Error, HEADER_LIMIT, Kind, MEMBER_LIMIT, Member, MemberHeader, container_header,
};
use crate::formats::bytes::u32_at;
use crate::prelude::*;
use core::fmt;
use kernel_args_abi::Sm;

/// The source of a [`Stream`]: a file, or a part of a file.
pub trait Source {
    /// The error of a failed read.
    type Error;

    /// Returns the total size in bytes.
    fn size(&self) -> u64;

    /// Fills `to` with the bytes from `at` on, which end at or before [`size`](Self::size).
    ///
    /// # Errors
    /// If the bytes cannot be read.
    fn read_at(&mut self, at: u64, to: &mut [u8]) -> Result<(), Self::Error>;
}

impl Source for &[u8] {
    type Error = core::convert::Infallible;

    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&mut self, at: u64, to: &mut [u8]) -> Result<(), Self::Error> {
        let from = usize::try_from(at).ok().and_then(|at| self.get(at..));
        for (to, from) in to.iter_mut().zip(from.unwrap_or_default()) {
            *to = *from;
        }
        Ok(())
    }
}

/// An iterator over the members of a fat binary. It reads only their headers; [`payload`](Self::payload) reads one
/// payload.
///
/// Several consecutive containers, possibly with zeros between them, are read as one. The iterator ends after an error
/// in a container.
///
/// ```
/// use kernel_args_image::fatbin::Stream;
///
/// let container: &[u8] = &[0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// assert_eq!(Stream::new(container).count(), 0);
/// assert!(Stream::new(&b"PTX"[..]).next().unwrap().is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Stream<S> {
    source: S,
    budget: Budget,
    /// The positions of the next header and of the end of its container.
    at: u64,
    end: u64,
    is_first: bool,
    is_over: bool,
}

/// The header of a member, and the position of its payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StreamedMember {
    at: u64,
    payload: u64,
    header: MemberHeader,
}

/// Why a fat binary cannot be read piece by piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StreamError<E> {
    /// The source cannot be read.
    Source(E),
    /// The bytes are not a valid fat binary.
    Fatbin {
        /// The position of the invalid container or member, in bytes.
        at: u64,
        /// The reason.
        error: Error,
    },
}

impl<E: fmt::Display> fmt::Display for StreamError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(error) => error.fmt(f),
            Self::Fatbin { at, error } => write!(f, "at byte {at}: {error}"),
        }
    }
}

impl<E: fmt::Display + fmt::Debug> core::error::Error for StreamError<E> {}

impl StreamedMember {
    /// Returns the position of its header, in bytes.
    #[must_use]
    pub const fn at(&self) -> u64 {
        self.at
    }

    /// Returns the contents.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.header.member.kind
    }

    /// Returns the GPU generation. For PTX, the lowest supported one.
    #[must_use]
    pub const fn sm(&self) -> Sm {
        self.header.member.sm
    }

    /// Returns the decompressed size in bytes, according to the header.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.header.member.size
    }

    /// Returns the member with its payload, which [`Stream::payload`] reads.
    #[must_use]
    pub fn with_payload<'a>(&self, payload: &'a [u8]) -> Member<'a> {
        Member { payload, ..self.header.member }
    }
}

impl<S: Source> Stream<S> {
    /// Starts at the first byte of `source`. Reads nothing yet.
    pub fn new(source: S) -> Self {
        let budget = Budget::new(source.size());
        Self::with_budget(source, budget)
    }

    /// As [`new`](Self::new), for a part of a file, with what remains of the file's budget. [`budget`](Self::budget) is
    /// for the next part.
    pub fn with_budget(source: S, budget: Budget) -> Self {
        Self { budget, source, at: 0, end: 0, is_first: true, is_over: false }
    }

    /// Returns the decompressed size that remains.
    pub const fn budget(&self) -> Budget {
        self.budget
    }

    /// Returns the payload of a member as stored. [`StreamedMember::with_payload`] decompresses it.
    ///
    /// # Errors
    /// If it cannot be read, or exceeds [`MEMBER_LIMIT`].
    pub fn payload(&mut self, member: &StreamedMember) -> Result<Vec<u8>, StreamError<S::Error>> {
        let size = member.header.packed;
        if size > MEMBER_LIMIT {
            return Err(StreamError::Fatbin { at: member.at, error: Error::Size { size, limit: MEMBER_LIMIT } });
        }
        self.read(member.payload, size as usize)
    }

    fn read(&mut self, at: u64, size: usize) -> Result<Vec<u8>, StreamError<S::Error>> {
        let mut bytes = vec![0; size];
        self.source.read_at(at, &mut bytes).map_err(StreamError::Source)?;
        Ok(bytes)
    }

    fn head(&mut self, at: u64, end: u64, most: u64) -> Result<Vec<u8>, StreamError<S::Error>> {
        self.read(at, end.saturating_sub(at).min(most) as usize)
    }

    fn advance(&mut self) -> Result<Option<StreamedMember>, StreamError<S::Error>> {
        while self.at >= self.end {
            if !self.container()? {
                return Ok(None);
            }
        }
        let at = self.at;
        let fault = |error| StreamError::Fatbin { at, error };
        let cut = fault(Error::Cut(usize::try_from(at).unwrap_or(usize::MAX)));
        let head = self.head(at, self.end, MemberHeader::LEAST as u64)?;
        let (MemberHeader::LEAST, Some(header_size)) = (head.len(), u32_at(&head, 4)) else {
            return Err(cut);
        };
        let header_size = u64::from(header_size);
        if header_size > self.end - at {
            return Err(cut);
        }
        if header_size > HEADER_LIMIT {
            return Err(fault(Error::Header(header_size)));
        }
        let bytes = self.read(at, header_size as usize)?;
        let Some(header) = MemberHeader::parse(&bytes) else {
            return Err(cut);
        };
        let payload = at + header_size;
        if header.padded > self.end - payload || header.packed > header.padded {
            return Err(cut);
        }
        let member = &header.member;
        if matches!(member.kind, Kind::Ptx | Kind::Elf) {
            match self.budget.take(member, header.packed) {
                // Decompression reports this error, and other members can be read.
                Err(Error::Size { .. }) => {}
                taken => taken.map_err(fault)?,
            }
        }
        self.at = payload + header.padded;
        Ok(Some(StreamedMember { at, payload, header }))
    }

    fn container(&mut self) -> Result<bool, StreamError<S::Error>> {
        if !self.is_first {
            self.pass_zeros()?;
            if self.at == self.source.size() {
                return Ok(false);
            }
        }
        let at = self.at;
        let fault = |error| StreamError::Fatbin { at, error };
        let size = self.source.size();
        let header = self.head(at, size, CONTAINER_HEADER.into())?;
        let cut = Error::Cut(usize::try_from(at).unwrap_or(usize::MAX));
        let (header_size, rest) = container_header(&header, cut).map_err(fault)?;
        let start = at.saturating_add(header_size);
        let end = start.checked_add(rest).filter(|end| *end <= size);
        self.end = end.ok_or(fault(cut))?;
        self.at = start;
        self.is_first = false;
        Ok(true)
    }

    fn pass_zeros(&mut self) -> Result<(), StreamError<S::Error>> {
        const STEP: u64 = 4096;
        // Most containers end at a multiple of 8 bytes, where the next one begins.
        let mut step = 8;
        loop {
            let bytes = self.head(self.at, self.source.size(), step)?;
            let zeros = bytes.iter().take_while(|&&b| b == 0).count();
            self.at += zeros as u64;
            if zeros < bytes.len() || bytes.is_empty() {
                return Ok(());
            }
            step = STEP;
        }
    }
}

impl<S: Source> Iterator for Stream<S> {
    type Item = Result<StreamedMember, StreamError<S::Error>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let item = self.advance().transpose();
        self.is_over = !matches!(item, Some(Ok(_)));
        item
    }
}
