//! Rust numbers for C++ numbers.

use super::ty::{From, Leaf, Ty};
use kernel_args_abi::{
    class::Class,
    cpp::{CppBase, rust_integer, rust_scalar},
};

/// The Rust number for a C++ type. `size` is the size of a value in bytes, if known.
pub(super) fn of_base(base: CppBase<'_>, size: Option<usize>) -> Option<Leaf> {
    let bits = match base {
        CppBase::Long { signed } if size.is_none() => {
            let name = if signed { "CLong" } else { "CULong" };
            return Some(Leaf { from: From::Vector, ..Leaf::handle(name) });
        }
        CppBase::Long { .. } if size == Some(4) => 32,
        CppBase::Long { .. } => 64,
        CppBase::Integer { bits, .. } | CppBase::Float { bits } => bits,
        _ => 8,
    };
    let mut leaf = number(rust_scalar(base, size.unwrap_or(0)), bits)?;
    if matches!(base, CppBase::Char) {
        (leaf.name, leaf.from) = ("c_char", From::Core);
    }
    (size.is_none() || size == Some(leaf.size)).then_some(leaf)
}

pub(super) fn integer(signed: bool, size: usize) -> Option<Leaf> {
    let bits = u16::try_from(size).ok()?.checked_mul(8)?;
    number(rust_integer(signed, bits), bits)
}

fn number(name: &'static str, bits: u16) -> Option<Leaf> {
    (!name.is_empty()).then(|| Leaf::number(name, usize::from(bits / 8)))
}

pub(super) fn of_class(class: Class, size: usize) -> Option<Ty> {
    match (class, size) {
        (Class::Float, 4) => Some(Ty::number("f32", 4)),
        (Class::Float, 8) => Some(Ty::number("f64", 8)),
        (Class::Pointer, 8) => Some(Ty::address(false)),
        (Class::Integer, 16) => integer(false, 16).map(Ty::Leaf),
        (Class::Integer | Class::Bits | Class::Unknown, 1 | 2 | 4 | 8) => integer(false, size).map(Ty::Leaf),
        _ => None,
    }
}
