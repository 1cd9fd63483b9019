//! The size and the alignment of what a pointer points to.

use crate::{Alignment, Class, CppBase, Parameter};

/// The size of an element behind a pointer in bytes; `None` if it is not known.
pub fn element_size(pointer: &Parameter<'_>) -> Option<usize> {
    match pointer.cpp.depth {
        0 => None,
        1 => {
            let ty = pointer.pointee.ty()?;
            let rows = pointer.cpp.rows.iter().filter(|length| **length > 0);
            let mut rows = rows.map(|length| *length as usize);
            rows.try_fold(ty.size, usize::checked_mul)
        }
        _ => Some(size_of::<u64>()),
    }
}

/// The alignment of the C++ type behind a pointer. 1 if it is not known.
pub fn element_align(pointer: &Parameter<'_>) -> usize {
    match pointer.cpp.depth {
        0 => 1,
        1 => match pointer.pointee.ty() {
            Some(ty) => align(&ty),
            // Such as from a mangled name.
            None => match pointer.cpp.base.builtin() {
                Some(row) => row.align,
                None => of_number(pointer.cpp.base).unwrap_or(1),
            },
        },
        _ => size_of::<u64>(),
    }
}

fn align(ty: &Parameter<'_>) -> usize {
    let number = if ty.cpp.is_pointer() { Some(size_of::<u64>()) } else { of_number(ty.cpp.base) };
    if let Some(align) = ty.align.map(Alignment::bytes).or(number) {
        return align;
    }
    let is_number = matches!(ty.class, Class::Integer | Class::Float);
    match ty.cpp.base.builtin() {
        Some(row) if row.size == ty.size => row.align,
        _ if is_number && ty.size.is_power_of_two() => ty.size,
        _ => ty.members.iter().map(|member| align(&member)).max().unwrap_or(1),
    }
}

fn of_number(base: CppBase<'_>) -> Option<usize> {
    match base {
        CppBase::Bool | CppBase::Char => Some(1),
        CppBase::Integer { bits, .. } | CppBase::Float { bits } => Some(usize::from(bits / 8).max(1)),
        _ => None,
    }
}
