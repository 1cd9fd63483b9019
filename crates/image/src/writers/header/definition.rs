//! The declarations in a header.

use super::{
    error::Origin,
    names::{Local, Path},
};
use alloc::{string::String, vec::Vec};
use kernel_args_abi::{CppType, signature::Opaque};

#[derive(Clone, PartialEq)]
pub(super) struct TypeUse {
    pub(super) base: Base,
    /// Without the base.
    pub(super) shape: CppType<'static>,
}

impl TypeUse {
    pub(super) fn new(base: Base, shape: CppType<'_>) -> Self {
        let CppType { depth, const_mask, extents, rows, .. } = shape;
        Self { base, shape: CppType { depth, const_mask, extents, rows, ..CppType::UNKNOWN } }
    }
}

#[derive(Clone, PartialEq)]
pub(super) enum Base {
    /// A fundamental or CUDA type, with its alignment in bytes if known.
    Known(String, Option<usize>),
    Own(Path),
    /// `unsigned char` with an alignment, for a type that C++ cannot represent.
    Bytes(usize),
}

#[derive(Clone, PartialEq)]
pub(super) struct Definition {
    pub(super) path: Path,
    pub(super) origin: Origin,
    pub(super) size: usize,
    /// In bytes. `None` if neither the source nor the members determine it.
    pub(super) align: Option<usize>,
    pub(super) has_source_align: bool,
    pub(super) alignas: Option<usize>,
    pub(super) pack: Option<usize>,
    pub(super) kind: Declared,
}

#[derive(Clone, PartialEq)]
pub(super) enum Declared {
    Struct(Vec<CppMember>),
    Enum {
        underlying: &'static str,
        variants: Vec<(Local, i128)>,
    },
    /// Bytes instead of a union or a similar type.
    Opaque(Option<Opaque>),
    Included,
}

#[derive(Clone, PartialEq)]
pub(super) struct CppMember {
    pub(super) name: Local,
    pub(super) ty: TypeUse,
    pub(super) offset: usize,
    pub(super) size: usize,
    pub(super) alignas: Option<usize>,
}

impl Definition {
    pub(super) fn same(&self, other: &Self) -> bool {
        let (a, b) = (self, other);
        (&a.path, a.size, a.align, &a.kind) == (&b.path, b.size, b.align, &b.kind)
    }
}

#[derive(Clone, PartialEq)]
pub(super) struct Prototype {
    pub(super) symbol: String,
    pub(super) path: Path,
    pub(super) is_extern_c: bool,
    pub(super) parameters: Vec<Argument>,
}

#[derive(Clone, PartialEq)]
pub(super) struct Argument {
    pub(super) name: Local,
    pub(super) ty: TypeUse,
    pub(super) is_grid_constant: bool,
}
