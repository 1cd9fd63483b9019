//! Types that a user could confuse.

use crate::mutants::{
    kind::Kind,
    twins::{ALIGNMENTS, ELEMENTS, HALVES, KINDS_OF_VECTORS, LONGS, NON_ZERO, NUMBERS, SIGNS, WIDTHS},
};
use kernel_args_test_generator::{Enum, Field, Leaf, Pointee, Slot, Struct, Type};

/// The type that replaces `ty` for this kind of mistake, or for a different correct spelling.
pub(crate) fn replacements(kind: Kind, ty: &Type) -> Vec<Type> {
    let leaves = |table: &[(&str, &str)]| match ty {
        Type::Leaf(leaf) => {
            table.iter().filter(|(from, _)| *from == leaf.rust).map(|(_, to)| Type::named(to)).collect()
        }
        _ => Vec::new(),
    };
    match kind {
        Kind::Width => leaves(WIDTHS),
        Kind::IntForFloat => leaves(NUMBERS),
        Kind::Signedness => leaves(SIGNS),
        Kind::HalfFormat => leaves(HALVES),
        Kind::LongLong => leaves(LONGS),
        Kind::NonZero => leaves(NON_ZERO),
        Kind::Bool => leaves(&[("bool", "u8"), ("bool", "i8"), ("bool", "i32"), ("bool", "u32")]),
        Kind::BoolForByte => leaves(&[("u8", "bool"), ("i8", "bool")]),
        Kind::PointerForValue => match ty {
            Type::Leaf(leaf) if leaf.size() == 8 && !leaf.aggregate => {
                vec![pointer(Pointee::Type(Box::new(Type::named("f32"))), true)]
            }
            _ => Vec::new(),
        },
        Kind::Alignment => {
            let mut found = leaves(ALIGNMENTS);
            found.extend(other_alignment(ty));
            found
        }
        Kind::Length => other_length(ty),
        Kind::VectorScalar => other_vector(ty).into_iter().collect(),
        Kind::StructSize | Kind::StructName | Kind::StructInside => match ty {
            Type::Struct(s) if s.arguments.is_empty() => other_struct(kind, s),
            _ => Vec::new(),
        },
        Kind::EnumWidth => match ty {
            Type::Enum(e) => {
                let mut other = e.clone();
                let wide = if e.underlying.size() == 4 { "u8" } else { "i32" };
                other.underlying = Leaf::named(wide).expect("a leaf of the table");
                other.values = vec![0, 1];
                vec![Type::Enum(other)]
            }
            _ => Vec::new(),
        },
        Kind::EnumValue => other_values(ty),
        Kind::IntegerForEnum => match ty {
            Type::Enum(e) => vec![Type::Leaf(e.underlying)],
            _ => Vec::new(),
        },
        Kind::Pointee
        | Kind::Constness
        | Kind::ValueForPointer
        | Kind::MutForConst
        | Kind::AddressForPointer
        | Kind::VoidPointer
        | Kind::Optional => match ty {
            Type::Pointer { to, is_const, optional } => other_pointer(kind, to, *is_const, *optional),
            _ => Vec::new(),
        },
        Kind::SwapNeighbours
        | Kind::SwapApart
        | Kind::SwapSameType
        | Kind::Move
        | Kind::Members
        | Kind::SwapMembers
        | Kind::Drop
        | Kind::Add => Vec::new(),
    }
}

/// An enum with a new value in one variant, or with the values of two variants exchanged; or a struct with such an
/// enum.
fn other_values(ty: &Type) -> Vec<Type> {
    match ty {
        Type::Enum(e) => {
            let with = |values| Type::Enum(Enum { values, ..e.clone() });
            let is_free = |value: &i64| !e.values.contains(value);
            let mut found = Vec::new();
            for (i, value) in e.values.iter().enumerate() {
                // One value is 0 and one is the maximum, so a positive value minus one is in the range of the integer.
                if let Some(free) = Some(value - 1).filter(|free| *value > 0 && is_free(free)) {
                    let mut values = e.values.clone();
                    values[i] = free;
                    found.push(with(values));
                }
            }
            if e.scoped {
                let mut values = e.values.clone();
                values.swap(0, 1);
                found.push(with(values));
            }
            found
        }
        Type::Struct(s) if s.arguments.is_empty() => {
            let mut found = Vec::new();
            for (i, field) in s.fields.iter().enumerate() {
                if matches!(field.slot, Slot::Own) {
                    for ty in other_values(&field.ty) {
                        let mut fields = s.fields.clone();
                        fields[i].ty = ty;
                        found.push(Type::Struct(Struct { fields, ..s.clone() }));
                    }
                }
            }
            found
        }
        _ => Vec::new(),
    }
}

fn pointer(to: Pointee, is_const: bool) -> Type {
    Type::Pointer { to, is_const, optional: false }
}

