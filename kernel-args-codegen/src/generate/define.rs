//! The types that are written: each once, whoever names it.

use super::{
    Options,
    align::{self, Occurrence},
    fields::Fields,
    identifier::{identifier, upper_camel, variable},
    scalar,
    ty::Ty,
};
use alloc::{
    borrow::ToOwned,
    collections::BTreeMap,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt::Write as _;
use kernel_args_abi::{
    Opaque, Parameter,
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

/// All types.
pub(super) struct Types<'k, 'o> {
    pub(super) options: &'o Options<'o>,
    pub(super) all: Vec<Definition<'k>>,
    /// The types of each size.
    by_size: BTreeMap<usize, Vec<usize>>,
    /// The same by all that is told of a type, as it was told.
    told: BTreeMap<Told, usize>,
    /// Types that are pointed to, whose members are not read yet.
    pub(super) waiting: Vec<usize>,
    /// Where a type is a parameter whose alignment is not told, or a member.
    occurrences: Vec<Occurrence>,
}

/// Name, shape, size and alignment.
type Told = (String, String, usize, Option<usize>);

impl<'k, 'o> Types<'k, 'o> {
    pub(super) fn new(options: &'o Options<'o>) -> Self {
        Self {
            options,
            all: Vec::new(),
            by_size: BTreeMap::new(),
            told: BTreeMap::new(),
            waiting: Vec::new(),
            occurrences: Vec::new(),
        }
    }

    /// The number of a struct or enum by value.
    pub(super) fn by_value(&mut self, of: &Parameter<'k>, hint: &str) -> usize {
        let definition = Definition::of(of, hint);
        let id = self.add(definition);
        self.read(id);
        id
    }

    /// The number of a type, which may be known already.
    pub(super) fn add(&mut self, new: Definition<'k>) -> usize {
        let Definition {
            cpp, wanted, shape, ..
        } = &new;
        let name = if cpp.is_empty() { wanted } else { cpp };
        let told = (name.clone(), shape.clone(), new.size, new.known_align);
        if let Some(&id) = self.told.get(&told) {
            return id;
        }
        let id = self.find_or_push(new);
        self.told.insert(told, id);
        id
    }

    fn find_or_push(&mut self, new: Definition<'k>) -> usize {
        let of_size = self.by_size.entry(new.size).or_default();
        for &id in &*of_size {
            let old = &mut self.all[id];
            if !old.is(&new) {
                continue;
            }
            if new.cpp.len() > old.cpp.len() {
                old.cpp = new.cpp;
            }
            if old.shape == UNKNOWN && new.shape != UNKNOWN {
                (old.shape, old.body, old.source) = (new.shape, new.body, new.source);
            }
            old.known_align = old.known_align.or(new.known_align);
            return id;
        }
        let id = self.all.len();
        of_size.push(id);
        self.all.push(new);
        id
    }

    /// Reads the members of a type, if they have not been read.
    fn read(&mut self, id: usize) {
        let definition = &mut self.all[id];
        let (Body::Pending, Some(of)) = (&definition.body, definition.source.take()) else {
            return;
        };
        let outer = definition.wanted.clone();
        let body = if of.members.variant(0).is_some() {
            enumeration(of.size, of.members)
        } else if of.members.is_known() {
            Body::Fields(self.members(id, of.members, &outer))
        } else {
            Body::Bytes(of.members.why_opaque().map_or(Why::Unknown, Why::Opaque))
        };
        self.all[id].body = body;
    }

    fn members(&mut self, id: usize, members: Members<'k>, outer: &str) -> Vec<Member> {
        let mut end = 0;
        let mut read = Vec::new();
        for (index, member) in members.iter().enumerate() {
            let offset = member.offset.unwrap_or(end);
            let name = if member.name.is_empty() {
                format!("anonymous{index}")
            } else {
                variable(member.name)
            };
            let hint = format!("{outer}{}", upper_camel(&name, ""));
            let ty = self.value(&member, members.referent(index), &hint);
            self.occurs(&ty, Some(id), offset, end);
            read.push(Member {
                cpp_name: member.name.to_owned(),
                name,
                is_opaque: member.cpp.is_unknown() && ty.is_bytes(),
                ty,
                offset,
                cpp: member.cpp.to_string(),
            });
            end = offset + member.size;
        }
        read
    }

    /// Says that a type lies at an offset, behind something that ends at `end`.
    pub(super) fn occurs(&mut self, ty: &Ty, container: Option<usize>, offset: usize, end: usize) {
        if let Some(content) = ty.contents() {
            self.occurrences.push(Occurrence {
                content,
                container,
                offset,
                end,
            });
        }
    }

    /// Size and alignment of a type, as far as they are known before all types are.
    pub(super) fn layout(&self, ty: &Ty) -> (usize, Option<usize>) {
        match ty {
            Ty::Leaf(leaf) => (leaf.size, Some(leaf.align)),
            Ty::Void => (0, None),
            Ty::Pointer { .. } => (8, Some(8)),
            Ty::Array(of, count) => {
                let (size, align) = self.layout(of);
                (size * count, align)
            }
            Ty::Defined(id) => (self.all[*id].size, self.all[*id].known_align),
        }
    }

    /// All types, laid out; those that the fields of kernels lead to are marked.
    pub(super) fn finish(mut self, kernels: &[Fields]) -> Vec<Definition<'k>> {
        while let Some(id) = self.waiting.pop() {
            self.read(id);
        }
        align::resolve(&mut self.all, &self.occurrences);
        let fields = kernels.iter().flat_map(Fields::iter);
        let mut named: Vec<usize> = fields.filter_map(|field| field.ty.named()).collect();
        while let Some(id) = named.pop() {
            if core::mem::replace(&mut self.all[id].is_used, true) {
                continue;
            }
            if let Body::Fields(members) = &self.all[id].body {
                named.extend(members.iter().filter_map(|member| member.ty.named()));
            }
        }
        self.all
    }
}

/// The shape of what the image does not tell the members of.
const UNKNOWN: &str = "?";

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
            known_align: of.align.map(kernel_args_abi::Alignment::bytes),
            source: Some(*of),
            ..Self::new(cpp, wanted, of.size)
        }
    }

    /// Whether another one is the same type.
    fn is(&self, other: &Self) -> bool {
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

/// An enum: its integer holds every value, which are those of C++ in as many bits.
fn enumeration(size: usize, members: Members<'_>) -> Body {
    let bits = size as u32 * 8;
    let is_negative = members.variants().any(|variant| variant.value < 0);
    let is_large = members
        .variants()
        .any(|variant| variant.value >> (bits - 1) != 0);
    // C++ makes an enum an `int` where nothing else is said.
    let is_signed = is_negative || !is_large && size >= 4;
    let is_signed = members.is_signed().unwrap_or(is_signed);
    let integer = scalar::integer(is_signed, size).map_or("i32", |leaf| leaf.name);
    let values = members.variants().map(|variant| {
        let value = variant.value_in(size, is_signed);
        (variant.name.to_owned(), value)
    });
    Body::Enum(integer, values.collect())
}
