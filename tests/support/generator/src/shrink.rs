//! Reduces a signature that shows a mistake to a small one that still shows it.

use crate::{Field, Pointee, Signature, Slot, Struct, Type};

/// Finds a minimal signature: repeatedly takes the first of the [`smaller`] signatures that fails. `first_failing`
/// returns the index of the first failing signature. It gets many at once, because compilers are fast with many.
pub fn shrink(mut signature: Signature, mut first_failing: impl FnMut(&[Signature]) -> Option<usize>) -> Signature {
    loop {
        let candidates = smaller(&signature);
        match first_failing(&candidates) {
            Some(index) => signature = candidates[index].clone(),
            None => return signature,
        }
    }
}

/// Signatures with a part of this one removed, the smallest first.
#[must_use]
pub fn smaller(signature: &Signature) -> Vec<Signature> {
    let mut found: Vec<Signature> = Vec::new();
    let count = signature.parameters.len();
    let with = |parameters: Vec<Type>, open: usize| Signature { parameters, open, ..signature.clone() };

    // Removes a run of parameters: half of them, a quarter, ... one.
    let mut run = count / 2;
    while run > 0 {
        for begin in (0..count).step_by(run) {
            let mut parameters = signature.parameters.clone();
            parameters.drain(begin..(begin + run).min(count));
            if !parameters.is_empty() {
                found.push(with(parameters, 0));
            }
        }
        run /= 2;
    }
    if signature.open > 0 {
        found.push(with(signature.parameters.clone(), 0));
    }
    // Replaces a parameter by one of its inner types.
    for (i, ty) in signature.parameters.iter().enumerate() {
        for inner in inside(ty) {
            let mut parameters = signature.parameters.clone();
            parameters[i] = inner;
            found.push(with(parameters, 0));
        }
    }
    // Simplifies one definition everywhere.
    for structure in signature.structs() {
        for simpler in simpler(structure) {
            let parameters = signature.parameters.iter().map(|ty| replace(ty, structure, &simpler)).collect();
            found.push(with(parameters, 0));
        }
    }
    found.retain(|candidate| candidate != signature && weight(candidate) < weight(signature));
    found
}

/// The size of a signature. It decreases with each step, so the reduction ends.
fn weight(signature: &Signature) -> usize {
    let mut weight = signature.parameters.len() + signature.open;
    for parameter in &signature.parameters {
        parameter.walk(&mut |ty| {
            weight += 2 + match ty {
                Type::Leaf(leaf) => usize::from(leaf.rust != "u8"),
                Type::Pointer { optional, .. } => 2 + usize::from(*optional),
                Type::Enum(e) => 1 + e.values.len(),
                Type::Alias { .. } => 1,
                Type::Array(_, len) => *len,
                Type::Struct(s) => {
                    s.fields.len()
                        + 4 * usize::from(s.align.is_some() || s.packed.is_some())
                        + 4 * s.arguments.len()
                        + s.length.unwrap_or(0)
                }
            }
        });
    }
    weight
}

/// The inner types of a type, and the simplest type.
fn inside(ty: &Type) -> Vec<Type> {
    let mut found = match ty {
        Type::Leaf(_) => Vec::new(),
        Type::Pointer { to, is_const, .. } => {
            let mut found = vec![Type::Pointer { to: Pointee::Void, is_const: *is_const, optional: false }];
            if let Pointee::Type(to) = to {
                found.push((**to).clone());
            }
            found
        }
        Type::Enum(e) => vec![Type::Leaf(e.underlying)],
        Type::Alias { of, .. } => vec![(**of).clone()],
        Type::Array(of, len) => {
            let mut found = vec![(**of).clone()];
            found.extend((*len > 1).then(|| Type::Array(of.clone(), len / 2)));
            found
        }
        Type::Struct(s) => s.fields.iter().map(|field| field.ty.clone()).collect(),
    };
    found.insert(0, Type::named("u8"));
    found
}

