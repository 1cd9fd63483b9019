//! What a header declares.

use super::{
    error::Origin,
    names::{Local, Path},
};
use alloc::{string::String, vec::Vec};
use kernel_args_abi::signature::Opaque;

/// The type of a member or a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Type {
    pub(super) base: Base,
    /// The number of pointers.
    pub(super) depth: u8,
    /// Which of them point to something `const`: as in `CppType`.
    pub(super) const_mask: u8,
    /// The lengths of an array, the outermost first.
    pub(super) extents: Vec<u32>,
}

/// A type without its pointers and lengths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Base {
    /// `int`; aligned to so many bytes.
    Fundamental(&'static str, usize),
    /// A type of CUDA's.
    Cuda(String, Option<usize>),
    /// A type that the header declares, or another file of the program's.
    Own(Path),
    /// `unsigned char` with an alignment: what has no type in C++.
    Bytes(usize),
}

/// A type that the header declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Definition {
    pub(super) path: Path,
    pub(super) origin: Origin,
    /// Bytes.
    pub(super) size: usize,
    /// Bytes; `None` where the source does not tell, and the members do not.
    pub(super) align: Option<usize>,
    /// Whether the source tells the alignment.
    pub(super) is_align_told: bool,
    /// What stands in `alignas` of the struct.
    pub(super) alignas: Option<usize>,
    pub(super) kind: Kind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Struct(Vec<Member>),
    Enum {
        underlying: &'static str,
        variants: Vec<(Local, i128)>,
    },
    /// Bytes in place of a union and the like.
    Opaque(Option<Opaque>),
    /// A file that is included has it.
    Included,
}

/// A member of a struct.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Member {
    pub(super) name: Local,
    pub(super) ty: Type,
    pub(super) offset: usize,
    pub(super) size: usize,
    pub(super) alignas: Option<usize>,
}

impl Definition {
    /// Whether both are one type: the origin does not matter.
    pub(super) fn same(&self, other: &Self) -> bool {
        let is_same = |a: &Self, b: &Self| {
            (&a.path, a.size, a.align, &a.kind) == (&b.path, b.size, b.align, &b.kind)
        };
        is_same(self, other)
    }
}

/// A kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Prototype {
    pub(super) symbol: String,
    pub(super) path: Path,
    pub(super) is_extern_c: bool,
    pub(super) parameters: Vec<Argument>,
}

/// A parameter of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Argument {
    pub(super) name: Local,
    pub(super) ty: Type,
    pub(super) is_grid_constant: bool,
}

/// A type of the program's own that something points to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pointee {
    pub(super) path: Path,
    /// The pointer's spelling.
    pub(super) spelling: String,
}
