//! Hints for fields that the code of the kernel contradicts.

use super::{
    pointer::{corrected, declaration, to_pointers},
    rust::{Declaration, member_field, push_type, push_types, slice},
    rust_type::{element_type, object_in_code, object_types, pointer_of},
    spelling::LONGEST_NAME,
    templates as say,
};
use crate::{
    bytes::same,
    check::{BodyMismatch, Contradiction, Difference, Differences, contradiction, first_in_struct},
    cpp::{CppBase, rust_integer},
    message::{Hint, Message, Text},
    signature::{Evidence, Parameter, Slot},
};

/// Returns what the code of the kernel shows about a field, if the differences come from it.
pub(super) const fn contradicting<'a>(
    host: &Parameter<'_>,
    kernel: &Parameter<'a>,
    differences: Differences,
) -> Option<(Contradiction, Slot<'a>)> {
    let slot = some!(kernel.body.at(0));
    let found = some!(contradiction(host.cpp, host.members.stands_for(), &slot));
    match (differences.first(), found) {
        (Some(Difference::Pointer | Difference::Type), Contradiction::Object | Contradiction::Memory)
        | (Some(Difference::Pointee), Contradiction::Format)
        | (Some(Difference::Constness), Contradiction::Written) => {}
        (Some(Difference::Pointer | Difference::Pointee | Difference::Constness), _) if kernel.cpp.is_unknown() => {}
        _ => return None,
    }
    Some((found, slot))
}

pub(super) const fn contradiction_message(
    host: &Parameter<'_>,
    (index, kernel): (usize, &str),
    (found, slot): (Contradiction, &Slot<'_>),
) -> Message {
    let value: Message<32> = text!(parameter_at, index);
    let what = match found {
        Contradiction::Object => text!(uses_object, &value, object_in_code(slot)),
        Contradiction::Addresses => text!(loads_addresses, &value),
        _ => what(&value, found, slot),
    };
    text!(kernel_does, kernel, &what, host.name, host.spelling)
}

/// Returns what the code does with a value: `` writes through `x` ``.
const fn what(value: &Text, found: Contradiction, slot: &Slot<'_>) -> Message<256> {
    match found {
        Contradiction::Object => text!(uses_handle, value, object_in_code(slot)),
        Contradiction::Integer => text!(uses_integer, value),
        Contradiction::Memory => text!(accesses_memory, value),
        Contradiction::Addresses => text!(uses_addresses, value),
        Contradiction::Format | Contradiction::Elements => text!(accesses_elements, &elements(slot), value),
        Contradiction::Written => text!(writes_through, value),
    }
}

/// What the code does, what to write, and how to turn the check off.
pub(super) const fn push_hint(
    hint: &mut Hint,
    host: &Parameter<'_>,
    kernel: &Parameter<'_>,
    (found, slot): (Contradiction, &Slot<'_>),
) {
    let declare = match found {
        Contradiction::Object => {
            let mut types = Declaration::new();
            push_types(&mut types, host.name, &object_types(object_in_code(slot)));
            text!(declare, &types)
        }
        _ if kernel.cpp.is_unknown() => text!(declare, &fitting(host.name, host, (found, slot))),
        _ => declaration(host, kernel),
    };
    push_correction(hint, host.name, found, slot, &declare);
    match found {
        Contradiction::Written => say::or_shared_write(hint),
        _ => say::or_opaque(hint),
    }
}

const fn push_correction(hint: &mut Hint, name: &str, found: Contradiction, slot: &Slot<'_>, declare: &Declaration) {
    let value: Message<128> = text!(listed, name);
    say::in_code(hint, &what(&value, found, slot), &evidence(found, slot));
    say::then(hint, declare);
}

pub(super) const fn push_member(hint: &mut Hint, host: &Parameter<'_>, kernel: &Parameter<'_>) {
    let Some(BodyMismatch { path, member, slot, found, exchanged }) = first_in_struct(host, kernel) else { return };
    let mut name = Message::<320>::new();
    let mut i = 0;
    while i < path.len() && !path[i].is_empty() {
        name.writer().push_shortened(path[i], LONGEST_NAME / 2);
        name.push(".");
        i += 1;
    }
    let own = if member.name.is_empty() { host.name } else { member.name };
    name.writer().push_shortened(own, LONGEST_NAME / 2);
    let mut correction = Hint::new();
    if let Some(other) = exchanged {
        let value: Message<32> = text!(these_bytes);
        say::in_code(&mut correction, &what(&value, found, &slot), &evidence(found, &slot));
        say::exchange_members(&mut correction, member.name, other);
    } else {
        let named = Parameter { name: own, ..member };
        let types = match found {
            Contradiction::Memory => member_pointer(&named, &slot),
            _ => fitting(own, &named, (found, &slot)),
        };
        push_correction(&mut correction, own, found, &slot, &text!(declare, &types));
    }
    say::member_in_code(hint, &name, slot.offset, member.spelling, &correction);
}

/// `` `data: DevicePointer<f32>` ``, for a member that the code uses as a pointer.
const fn member_pointer(member: &Parameter<'_>, slot: &Slot<'_>) -> Declaration {
    let mut cpp = pointer_of(slot);
    if matches!(cpp.base, CppBase::Unknown) {
        cpp.base = CppBase::Void;
    }
    member_field(member.name, &Parameter { cpp, ..*member })
}

/// Returns what the field can be: its spelling with the right elements, mutable if the kernel writes. Without a name if
/// `name` is empty.
pub(super) const fn fitting(
    name: &str,
    host: &Parameter<'_>,
    (found, slot): (Contradiction, &Slot<'_>),
) -> Declaration {
    let mut text = Message::new();
    match found {
        Contradiction::Object => push_type(&mut text, name, object_types(object_in_code(slot))[1]),
        Contradiction::Integer => push_types(&mut text, name, &[rust_integer(false, 64), rust_integer(true, 64)]),
        Contradiction::Memory => push_type(&mut text, name, slice(pointer_of(slot)).as_str()),
        Contradiction::Addresses => push_type(&mut text, name, to_pointers(host).as_str()),
        Contradiction::Format | Contradiction::Elements => {
            let element = element_type(slot, host.cpp.base);
            if matches!(element, CppBase::Unknown) {
                return text!(slice_of, &elements(slot));
            }
            let is_written = host.cpp.is_shared() && slot.written.is_certain();
            push_type(&mut text, name, corrected(host, element, is_written).as_str());
        }
        Contradiction::Written => push_type(&mut text, name, corrected(host, CppBase::Unknown, true).as_str()),
    }
    text
}

/// Returns the elements in words: `` `float` elements ``, `elements of 2 bytes`.
const fn elements(slot: &Slot<'_>) -> Message<64> {
    let elements = some!(slot.elements, Message::new());
    match element_type(slot, CppBase::Unknown) {
        CppBase::Unknown => text!(elements_of_size, elements.size as usize),
        CppBase::Integer { .. } => text!(integers_of_size, elements.size as usize),
        base => text!(elements_of_type, base.spelling()),
    }
}

/// Returns the instruction that shows it: `` `st.global.f32` ``, with its line if the PTX has lines.
const fn evidence(found: Contradiction, slot: &Slot<'_>) -> Message<256> {
    let found = match found {
        Contradiction::Integer => slot.arithmetic,
        Contradiction::Addresses => slot.indirect,
        Contradiction::Written => slot.write,
        _ => slot.access,
    };
    let Evidence { opcode, file, line } = some!(found, Message::new());
    if line == 0 || same(file, "") {
        text!(instruction, opcode)
    } else {
        text!(instruction_at, opcode, file, line as usize)
    }
}
