//! How C++ types and layouts are written in messages.

use super::message::Message;
use crate::{cpp::CppType, layout::Alignment};

/// Appends a C++ type as demanglers spell it: `float const*`.
pub(super) const fn push_cpp<const N: usize>(message: &mut Message<N>, cpp: CppType<'_>) {
    message.push(cpp.base.spelling());
    let mut level = 0;
    while level < cpp.depth {
        message.push(if cpp.const_mask >> level & 1 == 1 {
            " const*"
        } else {
            "*"
        });
        level += 1;
    }
}

/// Appends `4 bytes, aligned to 4`.
pub(super) const fn push_layout<const N: usize>(
    message: &mut Message<N>,
    size: usize,
    align: Option<Alignment>,
) {
    push_bytes(message, size);
    if let Some(align) = align {
        message.push(", aligned to ");
        message.push_number(align.bytes());
    }
}

/// Appends `4 bytes`.
pub(super) const fn push_bytes<const N: usize>(message: &mut Message<N>, size: usize) {
    message.push_number(size);
    message.push(if size == 1 { " byte" } else { " bytes" });
}
