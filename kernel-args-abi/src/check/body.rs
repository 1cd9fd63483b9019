//! Whether the code of a kernel contradicts the type of a field or member.
//!
//! The rules are those without a false alarm on thousands of kernels of other packages, whose C++ types are known from
//! their symbols. Pointees that are structs, vectors or `void`, and buffers of bytes, are not compared: kernels read
//! them as other types.

use super::{
    cursor::Cursor,
    difference::{Difference, Differences},
    path::NAMES,
};
use crate::{
    bytes::equal,
    class::Class,
    cpp::{CppBase, CppType, name::is_builtin},
    signature::{ElementClass, Elements, Parameter, Slot, SlotKind},
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
    if is_written(ty, slot) {
        return Some(Contradiction::Written);
    }
    if has_other_elements(ty, slot) {
        return Some(Contradiction::Elements);
    }
    None
}

const fn is_written(ty: CppType<'_>, slot: &Slot<'_>) -> bool {
    ty.const_mask >> (ty.depth - 1) & 1 == 1 && slot.written.is_certain()
}

const fn has_other_elements(ty: CppType<'_>, slot: &Slot<'_>) -> bool {
    match slot.elements {
        // A pointer to an array can be a pointer to a vector or a struct.
        Some(elements) => ty.depth == 1 && ty.rows[0] == 0 && contradicts(elements, ty.base),
        None => false,
    }
}

/// Whether the code of a kernel can show something about a parameter that nothing else shows: it has 8 bytes or more,
/// and no C++ type, or is a struct whose members are unknown.
#[must_use]
pub const fn is_untyped(kernel: &Parameter<'_>) -> bool {
    let is_struct =
        matches!(kernel.class, Class::Bytes) && !matches!(kernel.cpp.base, CppBase::Named(name) if is_builtin(name));
    kernel.size >= 8
        && !matches!(kernel.class, Class::Float)
        && !has_known_members(kernel)
        && (is_struct || kernel.cpp.is_unknown())
}

const fn has_known_members(kernel: &Parameter<'_>) -> bool {
    kernel.members.is_known() || kernel.members.why_opaque().is_some()
}

/// How the code of the kernel contradicts a field, if neither the symbol nor debug information contains the type of the
/// parameter.
pub(super) const fn compare(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Differences {
    if !is_pointer(host) || !kernel.body.is_known() || !kernel.cpp.is_unknown() {
        return Differences::NONE;
    }
    match kernel.body.facts(0) {
        Some(slot) => differences(host.cpp, &slot),
        None => Differences::NONE,
    }
}

const fn is_pointer(host: &Parameter<'_>) -> bool {
    host.cpp.depth > 0 && !host.cpp.is_array()
}

const fn differences(ty: CppType<'_>, slot: &Slot<'_>) -> Differences {
    let mut differences = Differences::NONE;
    if matches!(slot.kind, SlotKind::Integer) {
        return differences.with(Difference::Pointer);
    }
    if is_written(ty, slot) {
        differences = differences.with(Difference::Constness);
    }
    if has_other_elements(ty, slot) {
        differences = differences.with(Difference::Pointee);
    }
    differences
}

/// Whether a field is an integer, and the code uses the parameter as a pointer. An address can be an integer, so they
/// fit.
pub(super) const fn is_conversion(host: &Parameter<'_>, kernel: &Parameter<'_>) -> bool {
    if host.cpp.depth > 0 || host.cpp.is_unknown() || !kernel.cpp.is_unknown() {
        return false;
    }
    matches!(kernel.body.facts(0), Some(slot) if matches!(slot.kind, SlotKind::Pointer))
}

/// A pointer in a struct by value that the code of the kernel contradicts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BodyMismatch<'a> {
    /// The names of the enclosing members, the outermost first.
    pub(crate) path: [&'a str; NAMES],
    /// The pointer.
    pub(crate) member: Parameter<'a>,
    /// What the code does with it.
    pub(crate) slot: Slot<'a>,
    /// How they differ.
    pub(crate) differences: Differences,
}

/// The first pointer in a struct that the code of the kernel contradicts, if the members of the kernel's struct are
/// unknown.
pub(crate) const fn first_in_struct<'a>(host: &Parameter<'a>, kernel: &Parameter<'a>) -> Option<BodyMismatch<'a>> {
    let may_contain = host.members.is_known() || host.cpp.is_array();
    if !may_contain || has_known_members(kernel) || kernel.body.is_empty() || host.size != kernel.size {
        return None;
    }
    let mut cursor = Cursor::EMPTY;
    cursor.restart(host);
    while let Some(item) = cursor.peek() {
        let member = item.element();
        let is_opaque = member.members.why_opaque().is_some();
        let is_plain = is_opaque || !member.members.is_known() && !is_pointer(&member);
        if cursor.is_too_deep() {
            return None;
        } else if item.opens() && !is_plain {
            cursor.open(&item);
            continue;
        } else if !is_opaque
            && is_pointer(&member)
            && let Some(facts) = kernel.body.facts(item.offset)
            && let differences = differences(member.cpp, &facts)
            && !differences.is_empty()
            && let Some(slot) = kernel.body.at(item.offset)
        {
            return Some(BodyMismatch { path: cursor.path(), member, slot, differences });
        }
        cursor.pass();
    }
    None
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
    if matches!((elements.class, elements.size), (ElementClass::Integer, 4 | 8)) && primitive.float.is_float() {
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
        CppBase::Named(name) if equal(name.as_bytes(), b"__nv_bfloat16") => (ElementClass::BF16, Some(2)),
        _ => return None,
    };
    Some(Primitive { float, size })
}
