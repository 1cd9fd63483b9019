//! Rust types in the generated text.

use alloc::boxed::Box;
use kernel_args_abi::cpp::{BUILTINS, Builtin};

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

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum From {
    Language,
    /// `core::ffi`.
    Core,
    /// `cudarc::driver`.
    Driver,
    /// The crate with which the name begins: `half::f16`.
    External,
    /// `kernel_args::vector`.
    Vector,
    /// `kernel_args`.
    Crate,
}

impl Leaf {
    pub(super) const fn number(name: &'static str, size: usize) -> Self {
        Self { name, from: From::Language, size, align: size }
    }

    pub(super) const fn handle(name: &'static str) -> Self {
        Self { name, from: From::Crate, size: 8, align: 8 }
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

    /// `void*`.
    pub(super) fn address(is_const: bool) -> Self {
        Self::Pointer { to: Box::new(Self::Void), is_const }
    }

    /// Size and alignment in bytes, as far as they are known. `defined` returns the layout of a generated type.
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

    /// The index of the generated type that it contains by value, not behind a pointer.
    pub(super) fn contents(&self) -> Option<usize> {
        match self {
            Self::Defined(id) => Some(*id),
            Self::Array(of, _) => of.contents(),
            _ => None,
        }
    }

    /// The index of the generated type that it names, by value or as a pointee.
    pub(super) fn named(&self) -> Option<usize> {
        match self {
            Self::Defined(id) => Some(*id),
            Self::Array(of, _) => of.named(),
            Self::Pointer { to, .. } => to.named(),
            Self::Leaf(_) | Self::Void => None,
        }
    }
}

/// The CUDA type of the components of a vector, if it is not a number of Rust.
pub(super) fn component(row: &Builtin) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|scalar| scalar.components == 0 && scalar.element == row.element)
}
