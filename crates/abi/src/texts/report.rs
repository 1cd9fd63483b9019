//! The texts of a report.

use super::{body, rust::types, side::Side, templates as say};
use crate::{
    bytes::{find, starts_with},
    check::{Difference, Mismatch, Pairing, Report, nearest, report},
    message::{Hint, Message},
    signature::Signature,
};

const AND_MORE: usize = 32;

/// The binding with which a struct does not fit: `T = f32 => "_f32"`.
#[derive(Clone, Copy, Debug)]
pub struct Bound<'a> {
    /// The binding as in the attribute. Empty if the struct has none.
    pub written: &'a str,
    /// Whether the binding is wrong, not the field.
    pub is_wrong: bool,
    /// Whether the type of the field contains a type parameter, or may.
    pub is_generic: bool,
    /// How many more bindings do not fit. With zero or one binding, counts kernels instead.
    pub more: usize,
    /// Whether there are several bindings.
    pub several: bool,
}

impl Bound<'_> {
    const NONE: Self = Self { written: "", is_wrong: false, is_generic: false, more: 0, several: false };

    const fn push_binding(&self, message: &mut Message) {
        if !self.written.is_empty() {
            say::binding_side(message, self.written);
        }
    }

    /// The type of the type parameter, if the message names it: a field has the parameter instead.
    const fn push_type(&self, message: &mut Message) {
        if let Some((name, rest)) = split(self.written, " = ")
            && let Some((ty, _)) = split(rest, " => ")
            && self.is_generic
            && names(message.as_str(), ty)
        {
            say::here_bound(message, name, ty);
        }
    }

    const fn push_more(&self, message: &mut Message) {
        if self.more > 0 && self.several {
            say::and_more_bindings(message, self.more);
        } else if self.more > 0 {
            say::and_more_kernels(message, self.more);
        }
    }
}

