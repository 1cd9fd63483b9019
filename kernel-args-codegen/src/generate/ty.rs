//! Types of Rust, as far as they are written.

use alloc::boxed::Box;
use kernel_args_abi::cpp::Builtin;

/// A type of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    /// A type that exists.
    Leaf(Leaf),
    /// C++'s `void`, which alone is pointed to.
    Void,
    /// A device pointer.
    Pointer { to: Box<Self>, is_const: bool },
    /// So many of a type.
    Array(Box<Self>, usize),
    /// A type that is written too, by its number.
    Defined(usize),
}

/// A type that exists, with its layout in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Leaf {
    pub(super) name: &'static str,
    pub(super) from: From,
    pub(super) size: usize,
    pub(super) align: usize,
}

/// Where the name of a type comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum From {
    Language,
    /// `core::ffi`.
    Core,
    /// `kernel_args`.
    Crate,
    /// `kernel_args::vector`.
    Vector,
    /// The crate `half`; the name begins with it.
    Half,
    /// The crate `float8`; the name begins with it.
    Float8,
}

impl Leaf {
    /// A number, or `bool`: aligned to its size.
    pub(super) const fn number(name: &'static str, size: usize) -> Self {
        Self {
            name,
            from: From::Language,
            size,
            align: size,
        }
    }

    /// A type of `kernel_args` of 8 bytes.
    pub(super) const fn handle(name: &'static str) -> Self {
        Self {
            name,
            from: From::Crate,
            size: 8,
            align: 8,
        }
    }

    /// A type of CUDA's table.
    pub(super) fn builtin(row: &'static Builtin) -> Self {
        Self {
            name: row.rust,
            from: match row.rust.split_once("::") {
                Some(("half", _)) => From::Half,
                Some(_) => From::Float8,
                None if row.components > 0 => From::Vector,
                None => From::Crate,
            },
            size: row.size,
            align: row.align,
        }
    }
}

impl Ty {
    /// A number.
    pub(super) const fn number(name: &'static str, size: usize) -> Self {
        Self::Leaf(Leaf::number(name, size))
    }

    /// So many bytes.
    pub(super) fn bytes(count: usize) -> Self {
        Self::Array(Box::new(Self::number("u8", 1)), count)
    }

    /// Whether it is an array of bytes.
    pub(super) fn is_bytes(&self) -> bool {
        matches!(self, Self::Array(of, _) if **of == Self::number("u8", 1))
    }

    /// `void*`.
    pub(super) fn address(is_const: bool) -> Self {
        Self::Pointer {
            to: Box::new(Self::Void),
            is_const,
        }
    }

    /// Size and alignment in bytes, as far as they are known; `defined` has those of types that are written.
    pub(super) fn layout(
        &self,
        defined: &dyn Fn(usize) -> (usize, Option<usize>),
    ) -> (usize, Option<usize>) {
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

    /// The number of the type that it has by value: not of one that it points to.
    pub(super) fn contents(&self) -> Option<usize> {
        match self {
            Self::Defined(id) => Some(*id),
            Self::Array(of, _) => of.contents(),
            _ => None,
        }
    }

    /// The number of the type that it names, by value or as what it points to.
    pub(super) fn named(&self) -> Option<usize> {
        match self {
            Self::Defined(id) => Some(*id),
            Self::Array(of, _) => of.named(),
            Self::Pointer { to, .. } => to.named(),
            Self::Leaf(_) | Self::Void => None,
        }
    }
}
