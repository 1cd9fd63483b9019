//! Rust types in the generated text.

use crate::prelude::*;
use kernel_args_abi::{
    Class, CppBase,
    cpp::{BUILTINS, Builtin, rust_integer, rust_scalar},
};

#[derive(Clone, PartialEq)]
pub(super) enum Ty {
    Leaf(Leaf),
    /// C++'s `void`, only behind a pointer.
    Void,
    Pointer {
        to: Box<Self>,
        is_const: bool,
    },
    Array(Box<Self>, usize),
    Defined(usize),
}

#[derive(Clone, Copy, PartialEq)]
pub(super) struct Leaf {
    pub(super) name: &'static str,
    pub(super) from: From,
    pub(super) size: usize,
    pub(super) align: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum From {
    Language,
    Core,
    Driver,
    /// The crate with which the name begins: `half::f16`.
    External,
    Texture,
    Vector,
    Crate,
}

impl Leaf {
    pub(super) const fn number(name: &'static str, size: usize) -> Self {
        Self { name, from: From::Language, size, align: size }
    }

    pub(super) const fn handle(name: &'static str) -> Self {
        Self { name, from: From::Crate, size: 8, align: 8 }
    }

    /// `size` is the size of a value in bytes, if known.
    pub(super) fn of_base(base: CppBase<'_>, size: Option<usize>) -> Option<Self> {
        let bits = match base {
            CppBase::Long { signed } if size.is_none() => {
                let name = if signed { "CLong" } else { "CULong" };
                return Some(Self { from: From::Vector, ..Self::handle(name) });
            }
            CppBase::Long { .. } if size == Some(4) => 32,
            CppBase::Long { .. } | CppBase::FunctionType => 64,
            CppBase::Integer { bits, .. } | CppBase::Float { bits } => bits,
            _ => 8,
        };
        let mut leaf = Self::named(rust_scalar(base, size.unwrap_or(0)), bits)?;
        if matches!(base, CppBase::Char) {
            (leaf.name, leaf.from) = ("c_char", From::Core);
        }
        (size.is_none() || size == Some(leaf.size)).then_some(leaf)
    }

    pub(super) fn integer(signed: bool, size: usize) -> Option<Self> {
        let bits = u16::try_from(size).ok()?.checked_mul(8)?;
        Self::named(rust_integer(signed, bits), bits)
    }

    fn named(name: &'static str, bits: u16) -> Option<Self> {
        (!name.is_empty()).then(|| Self::number(name, usize::from(bits / 8)))
    }

    pub(super) fn builtin(row: &'static Builtin) -> Self {
        Self {
            name: row.rust,
            from: match row.components {
                _ if row.rust.contains("::") => From::External,
                0 => From::Crate,
                _ => From::Vector,
            },
            size: row.size,
            align: row.align,
        }
    }
}

impl Ty {
    pub(super) const fn number(name: &'static str, size: usize) -> Self {
        Self::Leaf(Leaf::number(name, size))
    }

    pub(super) fn bytes(count: usize) -> Self {
        Self::Array(Box::new(Self::number("u8", 1)), count)
    }

    pub(super) fn is_bytes(&self) -> bool {
        matches!(self, Self::Array(of, _) if **of == Self::number("u8", 1))
    }

    pub(super) fn of_class(class: Class, size: usize) -> Option<Self> {
        match (class, size) {
            (Class::Float, 4) => Some(Self::number("f32", 4)),
            (Class::Float, 8) => Some(Self::number("f64", 8)),
            (Class::Pointer, 8) => Some(Self::Pointer { to: Box::new(Self::Void), is_const: false }),
            (Class::Integer, 16) | (Class::Integer | Class::Bits | Class::Unknown, 1 | 2 | 4 | 8) => {
                Leaf::integer(false, size).map(Self::Leaf)
            }
            _ => None,
        }
    }

    /// In bytes, as far as they are known. `defined` returns the layout of a generated type.
    pub(super) fn layout(&self, defined: &dyn Fn(usize) -> (usize, Option<usize>)) -> (usize, Option<usize>) {
        match self {
            Self::Leaf(leaf) => (leaf.size, Some(leaf.align)),
            Self::Void => (0, None),
            Self::Pointer { .. } => (8, Some(8)),
            Self::Array(of, count) => {
                let (size, align) = of.layout(defined);
                (size * count, align)
            }
            Self::Defined(id) => defined(*id),
        }
    }

    /// Returns the generated type that it contains by value.
    pub(super) fn contents(&self) -> Option<usize> {
        match self {
            Self::Defined(id) => Some(*id),
            Self::Array(of, _) => of.contents(),
            _ => None,
        }
    }

    /// Returns the generated type that it names, by value or as a pointee.
    pub(super) fn named(&self) -> Option<usize> {
        match self {
            Self::Array(of, _) | Self::Pointer { to: of, .. } => of.named(),
            ty => ty.contents(),
        }
    }
}

/// If it is not a number of Rust.
pub(super) fn component(row: &Builtin) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|scalar| scalar.components == 0 && scalar.element == row.element)
}