/// The struct with a part removed. Each result is a plain struct with a new name, because the instances of a generic
/// struct share its definition.
fn simpler(structure: &Struct) -> Vec<Struct> {
    let plain = plain(structure);
    let mut found = Vec::new();
    if plain.fields.len() > 1 {
        for i in 0..plain.fields.len() {
            let mut fields = plain.fields.clone();
            fields.remove(i);
            found.push(Struct { fields, ..plain.clone() });
        }
    }
    for (i, field) in plain.fields.iter().enumerate() {
        for ty in inside(&field.ty) {
            let mut fields = plain.fields.clone();
            fields[i].ty = ty;
            found.push(Struct { fields, ..plain.clone() });
        }
    }
    if let Some(align) = plain.align {
        let natural = Struct { align: None, ..plain.clone() };
        if natural.extent().align <= align / 2 {
            found.push(Struct { align: Some(align / 2), ..plain.clone() });
        }
        found.push(natural);
    }
    if plain.packed.is_some() {
        found.push(Struct { packed: None, ..plain.clone() });
    }
    if !structure.arguments.is_empty() {
        found.push(plain);
    }
    // C++ rejects an `alignas` below the alignment of a field.
    found.retain(|s| s.align.is_none_or(|align| s.extent().align == align));
    found.retain(|s| s.packed.is_none() || s.fields.iter().all(|field| field.ty.can_be_packed()));
    found
}

fn plain(structure: &Struct) -> Struct {
    if structure.arguments.is_empty() {
        return structure.clone();
    }
    let own = |ty: &Type| Field { ty: ty.clone(), slot: Slot::Own };
    let letters = |c: char| if c.is_alphanumeric() { c } else { '_' };
    Struct {
        name: structure.cpp().chars().map(letters).collect(),
        align: structure.align,
        packed: structure.packed,
        fields: structure.fields.iter().map(|field| own(&field.ty)).collect(),
        arguments: Vec::new(),
        length: None,
    }
}

/// Replaces `old` by `new` inside a type. An instance of a generic struct with `old` in its arguments becomes a plain
/// struct.
fn replace(ty: &Type, old: &Struct, new: &Struct) -> Type {
    match ty {
        Type::Struct(s) if s == old => Type::Struct(new.clone()),
        Type::Struct(s) => {
            let changed: Vec<Field> =
                s.fields.iter().map(|field| Field { ty: replace(&field.ty, old, new), slot: field.slot }).collect();
            if changed == s.fields {
                return ty.clone();
            }
            let holder = plain(s);
            let fields = changed.into_iter().map(|field| Field { slot: Slot::Own, ..field }).collect();
            let mut holder = Struct { fields, ..holder };
            if holder.align.is_some_and(|align| holder.extent().align > align) {
                holder.align = None;
            }
            Type::Struct(holder)
        }
        Type::Array(of, len) => Type::Array(Box::new(replace(of, old, new)), *len),
        Type::Pointer { to: Pointee::Type(to), is_const, optional } => Type::Pointer {
            to: Pointee::Type(Box::new(replace(to, old, new))),
            is_const: *is_const,
            optional: *optional,
        },
        Type::Pointer { .. } | Type::Alias { .. } | Type::Leaf(_) | Type::Enum(_) => ty.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Shape, signatures};

    #[test]
    fn what_is_left_is_what_the_mistake_needs() {
        let has = |signature: &Signature| {
            let mut found = false;
            for parameter in &signature.parameters {
                parameter.walk(&mut |ty| found |= matches!(ty, Type::Leaf(l) if l.rust == "Float3"));
            }
            found
        };
        let mut shrunk = 0;
        for signature in signatures(5, Shape::Plain, 300).into_iter().filter(has) {
            let small = shrink(signature, |candidates| candidates.iter().position(has));
            assert_eq!(small.parameters, [Type::named("Float3")], "{}", small.cpp_alone());
            shrunk += 1;
        }
        assert!(shrunk > 20, "only {shrunk} signatures had one");
    }

    #[test]
    fn every_candidate_is_smaller_and_can_be_compiled_as_far_as_we_know() {
        for signature in signatures(6, Shape::Plain, 100) {
            for candidate in smaller(&signature) {
                assert!(weight(&candidate) < weight(&signature));
                for structure in candidate.structs() {
                    let widest = structure.fields.iter().map(|f| f.ty.extent().align).max();
                    assert!(structure.align >= widest || structure.align.is_none());
                }
            }
        }
    }
}
