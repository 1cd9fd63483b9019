//! How members of fat binaries are compressed.

#[cfg(feature = "compressed")]
use alloc::vec::Vec;
use core::fmt;

/// How a member of a fat binary is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// Not at all.
    None,
    /// An LZ4 block without a frame: `--compress-mode=speed`, and toolkits before CUDA 12.
    Lz4,
    /// A Zstandard frame: the other modes of CUDA 13.
    Zstd,
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "no compression",
            Self::Lz4 => "LZ4",
            Self::Zstd => "Zstandard",
        })
    }
}

#[cfg(feature = "compressed")]
impl Compression {
    /// Exactly `size` bytes out of `payload`; `None` if it is not what this compression writes.
    pub(super) fn decompress(self, payload: &[u8], size: usize) -> Option<Vec<u8>> {
        let bytes = match self {
            Self::None => Some(payload.to_vec()),
            Self::Lz4 => lz4(payload, size),
            Self::Zstd => zstd(payload, size),
        };
        bytes.filter(|bytes| bytes.len() == size)
    }
}

/// A byte of LZ4 stands for 255 bytes at most, so that a size above is a lie. It is not allocated.
#[cfg(feature = "compressed")]
fn lz4(payload: &[u8], size: usize) -> Option<Vec<u8>> {
    if size / 255 > payload.len() {
        return None;
    }
    let mut bytes = alloc::vec![0; size];
    let written = lz4_flex::block::decompress_into(payload, &mut bytes).ok()?;
    bytes.truncate(written);
    Some(bytes)
}

/// Zstandard has no such bound: the output grows as it is written.
#[cfg(feature = "compressed")]
fn zstd(payload: &[u8], size: usize) -> Option<Vec<u8>> {
    use ruzstd::{decoding::StreamingDecoder, io::Read as _};

    /// The decoder allocates a window before it reads: what level 19 asks for, or what the text needs.
    const WINDOW: usize = 8 << 20;
    const STEP: usize = 64 << 10;
    let window = size.checked_next_power_of_two()?.max(WINDOW) as u64;
    let mut decoder = StreamingDecoder::new_with_max_window_size(payload, window).ok()?;
    let mut bytes = Vec::new();
    while bytes.len() < size {
        let written = bytes.len();
        if bytes.capacity() < size.min(written + STEP) {
            // Twice as large, but never above what will be there in the end.
            bytes.reserve_exact((size - written).min(written.max(STEP)));
        }
        bytes.resize(size.min(written + STEP), 0);
        let read = decoder.read(&mut bytes[written..]).ok()?;
        bytes.truncate(written + read);
        if read == 0 {
            return None;
        }
    }
    let is_at_end = decoder.read(&mut [0]).ok()? == 0;
    is_at_end.then_some(bytes)
}
