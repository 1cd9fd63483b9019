//! A type that is written.

use super::{
    identifier::{identifier, upper_camel},
    ty::Ty,
};
use alloc::{borrow::ToOwned, format, string::String, vec::Vec};
use core::fmt::Write as _;
use kernel_args_abi::{
    Alignment, Opaque, Parameter,
    cpp::{CppBase, name},
    signature::Members,
};

/// A type that is written.
pub(super) struct Definition<'k> {
    /// Its C++ name, as much as is known of it; empty where it has none.
    pub(super) cpp: String,
    /// The name that it has in Rust if no other type has it.
    pub(super) wanted: String,
    /// What tells it from others of its name.
    pub(super) shape: String,
    /// In bytes.
    pub(super) size: usize,
    /// In bytes, where a source tells it.
    pub(super) known_align: Option<usize>,
    /// In bytes: see [`align::resolve`].
    pub(super) align: usize,
    pub(super) body: Body,
    /// Whether a struct of a kernel names it.
    pub(super) is_used: bool,
    /// What its members are read from.
    pub(super) source: Option<Parameter<'k>>,
}

/// What a type consists of.
pub(super) enum Body {
    /// Not read yet.
    Pending,
    /// Bytes that are not told apart.
    Bytes(Why),
    Fields(Vec<Member>),
    /// An enum: the integer, the names and values.
    Enum(&'static str, Vec<(String, i128)>),
    /// A struct around the bits of a number: the integer, and the feature with which it is a type of another crate.
    Bits(&'static str, &'static str),
}

/// Why bytes are not told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Why {
    Opaque(Opaque),
    /// Members are not aligned as Rust aligns them.
    Packed,
    /// The image does not tell its members.
    Unknown,
    /// The image does not even tell its type.
    Nameless,
}

/// A member of a struct.
pub(super) struct Member {
    /// In C++; empty where it has none.
    pub(super) cpp_name: String,
    pub(super) name: String,
    pub(super) ty: Ty,
    /// From the beginning of the struct, in bytes.
    pub(super) offset: usize,
    /// The C++ type.
    pub(super) cpp: String,
    /// Whether its bytes stand for a value of a type that is not told.
    pub(super) is_opaque: bool,
}

/// The shape of what the image does not tell the members of.
pub(super) const UNKNOWN: &str = "?";

impl<'k> Definition<'k> {
    pub(super) fn new(cpp: &str, wanted: String, size: usize) -> Self {
        Self {
            cpp: cpp.to_owned(),
            wanted,
            shape: String::new(),
            size,
            known_align: None,
            align: 1,
            body: Body::Pending,
            is_used: false,
            source: None,
        }
    }

    /// What a parameter, a member or a description tells of its type.
    pub(super) fn of(of: &Parameter<'k>, hint: &str) -> Self {
        let cpp = match of.cpp.base {
            CppBase::Named(name) => name,
            _ => "",
        };
        let mut shape = String::new();
        spell_shape(&mut shape, of.members);
        let wanted = if cpp.is_empty() {
            upper_camel(hint, "Type")
        } else {
            type_name(cpp)
        };
        Self {
            shape,
            known_align: of.align.map(Alignment::bytes),
            source: Some(*of),
            ..Self::new(cpp, wanted, of.size)
        }
    }

    /// Whether another one is the same type.
    pub(super) fn is(&self, other: &Self) -> bool {
        let same_name = if self.cpp.is_empty() || other.cpp.is_empty() {
            self.cpp == other.cpp && self.wanted == other.wanted
        } else {
            name::agree(&self.cpp, &other.cpp)
        };
        let may_be = |a: &str, b: &str| a == b || a == UNKNOWN || b == UNKNOWN;
        same_name
            && self.size == other.size
            && may_be(&self.shape, &other.shape)
            && (self.known_align == other.known_align
                || self.known_align.is_none()
                || other.known_align.is_none())
    }
}

/// Writes what tells a struct from another of its name. Its size bounds the length.
fn spell_shape(text: &mut String, members: Members<'_>) {
    if let Some(why) = members.why_opaque() {
        let _ = write!(text, "{why:?}");
    } else if !members.is_known() && !members.is_enum() {
        text.push_str(UNKNOWN);
    }
    for variant in members.variants() {
        let _ = write!(text, "{}={},", variant.name, variant.value);
    }
    for member in members.iter() {
        let Parameter {
            name, cpp, size, ..
        } = member;
        let _ = write!(text, "{:?} {name}: {cpp} {size}", member.offset);
        if member.members.is_known() || member.members.why_opaque().is_some() {
            text.push('{');
            spell_shape(text, member.members);
            text.push('}');
        }
        text.push(',');
    }
}

/// The name of a type in Rust: without namespaces, with template arguments.
fn type_name(cpp: &str) -> String {
    let (_, plain, arguments) = name::split(cpp);
    let name = format!("{}_{}", identifier(plain), identifier(arguments));
    upper_camel(&name, "Type")
}
