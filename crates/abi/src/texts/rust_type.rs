//! The Rust spelling of a C++ type.

use super::spelling::LONGEST_NAME;
use crate::{
    bytes::utf8,
    cpp::{Argument, CppBase, CppType, argument_end, integer_or_float, name, rust_scalar, trim},
    layout::Alignment,
    message::Message,
    signature::{ElementClass, Meaning, Parameter, Slot, SlotKind},
};

pub(super) type Type = Message<256>;

pub(super) const fn c_void() -> Type {
    Message::concat(&["core::ffi::c_void"])
}

/// The innermost `levels` pointers of a type, and what the last one points to. The address of a function is a number.
pub(super) const fn push_pointers(text: &mut Type, cpp: CppType<'_>, levels: u8, base: &str) {
    let first = matches!(cpp.base, CppBase::FunctionType) as u8;
    let mut level = levels;
    while level > first {
        level -= 1;
        text.push(if cpp.points_to_const(level) { "DevicePointer<" } else { "DevicePointerMut<" });
    }
    push_array(text, cpp.rows, base);
    while level < levels {
        level += 1;
        text.push(">");
    }
}

/// Returns the Rust type of an element behind a pointer. Empty if it is unknown.
pub(super) const fn element_name(base: CppBase<'_>) -> Type {
    if let CppBase::Named(spelled) = base {
        return named(spelled, None);
    }
    Message::concat(&[rust_scalar(base, 0)])
}

/// Appends an array of these lengths, or the element alone without lengths.
pub(super) const fn push_array(text: &mut Type, lengths: [u32; 3], element: &str) {
    let mut dimension = 0;
    while dimension < lengths.len() && lengths[dimension] > 0 {
        text.push("[");
        dimension += 1;
    }
    text.push(element);
    while dimension > 0 {
        dimension -= 1;
        text.push("; ");
        text.writer().push_number(lengths[dimension] as usize);
        text.push("]");
    }
}

/// Returns the Rust name of a C++ struct, vector or half: `Float4`, `Params<i32>` for `sim::Params<int>`. Empty for a
/// CUDA type without a Rust type of this alignment.
pub(super) const fn named(spelled: &str, align: Option<Alignment>) -> Type {
    if let Some(row) = name::builtin(spelled) {
        let row = row.aligned_to(align);
        let has_align = !matches!(align, Some(align) if align.bytes() != row.align);
        return Message::concat(&[if has_align { row.rust } else { "" }]);
    }
    let mut text = Message::new();
    if let base @ (CppBase::Integer { .. } | CppBase::Float { .. } | CppBase::Bool) = name::in_atomic(spelled) {
        return Message::concat(&[rust_scalar(base, 0)]);
    }
    if !name::is_builtin(spelled) && !name::is_of_library(spelled) {
        text.writer().push_shortened(name::plain(spelled), LONGEST_NAME);
        text = some!(instance(spelled), text);
    }
    text
}

/// `Grid<f32, 8>` for `sim::Grid<float, 8u>`. `None` if it is too long, or if an argument has no Rust spelling.
const fn instance(spelled: &str) -> Option<Type> {
    let mut text = Type::new();
    text.push(name::plain(spelled));
    let list = name::arguments(spelled);
    let mut at = 0;
    while at < list.len() {
        text.push(if at == 0 { "<" } else { ", " });
        let end = argument_end(list, at);
        if !push_argument(&mut text, trim(list, at, end)) {
            return None;
        }
        at = end + 1;
    }
    if !list.is_empty() {
        text.push(">");
    }
    if text.is_truncated() || text.as_str().len() > LONGEST_NAME { None } else { Some(text) }
}

