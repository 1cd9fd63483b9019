//! What the code of a kernel shows about its C++ types.

use crate::{
    escape::terminal,
    kernel::{DEPTH, Kernel, MEMBERS},
};
use kernel_args_abi::{
    Body, CppType, Parameter,
    check::{Contradiction, contradiction},
    signature::{Elements, Evidence, Slot},
};

pub(crate) struct Finding {
    pub(crate) text: String,
    /// Otherwise the type is a pointer without `const`, and the code only reads.
    pub(crate) is_contradiction: bool,
}

pub(crate) fn findings(kernel: &Kernel) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, parameter) in kernel.parameters().iter().enumerate() {
        let path = match parameter.name {
            "" => format!("parameter {index}"),
            name => format!("`{}`", terminal(name)),
        };
        visit(parameter, (parameter.body, 0), &path, DEPTH, &mut |path, ty, slot| {
            let (what, is_contradiction) = match contradiction(ty, None, &slot) {
                Some(found) => {
                    let elements = slot.elements.and_then(Elements::name).unwrap_or("other element");
                    let shown = described(found).1.replace("{}", elements);
                    let evidence = match found {
                        Contradiction::Integer => slot.arithmetic,
                        Contradiction::Written => slot.write,
                        Contradiction::Addresses => slot.indirect,
                        _ => slot.access,
                    };
                    let evidence = evidence.as_ref().map_or_else(String::new, instruction);
                    (format!("{shown}: {evidence}"), true)
                }
                None if ty.is_pointer() && !ty.is_shared() && slot.is_only_read() => {
                    ("only reads through it: it can be a pointer to `const`".to_owned(), false)
                }
                None => return,
            };
            let text = format!("{path} is `{}`, but the code {what}", terminal(&ty.to_string()));
            findings.push(Finding { text, is_contradiction });
        });
    }
    findings
}

/// Returns the name of a contradiction in JSON, and what the code does; `{}` is an element.
pub(crate) const fn described(contradiction: Contradiction) -> (&'static str, &'static str) {
    match contradiction {
        Contradiction::Written => ("written", "writes through it"),
        Contradiction::Format => ("format", "accesses {}s"),
        Contradiction::Elements => ("elements", "accesses {}s"),
        Contradiction::Addresses => ("addresses", "uses what it loads as addresses"),
        Contradiction::Object => ("object", "uses a texture or surface object"),
        Contradiction::Memory => ("pointer", "uses a pointer"),
        _ => ("integer", "uses an integer"),
    }
}

/// Visits each 8-byte value with a C++ type that the code uses.
fn visit(
    value: &Parameter<'_>,
    (body, at): (Body<'_>, usize),
    path: &str,
    depth: u32,
    found: &mut dyn FnMut(&str, CppType<'_>, Slot<'_>),
) {
    if depth == 0 || body.is_empty() || value.cpp.is_array() {
        return;
    }
    if value.size == 8
        && !value.members.is_known()
        && let Some(slot) = body.at(at)
    {
        found(path, value.cpp, slot);
    }
    for member in value.members.iter().take(MEMBERS) {
        let Some(offset) = member.offset else {
            continue;
        };
        let name = terminal(member.name);
        let path = format!("{}.{name}`", path.trim_end_matches('`'));
        visit(&member, (body, at.saturating_add(offset)), &path, depth - 1, found);
    }
}

/// `st.global.f32`, `st.global.f32 at saxpy.cu:12`.
fn instruction(evidence: &Evidence<'_>) -> String {
    let opcode = terminal(evidence.opcode);
    match evidence.line {
        0 => format!("`{opcode}`"),
        line if evidence.file.is_empty() => format!("`{opcode}`, line {line}"),
        line => format!("`{opcode}` at {}:{line}", terminal(evidence.file)),
    }
}
