//! Numbers of bytes: rounding, and formatting.

use alloc::{format, string::String};
use kernel_args_abi::layout::Alignment;

/// The first multiple of an alignment at or after `offset`, or `usize::MAX` if it does not exist.
pub(crate) fn round_up(offset: usize, align: usize) -> usize {
    Alignment::new(align).and_then(|align| align.round_up(offset)).unwrap_or(usize::MAX)
}

pub(crate) const fn largest_alignment(offset_or_size: usize) -> usize {
    Alignment::dividing(offset_or_size).bytes()
}

pub(crate) fn bytes(count: usize) -> String {
    match count {
        1 => "1 byte".into(),
        _ => format!("{count} bytes"),
    }
}
