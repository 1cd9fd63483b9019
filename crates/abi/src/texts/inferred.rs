//! The C++ types that the code of a kernel shows.

use crate::{
    cpp::{CppBase, CppType},
    signature::{ElementClass, Elements, Parameter, Slot, SlotKind},
};

/// The type of a pointer that only the code of the kernel shows.
pub(super) const fn inferred(kernel: &Parameter<'_>) -> CppType<'static> {
    match kernel.body.at(0) {
        Some(slot) if kernel.cpp.is_unknown() && kernel.size == 8 && matches!(slot.kind, SlotKind::Pointer) => {
            pointer_of(&slot)
        }
        _ => CppType::UNKNOWN,
    }
}

pub(super) const fn pointer_of(slot: &Slot<'_>) -> CppType<'static> {
    let element = match slot.elements {
        Some(elements) => element_type(elements, CppBase::Unknown),
        None => CppBase::Unknown,
    };
    CppType::of(element).pointer(!slot.written.is_possible() && !slot.escapes)
}

/// The type of the elements, if the accesses show it. An integer has the sign of the field's elements.
pub(super) const fn element_type(elements: Elements, own: CppBase<'_>) -> CppBase<'static> {
    match (elements.class, elements.size) {
        (ElementClass::Integer, size @ (4 | 8)) => CppBase::Integer { signed: own.is_signed(), bits: size as u16 * 8 },
        (class, _) => class.float(),
    }
}
