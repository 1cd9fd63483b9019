//! Numbers of bytes, and where the members of a packed struct are in Rust and in C++.

use crate::prelude::*;
use kernel_args_abi::Alignment;

/// `usize::MAX` if it does not exist.
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

/// Returns the first of `candidates` for which `repr(packed(N))` or `#pragma pack(N)` places the members (offset, size
/// and alignment of each in bytes), and the alignment of the struct. If not `is_exact`, bytes can be added before
/// members and at the end. `is_possible` decides whether the struct can have an alignment.
pub(super) fn packing(
    members: &[(usize, usize, usize)],
    size: usize,
    candidates: &[usize],
    is_exact: bool,
    is_possible: impl Fn(usize) -> bool,
) -> Option<(usize, usize)> {
    candidates.iter().find_map(|&most| {
        let (mut end, mut whole) = (0, 1);
        for &(offset, length, align) in members {
            let align = align.min(most);
            let place = round_up(end, align);
            if place != offset && (is_exact || place > offset || !offset.is_multiple_of(align)) {
                return None;
            }
            (end, whole) = (offset + length, align.max(whole));
        }
        // A C++ struct without members has a size of one byte.
        let fits =
            if is_exact { round_up(end.max(1), whole) == size } else { size.is_multiple_of(whole) && end <= size };
        (fits && is_possible(whole)).then_some((most, whole))
    })
}
