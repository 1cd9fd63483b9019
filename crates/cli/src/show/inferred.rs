//! What the code of a kernel does with a parameter, for the table and for JSON.

use crate::findings::described;
use kernel_args_abi::{
    Body, CppBase, CppType, Parameter,
    check::contradiction,
    signature::{Certainty, Elements, Evidence, Slot, SlotKind},
};
use serde_json::{Value, json};

/// Returns the use of what is `at` bytes in the parameter with this body, and the type that the code shows.
pub(super) fn cells(value: &Parameter<'_>, body: Body<'_>, (is_member, at): (bool, usize)) -> [String; 2] {
    let end = at.saturating_add(value.size);
    let mut slots = body.slots().map(|slot| slot.offset);
    if !body.is_known() || body.is_unused() && is_member {
        return Default::default();
    }
    if !slots.any(|offset| offset.saturating_add(8) > at && offset < end) {
        return ["–".to_owned(), String::new()];
    }
    let Some(slot) = body.at(at).filter(|_| value.size == 8 && !value.members.is_known()) else {
        return Default::default();
    };
    let is_untyped = value.cpp.is_unknown() || value.cpp.base == CppBase::Void;
    let kind = if is_untyped { kind(&slot) } else { String::new() };
    [uses(&slot, value.cpp), kind]
}

pub(super) fn slot_cells(slot: &Slot<'_>) -> [String; 2] {
    [uses(slot, CppType::UNKNOWN), kind(slot)]
}

pub(super) fn is_shown(slot: &Slot<'_>) -> bool {
    slot.kind != SlotKind::Unknown
}

/// `r`, `w`, `rw`, `a`. A `?` means that further accesses are possible.
fn uses(slot: &Slot<'_>, ty: CppType<'_>) -> String {
    let is_accessed = slot.read.is_possible() || slot.written.is_possible();
    if slot.kind != SlotKind::Pointer && !is_accessed && !ty.is_pointer() {
        return String::new();
    }
    let mut text = String::new();
    if slot.is_atomic {
        text.push('a');
    } else {
        for (letter, certainty) in [('r', slot.read), ('w', slot.written)] {
            text.extend(certainty.is_possible().then_some(letter));
        }
    }
    let is_unclear = [slot.read, slot.written].contains(&Certainty::Possible) || slot.escapes;
    text.extend(is_unclear.then_some('?'));
    text
}

fn kind(slot: &Slot<'_>) -> String {
    match (slot.kind, slot.elements.and_then(Elements::name)) {
        (SlotKind::Pointer, Some(name)) => format!("pointer to {name}"),
        (SlotKind::Texture | SlotKind::Surface, _) => format!("{} object", kind_name(slot.kind).unwrap_or_default()),
        (kind, _) => kind_name(kind).unwrap_or_default().to_owned(),
    }
}

const fn kind_name(kind: SlotKind) -> Option<&'static str> {
    Some(match kind {
        SlotKind::Pointer => "pointer",
        SlotKind::Integer => "integer",
        SlotKind::Texture => "texture",
        SlotKind::Surface => "surface",
        SlotKind::TensorMap => "tensor map",
        _ => return None,
    })
}

/// Returns an empty list if the code does not use the parameter, `None` if it shows nothing or was not analysed.
pub(super) fn json(parameter: &Parameter<'_>) -> Option<Value> {
    let body = parameter.body;
    let is_whole = parameter.size == 8 && !parameter.members.is_known();
    let ty = if is_whole { parameter.cpp } else { CppType::UNKNOWN };
    let shown: Vec<_> = body.slots().filter_map(|slot| self::slot(&slot, ty)).collect();
    (!shown.is_empty() || body.is_unused()).then(|| shown.into())
}

/// `None` for a slot of which the code shows nothing.
fn slot(slot: &Slot<'_>, ty: CppType<'_>) -> Option<Value> {
    let certainty = |certainty| match certainty {
        Certainty::Never => "never",
        Certainty::Possible => "possible",
        Certainty::Certain => "certain",
    };
    let evidence = |evidence: Option<Evidence<'_>>| {
        evidence.map(|evidence| {
            json!({
                "opcode": evidence.opcode,
                "file": (!evidence.file.is_empty()).then_some(evidence.file),
                "line": (evidence.line > 0).then_some(evidence.line),
            })
        })
    };
    let contradiction = contradiction(ty, None, slot).map(|contradiction| described(contradiction).0);
    if contradiction.is_none() && !is_shown(slot) && uses(slot, ty).is_empty() {
        return None;
    }
    Some(json!({
        "offset": slot.offset,
        "kind": kind_name(slot.kind),
        "read": certainty(slot.read),
        "written": certainty(slot.written),
        "atomic": slot.is_atomic,
        "escapes": slot.escapes,
        "elements": slot.elements.and_then(Elements::name),
        "access": evidence(slot.access),
        "write": evidence(slot.write),
        "arithmetic": evidence(slot.arithmetic),
        "indirect": evidence(slot.indirect),
        "contradicts_type": contradiction,
    }))
}
