//! Numbers of bytes: rounded up, and in words.

use alloc::{format, string::String};
use kernel_args_abi::layout::Alignment;

/// The first multiple of an alignment at or after `offset`; `usize::MAX` where that has no multiple.
pub(crate) fn round_up(offset: usize, align: usize) -> usize {
    Alignment::new(align)
        .and_then(|align| align.round_up(offset))
        .unwrap_or(usize::MAX)
}

/// The largest alignment of what is at this offset, or has this size, in bytes.
pub(crate) const fn largest_alignment(offset_or_size: usize) -> usize {
    Alignment::dividing(offset_or_size).bytes()
}

/// `1 byte`, `4 bytes`.
pub(crate) fn bytes(count: usize) -> String {
    match count {
        1 => "1 byte".into(),
        _ => format!("{count} bytes"),
    }
}
