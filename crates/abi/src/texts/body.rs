//! Hints for fields that the code of the kernel contradicts.

use super::{
    inferred::{element_type, pointer_of},
    pointer::{corrected, to_pointers},
    rust::{Declaration, member_field, push_type, slice},
    spelling::{LONGEST_NAME, push_separator},
    templates as say,
};
use crate::{
    bytes::same,
    check::{BodyMismatch, Contradiction, Difference, Differences, contradiction, first_in_struct},
    cpp::{CppBase, rust_integer},
    message::{Hint, Message, Text},
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

pub(super) const fn push_what(
    message: &mut Text,
    host: &Parameter<'_>,
    (index, kernel): (usize, &str),
    (found, slot): (Contradiction, &Slot<'_>),
) {
    let (mut value, mut what) = (Message::<32>::new(), Message::<256>::new());
    say::parameter_at(&mut value, index);
    match found {
        Contradiction::Object => say::uses_object(&mut what, value.as_str(), object(slot)),
        Contradiction::Addresses => say::loads_addresses(&mut what, value.as_str()),
        _ => push_use(&mut what, value.as_str(), found, slot),
    }
    say::kernel_does(message, kernel, what.as_str(), host.name, host.spelling);
}

/// What the code does with a value: `` writes through `x` ``.
const fn push_use(text: &mut Text, value: &str, found: Contradiction, slot: &Slot<'_>) {
    match found {
        Contradiction::Object => say::uses_handle(text, value, object(slot)),
        Contradiction::Integer => say::uses_integer(text, value),
        Contradiction::Memory => say::accesses_memory(text, value),
        Contradiction::Addresses => say::uses_addresses(text, value),
        Contradiction::Format | Contradiction::Elements => {
            say::accesses_elements(text, elements(slot).as_str(), value);
        }
        Contradiction::Written => say::writes_through(text, value),
    }
}

/// What the code does with a value, and the instruction that shows it.
const fn push_code(hint: &mut Hint, value: &str, found: Contradiction, slot: &Slot<'_>) {
    let mut what = Message::<256>::new();
    push_use(&mut what, value, found, slot);
    say::in_code(hint, what.as_str(), evidence(found, slot).as_str());
}

/// What the code does, what to write, and how to turn the check off.
pub(super) const fn push_hint(hint: &mut Hint, host: &Parameter<'_>, (found, slot): (Contradiction, &Slot<'_>)) {
    push_correction(hint, host.name, found, slot, &fitting(host.name, host, (found, slot)));
    match found {
        Contradiction::Written => say::or_shared_write(hint),
        _ => say::or_opaque(hint),
    }
}

const fn push_correction(hint: &mut Hint, name: &str, found: Contradiction, slot: &Slot<'_>, types: &Declaration) {
    let (mut value, mut declare) = (Message::<128>::new(), Declaration::new());
    say::listed(&mut value, name);
    push_code(hint, value.as_str(), found, slot);
    say::declare(&mut declare, types.as_str());
    say::then(hint, declare.as_str());
}

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
        push_code(&mut what, "these bytes", found, &slot);
        say::exchange_members(&mut what, member.name, other);
    } else {
        let named = Parameter { name: own, ..member };
        let types = match found {
            Contradiction::Memory => member_pointer(&named, &slot),
            _ => fitting(own, &named, (found, &slot)),
        };
        push_correction(&mut what, own, found, &slot, &types);
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
