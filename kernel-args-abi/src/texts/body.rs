//! Hints for pointers that the code of the kernel contradicts.

use super::{
    inferred::element_type,
    message::{Hint, Message, Text},
    pointer::corrected,
    rust::{Declaration, push_type},
    spelling::{LONGEST_NAME, push_separator},
    templates as say,
};
use crate::{
    bytes::same,
    check::{BodyMismatch, Difference, Differences, first_in_struct},
    cpp::{CppBase, rust_integer},
    signature::{Evidence, Parameter, Slot},
};

/// The slot that contradicts a field, if the differences come from the code of the kernel.
pub(super) const fn contradicting<'a>(kernel: &Parameter<'a>, differences: Differences) -> Option<Slot<'a>> {
    match differences.first() {
        Some(Difference::Pointer | Difference::Pointee | Difference::Constness) if kernel.cpp.is_unknown() => {
            kernel.body.at(0)
        }
        _ => None,
    }
}

/// What is wrong, in the first line of an error at a field.
pub(super) const fn push_what(
    message: &mut Text,
    host: &Parameter<'_>,
    (index, kernel): (usize, &str),
    slot: &Slot<'_>,
    differences: Differences,
) {
    let (field, ty) = (host.name, host.spelling);
    match differences.first() {
        Some(Difference::Pointer) => say::uses_integer(message, kernel, index, field, ty),
        Some(Difference::Pointee) => {
            let elements = elements(slot);
            say::accesses_elements(message, kernel, elements.as_str(), index, field, ty);
        }
        _ => say::writes_through(message, kernel, index, field, ty),
    }
}

/// What the code does, what to write, and how to turn the check off.
pub(super) const fn push_hint(hint: &mut Hint, host: &Parameter<'_>, slot: &Slot<'_>, differences: Differences) {
    push_correction(hint, host, slot, differences);
    match differences.first() {
        Some(Difference::Constness) => say::or_shared_write(hint),
        _ => say::or_opaque(hint),
    }
}

/// What the code does, and what to write.
const fn push_correction(hint: &mut Hint, host: &Parameter<'_>, slot: &Slot<'_>, differences: Differences) {
    let evidence = evidence(slot, differences);
    let evidence = evidence.as_str();
    let mut declare = Declaration::new();
    say::declare(&mut declare, fitting(host.name, host, slot, differences).as_str());
    let declare = declare.as_str();
    match differences.first() {
        Some(Difference::Pointer) => say::integer_in_code(hint, host.name, evidence, declare),
        Some(Difference::Pointee) => {
            say::elements_in_code(hint, elements(slot).as_str(), host.name, evidence, declare);
        }
        _ => say::write_in_code(hint, host.name, evidence, declare),
    }
}

/// The first pointer in a struct by value that the code contradicts.
pub(super) const fn push_member(hint: &mut Hint, host: &Parameter<'_>, kernel: &Parameter<'_>) {
    let Some(BodyMismatch { path, member, slot, differences }) = first_in_struct(host, kernel) else {
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
    push_correction(&mut what, &member, &slot, differences);
    say::member_in_code(hint, name.as_str(), slot.offset, member.spelling, what.as_str());
}

/// What the field can be: its spelling with the right elements, mutable if the kernel writes. Without a name if `name`
/// is empty.
const fn fitting(name: &str, host: &Parameter<'_>, slot: &Slot<'_>, differences: Differences) -> Declaration {
    let mut text = Message::new();
    if matches!(differences.first(), Some(Difference::Pointer)) {
        let mut signed = 0;
        while signed < 2 {
            push_separator(&mut text, signed, 2);
            push_type(&mut text, name, rust_integer(signed == 1, 64));
            signed += 1;
        }
        return text;
    }
    let element = match slot.elements {
        Some(elements) if differences.contains(Difference::Pointee) => {
            let element = element_type(elements, host.cpp.base);
            if matches!(element, CppBase::Unknown) {
                say::slice_of(&mut text, self::elements(slot).as_str());
                return text;
            }
            element
        }
        _ => CppBase::Unknown,
    };
    let is_written = differences.contains(Difference::Constness);
    push_type(&mut text, name, corrected(host, element, is_written).as_str());
    text
}

/// What the field can be, without a name.
pub(super) const fn types(host: &Parameter<'_>, slot: &Slot<'_>, differences: Differences) -> Declaration {
    fitting("", host, slot, differences)
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
const fn evidence(slot: &Slot<'_>, differences: Differences) -> Message<256> {
    let found = match differences.first() {
        Some(Difference::Pointer) => slot.arithmetic,
        Some(Difference::Pointee) => slot.access,
        _ => slot.write,
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
