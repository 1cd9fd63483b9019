//! The compression of fat binary members.
//!
//! The libraries unpack Zstandard with `ruzstd`, in Rust. The command line tool uses the C library (the crate `zstd`),
//! which takes a third of the time. It needs a C compiler, so the feature `zstd` selects it on x86-64 Linux only.

#[cfg(feature = "compressed")]
use crate::prelude::*;

/// The compression of a fat binary member.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// Not compressed.
    None,
    /// An LZ4 block: `--compress-mode=speed`, and toolkits before CUDA 12.
    Lz4,
    /// A Zstandard frame: the other modes of CUDA 13.
    Zstd,
}

display!(Compression, |this, f| f.write_str(match this {
    Self::None => "no compression",
    Self::Lz4 => "LZ4",
    Self::Zstd => "Zstandard",
}));

#[cfg(feature = "compressed")]
impl Compression {
    pub(super) fn decompress(self, payload: &[u8], size: usize) -> Option<Vec<u8>> {
        let bytes = match self {
            Self::None => Some(payload.to_vec()),
            Self::Lz4 => lz4(payload, size),
            Self::Zstd => zstd(payload, size),
        };
        bytes.filter(|bytes| bytes.len() == size)
    }
}

/// One byte of LZ4 expands to at most 255 bytes.
#[cfg(feature = "compressed")]
fn lz4(payload: &[u8], size: usize) -> Option<Vec<u8>> {
    if size / 255 > payload.len() {
        return None;
    }
    let mut bytes = vec![0; size];
    let written = lz4_flex::block::decompress_into(payload, &mut bytes).ok()?;
    bytes.truncate(written);
    Some(bytes)
}

/// It decompresses into memory of the final size. A frame that declares a different size is invalid.
#[cfg(all(feature = "zstd", target_arch = "x86_64", target_os = "linux"))]
fn zstd(payload: &[u8], size: usize) -> Option<Vec<u8>> {
    use zstd::{bulk::decompress_to_buffer, zstd_safe};

    let declared = zstd_safe::get_frame_content_size(payload).ok()?;
    if declared.is_some_and(|declared| declared != size as u64) {
        return None;
    }
    let frame = zstd_safe::find_frame_compressed_size(payload).ok()?;
    let mut bytes = vec![0; size];
    let written = decompress_to_buffer(payload.get(..frame)?, &mut bytes).ok()?;
    bytes.truncate(written);
    Some(bytes)
}

/// Zstandard has no limit of expansion, so the output grows during decompression.
#[cfg(all(feature = "compressed", not(all(feature = "zstd", target_arch = "x86_64", target_os = "linux"))))]
fn zstd(payload: &[u8], size: usize) -> Option<Vec<u8>> {
    use ruzstd::{decoding::StreamingDecoder, io::Read as _};

    /// The decoder allocates a window first: level 19 needs this size.
    const WINDOW: usize = 8 << 20;
    const STEP: usize = 64 << 10;
    let window = size.checked_next_power_of_two()?.max(WINDOW) as u64;
    let mut decoder = StreamingDecoder::new_with_max_window_size(payload, window).ok()?;
    let mut bytes = Vec::new();
    while bytes.len() < size {
        let written = bytes.len();
        if bytes.capacity() < size.min(written + STEP) {
            bytes.reserve_exact((size - written).min(written.max(STEP)));
        }
        bytes.resize(size.min(written + STEP), 0);
        let read = decoder.read(&mut bytes[written..]).ok()?;
        bytes.truncate(written + read);
        if read == 0 {
            return None;
        }
    }
    (decoder.read(&mut [0]).ok()? == 0).then_some(bytes)
}
