//! The C++ facts about a signature's types, and their differences from debug information.

use crate::oracle::engine;
use kernel_args::abi::{Members, Parameter};
use kernel_args_test_generator::{Leaf, Pointee, Signature, Slot, Struct, Type};

/// A type, or a member of a struct, in C++.
#[derive(Debug)]
struct Expected {
    name: String,
    /// The type of one value, without template arguments; empty if several names are possible.
    cpp: String,
    /// The number of values, one after another.
    elements: usize,
    /// The total size in bytes.
    size: usize,
    members: Content,
}

#[derive(Debug)]
enum Content {
    None,
    /// The members, each with its offset.
    Struct(Vec<(usize, Expected)>),
    /// A struct of the prelude or of CUDA: this number of scalars of this size, one after another.
    Scalars(usize, usize),
}

impl Expected {
    fn named(self, name: String) -> Self {
        Self { name, ..self }
    }

    /// A type as a parameter, a template argument or a pointee: an array is wrapped in a struct.
    fn value(ty: &Type) -> Self {
        let size = ty.extent().size;
        let of = |cpp: &str, members| Self { name: String::new(), cpp: cpp.to_owned(), elements: 1, size, members };
        match ty {
            Type::Leaf(leaf) if leaf.aggregate => of(named(leaf), Content::Scalars(leaf.count, leaf.scalar.size())),
            Type::Leaf(leaf) => of(named(leaf), Content::None),
            Type::Pointer { to, is_const, .. } => {
                let to = match to {
                    Pointee::Void => "void".to_owned(),
                    Pointee::Type(to) => Self::value(to).cpp,
                };
                let to_const = if *is_const { " const" } else { "" };
                of(&format!("{to}{to_const}*"), Content::None)
            }
            Type::Enum(e) => of(&e.name, Content::None),
            Type::Alias { of, .. } => Self::value(of),
            Type::Array(element, len) => {
                let elements = Self::array(Self::value(element), *len).named("elements".to_owned());
                of("Array", Content::Struct(vec![(0, elements)]))
            }
            Type::Struct(structure) => of(&structure.name, Content::Struct(Self::fields(structure))),
        }
    }

    /// A type as the type of a field: an array is a C array.
    fn declared(ty: &Type) -> Self {
        match ty {
            Type::Array(element, len) => Self::array(Self::declared(element), *len),
            ty => Self::value(ty),
        }
    }

    fn array(element: Self, len: usize) -> Self {
        Self { elements: element.elements * len, size: element.size * len, ..element }
    }

    fn fields(structure: &Struct) -> Vec<(usize, Self)> {
        let fields = structure.fields.iter().zip(structure.offsets());
        let fields = fields.enumerate().map(|(i, (field, (offset, _)))| {
            let expected = match (&field.slot, &field.ty) {
                (Slot::Own, ty) => Self::declared(ty),
                (Slot::Argument(_), ty) => Self::value(ty),
                (Slot::Array(_), Type::Array(element, len)) => Self::array(Self::value(element), *len),
                (Slot::Array(_), ty) => unreachable!("an array of an argument is one: {ty:?}"),
            };
            (offset, expected.named(format!("f{i}")))
        });
        fields.collect()
    }

    /// The differences of a parameter or member, as text.
    fn differences(&self, place: &str, actual: &Parameter<'_>, found: &mut Vec<String>) {
        let mut same = |what: &str, actual: String, expected: String| {
            if actual != expected {
                found.push(format!("{place}: {what} {actual}, expected {expected}"));
            }
        };
        same("name", actual.name.to_owned(), self.name.clone());
        same("size", actual.size.to_string(), self.size.to_string());
        same("elements", actual.cpp.elements().to_string(), self.elements.to_string());
        same("type", plain(&actual.cpp.element().to_string()), self.cpp.clone());
        match &self.members {
            Content::None => same("members", actual.members.len().to_string(), "0".to_owned()),
            Content::Struct(members) => {
                same("members", actual.members.len().to_string(), members.len().to_string());
                let known = actual.members.is_known();
                same("members", known.to_string(), "true".to_owned());
                for (actual, (offset, member)) in actual.members.iter().zip(members) {
                    let place = format!("{place}.{}", member.name);
                    if actual.offset != Some(*offset) {
                        found.push(format!("{place}: at {:?}, expected {offset}", actual.offset));
                    }
                    member.differences(&place, &actual, found);
                }
            }
            Content::Scalars(count, size) => {
                let mut scalars = Vec::new();
                flatten(actual.members, 0, &mut scalars);
                let expected: Vec<_> = (0..*count).map(|i| (i * size, *size)).collect();
                same("scalars", format!("{scalars:?}"), format!("{expected:?}"));
            }
        }
    }
}

/// Offset and size of each scalar in a struct.
fn flatten(members: Members<'_>, start: usize, scalars: &mut Vec<(usize, usize)>) {
    for member in members.iter() {
        let size = member.size / member.cpp.elements();
        for i in 0..member.cpp.elements() {
            let at = start + member.offset.unwrap_or(usize::MAX) + i * size;
            if member.members.is_known() {
                flatten(member.members, at, scalars);
            } else {
                scalars.push((at, size));
            }
        }
    }
}

/// The name of the type behind a typedef of the prelude.
fn named(leaf: &Leaf) -> &str {
    match leaf.cpp {
        "cudaTextureObject_t" | "cudaSurfaceObject_t" => "unsigned long long",
        "cuFloatComplex" => "float2",
        "cuDoubleComplex" => "double2",
        name => name,
    }
}

/// A type without namespaces and template arguments.
fn plain(cpp: &str) -> String {
    let mut text = String::new();
    let mut depth = 0;
    for c in cpp.chars() {
        depth += usize::from(c == '<');
        if depth == 0 {
            text.push(c);
        }
        depth -= usize::from(c == '>');
        if text.ends_with("::") {
            text.clear();
        }
    }
    text
}

/// The differences between a signature and its debug information.
pub(crate) fn of_signature(signature: &Signature, actual: Members<'_>) -> Result<Vec<String>, String> {
    let parameters = signature.all_parameters();
    if actual.len() != parameters.len() {
        return Ok(vec![format!("{} parameters, expected {}", actual.len(), parameters.len())]);
    }
    let mut found = Vec::new();
    for (i, (ty, actual)) in parameters.iter().zip(actual.iter()).enumerate() {
        let expected = Expected::value(ty).named(format!("p{i}"));
        expected.differences(&format!("p{i}"), &actual, &mut found);
        // The crate's own engine, with its device types.
        let layout = engine::layout(ty)?;
        if layout.size() != actual.size {
            found.push(format!("p{i}: {} bytes, the engine says {}", actual.size, layout.size()));
        }
        let mut structs = Vec::new();
        ty.walk(&mut |ty| {
            if let Type::Struct(structure) = ty {
                structs.push(structure);
            }
        });
        for structure in structs {
            let (_, offsets) = engine::members(structure)?;
            let ours: Vec<usize> = Expected::fields(structure).iter().map(|(at, _)| *at).collect();
            if ours != offsets {
                found.push(format!("{}: at {ours:?}, the engine says {offsets:?}", structure.name));
            }
        }
    }
    Ok(found)
}