fn other_pointer(kind: Kind, to: &Pointee, is_const: bool, optional: bool) -> Vec<Type> {
    let same = |is_const, optional| Type::Pointer { to: to.clone(), is_const, optional };
    match kind {
        Kind::Constness if !is_const => vec![same(true, false)],
        Kind::MutForConst if is_const => vec![same(false, false)],
        Kind::Optional => vec![same(is_const, !optional)],
        Kind::AddressForPointer => vec![Type::named("u64")],
        Kind::ValueForPointer => ["f64", "i64", "usize", "u32"].map(Type::named).into(),
        Kind::VoidPointer if matches!(to, Pointee::Type(_)) => {
            vec![pointer(Pointee::Void, is_const)]
        }
        Kind::Pointee => match to {
            Pointee::Void => Vec::new(),
            Pointee::Type(to) => {
                let others: &[&str] = match &**to {
                    Type::Leaf(leaf) => match leaf.rust {
                        "f32" => &["f64", "i32", "Float4"],
                        "f64" => &["f32", "Double2"],
                        "i32" => &["u32", "f32"],
                        "u32" => &["i32", "usize"],
                        "half::f16" => &["half::bf16", "f32", "u16"],
                        "bool" => &["u8", "i32"],
                        "u8" => &["bool", "i8"],
                        _ => &["f32", "Dim3"],
                    },
                    _ => &["f32", "u8"],
                };
                let to_each = |name: &&str| pointer(Pointee::Type(Box::new(Type::named(name))), is_const);
                others.iter().map(to_each).collect()
            }
        },
        _ => Vec::new(),
    }
}

/// The component type of a vector.
pub(crate) fn element(leaf: &Leaf) -> Option<Type> {
    let found = ELEMENTS.iter().find(|(name, _)| leaf.rust.starts_with(name));
    found.map(|(_, element)| Type::named(element))
}

/// The same bytes without the vector's alignment, or a struct with a different alignment.
fn other_alignment(ty: &Type) -> Option<Type> {
    let other = match ty {
        Type::Leaf(leaf) if leaf.aggregate => Type::Array(Box::new(element(leaf)?), leaf.count),
        Type::Leaf(leaf) if leaf.size() == 16 => Type::Array(Box::new(Type::named("u64")), 2),
        Type::Struct(s) if s.arguments.is_empty() => Type::Struct(Struct {
            align: match (s.align, s.packed) {
                (None, None) => Some(2 * s.extent().align),
                _ => None,
            },
            packed: None,
            ..s.clone()
        }),
        _ => return None,
    };
    let (old, new) = (ty.extent(), other.extent());
    (old.size == new.size && old.align != new.align).then_some(other)
}

fn other_length(ty: &Type) -> Vec<Type> {
    match ty {
        Type::Array(of, len) => {
            [len + 1, len - 1].into_iter().filter(|len| *len > 0).map(|len| Type::Array(of.clone(), len)).collect()
        }
        Type::Leaf(leaf) if leaf.aggregate => {
            let stem = leaf.rust.trim_end_matches(|c: char| c.is_ascii_digit());
            (1..=4)
                .filter(|count| *count != leaf.count)
                .filter_map(|count| Leaf::named(&format!("{stem}{count}")))
                .map(Type::Leaf)
                .collect()
        }
        _ => Vec::new(),
    }
}

fn other_vector(ty: &Type) -> Option<Type> {
    let Type::Leaf(leaf) = ty else { return None };
    let stem = leaf.rust.trim_end_matches(|c: char| c.is_ascii_digit());
    let count = &leaf.rust[stem.len()..];
    KINDS_OF_VECTORS
        .iter()
        .find_map(|(from, to)| match () {
            () if *from == leaf.rust => Leaf::named(to),
            () if *from == stem => Leaf::named(&format!("{to}{count}")),
            () => None,
        })
        .filter(|other| other.aggregate && other.size() == leaf.size() && other.align == leaf.align)
        .map(Type::Leaf)
}

fn other_struct(kind: Kind, s: &Struct) -> Vec<Type> {
    let with = |fields: Vec<Field>| Struct { fields, ..s.clone() };
    let mut found = Vec::new();
    match kind {
        Kind::StructName => found.push(Struct { name: format!("Other{}", s.name), ..s.clone() }),
        Kind::StructSize => {
            if s.fields.len() > 1 {
                found.push(with(s.fields[..s.fields.len() - 1].to_vec()));
            }
            let mut longer = s.fields.clone();
            longer.push(Field { ty: Type::named("u32"), slot: Slot::Own });
            found.push(with(longer));
            found.retain(|other| other.extent().size != s.extent().size);
        }
        _ => {
            for i in 1..s.fields.len() {
                let mut swapped = s.fields.clone();
                swapped.swap(i - 1, i);
                found.push(with(swapped));
            }
            for (i, field) in s.fields.iter().enumerate() {
                for ty in replacements(Kind::IntForFloat, &field.ty) {
                    let mut changed = s.fields.clone();
                    changed[i].ty = ty;
                    found.push(with(changed));
                }
            }
            found.retain(|other| other.extent() == s.extent() && other.fields != s.fields);
        }
    }
    // An alignment below the alignment of a field is rejected or increased, both in C++ and in Rust.
    found.retain(|other| other.align.is_none_or(|align| other.extent().align == align));
    found.into_iter().map(Type::Struct).collect()
}
