//! Templates with named placeholders, filled while a program compiles.

use super::spelling::{LONGEST_NAME, push_count, push_cpp, push_layout};
use crate::{
    bytes::{find, same},
    cpp::CppType,
    layout::Alignment,
    message::Text,
};

#[derive(Clone, Copy)]
pub(super) enum Placeholder<'a> {
    /// A name from the user's program. A long name keeps both ends.
    Name(&'a str),
    Text(&'a str),
    Number(usize),
    Integer(i128),
    /// A number of things: `1 byte`, `4 bytes`.
    Count(usize, &'static str),
    /// A C++ type: `float const*`.
    Cpp(CppType<'a>),
    /// Size and alignment: `4 bytes, aligned to 4`.
    Layout(usize, Option<Alignment>),
}

/// Appends `template`, with each `{placeholder}` replaced by its value.
#[cold]
pub(super) const fn fill(message: &mut Text, template: &str, values: &[(&str, Placeholder<'_>)]) {
    let mut rest = template;
    while let Some((before, name, after)) = split(rest) {
        message.push(before);
        let mut i = 0;
        while i < values.len() {
            if same(values[i].0, name) {
                push(message, values[i].1);
            }
            i += 1;
        }
        rest = after;
    }
    message.push(rest);
}

const fn push(message: &mut Text, value: Placeholder<'_>) {
    match value {
        Placeholder::Name(name) => message.push_shortened(name, LONGEST_NAME),
        Placeholder::Text(text) => message.push(text),
        Placeholder::Number(number) => message.push_number(number),
        Placeholder::Integer(number) => message.push_integer(number),
        Placeholder::Count(count, of) => push_count(message, count, of),
        Placeholder::Cpp(cpp) => push_cpp(message, cpp),
        Placeholder::Layout(size, align) => push_layout(message, size, align),
    }
}

pub(super) const fn split(template: &str) -> Option<(&str, &str, &str)> {
    let (open, close) = (some!(find(template.as_bytes(), b"{")), some!(find(template.as_bytes(), b"}")));
    let (before, rest) = template.split_at(open);
    let (placeholder, after) = rest.split_at(close + 1 - open);
    let name = placeholder.split_at(1).1;
    Some((before, name.split_at(name.len() - 1).0, after))
}
