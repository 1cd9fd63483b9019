//! The spelling of C++ types, layouts and numbers in messages.

use crate::{
    cpp::CppType,
    layout::Alignment,
    message::{Message, Text},
};

/// The maximum length of a name or type before it is shortened, in bytes.
pub(super) const LONGEST_NAME: usize = 120;

pub(super) const fn push_cpp(message: &mut Text, cpp: CppType<'_>) {
    message.push_shortened(cpp.base.spelling(), LONGEST_NAME);
    cpp.push_shape(message);
}

/// Returns a C++ type, or nothing if it is unknown.
pub(super) const fn spelled<const N: usize>(cpp: CppType<'_>) -> Message<N> {
    let mut text = Message::new();
    if !cpp.is_unknown() {
        push_cpp(&mut text, cpp);
    }
    text
}

/// Appends `4 bytes, aligned to 4`.
pub(super) const fn push_layout(message: &mut Text, size: usize, align: Option<Alignment>) {
    push_count(message, size, "bytes");
    if let Some(align) = align {
        message.push(", aligned to ");
        message.push_number(align.bytes());
    }
}

/// Appends `1 byte`, `4 bytes`. `things` is the plural, which ends in `s`.
pub(super) const fn push_count(message: &mut Text, count: usize, things: &str) {
    message.push_number(count);
    message.push(" ");
    message.push(if count == 1 { things.split_at(things.len() - 1).0 } else { things });
}

/// Appends the separator before item `index` of a list of `count` items: a comma, or "or".
pub(super) const fn push_separator(message: &mut Text, index: usize, count: usize) {
    if index > 0 {
        message.push(if index + 1 == count { " or " } else { ", " });
    }
}
