//! What the code of a kernel shows about its C++ types.

use crate::{
    escape::terminal,
    kernel::{DEPTH, Kernel},
};
use kernel_args_abi::{
    Body, CppType, Parameter,
    check::{Contradiction, contradiction},
    signature::{Elements, Evidence, Slot},
};

/// The maximum number of members of one struct.
const MEMBERS: usize = 256;

#[derive(Debug)]
pub(crate) struct Finding {
    /// Names, or the number of the parameter.
    path: String,
    ty: String,
    pub(crate) what: What,
    elements: Option<&'static str>,
    /// An instruction, with its source line.
    evidence: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Contradiction(Contradiction),
    Unwritten,
}

pub(crate) fn findings(kernel: &Kernel) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, parameter) in kernel.parameters().iter().enumerate() {
        let path = match parameter.name {
            "" => format!("parameter {index}"),
            name => format!("`{}`", terminal(name)),
        };
        visit(parameter, (parameter.body, 0), &path, DEPTH, &mut |path, ty, slot| {
            if let Some(what) = what(ty, &slot) {
                findings.push(Finding {
                    path: path.to_owned(),
                    ty: terminal(&ty.to_string()).into_owned(),
                    what,
                    elements: slot.elements.and_then(Elements::name),
                    evidence: evidence(what, &slot),
                });
            }
        });
    }
    findings
}

pub(crate) const fn what(ty: CppType<'_>, slot: &Slot<'_>) -> Option<What> {
    if let Some(contradiction) = contradiction(ty, None, slot) {
        return Some(What::Contradiction(contradiction));
    }
    let is_const = !ty.is_pointer() || ty.is_shared();
    if !is_const && slot.is_only_read() { Some(What::Unwritten) } else { None }
}

impl What {
    /// The name of a contradiction in JSON, and what the code does; `{}` is an element.
    pub(crate) const fn contradiction(self) -> Option<(&'static str, &'static str)> {
        let Self::Contradiction(contradiction) = self else { return None };
        Some(match contradiction {
            Contradiction::Written => ("written", "writes through it"),
            Contradiction::Format => ("format", "accesses {}s"),
            Contradiction::Elements => ("elements", "accesses {}s"),
            Contradiction::Addresses => ("addresses", "uses what it loads as addresses"),
            Contradiction::Object => ("object", "uses a texture or surface object"),
            Contradiction::Memory => ("pointer", "uses a pointer"),
            _ => ("integer", "uses an integer"),
        })
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

fn evidence(what: What, slot: &Slot<'_>) -> String {
    let evidence = match what {
        What::Contradiction(Contradiction::Integer) => slot.arithmetic,
        What::Contradiction(Contradiction::Written) => slot.write,
        What::Contradiction(Contradiction::Addresses) => slot.indirect,
        _ => slot.access,
    };
    evidence.map_or_else(String::new, |evidence| instruction(&evidence))
}

/// `st.global.f32`, `st.global.f32 at saxpy.cu:12`.
pub(crate) fn instruction(evidence: &Evidence<'_>) -> String {
    let opcode = terminal(evidence.opcode);
    match evidence.line {
        0 => format!("`{opcode}`"),
        line if evidence.file.is_empty() => format!("`{opcode}`, line {line}"),
        line => format!("`{opcode}` at {}:{line}", terminal(evidence.file)),
    }
}

impl Finding {
    pub(crate) fn text(&self) -> String {
        let Self { path, ty, elements, evidence, .. } = self;
        let start = format!("{path} is `{ty}`, but the code");
        let Some((_, shown)) = self.what.contradiction() else {
            return format!("{start} only reads through it: it can be a pointer to `const`");
        };
        let shown = shown.replace("{}", elements.unwrap_or("other element"));
        format!("{start} {shown}: {evidence}")
    }

    pub(crate) fn is_contradiction(&self) -> bool {
        self.what != What::Unwritten
    }
}
