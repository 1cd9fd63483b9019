//! Numbers of C++ as numbers of Rust.

use super::ty::{From, Leaf, Ty};
use kernel_args_abi::{class::Class, cpp::CppBase};

/// The number that a C++ type is. `size` is that of a value in bytes, where it is known.
pub(super) fn of_base(base: CppBase<'_>, size: Option<usize>) -> Option<Leaf> {
    let leaf = match base {
        CppBase::Bool => Leaf::number("bool", 1),
        CppBase::Char => Leaf {
            from: From::Core,
            ..Leaf::number("c_char", 1)
        },
        CppBase::Integer { signed, bits } => integer(signed, usize::from(bits / 8))?,
        CppBase::Long { signed } => match size {
            Some(size @ (4 | 8)) => integer(signed, size)?,
            Some(_) => return None,
            None if signed => Leaf::handle("CLong"),
            None => Leaf::handle("CULong"),
        },
        CppBase::Float { bits: 32 } => Leaf::number("f32", 4),
        CppBase::Float { bits: 64 } => Leaf::number("f64", 8),
        _ => return None,
    };
    (size.is_none() || size == Some(leaf.size)).then_some(leaf)
}

/// The integer of this size in bytes.
pub(super) fn integer(signed: bool, size: usize) -> Option<Leaf> {
    let name = match (signed, size) {
        (true, 1) => "i8",
        (false, 1) => "u8",
        (true, 2) => "i16",
        (false, 2) => "u16",
        (true, 4) => "i32",
        (false, 4) => "u32",
        (true, 8) => "i64",
        (false, 8) => "u64",
        (true, 16) => "i128",
        (false, 16) => "u128",
        _ => return None,
    };
    Some(Leaf::number(name, size))
}

/// The type of a value of which the class and the size alone are known; `None` for bytes.
pub(super) fn of_class(class: Class, size: usize) -> Option<Ty> {
    match (class, size) {
        (Class::Float, 4) => Some(Ty::number("f32", 4)),
        (Class::Float, 8) => Some(Ty::number("f64", 8)),
        (Class::Pointer, 8) => Some(Ty::address(false)),
        (Class::Integer, 16) => integer(false, 16).map(Ty::Leaf),
        (Class::Integer | Class::Bits | Class::Unknown, 1 | 2 | 4 | 8) => {
            integer(false, size).map(Ty::Leaf)
        }
        _ => None,
    }
}
