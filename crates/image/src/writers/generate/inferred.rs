//! What the code of a kernel shows about a parameter whose C++ type is not known.

use super::{define::Types, ty::Ty};
use alloc::{boxed::Box, format, string::String};
use kernel_args_abi::{
    CppBase, Parameter,
    class::Class,
    signature::{Elements, Slot, SlotKind},
};

impl Types<'_, '_> {
    /// A pointer, if the code uses the parameter as one. It is a pointer to `const` if the code only reads.
    pub(super) fn inferred(&mut self, of: &Parameter<'_>) -> Option<Ty> {
        let slot = pointer(of)?;
        let base = slot.elements.and_then(Elements::scalar);
        let to = base.map_or(Ty::Void, |base| self.pointee(base, None));
        Some(Ty::Pointer { to: Box::new(to), is_const: slot.is_only_read() })
    }
}

/// What the code does with a parameter that only the code shows to be a pointer.
pub(super) fn pointer<'k>(of: &Parameter<'k>) -> Option<Slot<'k>> {
    let slot = of.body.at(0).filter(|_| is_untyped_word(of))?;
    (slot.kind == SlotKind::Pointer).then_some(slot)
}

/// Whether only the code shows what the 8 bytes of a parameter are.
pub(super) fn is_untyped_word(of: &Parameter<'_>) -> bool {
    of.cpp.is_unknown() && of.size == 8 && !matches!(of.class, Class::Bytes | Class::Float)
}

pub(super) fn doc(slot: &Slot<'_>) -> String {
    let elements = slot.elements.and_then(|elements| Some((elements.scalar()?, elements.name()?)));
    let to = match elements {
        Some((CppBase::Integer { .. }, name)) => format!(" to {name}s"),
        Some((_, name)) => format!(" to `{name}`"),
        None => String::new(),
    };
    let does = if slot.is_only_read() {
        "only reads"
    } else if slot.is_atomic {
        "updates atomically"
    } else {
        match (slot.read.is_certain(), slot.written.is_certain()) {
            (true, true) => "reads and writes",
            (false, true) => "writes",
            _ => "can write",
        }
    };
    format!("A pointer{to} that the kernel {does}; inferred from its code.")
}
