//! The type of a pointer field with other elements, or mutable: `&'a mut CudaSlice<f32>` for `&'a CudaSlice<f64>`.

use super::{
    rust::{self, Declaration, push_type, slice},
    rust_type::element_name,
};
use crate::{
    bytes::starts_with,
    cpp::{CppBase, CppType},
    message::Message,
    signature::Parameter,
};

const MUTABLE: [(&str, &str); 2] = [("DevicePointer<", "DevicePointerMut<"), ("CudaView<", "CudaViewMut<")];

/// ``declare `name: f32` ``, or several alternatives. A pointer keeps the form of the field, unless a mutable one
/// becomes shared.
pub(super) const fn declaration(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Declaration {
    let (own, cpp) = (host.cpp, kernel.cpp);
    let becomes_shared = !own.is_shared() && cpp.is_shared();
    if becomes_shared || cpp.is_function() || !is_slice(own) || !is_slice(cpp) || element_name(cpp.base).is_empty() {
        return rust::declaration(host, kernel);
    }
    let mut field = Declaration::new();
    let is_written = own.is_shared() && !cpp.is_shared();
    push_type(&mut field, host.name, corrected(host, cpp.base, is_written).as_str());
    text!(declare, &field)
}

/// Spells `host`'s type with these elements (or its own, if `Unknown`), mutable if `is_written`. Falls back to a cudarc
/// slice.
pub(super) const fn corrected(host: &Parameter<'_>, element: CppBase<'_>, is_written: bool) -> Message<256> {
    let fallback = fallback(host, element, is_written);
    let spelling = if is_written { some!(mutable(host.spelling), fallback) } else { Message::concat(&[host.spelling]) };
    if matches!(element, CppBase::Unknown) {
        return spelling;
    }
    some!(with_elements(spelling.as_str(), host, element_name(element).as_str()), fallback)
}

/// Returns the spelling with other elements, if its last type argument is the elements.
const fn with_elements(spelling: &str, host: &Parameter<'_>, elements: &str) -> Option<Message<256>> {
    let own = element_name(host.cpp.base);
    let (before, after) = spelling.split_at(some!(last(spelling, own.as_str(), ">")));
    Some(Message::concat(&[before, elements, after.split_at(own.len()).1]))
}

const fn is_slice(cpp: CppType<'_>) -> bool {
    cpp.depth == 1 && cpp.rows[0] == 0
}

/// Returns the type of `host` with pointers to its elements as elements: `&CudaSlice<DevicePointer<f32>>` for
/// `&CudaSlice<f32>`.
pub(super) const fn to_pointers(host: &Parameter<'_>) -> Message<256> {
    let pointers = Message::<256>::concat(&["DevicePointer<", element_name(host.cpp.base).as_str(), ">"]);
    let slice = Message::concat(&["&CudaSlice<", pointers.as_str(), ">"]);
    some!(with_elements(host.spelling, host, pointers.as_str()), slice)
}

const fn fallback(host: &Parameter<'_>, element: CppBase<'_>, is_written: bool) -> Message<256> {
    let base = if matches!(element, CppBase::Unknown) { host.cpp.base } else { element };
    let is_const = !is_written && host.cpp.is_shared();
    let ty = if host.cpp.depth == 1 { CppType::of(base) } else { CppType::UNKNOWN };
    Message::concat(&[lifetime(host.spelling), slice(ty.pointer(is_const)).as_str().split_at(1).1])
}

/// `&'a ` of a borrow, or `&` without a lifetime.
const fn lifetime(spelling: &str) -> &str {
    let bytes = spelling.as_bytes();
    let mut end = 1;
    if bytes.len() > 1 && bytes[0] == b'&' && bytes[1] == b'\'' {
        while end < bytes.len() && bytes[end] != b' ' {
            end += 1;
        }
        if end < bytes.len() {
            return spelling.split_at(end + 1).0;
        }
    }
    "&"
}

/// Returns the spelling of the mutable type, if it is one of the usual types.
const fn mutable(spelling: &str) -> Option<Message<256>> {
    if let [b'&', ..] = spelling.as_bytes() {
        let (borrow, ty) = spelling.split_at(lifetime(spelling).len());
        return Some(Message::concat(&[borrow, "mut ", ty]));
    }
    let mut i = 0;
    while i < MUTABLE.len() {
        let (name, mutable) = MUTABLE[i];
        if let Some(at) = last(spelling, name, "") {
            let (before, after) = spelling.split_at(at);
            return Some(Message::concat(&[before, mutable, after.split_at(name.len()).1]));
        }
        i += 1;
    }
    None
}

/// Returns the last position of `part` directly before `end`.
const fn last(text: &str, part: &str, end: &str) -> Option<usize> {
    let (text, part, end) = (text.as_bytes(), part.as_bytes(), end.as_bytes());
    let mut at = text.len();
    while at > 0 && !part.is_empty() {
        at -= 1;
        let rest = text.split_at(at).1;
        if starts_with(rest, part) && starts_with(rest.split_at(part.len()).1, end) {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Class, Layout};

    fn check(spelling: &str, element: CppBase<'_>, is_written: bool, expected: &str) {
        let float = CppType::of(CppBase::Float { bits: 64 }).pointer(true);
        let layout = Layout::of::<u64>();
        let host = Parameter::field("x", spelling, 0, layout, Class::Pointer, float);
        assert_eq!(corrected(&host, element, is_written).as_str(), expected);
    }

    #[test]
    fn the_spelling_of_the_field_is_kept() {
        let (same, float) = (CppBase::Unknown, CppBase::Float { bits: 32 });
        let half = CppBase::Named("__half");
        for (spelling, element, is_written, expected) in [
            ("&'a CudaSlice<f64>", same, true, "&'a mut CudaSlice<f64>"),
            ("&CudaSlice<f64>", float, false, "&CudaSlice<f32>"),
            ("&'a CudaSlice<f64>", float, true, "&'a mut CudaSlice<f32>"),
            ("CudaView<'a, f64>", same, true, "CudaViewMut<'a, f64>"),
            ("Option<DevicePointer<f64>>", half, true, "Option<DevicePointerMut<half::f16>>"),
            ("Numbers", same, true, "&mut CudaSlice<f64>"),
            ("&'a CudaSlice<Real>", float, false, "&'a CudaSlice<f32>"),
        ] {
            check(spelling, element, is_written, expected);
        }
    }
}