const fn push_argument(text: &mut Type, argument: &[u8]) -> bool {
    let (name, shape) = match (argument, Argument::read(argument)) {
        (number @ (b"true" | b"false"), _) | (_, Argument::Number(number)) => {
            text.push(utf8(number));
            return true;
        }
        (_, Argument::Type(spelled)) => (spelled.name, spelled.shape),
        (_, Argument::Unknown) => return false,
    };
    let base = match integer_or_float(name) {
        Some(CppBase::Void) if shape.is_pointer() => c_void(),
        Some(base) => element_name(base),
        None => element_name(CppBase::Named(utf8(name))),
    };
    if !base.is_empty() {
        push_pointers(text, shape, shape.depth, base.as_str());
    }
    !base.is_empty()
}

/// Returns the object that an integer of the kernel is, by its type or by the code.
pub(super) const fn object_of(kernel: &Parameter<'_>) -> Option<&'static str> {
    let meant = object_meant(kernel);
    if meant.is_some() {
        return meant;
    }
    let slot = some!(kernel.body.at(0));
    match slot.kind {
        SlotKind::Texture | SlotKind::Surface if kernel.size == 8 => Some(object_in_code(&slot)),
        _ => None,
    }
}

/// Returns the object that an integer is by its type.
pub(super) const fn object_meant(kernel: &Parameter<'_>) -> Option<&'static str> {
    match kernel.members.stands_for() {
        Some(Meaning::Texture) => Some("texture"),
        Some(Meaning::Surface) => Some("surface"),
        _ => None,
    }
}

/// Returns the object that the code uses, which is a texture or a surface.
pub(super) const fn object_in_code(slot: &Slot<'_>) -> &'static str {
    if matches!(slot.kind, SlotKind::Surface) { "surface" } else { "texture" }
}

/// Returns the types of a field for a texture or a surface: tracked, or its handle.
pub(super) const fn object_types(object: &str) -> [&'static str; 2] {
    match object.as_bytes()[0] {
        b's' => ["&'a Surface", "SurfaceObject"],
        _ => ["&'a Texture", "TextureObject"],
    }
}

/// Returns the type of a pointer that only the code of the kernel shows.
pub(super) const fn inferred(kernel: &Parameter<'_>) -> CppType<'static> {
    match kernel.body.at(0) {
        Some(slot) if kernel.cpp.is_unknown() && kernel.size == 8 && matches!(slot.kind, SlotKind::Pointer) => {
            pointer_of(&slot)
        }
        _ => CppType::UNKNOWN,
    }
}

pub(super) const fn pointer_of(slot: &Slot<'_>) -> CppType<'static> {
    CppType::of(element_type(slot, CppBase::Unknown)).pointer(!slot.written.is_possible() && !slot.escapes)
}

/// Returns the type of the elements, if the accesses show it. An integer has the sign of the field's elements.
pub(super) const fn element_type(slot: &Slot<'_>, own: CppBase<'_>) -> CppBase<'static> {
    let elements = some!(slot.elements, CppBase::Unknown);
    match (elements.class, elements.size) {
        (ElementClass::Integer, size @ (4 | 8)) => CppBase::Integer { signed: own.is_signed(), bits: size as u16 * 8 },
        (class, _) => class.float(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_spelled_in_rust() {
        for (cpp, rust) in [
            ("Params", "Params"),
            ("sim::Params<int>", "Params<i32>"),
            ("Grid<float, 8u>", "Grid<f32, 8>"),
            ("a::Grid<b::Cell<double2, true>, (unsigned int)3>", "Grid<Cell<Double2, true>, 3>"),
            (
                "View<float const*, void*, unsigned char>",
                "View<DevicePointer<f32>, DevicePointerMut<core::ffi::c_void>, u8>",
            ),
            ("Half<__half>", "Half<half::f16>"),
        ] {
            assert_eq!(instance(cpp).expect(cpp).as_str(), rust);
        }
        for cpp in ["Apply<void (int)>", "Of<float&>", "Of<int [4]>", "Of<a{}>"] {
            assert!(instance(cpp).is_none(), "{cpp}");
        }
    }
}
