//! The Rust declaration that matches a kernel's parameter.

use super::{
    part_names::is_part,
    rust_type::{
        Type, c_void, element_name, inferred, named, object_meant, object_of, object_types, push_array, push_pointers,
    },
    spelling::{LONGEST_NAME, push_separator},
    templates,
};
use crate::{
    bytes::{ends_with, find, same},
    check::value::is_bytes_only,
    class::Class,
    cpp::{BUILTINS, CppBase, CppType, name::visible, rust_integer, rust_scalar, vectors_of},
    keywords::is_keyword,
    message::{Message, Text},
    signature::{Parameter, Variant},
};

pub(super) type Declaration = Message<768>;

/// ``declare `name: f32` ``, or several alternatives, for a field that corresponds to `kernel`.
pub(super) const fn declaration(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Declaration {
    // The type of a field with the narrower type of its parameter: `usize as i32`.
    if find(host.spelling.as_bytes(), b" as ").is_some() {
        let (narrow, count) = alternatives(Some(host), kernel);
        let mut write = Declaration::new();
        let mut i = 0;
        while i < count && matches!(narrow[i].as_bytes()[0], b'u' | b'i') {
            push_separator(&mut write, i, count);
            templates::narrow_to(&mut write, narrow[i]);
            i += 1;
        }
        if i == count && count > 0 {
            return text!(narrow, &write);
        }
        let declare: Declaration = text!(declare, &types(host.name, None, kernel));
        return text!(not_narrowed, &declare);
    }
    text!(declare, &types(host.name, Some(host), kernel))
}

/// `` `f32` `` or `` `name: f32` ``, or several alternatives.
#[cold]
pub(super) const fn types(name: &str, host: Option<&Parameter<'_>>, kernel: &Parameter<'_>) -> Declaration {
    let mut text = Message::new();
    let inferred = inferred(kernel);
    let cpp = if inferred.is_pointer() { inferred } else { kernel.cpp };
    if cpp.is_function() {
        push_type(&mut text, name, "u64");
        return text;
    }
    if cpp.is_pointer() || matches!(kernel.class, Class::Pointer) {
        push_type(&mut text, name, slice(cpp).as_str());
        return text;
    }
    if let CppBase::Named(spelled) = kernel.cpp.base
        && !matches!(kernel.class, Class::Integer)
    {
        let ty = named(spelled, kernel.align);
        if ty.is_empty() {
            let mut before = Message::<320>::new();
            if !name.is_empty() {
                templates::field_as(&mut before, name);
                before.push(" ");
            }
            templates::own_struct(&mut text, &before, (kernel.size, kernel.align), visible(spelled));
        } else {
            push_type(&mut text, name, ty.as_str());
        }
        return text;
    }
    if let Some(object) = object_of(kernel) {
        push_types(&mut text, name, &object_types(object));
        return text;
    }
    if let Some(host) = host {
        let (arrays, count) = arrays(host, kernel);
        if count > 0 {
            let one = [arrays[0].as_str(), arrays[1].as_str()];
            push_types(&mut text, name, one.split_at(count).0);
            return text;
        }
    }
    let (types, count) = alternatives(host, kernel);
    if needs_struct(host, kernel) {
        templates::some_struct(&mut text, (kernel.size, kernel.align));
    }
    push_types(&mut text, name, types.split_at(count).0);
    if text.is_empty() {
        templates::some_type(&mut text, (kernel.size, kernel.align));
    }
    text
}

/// Appends alternatives, possibly after an alternative.
pub(super) const fn push_types(text: &mut Declaration, name: &str, types: &[&str]) {
    let first = !text.is_empty() as usize;
    let mut i = 0;
    while i < types.len() {
        push_separator(text, first + i, first + types.len());
        push_type(text, name, types[i]);
        i += 1;
    }
}

pub(super) const fn push_type(message: &mut Text, name: &str, ty: &str) {
    if name.is_empty() {
        templates::bare_type(message, ty);
    } else if is_index(name) {
        templates::position_type(message, name, ty);
    } else if is_part(name) {
        templates::part_type(message, name, ty);
    } else if is_keyword(name) {
        templates::raw_field_type(message, name, ty);
    } else {
        templates::field_type(message, name, ty);
    }
}

pub(super) const fn is_index(name: &str) -> bool {
    !name.is_empty() && name.as_bytes()[0].is_ascii_digit()
}

/// Returns the device slice type for a pointer: `&CudaSlice<f32>`.
pub(super) const fn slice(cpp: CppType<'_>) -> Type {
    let mut text = Message::new();
    text.push(if cpp.is_pointer() && !cpp.is_shared() { "&mut CudaSlice<" } else { "&CudaSlice<" });
    let base = if cpp.depth > 1 && matches!(cpp.base, CppBase::Void) { c_void() } else { element_name(cpp.base) };
    if base.is_empty() {
        text.push("…");
    } else {
        push_pointers(&mut text, cpp, cpp.depth.saturating_sub(1), base.as_str());
    }
    text.push(">");
    text
}

/// ``declare `name: f32` ``, for a member that corresponds to the kernel's. Empty if it has no name.
pub(super) const fn member_declaration(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Declaration {
    if host.name.is_empty() {
        return Declaration::new();
    }
    let mut field = Declaration::new();
    match with_length(host, kernel) {
        Some(ty) => push_type(&mut field, host.name, ty.as_str()),
        None => field = member_field(host.name, kernel),
    }
    text!(declare, &field)
}

/// Returns the host's array with the kernel's length, if its elements are the same struct.
const fn with_length(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Option<Type> {
    let (CppBase::Named(own), CppBase::Named(theirs)) = (host.cpp.base, kernel.cpp.base) else {
        return None;
    };
    let bytes = host.spelling.as_bytes();
    let mut end = bytes.len();
    while end > 0 && bytes[end - 1] != b';' {
        end -= 1;
    }
    if end == 0 || !same(own, theirs) || !is_row(host.cpp) || !is_row(kernel.cpp) {
        return None;
    }
    let mut text = Type::new();
    text.push(host.spelling.split_at(end).0);
    text.push(" ");
    text.writer().push_number(kernel.cpp.extents[0] as usize);
    text.push("]");
    Some(text)
}

const fn is_row(cpp: CppType<'_>) -> bool {
    cpp.extents[0] > 0 && cpp.extents[1] == 0
}

/// `` `name: f32` ``, for the kernel's member. If its type has no Rust name, its size and alignment.
pub(super) const fn member_field(name: &str, kernel: &Parameter<'_>) -> Declaration {
    let mut text = Declaration::new();
    let ty = member_type(kernel);
    if ty.is_empty() {
        templates::some_member(&mut text, name, (kernel.size, kernel.align));
    } else {
        push_type(&mut text, name, ty.as_str());
    }
    text
}

pub(super) const fn member_type(kernel: &Parameter<'_>) -> Type {
    let cpp = kernel.cpp;
    let mut base = Type::new();
    match cpp.base {
        CppBase::Named(spelled) => {
            let align = if cpp.is_pointer() { None } else { kernel.align };
            base = named(spelled, align);
        }
        CppBase::Void if cpp.is_pointer() => base = c_void(),
        _ if cpp.is_pointer() => base.push(rust_scalar(cpp.base, 0)),
        _ => base.push(match object_meant(kernel) {
            Some(object) => object_types(object)[1],
            None => rust_scalar(cpp.base, kernel.element().size),
        }),
    }
    if base.is_empty() {
        return base;
    }
    let (mut element, mut text) = (Type::new(), Type::new());
    push_pointers(&mut element, cpp, cpp.depth, base.as_str());
    push_array(&mut text, cpp.extents, element.as_str());
    text
}

/// Returns the spelling of a Rust type. The type parameter, between `before` and `after`, is replaced by the actual
/// type if the whole type determines it: its `cpp` and `size`, and the `name` of its struct or enum.
#[doc(hidden)]
pub const fn instantiated(
    before: &str,
    parameter: &str,
    after: &str,
    name: &str,
    cpp: CppType<'_>,
    size: usize,
) -> Message<256> {
    let is_whole = before.is_empty() && after.is_empty();
    let mut ty = "";
    let is_pointee = !is_whole && cpp.depth == 1 && !opens(before, name);
    if is_whole && !cpp.is_pointer() && !cpp.is_array() || is_pointee {
        ty = match cpp.base {
            CppBase::Named(_) => match cpp.base.builtin() {
                Some(row) => row.rust,
                None => name,
            },
            base => rust_scalar(base, if is_whole { size } else { 0 }),
        };
    }
    let ty = if ty.is_empty() { parameter } else { ty };
    let mut text = Message::new();
    text.writer().push_shortened(before, LONGEST_NAME / 2);
    text.push(ty);
    text.writer().push_shortened(after, LONGEST_NAME / 2);
    text
}

/// Returns whether a text ends with the name of a generic type and `<`.
const fn opens(text: &str, name: &str) -> bool {
    matches!(text.as_bytes(), [before @ .., _] if !name.is_empty() && ends_with(before, name.as_bytes()))
}

/// Returns the integer type of the kernel's enum, as in `repr`. The default in C++ is `int`.
pub(super) const fn underlying(kernel: &Parameter<'_>) -> &'static str {
    let known = rust_scalar(kernel.cpp.base, kernel.size);
    if !known.is_empty() && !same(known, "bool") {
        return known;
    }
    let (mut signed, mut i) = (kernel.size >= 4, 0);
    while let Some(Variant { value, .. }) = kernel.members.variant(i) {
        signed = value < 0 || signed && value >> (8 * kernel.size - 1) == 0;
        i += 1;
    }
    if let Some(known) = kernel.members.is_signed() {
        signed = known;
    }
    rust_integer(signed, kernel.size as u16 * 8)
}

/// Returns the CUDA vector with these components, in the kernel's size and alignment.
const fn same_element(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Option<&'static str> {
    let host = some!(host.cpp.base.builtin());
    let mut i = 0;
    while i < BUILTINS.len() {
        let row = &BUILTINS[i];
        let aligned = !matches!(kernel.align, Some(align) if row.align != align.bytes());
        if host.components > 0
            && row.components > 0
            && aligned
            && row.size == kernel.size
            && same(row.element, host.element)
        {
            return Some(row.rust);
        }
        i += 1;
    }
    None
}

/// Returns whether a struct is the most likely type of a parameter. A float for 2 bytes may be a half, and a vector may
/// have another length.
pub(super) const fn needs_struct(host: Option<&Parameter<'_>>, kernel: &Parameter<'_>) -> bool {
    let is_near = match host {
        Some(host) => kernel.size == 2 && matches!(host.class, Class::Float) || same_element(host, kernel).is_some(),
        None => false,
    };
    is_bytes_only(kernel) && !is_near
}

/// Arrays of the kernel's size, like the host's: of its length, or of its elements.
const fn arrays(host: &Parameter<'_>, kernel: &Parameter<'_>) -> ([Type; 2], usize) {
    const NONE: [Type; 2] = [Type::new(), Type::new()];
    let length = host.cpp.extents[0] as usize;
    let bytes = host.spelling.as_bytes();
    if !is_row(host.cpp) || host.cpp.is_pointer() || !kernel.cpp.is_unknown() || bytes.is_empty() || bytes[0] != b'[' {
        return (NONE, 0);
    }
    let (Some(own), Some(align), Class::Bytes | Class::Unknown) = (host.align, kernel.align, kernel.class) else {
        return (NONE, 0);
    };
    let size = host.size / length;
    if own.bytes() == align.bytes() && kernel.size.is_multiple_of(size) {
        let mut end = bytes.len();
        while end > 1 && bytes[end - 1] != b';' {
            end -= 1;
        }
        let element = host.spelling.split_at(end - 1).0.split_at(1).1;
        return ([array(element, kernel.size / size), Type::new()], 1);
    }
    let size = kernel.size / length;
    let is_scalar = matches!(size, 1 | 2 | 4 | 8) && size * length == kernel.size && size == align.bytes();
    match host.cpp.base {
        CppBase::Integer { signed, .. } if is_scalar => {
            let [one, other] = [rust_integer(signed, size as u16 * 8), rust_integer(!signed, size as u16 * 8)];
            ([array(one, length), array(other, length)], 2)
        }
        CppBase::Float { .. } if is_scalar && size >= 4 => {
            ([array(if size == 4 { "f32" } else { "f64" }, length), Type::new()], 1)
        }
        _ => (NONE, 0),
    }
}

/// `[f32; 3]`.
const fn array(element: &str, length: usize) -> Type {
    let mut text = Type::new();
    text.push("[");
    text.push(element);
    text.push("; ");
    text.writer().push_number(length);
    text.push("]");
    text
}

const OFFERED: usize = 3;

/// Returns every Rust type that matches a parameter, the most likely first. PTX has no signedness: `.u32` can also be
/// `int`.
pub(super) const fn alternatives(
    host: Option<&Parameter<'_>>,
    kernel: &Parameter<'_>,
) -> ([&'static str; OFFERED], usize) {
    let known = rust_scalar(kernel.cpp.base, kernel.size);
    if !known.is_empty() {
        return ([known, "", ""], 1);
    }
    if matches!(kernel.class, Class::Bytes | Class::Unknown)
        && let Some(host) = host
        && let Some(vector) = same_element(host, kernel)
    {
        return ([vector, "", ""], 1);
    }
    if matches!(kernel.class, Class::Bytes)
        && kernel.size != 2
        && let Some(align) = kernel.align
    {
        return vectors_of(kernel.size, align.bytes());
    }
    let (signed, float) = match host {
        Some(host) => (host.cpp.base.is_signed(), matches!(host.class, Class::Float)),
        None => (false, false),
    };
    let offered: &[&'static str] = match (kernel.class, kernel.size) {
        (Class::Integer | Class::Unknown | Class::Bits, 1) => &["u8", "i8", "bool"],
        (Class::Integer, size @ (2 | 4 | 8)) => {
            let bits = size as u16 * 8;
            let types = [rust_integer(signed, bits), rust_integer(!signed, bits), "&CudaSlice<…>"];
            return (types, if size == 8 { 3 } else { 2 });
        }
        (Class::Integer, 16) => &["u128", "i128"],
        (Class::Float | Class::Bytes, 2) => &["half::f16", "half::bf16"],
        (Class::Bits | Class::Unknown, 4) if float => &["f32"],
        (Class::Bits | Class::Unknown, 8) if float => &["f64"],
        (Class::Float, 4) => &["f32"],
        (Class::Float, 8) => &["f64"],
        (Class::Unknown | Class::Bits, 2) => &["u16", "i16", "half::f16"],
        (Class::Unknown | Class::Bits, 4) => &["u32", "i32", "f32"],
        (Class::Unknown | Class::Bits, 8) => &["&CudaSlice<…>", "u64", "i64"],
        _ => &[],
    };
    let mut types = [""; OFFERED];
    let (known, _) = types.split_at_mut(offered.len());
    known.copy_from_slice(offered);
    (types, offered.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Alignment;
    use std::{format, string::String};

    fn parameter(cpp: CppType<'_>, size: usize, align: usize) -> Parameter<'_> {
        Parameter { class: Class::Bytes, cpp, align: Alignment::new(align), ..Parameter::record(0, size) }
    }

    fn offered(kernel: &Parameter<'_>) -> String {
        String::from(types("v", None, kernel).as_str())
    }

    #[test]
    fn the_integer_type_of_an_enum_has_all_its_values() {
        let integer = |size: usize, values: &[i128]| {
            let variants: std::vec::Vec<_> = values.iter().map(|&value| Variant { name: "V", value }).collect();
            let members = crate::Members::of_enum(&variants, None);
            underlying(&Parameter { size, ..parameter(CppType::named("E"), size, size) }.with_members(members))
        };
        assert_eq!(integer(2, &[-15590, 3]), "i16");
        assert_eq!(integer(2, &[0, 3]), "u16");
        assert_eq!(integer(4, &[0, 3]), "i32");
        assert_eq!(integer(4, &[0, 4_000_000_000]), "u32");
        assert_eq!(integer(8, &[1 << 63]), "u64");
    }

    /// By value and behind a pointer, by every name, and with a path.
    #[test]
    fn every_type_of_cuda_is_offered_by_its_rust_name() {
        for row in &BUILTINS {
            for name in core::iter::once(&row.cpp).chain(row.aliases) {
                for path in ["", "ns::"] {
                    let name = format!("{path}{name}");
                    let cpp = CppType::named(&name);
                    let expected = format!("`v: {}`", row.rust);
                    assert_eq!(offered(&parameter(cpp, row.size, row.align)), expected);
                    if row.rust == "TensorMapA64" {
                        continue; // the alignment behind a pointer is unknown
                    }
                    let expected = format!("`v: &CudaSlice<{}>`", row.rust);
                    let pointer = parameter(cpp.pointer(true), 8, 8);
                    assert_eq!(offered(&pointer), expected);
                }
            }
        }
    }

    #[test]
    fn a_type_of_cuda_without_a_rust_type_is_not_offered() {
        for name in ["__nv_fp4_e2m1", "complex<int>", "cuda::std::complex"] {
            let cpp = CppType::named(name);
            let own = format!(
                "`v` as a struct of 1 byte, aligned to 1, with `#[derive(Clone, Copy, DeviceType)]`, `#[repr(C)]` and \
                 `#[device_type(cpp = \"{name}\")]`"
            );
            assert_eq!(offered(&parameter(cpp, 1, 1)), own);
            let pointer = offered(&parameter(cpp.pointer(true), 8, 8));
            assert_eq!(pointer, "`v: &CudaSlice<…>`");
        }
    }

    /// Every size and alignment of bytes whose C++ type is unknown.
    #[test]
    fn what_is_offered_for_bytes_is_in_the_table() {
        for size in 0..300 {
            for align in [1, 2, 4, 8, 16, 32, 64, 128] {
                let (types, count) = alternatives(None, &parameter(CppType::UNKNOWN, size, align));
                for ty in &types[..count] {
                    let row = BUILTINS.iter().find(|row| row.rust == *ty).expect(ty);
                    assert_eq!(row.size, size);
                }
            }
        }
    }
}
