//! Templates with named placeholders, filled while a program compiles.

use super::{
    message::Text,
    spelling::{LONGEST_NAME, push_count, push_cpp, push_layout},
};
use crate::{bytes::same, cpp::CppType, layout::Alignment};

/// The value of a placeholder.
#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    /// A name from the user's program. A long name keeps both ends.
    Name(&'a str),
    /// A text made from other templates.
    Text(&'a str),
    /// A number.
    Number(usize),
    /// The value of a variant.
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
pub(super) const fn fill(message: &mut Text, template: &str, values: &[(&str, Value<'_>)]) {
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

const fn push(message: &mut Text, value: Value<'_>) {
    match value {
        Value::Name(name) => message.push_shortened(name, LONGEST_NAME),
        Value::Text(text) => message.push(text),
        Value::Number(number) => message.push_number(number),
        Value::Integer(number) => message.push_integer(number),
        Value::Count(count, of) => push_count(message, count, of),
        Value::Cpp(cpp) => push_cpp(message, cpp),
        Value::Layout(size, align) => push_layout(message, size, align),
    }
}

/// The text before the first placeholder, its name, and the text after it.
pub(super) const fn split(template: &str) -> Option<(&str, &str, &str)> {
    let (Some(open), Some(close)) = (find(template, b'{'), find(template, b'}')) else {
        return None;
    };
    let (before, rest) = template.split_at(open);
    let (placeholder, after) = rest.split_at(close + 1 - open);
    let name = placeholder.split_at(1).1;
    Some((before, name.split_at(name.len() - 1).0, after))
}

const fn find(text: &str, byte: u8) -> Option<usize> {
    let text = text.as_bytes();
    let mut i = 0;
    while i < text.len() {
        if text[i] == byte {
            return Some(i);
        }
        i += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{super::message::Message, *};

    #[test]
    fn placeholders_are_filled_by_name() {
        const TEXT: Message<128> = {
            let mut text = Message::new();
            fill(
                &mut text,
                "`{a}` has {n}, {m} more, `{a}`",
                &[("n", Value::Count(1, "byte")), ("m", Value::Number(20)), ("a", Value::Name("x"))],
            );
            text
        };
        assert_eq!(TEXT.as_str(), "`x` has 1 byte, 20 more, `x`");
    }
}
