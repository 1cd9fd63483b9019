//! Hints for fields that the code of the kernel contradicts.

use super::{
    inferred::{element_type, pointer_of},
    message::{Hint, Message, Text},
    pointer::{corrected, to_pointers},
    rust::{Declaration, member_field, push_type, slice},
    spelling::{LONGEST_NAME, push_separator},
    templates as say,
};
use crate::{
    bytes::same,
    check::{BodyMismatch, Contradiction, Difference, Differences, contradiction, first_in_struct},
    cpp::{CppBase, rust_integer},
    signature::{Evidence, Parameter, Slot, SlotKind},
};

/// What the code of the kernel shows about a field, if the differences come from it.
pub(super) const fn contradicting<'a>(
    host: &Parameter<'_>,
    kernel: &Parameter<'a>,
    differences: Differences,
) -> Option<(Contradiction, Slot<'a>)> {
    match differences.first() {
        Some(Difference::Pointer | Difference::Pointee | Difference::Constness) if kernel.cpp.is_unknown() => {}
        _ => return None,
    }
    match kernel.body.at(0) {
        Some(slot) => match contradiction(host.cpp, host.members.stands_for(), &slot) {
            Some(found) => Some((found, slot)),
            None => None,
        },
        None => None,
    }
}

/// What is wrong, in the first line of an error at a field.
pub(super) const fn push_what(
    message: &mut Text,
    host: &Parameter<'_>,
    (index, kernel): (usize, &str),
    (found, slot): (Contradiction, &Slot<'_>),
) {
    let (field, ty) = (host.name, host.spelling);
    match found {
        Contradiction::Object => say::uses_object(message, kernel, index, object(slot), field, ty),
        Contradiction::Integer => say::uses_integer(message, kernel, index, field, ty),
        Contradiction::Memory => say::uses_pointer(message, kernel, index, field, ty),
        Contradiction::Addresses => say::uses_addresses(message, kernel, index, field, ty),
        Contradiction::Format | Contradiction::Elements => {
            say::accesses_elements(message, kernel, elements(slot).as_str(), index, field, ty);
        }
        Contradiction::Written => say::writes_through(message, kernel, index, field, ty),
    }
}

/// What the code does, what to write, and how to turn the check off.
pub(super) const fn push_hint(hint: &mut Hint, host: &Parameter<'_>, (found, slot): (Contradiction, &Slot<'_>)) {
    push_correction(hint, host, (found, slot));
    match found {
        Contradiction::Written => say::or_shared_write(hint),
        _ => say::or_opaque(hint),
    }
}

/// What the code does, and what to write.
const fn push_correction(hint: &mut Hint, host: &Parameter<'_>, (found, slot): (Contradiction, &Slot<'_>)) {
    let evidence = evidence(found, slot);
    let evidence = evidence.as_str();
    let mut declare = Declaration::new();
    say::declare(&mut declare, fitting(host.name, host, (found, slot)).as_str());
    let declare = declare.as_str();
    match found {
        Contradiction::Object => say::object_in_code(hint, host.name, object(slot), evidence, declare),
        Contradiction::Integer => say::integer_in_code(hint, host.name, evidence, declare),
        Contradiction::Memory => say::pointer_in_code(hint, host.name, evidence, declare),
        Contradiction::Addresses => say::addresses_in_code(hint, host.name, evidence, declare),
        Contradiction::Format | Contradiction::Elements => {
            say::elements_in_code(hint, elements(slot).as_str(), host.name, evidence, declare);
        }
        Contradiction::Written => say::write_in_code(hint, host.name, evidence, declare),
    }
}

/// The first pointer in a struct by value that the code contradicts.
pub(super) const fn push_member(hint: &mut Hint, host: &Parameter<'_>, kernel: &Parameter<'_>) {
    let Some(BodyMismatch { path, member, slot, found, exchanged }) = first_in_struct(host, kernel) else {
        return;
    };
    let mut name = Message::<320>::new();
    let mut i = 0;
    while i < path.len() && !path[i].is_empty() {
        name.writer().push_shortened(path[i], LONGEST_NAME / 2);
        name.push(".");
        i += 1;
    }
    let own = if member.name.is_empty() { host.name } else { member.name };
    name.writer().push_shortened(own, LONGEST_NAME / 2);
    let mut what = Hint::new();
    if let Some(other) = exchanged {
        match found {
            Contradiction::Integer => say::integer_member(&mut what, evidence(found, &slot).as_str()),
            _ => say::pointer_member(&mut what, evidence(found, &slot).as_str()),
        }
        say::exchange_members(&mut what, member.name, other);
        say::member_in_code(hint, name.as_str(), slot.offset, member.spelling, what.as_str());
        return;
    }
    let named = Parameter { name: own, ..member };
    if matches!(found, Contradiction::Memory) {
        let mut declare = Declaration::new();
        say::declare(&mut declare, member_pointer(&named, &slot).as_str());
        say::pointer_in_code(&mut what, own, evidence(found, &slot).as_str(), declare.as_str());
    } else {
        push_correction(&mut what, &named, (found, &slot));
    }
    say::member_in_code(hint, name.as_str(), slot.offset, member.spelling, what.as_str());
}

