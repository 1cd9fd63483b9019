//! A generated type.

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

pub(super) struct Generated<'k> {
    /// As far as it is known.
    pub(super) cpp: String,
    pub(super) wanted: String,
    /// What distinguishes types with the same name.
    pub(super) shape: String,
    pub(super) size: usize,
    /// In bytes, if a source specifies it.
    pub(super) known_align: Option<usize>,
    pub(super) align: usize,
    /// As in `repr(packed(2))`.
    pub(super) packed: Option<usize>,
    pub(super) body: Content,
    pub(super) is_used: bool,
    pub(super) source: Option<Parameter<'k>>,
}

pub(super) enum Content {
    Pending,
    Bytes(Why),
    Fields(Vec<StructMember>),
    /// The integer type, the names and the values.
    Enum(&'static str, Vec<(String, i128)>),
    /// The bits of a number: the integer type, and the feature that provides the type from another crate.
    Bits(&'static str, &'static str),
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Why {
    Opaque(Opaque),
    /// Members overlap, or Rust has no packed struct with such members.
    Packed,
    /// The image does not contain the members.
    Unknown,
    /// The image does not contain the type.
    Nameless,
}

pub(super) struct StructMember {
    pub(super) cpp_name: String,
    pub(super) name: String,
    pub(super) ty: Ty,
    pub(super) offset: usize,
    pub(super) cpp: String,
    /// Whether it contains the bytes of an unknown type.
    pub(super) is_opaque: bool,
}

pub(super) const UNKNOWN: &str = "?";

impl<'k> Generated<'k> {
    pub(super) fn new(cpp: &str, wanted: String, size: usize) -> Self {
        Self {
            cpp: cpp.to_owned(),
            wanted,
            shape: String::new(),
            size,
            known_align: None,
            align: 1,
            packed: None,
            body: Content::Pending,
            is_used: false,
            source: None,
        }
    }

    pub(super) fn of(of: &Parameter<'k>, hint: &str) -> Self {
        let cpp = match of.cpp.base {
            CppBase::Named(name) => name,
            _ => "",
        };
        let mut shape = String::new();
        spell_shape(&mut shape, of.members);
        let wanted = if cpp.is_empty() { upper_camel(hint, "Type") } else { type_name(cpp) };
        Self {
            shape,
            known_align: of.align.map(Alignment::bytes),
            source: Some(*of),
            ..Self::new(cpp, wanted, of.size)
        }
    }

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
            && (self.known_align == other.known_align || self.known_align.is_none() || other.known_align.is_none())
    }
}

/// Its length depends on the size of the struct.
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
        let Parameter { name, cpp, size, .. } = member;
        let _ = write!(text, "{:?} {name}: {cpp} {size}", member.offset);
        if member.members.is_known() || member.members.why_opaque().is_some() {
            text.push('{');
            spell_shape(text, member.members);
            text.push('}');
        }
        text.push(',');
    }
}

fn type_name(cpp: &str) -> String {
    let (_, plain, arguments) = name::split(cpp);
    let name = format!("{}_{}", identifier(plain), identifier(arguments));
    upper_camel(&name, "Type")
}
