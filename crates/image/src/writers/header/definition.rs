//! The declarations in a header.

use super::{
    error::Origin,
    names::{Local, Path},
};
use alloc::{string::String, vec::Vec};
use kernel_args_abi::signature::Opaque;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Type {
    pub(super) base: Base,
    pub(super) depth: u8,
    /// Which pointees are `const`: as in `CppType`.
    pub(super) const_mask: u8,
    /// The lengths of an array, the outermost first.
    pub(super) extents: Vec<u32>,
    /// The lengths of the array behind the outermost pointer: as in `CppType`.
    pub(super) rows: Vec<u32>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Base {
    /// A fundamental type such as `int`, with its alignment in bytes.
    Fundamental(&'static str, usize),
    /// A CUDA type, with its alignment in bytes if known.
    Cuda(String, Option<usize>),
    /// A type that the header or an included file declares.
    Own(Path),
    /// `unsigned char` with an alignment, for a type that C++ cannot represent.
    Bytes(usize),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Definition {
    pub(super) path: Path,
    pub(super) origin: Origin,
    pub(super) size: usize,
    /// The alignment in bytes. `None` if neither the source nor the members determine it.
    pub(super) align: Option<usize>,
    pub(super) has_source_align: bool,
    pub(super) alignas: Option<usize>,
    pub(super) pack: Option<usize>,
    pub(super) kind: Kind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Struct(Vec<Member>),
    Enum {
        underlying: &'static str,
        variants: Vec<(Local, i128)>,
    },
    /// Bytes instead of a union or a similar type.
    Opaque(Option<Opaque>),
    Included,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Member {
    pub(super) name: Local,
    pub(super) ty: Type,
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

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Prototype {
    pub(super) symbol: String,
    pub(super) path: Path,
    pub(super) is_extern_c: bool,
    pub(super) parameters: Vec<Argument>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Argument {
    pub(super) name: Local,
    pub(super) ty: Type,
    pub(super) is_grid_constant: bool,
}

/// A user-defined type behind a pointer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pointee {
    pub(super) path: Path,
    pub(super) spelling: String,
}