/// `` `data: DevicePointer<f32>` ``, for a member that the code uses as a pointer.
const fn member_pointer(member: &Parameter<'_>, slot: &Slot<'_>) -> Declaration {
    let mut cpp = pointer_of(slot);
    if matches!(cpp.base, CppBase::Unknown) {
        cpp.base = CppBase::Void;
    }
    member_field(member.name, &Parameter { cpp, ..*member })
}

/// What the field can be: its spelling with the right elements, mutable if the kernel writes. Without a name if `name`
/// is empty.
const fn fitting(name: &str, host: &Parameter<'_>, (found, slot): (Contradiction, &Slot<'_>)) -> Declaration {
    let mut text = Message::new();
    let mut element = CppBase::Unknown;
    match found {
        Contradiction::Object => push_type(&mut text, name, object_type(slot)),
        Contradiction::Integer => {
            let mut signed = 0;
            while signed < 2 {
                push_separator(&mut text, signed, 2);
                push_type(&mut text, name, rust_integer(signed == 1, 64));
                signed += 1;
            }
        }
        Contradiction::Memory => push_type(&mut text, name, slice(pointer_of(slot)).as_str()),
        Contradiction::Addresses => push_type(&mut text, name, to_pointers(host).as_str()),
        Contradiction::Format | Contradiction::Elements => {
            if let Some(elements) = slot.elements {
                element = element_type(elements, host.cpp.base);
            }
            if matches!(element, CppBase::Unknown) {
                say::slice_of(&mut text, self::elements(slot).as_str());
                return text;
            }
            let is_written = host.cpp.is_shared() && slot.written.is_certain();
            push_type(&mut text, name, corrected(host, element, is_written).as_str());
        }
        Contradiction::Written => push_type(&mut text, name, corrected(host, element, true).as_str()),
    }
    text
}

/// What the field can be, without a name.
pub(super) const fn types(host: &Parameter<'_>, (found, slot): (Contradiction, &Slot<'_>)) -> Declaration {
    fitting("", host, (found, slot))
}

/// The object that the code uses, in words, and the type of a field for it.
const fn object(slot: &Slot<'_>) -> &'static str {
    if matches!(slot.kind, SlotKind::Surface) { "surface" } else { "texture" }
}

const fn object_type(slot: &Slot<'_>) -> &'static str {
    if matches!(slot.kind, SlotKind::Surface) { "SurfaceObject" } else { "TextureObject" }
}

/// The elements in words: `` `float` elements ``, `elements of 2 bytes`.
const fn elements(slot: &Slot<'_>) -> Message<64> {
    let mut text = Message::new();
    let Some(elements) = slot.elements else {
        return text;
    };
    match element_type(elements, CppBase::Unknown) {
        CppBase::Unknown => say::elements_of_size(&mut text, elements.size as usize),
        CppBase::Integer { .. } => say::integers_of_size(&mut text, elements.size as usize),
        base => say::elements_of_type(&mut text, base.spelling()),
    }
    text
}

/// The instruction that shows it: `` `st.global.f32` ``, with its line if the PTX has lines.
const fn evidence(found: Contradiction, slot: &Slot<'_>) -> Message<256> {
    let found = match found {
        Contradiction::Integer => slot.arithmetic,
        Contradiction::Addresses => slot.indirect,
        Contradiction::Written => slot.write,
        _ => slot.access,
    };
    let mut text = Message::new();
    let Some(Evidence { opcode, file, line }) = found else {
        return text;
    };
    if line == 0 || same(file, "") {
        say::instruction(&mut text, opcode);
    } else {
        say::instruction_at(&mut text, opcode, file, line as usize);
    }
    text
}
