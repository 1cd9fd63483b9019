//! The comments in the generated text.

use super::{Content, Generated, Why, options::Kernel};
use crate::prelude::*;
use crate::writers::{
    escape::{code, quoted},
    layout::bytes,
};
use kernel_args_abi::{
    Class, CppBase, Opaque, Parameter,
    check::is_made,
    signature::{Slot, SlotKind},
};

pub(super) const VARIES: &str =
    "The image has different parameters for this kernel on different GPUs: no struct fits it on every GPU.";
pub(super) const NO_BYTES: &str = "It has a parameter without bytes.";
pub(super) const TOO_LARGE: &str = "Its parameters exceed the size limit of a kernel.";

/// As in rustfmt.
pub(super) const WIDTH: usize = 100;

pub(super) fn kernel(kernel: &Kernel<'_>) -> Vec<String> {
    let name = kernel.demangled.map_or_else(
        || kernel.symbol.to_owned(),
        |demangled| match demangled.template_arguments() {
            Some(arguments) => format!("{}<{arguments}>", demangled.name()),
            None => demangled.name().to_owned(),
        },
    );
    let parameters = &kernel.parameters;
    if !parameters.is_empty() && parameters.iter().all(|parameter| parameter.cpp.is_unknown()) {
        let is_inferred = parameters.iter().any(|parameter| inferred_pointer(parameter).is_some());
        let pointers = if is_inferred { " The types of pointers are inferred from its code." } else { "" };
        return vec![format!("{}. The image has no C++ types for it.{pointers}", quoted(&name))];
    }
    let parameters: Vec<String> = parameters.iter().map(declared).collect();
    let whole = quoted(&format!("void {name}({})", parameters.join(", ")));
    if whole.len() + "/// ".len() <= WIDTH {
        return vec![whole];
    }
    let mut lines = vec!["```cpp".to_owned(), format!("void {}(", code(&name))];
    for (i, parameter) in parameters.iter().enumerate() {
        let end = if i + 1 == parameters.len() { ")" } else { "," };
        lines.push(format!("    {}{end}", code(parameter)));
    }
    lines.push("```".to_owned());
    lines
}

fn declared(parameter: &Parameter<'_>) -> String {
    let ty = parameter.cpp.to_string();
    if is_made(parameter.name) { ty } else { format!("{ty} {}", parameter.name) }
}

pub(super) fn parameter(parameter: &Parameter<'_>) -> String {
    let ty = ty(parameter);
    let end = if ty.ends_with('.') { "" } else { "." };
    if parameter.body.is_unused() {
        return format!("{ty}{end} The kernel does not use it.");
    }
    let is_mutable = parameter.cpp.is_pointer() && !parameter.cpp.is_shared();
    match parameter.body.at(0) {
        Some(slot) if is_mutable && parameter.size == 8 && slot.is_only_read() => {
            format!("{ty}{end} The kernel does not write through it.")
        }
        _ => ty,
    }
}

fn ty(parameter: &Parameter<'_>) -> String {
    if !parameter.cpp.is_unknown() {
        return quoted(&parameter.cpp.to_string());
    }
    if let Some(slot) = inferred_pointer(parameter) {
        return of_pointer(&slot);
    }
    let size = parameter.size;
    let slot = parameter.body.at(0);
    if size == 8 && slot.is_some_and(|slot| slot.kind == SlotKind::Integer) {
        return "A 64-bit integer, signed or not; inferred from the code of the kernel.".to_owned();
    }
    match (parameter.class, size) {
        (Class::Integer, 8) => "A 64-bit integer, signed or not, or a pointer.".to_owned(),
        (Class::Integer, 1) => "An 8-bit integer, signed or not.".to_owned(),
        (Class::Integer, _) => format!("A {}-bit integer, signed or not.", size * 8),
        (Class::Float, _) => format!("A floating-point number of {} bits.", size * 8),
        (Class::Pointer, _) => "A pointer.".to_owned(),
        _ => match parameter.align {
            Some(align) => format!("{}, aligned to {}.", bytes(size), align.bytes()),
            None => format!("{}.", bytes(size)),
        },
    }
}

/// If only the code shows that a parameter is a pointer.
pub(super) fn inferred_pointer<'k>(of: &Parameter<'k>) -> Option<Slot<'k>> {
    of.body.at(0).filter(|slot| is_untyped_word(of) && slot.kind == SlotKind::Pointer)
}

/// Returns whether only the code shows what the 8 bytes of a parameter are.
pub(super) fn is_untyped_word(of: &Parameter<'_>) -> bool {
    of.cpp.is_unknown() && of.size == 8 && !matches!(of.class, Class::Bytes | Class::Float)
}

fn of_pointer(slot: &Slot<'_>) -> String {
    let elements = slot.elements.and_then(|elements| Some((elements.scalar()?, elements.name()?)));
    let to = match elements {
        Some((CppBase::Integer { .. }, name)) => format!(" to {name}s"),
        Some((_, name)) => format!(" to `{name}`"),
        None => String::new(),
    };
    let does = match (slot.read.is_certain(), slot.written.is_certain()) {
        _ if slot.is_only_read() => "only reads",
        _ if slot.is_atomic => "updates atomically",
        (true, true) => "reads and writes",
        (false, true) => "writes",
        _ => "can write",
    };
    format!("A pointer{to} that the kernel {does}; inferred from its code.")
}

pub(super) fn member(cpp: &str) -> String {
    match cpp {
        "?" => "A type without a name.".to_owned(),
        cpp => quoted(cpp),
    }
}

pub(super) fn definition(definition: &Generated<'_>) -> Vec<String> {
    let layout = format!("{}, aligned to {}.", bytes(definition.size), definition.align);
    let first = if definition.cpp.is_empty() { layout } else { format!("{}: {layout}", quoted(&definition.cpp)) };
    let mut lines = vec![first];
    let more = match &definition.body {
        Content::Bits(_, feature) => {
            format!("The feature `{feature}` of kernel-args has a type for it.")
        }
        Content::Bytes(why) => about(*why).to_owned(),
        Content::Fields(members) if members.is_empty() => "It has no members: its size in C++ is one byte.".to_owned(),
        Content::Pending | Content::Fields(_) | Content::Enum(..) => return lines,
    };
    lines.extend([String::new(), more]);
    lines
}

const fn about(why: Why) -> &'static str {
    match why {
        Why::Opaque(Opaque::Union) => "A union: these are the bytes of one of its members.",
        Why::Opaque(Opaque::BitFields) => "It has bit fields: the compiler chooses the position of their bits.",
        Why::Opaque(Opaque::Bases) => "It has base classes or virtual functions.",
        Why::Opaque(_) => "Its members overlap, or their types are not supported.",
        Why::Packed => "Its members overlap, or Rust has no packed struct with their types.",
        Why::Unknown => "Its members are unknown: the image has no debug information for them.",
        Why::Nameless => "Its type is unknown: the image has no debug information for it.",
    }
}
