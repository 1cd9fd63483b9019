//! The size and the alignment of what a pointer points to.

use crate::{Class, CppBase, Parameter, cpp};

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
            None => match pointer.cpp.base {
                CppBase::Named(name) => cpp::builtin(name).map_or(1, |row| row.align),
                base => of_number(base).unwrap_or(1),
            },
        },
        _ => size_of::<u64>(),
    }
}

fn align(ty: &Parameter<'_>) -> usize {
    if let Some(align) = ty.align {
        return align.bytes();
    }
    if ty.cpp.is_pointer() {
        return size_of::<u64>();
    }
    if let Some(align) = of_number(ty.cpp.base) {
        return align;
    }
    match ty.cpp.base {
        CppBase::Named(name) => match cpp::builtin(name).filter(|row| row.size == ty.size) {
            Some(row) => row.align,
            None => of_struct(ty),
        },
        _ => of_struct(ty),
    }
}

fn of_number(base: CppBase<'_>) -> Option<usize> {
    match base {
        CppBase::Bool | CppBase::Char => Some(1),
        CppBase::Integer { bits, .. } | CppBase::Float { bits } => Some(usize::from(bits / 8).max(1)),
        _ => None,
    }
}

fn of_struct(ty: &Parameter<'_>) -> usize {
    let is_number = matches!(ty.class, Class::Integer | Class::Float);
    if is_number && ty.size.is_power_of_two() {
        return ty.size;
    }
    ty.members.iter().map(|member| align(&member)).max().unwrap_or(1)
}
