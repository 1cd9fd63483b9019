//! Random structs, unchanged and changed.

use super::{super::sides::*, *};
use kernel_args_abi::CppBase;
use proptest::prelude::*;

/// A value up to a maximum size: scalars, arrays and structs, without padding except where `gaps` inserts it.
fn value(depth: u32) -> BoxedStrategy<Parameter<'static>> {
    let leaf = prop_oneof![
        Just(f32("a")),
        Just(i32("b")),
        Just(u8("c")),
        Just(f64("d")),
        Just(boolean("e")),
        Just(slice("f", FLOAT)),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let members = proptest::collection::vec((value(depth - 1), 0usize..3), 1..4);
    let structure = members.prop_map(move |members| {
        let mut end = 0;
        let mut placed = Vec::new();
        for (i, (member, gap)) in members.into_iter().enumerate() {
            let name: &str = Box::leak(format!("m{depth}_{i}").into_boxed_str());
            placed.push(Parameter { name, ..at(end + gap, member) });
            end += gap + member.size;
        }
        of(end, placed)
    });
    let arrays = (value(depth - 1), 2u32..5).prop_map(|(element, length)| array(element, length));
    prop_oneof![2 => leaf, 3 => structure, 2 => arrays].boxed()
}

/// The scalars in a value, with their offsets.
fn scalars(value: &Parameter<'static>, start: usize, found: &mut Vec<(usize, Parameter<'static>)>) {
    let elements = value.cpp.elements();
    let size = value.size / elements;
    for i in 0..elements {
        if value.members.is_known() {
            for member in value.members.iter() {
                scalars(&member, start + i * size + member.offset.unwrap(), found);
            }
        } else {
            let class = if value.cpp.is_array() { Class::Unknown } else { value.class };
            let scalar = Parameter { size, cpp: value.cpp.element(), class, name: "", ..*value };
            found.push((start + i * size, scalar));
        }
    }
}

/// A struct of these scalars.
fn flat(size: usize, scalars: &[(usize, Parameter<'static>)]) -> Parameter<'static> {
    of(size, scalars.iter().map(|(offset, scalar)| at(*offset, *scalar)).collect())
}

proptest! {
    #[test]
    fn a_struct_agrees_with_itself_and_with_its_scalars(value in value(3)) {
        let whole = of(value.size, vec![at(0, value)]);
        prop_assert_eq!(first_difference(&whole, &whole), None);
        let mut found = Vec::new();
        scalars(&value, 0, &mut found);
        let flat = flat(value.size, &found);
        prop_assert_eq!(first_difference(&flat, &whole), None);
        prop_assert_eq!(first_difference(&whole, &flat), None);
    }

    /// Two arrays are compared by their first element only, so the scalars are the host's.
    #[test]
    fn a_scalar_that_is_changed_or_left_out_is_found(value in value(3), pick in any::<prop::sample::Index>()) {
        let whole = of(value.size, vec![at(0, value)]);
        let mut found = Vec::new();
        scalars(&value, 0, &mut found);
        let index = pick.index(found.len());
        let (offset, scalar) = found[index];

        let mut changed = found.clone();
        changed[index].1.cpp = match scalar.cpp.base {
            CppBase::Float { bits: 32 } if !scalar.cpp.is_pointer() => INT,
            _ => FLOAT,
        };
        changed[index].1.class = Class::Unknown;
        let mismatch = first_difference(&flat(value.size, &changed), &whole).expect("a changed scalar is found");
        let place = mismatch.kernel;
        let element = place.member.size / place.member.cpp.elements();
        prop_assert!(place.offset <= offset && offset < place.offset + place.member.size);
        prop_assert_eq!(element, scalar.size);

        let mut left_out = found;
        left_out.remove(index);
        let mismatch = first_difference(&flat(value.size, &left_out), &whole).expect("a missing scalar is found");
        let place = mismatch.kernel;
        prop_assert!(place.offset <= offset && offset < place.offset + place.member.size);
    }
}
