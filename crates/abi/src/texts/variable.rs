//! The text for a Rust type that does not fit a global variable.

use super::{
    members::{push_member, variant_hint},
    rust::member_type,
    side::Side,
    templates as say,
};
use crate::{
    check::{
        Difference, compare_variable,
        variable::{as_member, as_struct},
    },
    message::{Hint, Message},
    signature::Parameter,
};

/// Returns why the Rust type `host` does not fit the variable: what is wrong, both sides, and what to write. `None` if
/// it fits.
pub const fn variable_message(host: &Parameter<'_>, variable: &Parameter<'_>) -> Option<Message> {
    let differences = compare_variable(host, variable);
    let first = some!(differences.first());
    let mut message = if host.spelling.is_empty() {
        text!(type_differs, variable.name)
    } else {
        text!(variable_differs, host.spelling, variable.name)
    };
    let (mut left, right) = (Side::new(host, None), Side::new(variable, None));
    if variable.cpp.is_unknown() && !host.spelling.is_empty() {
        left.cpp = Message::new();
    }
    let [left, right] = Side::lines(&left, &right);
    say::host_side(&mut message, &left);
    say::image_side(&mut message, &right);
    let mut hint = Hint::new();
    match first {
        Difference::Members => {
            let (h, v) = ([as_member(host, variable)], [as_member(variable, variable)]);
            push_member(&mut hint, &as_struct(&h), &as_struct(&v));
        }
        Difference::Variants => hint = variant_hint(host, variable),
        Difference::Alignment => {
            if let Some(align) = variable.align {
                say::variable_aligned(&mut hint, align.bytes());
            }
        }
        _ => {
            let ty = member_type(variable);
            if !ty.is_empty() {
                say::variable_type(&mut hint, variable.cpp, &ty);
            } else if host.size == variable.size {
                say::variable_class(&mut hint, variable.class.name(), variable.size);
            } else {
                say::variable_size(&mut hint, variable.size);
            }
        }
    }
    say::or_bytes(&mut hint);
    say::help(&mut message, &hint);
    Some(message)
}