impl<const N: usize> Report<'_, N> {
    /// Returns the error at a field: what is wrong, both sides, and what to write. `None` if the field is right.
    pub const fn field_message(&self, field: usize) -> Option<Message> {
        self.field_message_bound(field, &Bound::NONE)
    }

    /// Returns the error at the struct: the parameters that no field passes. `None` if no field is missing.
    pub const fn missing_message(&self) -> Option<Message> {
        let message = self.list(true);
        if message.is_empty() { None } else { Some(message) }
    }

    /// [`field_message`](Self::field_message) with the binding.
    pub const fn field_message_bound(&self, field: usize, bound: &Bound<'_>) -> Option<Message> {
        let mismatch = some!(self.of_field(field));
        let mut message = self.what(mismatch);
        bound.push_binding(&mut message);
        match mismatch {
            Mismatch::Differs { parameter, differences, exchanged: None, .. } if bound.is_wrong => {
                let (host, kernel) = (&self.pairing().host[field], &self.pairing().kernel[parameter]);
                let types = match body::contradicting(host, kernel, differences) {
                    Some((found, slot)) => body::fitting("", host, (found, &slot)),
                    None => types("", None, kernel),
                };
                let hint: Hint = text!(correct_binding, &types, bound.written);
                say::help(&mut message, &hint);
            }
            _ => {
                say::help(&mut message, &self.hint(mismatch));
                bound.push_type(&mut message);
            }
        }
        if self.first_wrong_field() == field {
            bound.push_more(&mut message);
        }
        Some(message)
    }

    /// [`missing_message`](Self::missing_message) with the binding.
    pub const fn missing_message_bound(&self, bound: &Bound<'_>) -> Option<Message> {
        let mut message = some!(self.missing_message());
        bound.push_type(&mut message);
        bound.push_binding(&mut message);
        if self.first_wrong_field() == self.pairing().host.len() {
            bound.push_more(&mut message);
        }
        Some(message)
    }

    const fn first_wrong_field(&self) -> usize {
        let mut first = 0;
        while first < self.pairing().host.len() && self.of_field(first).is_none() {
            first += 1;
        }
        first
    }

    /// Returns all [`mismatches`](Self::mismatches), for an error that belongs to no field. Empty if the struct fits.
    pub const fn whole_message(&self) -> Message {
        self.list(false)
    }

    /// Returns the text of one of [`mismatches`](Self::mismatches), in a few lines.
    #[cold]
    pub const fn message(&self, mismatch: Mismatch) -> Message {
        let mut message = self.what(mismatch);
        say::help(&mut message, &self.hint(mismatch));
        message
    }

    const fn what(&self, mismatch: Mismatch) -> Message {
        let Pairing { host, kernel, .. } = self.pairing();
        let name = self.kernel().name;
        match mismatch {
            Mismatch::Differs { field, parameter, differences, .. } => {
                let (host, kernel) = (&host[field], &kernel[parameter]);
                let mut message = text!(differs, host.name, parameter, name);
                if let Some((found, slot)) = body::contradicting(host, kernel, differences) {
                    message = body::contradiction_message(host, (parameter, name), (found, &slot));
                }
                let expected = if differences.contains(Difference::Offset) {
                    self.pairing().expected_offset(field, parameter)
                } else {
                    None
                };
                let mut left = Side::new(host, expected);
                if kernel.cpp.is_unknown() {
                    left.cpp = Message::new();
                }
                let [left, right] = Side::lines(&left, &Side::new(kernel, kernel.offset));
                say::host_side(&mut message, &left);
                say::kernel_side(&mut message, &right);
                message
            }
            Mismatch::Missing { parameter, .. } => {
                let (first, last) = self.alike(mismatch);
                let mut message = if first == last {
                    text!(missing, parameter, name)
                } else if last == first + 1 {
                    text!(missing_either, first, last, name)
                } else {
                    text!(missing_one_of, first, last, name)
                };
                say::kernel_side(&mut message, &Side::alone(&kernel[parameter], kernel[parameter].offset));
                message
            }
            Mismatch::Extra { field, .. } => {
                let mut message = text!(extra, host[field].name, name);
                say::host_side(&mut message, &Side::alone(&host[field], None));
                message
            }
        }
    }

    /// Returns the texts of all mismatches, or only of missing parameters, as far as they fit.
    const fn list(&self, missing_alone: bool) -> Message {
        let mut list = Message::new();
        let mut left_out = 0;
        let mut i = 0;
        while i < self.len() {
            let mismatch = self.mismatches()[i];
            i += 1;
            // The message of a moved field says where to move it.
            match mismatch {
                Mismatch::Missing { moved: Some(_), .. } => continue,
                Mismatch::Missing { .. } => {}
                _ if missing_alone => continue,
                _ => {}
            }
            let message = self.message(mismatch);
            if left_out > 0 || !list.has_room_for(message.as_str(), AND_MORE) {
                left_out += 1;
                continue;
            }
            if !list.is_empty() {
                list.push("\n");
            }
            list.push(message.as_str());
        }
        if left_out > 0 {
            say::and_more(&mut list, left_out);
        }
        list
    }
}

const fn split<'a>(text: &'a str, separator: &str) -> Option<(&'a str, &'a str)> {
    let at = some!(find(text.as_bytes(), separator.as_bytes()));
    Some((text.split_at(at).0, text.split_at(at + separator.len()).1))
}

const fn names(text: &str, ty: &str) -> bool {
    let (bytes, ty) = (text.as_bytes(), ty.as_bytes());
    let mut i = bytes.len();
    while i > 0 && bytes[i - 1] != b'\n' {
        i -= 1;
        let after = bytes.split_at(i).1;
        if starts_with(after, ty)
            && (i == 0 || !is_in_word(bytes[i - 1]))
            && (after.len() == ty.len() || !is_in_word(after[ty.len()]))
        {
            return true;
        }
    }
    false
}

const fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The reserved length for one name in the list of kernels, and for the note about omitted kernels.
const ROOM: usize = 192;

/// Returns the error for a struct that none of several kernels takes: their names, as far as they fit, and the mistakes
/// for the nearest kernel.
#[doc(hidden)]
pub const fn none_fits(host: &Signature<'_>, kernels: &[Signature<'_>]) -> Message<4096> {
    let mut message = text!(none_fits, host.name);
    if kernels.is_empty() {
        return message;
    }
    let nearest = &kernels[nearest(host, kernels)];
    let report: Report<'_> = report(host, nearest);
    let wrong = report.whole_message();
    let mut i = 0;
    while i < kernels.len() {
        if !message.has_room_for(wrong.as_str(), 2 * ROOM) {
            say::and_more(&mut message, kernels.len() - i);
            break;
        }
        say::kernel_in_list(&mut message, kernels[i].name);
        i += 1;
    }
    say::nearest(&mut message, nearest.name);
    message.push("\n");
    message.push(wrong.as_str());
    message
}
