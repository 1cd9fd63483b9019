//! Whether the code of a kernel contradicts the type of a field or member.
//!
//! The rules are those without a false alarm on thousands of kernels of other packages, whose C++ types are known from
//! their symbols. Pointees that are structs, vectors or `void`, and buffers of bytes, are not compared: kernels read
//! them as other types.

use crate::{
    bytes::equal,
    cpp::{CppBase, CppType},
    signature::{ElementClass, Elements, Slot, SlotKind},
};

/// How the code of a kernel contradicts a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum Contradiction {
    /// The type is a pointer, and the code uses an integer.
    Integer,
    /// The type is a pointer to `const`, and the code writes through it.
    Written,
    /// The code accesses elements of another type through the pointer.
    Elements,
}

/// How the code contradicts a type that is a pointer. `None` if it does not, or if the type is no pointer.
#[must_use]
pub const fn contradiction(ty: CppType<'_>, slot: &Slot<'_>) -> Option<Contradiction> {
    if ty.depth == 0 {
        return None;
    }
    if matches!(slot.kind, SlotKind::Integer) {
        return Some(Contradiction::Integer);
    }
    let is_const = ty.const_mask >> (ty.depth - 1) & 1 == 1;
    if is_const && slot.written.is_certain() {
        return Some(Contradiction::Written);
    }
    match slot.elements {
        Some(elements) if ty.depth == 1 && contradicts(elements, ty.base) => {
            Some(Contradiction::Elements)
        }
        _ => None,
    }
}

/// A type of elements that is compared.
struct Primitive {
    /// The class of a float. Unknown for an integer.
    float: ElementClass,
    /// `None` for `long`.
    size: Option<u8>,
}

/// Whether no access through a pointer to `pointee` shows these elements.
#[must_use]
pub const fn contradicts(elements: Elements, pointee: CppBase<'_>) -> bool {
    let Some(primitive) = primitive(pointee) else {
        return false;
    };
    if elements.class.is_float() {
        return elements.class as u8 != primitive.float as u8;
    }
    if matches!(
        (elements.class, elements.size),
        (ElementClass::Integer, 4 | 8)
    ) && primitive.float.is_float()
    {
        return true;
    }
    let Some(size) = primitive.size else {
        return false;
    };
    match (elements.size, elements.step) {
        (1, _) => size >= 2,
        (2, _) => size >= 4,
        // Half of an element of 8 bytes is read at every 8th byte only.
        (4, 4) => size == 8,
        (8, 8) => matches!(elements.class, ElementClass::Integer) && size == 4,
        _ => false,
    }
}

const fn primitive(base: CppBase<'_>) -> Option<Primitive> {
    let (float, size) = match base {
        CppBase::Bool => (ElementClass::Unknown, Some(1)),
        // Buffers of bytes can contain anything.
        CppBase::Integer { bits: 16, .. } => (ElementClass::Unknown, Some(2)),
        CppBase::Integer { bits: 32, .. } => (ElementClass::Unknown, Some(4)),
        CppBase::Integer { bits: 64, .. } => (ElementClass::Unknown, Some(8)),
        CppBase::Long { .. } => (ElementClass::Unknown, None),
        CppBase::Float { bits: 16 } => (ElementClass::F16, Some(2)),
        CppBase::Float { bits: 32 } => (ElementClass::F32, Some(4)),
        CppBase::Float { bits: 64 } => (ElementClass::F64, Some(8)),
        CppBase::Named(name) if equal(name.as_bytes(), b"__half") => (ElementClass::F16, Some(2)),
        CppBase::Named(name) if equal(name.as_bytes(), b"__nv_bfloat16") => {
            (ElementClass::BF16, Some(2))
        }
        _ => return None,
    };
    Some(Primitive { float, size })
}
